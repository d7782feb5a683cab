#include "system/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "expr/functions/vmath.hpp"

namespace vessiot {

using namespace expr;

class TimeFunction::Maker {
public:
    Maker(const System& system, TimeFunction& to) : s_(system), g_(*system.graph), to_(to) {}

    std::uint32_t expression(NodeId body, const Env& env) {
        std::unordered_map<NodeId, std::uint32_t> at;
        for (const NodeId n : g_.cone({body})) at[n] = node(n, env, at);
        return at.at(body);
    }

private:
    std::uint32_t node(NodeId n, const Env& env, const std::unordered_map<NodeId, std::uint32_t>& at) {
        const Node& x = g_.node(n);
        switch (x.op) {
        case Op::constant: return number(g_.value(n));
        case Op::index_value: return number(static_cast<Quad>(g_.index().value(x.a, env)));
        case Op::read: return read(x.a, g_.address(x.a, x.b, env));
        default: break;
        }
        Step step{.op = x.op, .a = at.at(x.a)};
        if (arity(x.op) > 1) step.b = at.at(x.b);
        if (arity(x.op) > 2) step.c = at.at(x.c);
        return add(step);
    }

    std::uint32_t read(ArrayId array, std::int64_t address) {
        if (address < 0) return number(0); // in a branch that this instance does not take
        const auto [known, is_new] = reads_.try_emplace({array, address}, 0);
        if (is_new) known->second = read_anew(array, address);
        return known->second;
    }

    std::uint32_t read_anew(ArrayId array, std::int64_t address) {
        const auto position = static_cast<std::size_t>(address);
        if (array == s_.independent) return add({.leaf = Leaf::time});
        const auto p = std::ranges::find(s_.parameters, array, &Parameter::array);
        if (p != s_.parameters.end())
            return add({.leaf = Leaf::parameter,
                        .a = static_cast<std::uint32_t>(p - s_.parameters.begin()),
                        .b = static_cast<std::uint32_t>(position)});
        std::size_t first = 0;
        for (const Held& h : s_.held) {
            to_.reads_held_ |= h.array == array;
            if (h.array == array) return add({.leaf = Leaf::held, .a = static_cast<std::uint32_t>(first + position)});
            first += h.values.size();
        }
        if (g_.array(array).role != ArrayRole::defined) throw std::logic_error("no function of time");
        return defined(array, address);
    }

    // The sum of all contributions to one element.
    std::uint32_t defined(ArrayId array, std::int64_t address) {
        const std::vector<Contribution> definition = g_.array(array).definition;
        std::uint32_t sum = number(0);
        for (const Contribution& c : definition)
            g_.index().for_each(c.domain, [&](const Env& env) {
                if (g_.address(array, c.target, env) == address)
                    sum = add({.op = Op::add, .a = sum, .b = expression(c.body, env)});
                return true;
            });
        return sum;
    }

    std::uint32_t number(Quad value) { return add({.value = value}); }

    std::uint32_t add(const Step& step) {
        to_.steps_.push_back(step);
        return static_cast<std::uint32_t>(to_.steps_.size() - 1);
    }

    const System& s_;
    Graph& g_;
    TimeFunction& to_;
    std::map<std::pair<ArrayId, std::int64_t>, std::uint32_t> reads_;
};

TimeFunction::TimeFunction(const System& system, NodeId body, const Env& env) : system_(&system) {
    Maker maker(system, *this);
    result_ = maker.expression(body, env);
    numbers_.resize(steps_.size());
    intervals_.resize(steps_.size());
}

template <class S> S TimeFunction::operator()(S t, std::span<const S> held) {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        const Step& step = steps_[k];
        if (step.op == Op::constant)
            numbers_[k] = step.leaf == Leaf::time        ? Quad(t)
                          : step.leaf == Leaf::held      ? Quad(held[step.a])
                          : step.leaf == Leaf::parameter ? Quad(S(parameter(step)))
                                                         : Quad(S(step.value));
        else
            numbers_[k] = Quad(expr::apply<S>(step.op, S(numbers_[step.a]), S(numbers_[step.b]), S(numbers_[step.c])));
    }
    return S(numbers_[result_]);
}

template <class S> Interval TimeFunction::operator()(Interval t, std::span<const S> held) {
    const auto point = [](Quad value) {
        const auto x = static_cast<double>(value);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return Quad(x) == value ? Interval{x, x} : Interval{std::nextafter(x, -infinity), std::nextafter(x, infinity)};
    };
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        const Step& step = steps_[k];
        if (step.op == Op::constant)
            intervals_[k] = step.leaf == Leaf::time        ? t
                            : step.leaf == Leaf::held      ? point(Quad(held[step.a]))
                            : step.leaf == Leaf::parameter ? point(parameter(step))
                                                           : point(step.value);
        else
            intervals_[k] = expr::apply(step.op, intervals_[step.a], intervals_[step.b], intervals_[step.c]);
    }
    return intervals_[result_];
}

template double TimeFunction::operator()(double, std::span<const double>);
template Quad TimeFunction::operator()(Quad, std::span<const Quad>);
template Interval TimeFunction::operator()(Interval, std::span<const double>);
template Interval TimeFunction::operator()(Interval, std::span<const Quad>);

} // namespace vessiot
