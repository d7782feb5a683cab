// Functions of the Modelica Standard Library that a text may call without defining them, written from their meaning.
#include <cmath>

#include <fmt/format.h>

#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

std::string last_word(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? name : name.substr(dot + 1);
}

constexpr double pi = 3.14159265358979323846;

// to_X(u) = factor*u + shift, from_X is its inverse
struct Unit {
    std::string_view name;
    double factor, shift;
};
constexpr Unit units[] = {{"deg", 180 / pi, 0},    {"degC", 1, -273.15},    {"degF", 1.8, -459.67},
                          {"degRk", 1.8, 0},       {"rpm", 30 / pi, 0},     {"kmh", 3.6, 0},
                          {"day", 1.0 / 86400, 0}, {"hour", 1.0 / 3600, 0}, {"minute", 1.0 / 60, 0},
                          {"litre", 1000, 0},      {"kWh", 1 / 3.6e6, 0},   {"bar", 1e-5, 0},
                          {"gps", 1000, 0},        {"mm", 1000, 0}};

} // namespace

std::optional<Value> Builtins::library(const std::string& name, const Args& args, Span span) {
    const std::string word = last_word(name);
    if (auto value = of_tables(word, args, span)) return value;
    if (name.find("Modelica.Math.") != name.npos || name.find("Modelica.Units.") != name.npos ||
        name.find("Modelica.SIunits.") != name.npos || name.find("Modelica.Mechanics.") != name.npos) {
        if (auto value = elementary(word == "atan3" ? "atan2" : word, args, span)) return value;
        if (auto value = conversion(word, args)) return value;
        return of_frames(word, args, span);
    }
    return {};
}

std::optional<Value> Builtins::conversion(const std::string& name, const Args& args) {
    if (args.size() != 1) return {};
    for (const Unit& unit : units) {
        if (name == fmt::format("to_{}", unit.name))
            return ev_.map(args[0], [&](NodeId n) {
                return g_.add(g_.mul(g_.constant(unit.factor), n), g_.constant(unit.shift));
            });
        if (name == fmt::format("from_{}", unit.name))
            return ev_.map(args[0], [&](NodeId n) {
                return g_.div(g_.sub(n, g_.constant(unit.shift)), g_.constant(unit.factor));
            });
    }
    return {};
}

// Vectors, rotations about an axis, angles.
std::optional<Value> Builtins::of_frames(const std::string& name, const Args& args, Span span) {
    const auto product = [&](const Value& a, const Value& b) { return ev_.multiply(a, b, span); };
    const auto length = [&](const Value& v) { return g_.apply(Op::sqrt, product(v, v).node); };
    if (name == "length" || (name == "norm" && args.size() == 1)) return Value::number(length(args.at(0)));
    if (name == "normalize" || name == "normalizeWithAssert") {
        const NodeId size = length(args.at(0));
        return ev_.map(args[0], [&](NodeId n) { return g_.div(n, size); });
    }
    if (name == "wrapAngle") {
        // into [-pi, pi), or, where the second argument says so, into [0, 2 pi)
        const NodeId turn = g_.constant(2 * pi), u = scalar(args.at(0), span);
        const NodeId positive = g_.mod(u, turn);
        const NodeId half = g_.constant(pi);
        const NodeId symmetric = g_.sub(g_.mod(g_.add(u, half), turn), half);
        return Value::number(args.size() > 1 ? choose(g_, scalar(args[1], span), positive, symmetric) : symmetric);
    }
    const auto transposed = [&](const Value& m) {
        std::vector<Value> rows;
        for (std::size_t j = 0; j < m[0].size(); ++j) {
            std::vector<Value> row;
            for (std::size_t i = 0; i < m.size(); ++i) row.push_back(m[i][j]);
            rows.push_back(Value::array(std::move(row)));
        }
        return Value::array(std::move(rows));
    };
    if (args.size() == 2 && (name == "resolve1" || name == "resolve2") && args[0].is_array())
        return product(name == "resolve2" ? args[0] : transposed(args[0]), args[1]);
    // e e' + (1 - e e') cos(angle) - skew(e) sin(angle)
    if (name == "planarRotation" && args.size() >= 2 && args[0].is_array() && args[0].size() == 3) {
        const NodeId c = trigonometric(Op::cos, scalar(args[1], span)),
                     s = trigonometric(Op::sin, scalar(args[1], span));
        std::vector<Value> rows;
        const auto e = [&](std::size_t k) { return scalar(args[0][k], span); };
        for (std::size_t i = 0; i < 3; ++i) {
            std::vector<Value> row;
            for (std::size_t j = 0; j < 3; ++j) {
                const NodeId ee = g_.mul(e(i), e(j));
                NodeId t = g_.add(ee, g_.mul(g_.sub(i == j ? g_.one() : g_.zero(), ee), c));
                if (i != j) {
                    const NodeId term = g_.mul(e(3 - i - j), s);
                    t = (j + 3 - i) % 3 == 1 ? g_.add(t, term) : g_.sub(t, term);
                }
                row.push_back(Value::number(t));
            }
            rows.push_back(Value::array(std::move(row)));
        }
        return Value::array(std::move(rows));
    }
    return {};
}

} // namespace vessiot::modelica
