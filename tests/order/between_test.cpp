// Values between the steps are as accurate as was asked for, not those at the steps alone: of every method that finds
// its steps, on a smooth system, one with an algebraic unknown, and a stiff one, whose ends are right whatever the
// step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using method::MethodInfo;

struct Case {
    std::string name, text;
    std::function<double(const std::string&, double)> exact; // of an unknown, at a time
    bool is_stiff = false;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"smooth", "unknown x, y\nx' = y\ny' = -x\nstart x = 1, y = 0\nsolve t = 0 .. 10\n",
         [](const std::string& name, double t) { return name == "x" ? std::cos(t) : -std::sin(t); }},
        {"algebraic", "unknown x, z\nx' = -x + z\nz = sin(0.8*t)\nstart x = 1\nsolve t = 0 .. 10\n",
         [](const std::string& name, double t) {
             if (name == "z") return std::sin(0.8 * t);
             return (std::sin(0.8 * t) - 0.8 * std::cos(0.8 * t)) / 1.64 + (1 + 0.8 / 1.64) * std::exp(-t);
         }},
        {"stiff", "unknown y\ny' = -1e6*(y - cos(t)) - sin(t)\nstart y = 1\nsolve t = 0 .. 10\n",
         [](const std::string&, double t) { return std::cos(t); }, true},
    };
    return all;
}

struct Errors {
    bool fits = false;
    double ends = 0, between = 0;
};

double largest_error(const Solution& s, const Case& c) {
    double largest = 0;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
        const std::string& name = s.names[k % s.names.size()];
        if (name.ends_with("'")) continue;
        largest = std::max(largest, std::fabs(s.values[k] - c.exact(name, s.t[k / s.names.size()])));
    }
    return largest;
}

Errors errors(const Case& c, const Model& model, const std::string& method, double rtol) {
    SolveOptions o;
    o.method = method;
    o.rtol = rtol;
    o.atol = rtol;
    o.backend = "interpreter";
    o.dense = false;
    o.throw_on_failure = false;
    o.max_steps = 20000;
    Errors result;
    try {
        const Solution steps = solve(model, o);
        if (steps.status != Status::success) return result;
        result.ends = largest_error(steps, c);
        for (int k = 1; k <= 37; ++k) o.at.push_back(std::fmod(k * 10 * 0.6180339887498949, 10));
        std::ranges::sort(o.at);
        const Solution inside = solve(model, o);
        EXPECT_EQ(inside.status, Status::success) << method << " on " << c.name << " at " << rtol;
        result.between = largest_error(inside, c);
        result.fits = true;
    } catch (const InvalidInput&) {
    }
    return result;
}

class Between : public testing::TestWithParam<double> {};

TEST_P(Between, ValuesAreAsAccurateAsTheEnds) {
    const double rtol = GetParam();
    int n_measured = 0;
    for (const Case& c : cases()) {
        const Model model = Model::parse(c.text);
        for (const MethodInfo& m : method::methods()) {
            const bool is_implicit = m.family == method::Family::implicit_rk || method::is_direct(m);
            if (c.is_stiff && !is_implicit) continue;
            // algebraic and stiff unknowns go to and fro about the curve there (doubling.hpp)
            if (c.name != "smooth" && m.name.starts_with("dae_gauss")) continue;
            const Errors e = errors(c, model, std::string(m.name), rtol);
            if (!e.fits) continue;
            ++n_measured;
            EXPECT_LE(e.between, std::max(100 * rtol, 20 * e.ends))
                << m.name << " on " << c.name << " at " << rtol << ": " << e.ends << " at the ends";
        }
    }
    EXPECT_GE(n_measured, 30);
}

INSTANTIATE_TEST_SUITE_P(Tolerances, Between, testing::Values(1e-6, 1e-9));

} // namespace
} // namespace vessiot
