#include "expr/series/straight_series.hpp"

#include <algorithm>

namespace vessiot::expr {

// The rules, at one order.
struct StraightSeries::Writer {
    StraightSeries& of;
    StraightBuilder& to;
    const Reader& read;
    const int k;

    Coefficient at(std::uint32_t value, int order) const {
        const auto& known = of.values_[value];
        const auto j = static_cast<std::size_t>(order);
        return j < known.size() ? known[j] : std::nullopt;
    }
    Value first(std::uint32_t value) const { return *at(value, 0); }

    // ---- arithmetic with coefficients that may vanish ----
    Value times(Value a, Value b) const { return to.exactly(Op::mul, std::min(a, b), std::max(a, b)); }
    Coefficient times(Coefficient a, Coefficient b) const { return a && b ? Coefficient(times(*a, *b)) : std::nullopt; }
    Coefficient scaled(Coefficient a, Quad number) const {
        return !a || number == 1 ? a : times(*a, to.constant(number));
    }
    Coefficient plus(Coefficient a, Coefficient b) const {
        return a && b ? Coefficient(to.exactly(Op::add, std::min(*a, *b), std::max(*a, *b))) : a ? a : b;
    }
    Coefficient minus(Coefficient a) const { return a ? Coefficient(to.exactly(Op::neg, *a)) : a; }
    Coefficient minus(Coefficient a, Coefficient b) const {
        return a && b ? Coefficient(to.exactly(Op::sub, *a, *b)) : a ? a : minus(b);
    }
    // 1 / (factor a), made at order 0
    Value inverse(const TaylorStep& step, Value a, Quad factor = 1) const {
        Coefficient& known = of.inverse_[static_cast<std::size_t>(of.step_of_[step.out])];
        if (!known) known = to.exactly(Op::div, to.constant(1), *scaled(a, factor));
        return *known;
    }

    // sum_{j=from..end-1} weight(j) a_j b_{k-j}
    template <class Weight>
    Coefficient sum(std::uint32_t a, std::uint32_t b, int from, int end, const Weight& weight) const {
        std::vector<Product> terms;
        for (int j = from; j < end; ++j) {
            const Coefficient x = scaled(at(a, j), weight(j)), y = at(b, k - j);
            if (x && y && weight(j) != 0) terms.push_back({std::max(j, k - j), *x, *y});
        }
        std::ranges::stable_sort(terms, {}, &Product::known);
        Coefficient result;
        for (const Product& p : terms) result = plus(result, times(p.a, p.b));
        return result;
    }
    Coefficient plain(std::uint32_t a, std::uint32_t b, int from, int end) const {
        return sum(a, b, from, end, [](int) { return Quad(1); });
    }
    Coefficient weighted(std::uint32_t a, std::uint32_t b, int from, int end) const {
        return sum(a, b, from, end, [](int j) { return Quad(j); });
    }
    // sum_{j=from..k-from} a_j a_{k-j}
    Coefficient halves(std::uint32_t a, int from) const {
        const Coefficient half = plain(a, a, from, (k + 1) / 2), middle = k % 2 == 0 ? at(a, k / 2) : std::nullopt;
        const Coefficient twice = plus(half, half);
        return k / 2 < from ? twice : plus(twice, times(middle, middle));
    }

    const TaylorStep& step_of(std::uint32_t value) const {
        return of.plan_.loops[0].steps[static_cast<std::size_t>(of.step_of_[value])];
    }
    // What is below the root where c = sqrt(a)^2.
    std::optional<std::uint32_t> below_root(const TaylorStep& step) const {
        if (step.rule != Rule::square || step_of(step.a).op != Op::sqrt) return std::nullopt;
        return step_of(step.a).x;
    }

    Coefficient element(const TaylorStep& step) const {
        const Loop& loop = *of.plan_.loops[0].loop;
        return read(loop.addresses[step.a].buffer, loop.starts[step.a], k);
    }

    // Order 0: the value itself.
    Coefficient begin(const TaylorStep& step) const {
        if (step.op == Op::constant) return to.constant(of.plan_.constants[step.a]);
        if (step.op == Op::read) return element(step);
        if (const auto below = below_root(step)) return at(*below, 0);
        if (step.rule == Rule::div) return times(first(step.a), inverse(step, first(step.b)));
        const int n = arity(step.op);
        return to.apply(step.op, first(step.a), n > 1 ? first(step.b) : 0, n > 2 ? first(step.c) : 0);
    }

    Coefficient next(const TaylorStep& s) const {
        switch (s.rule) {
        case Rule::flat: return std::nullopt;
        case Rule::read: return element(s);
        case Rule::add: return plus(at(s.a, k), at(s.b, k));
        case Rule::sub: return minus(at(s.a, k), at(s.b, k));
        case Rule::neg: return minus(at(s.a, k));
        case Rule::scale: return times(at(s.a, 0), at(s.b, k));
        case Rule::ratio: return times(at(s.a, k), inverse(s, first(s.b)));
        case Rule::mul: return plain(s.a, s.b, 0, k + 1);
        case Rule::square:
            if (const auto below = below_root(s)) return at(*below, k);
            return halves(s.a, 0);
        case Rule::div: return times(minus(at(s.a, k), plain(s.b, s.out, 1, k + 1)), inverse(s, first(s.b)));
        case Rule::root: return times(minus(at(s.x, k), halves(s.out, 1)), inverse(s, first(s.out), 2));
        case Rule::chain: return scaled(weighted(s.x, s.q, 1, k + 1), s.factor / k);
        case Rule::quotient:
            return times(minus(scaled(at(s.x, k), s.factor), scaled(weighted(s.out, s.q, 1, k), Quad(1) / k)),
                         inverse(s, first(s.q)));
        case Rule::angle: {
            const Coefficient turn = minus(weighted(s.a, s.b, 1, k + 1), weighted(s.b, s.a, 1, k + 1));
            return times(scaled(minus(turn, weighted(s.out, s.q, 1, k)), Quad(1) / k), inverse(s, first(s.q)));
        }
        case Rule::power: return power(s);
        default: // a selection
            return to.exactly(Op::select, first(s.a), at(s.b, k).value_or(to.constant(0)),
                              at(s.c, k).value_or(to.constant(0)));
        }
    }

    Coefficient power(const TaylorStep& s) const {
        const Value below = inverse(s, first(s.a));
        if (const TaylorStep& p = step_of(s.b); p.op == Op::constant) {
            const Quad exponent = of.plan_.constants[p.a];
            return times(sum(s.a, s.out, 1, k + 1, [&](int j) { return (exponent + 1) * j / k - 1; }), below);
        }
        const Coefficient grown = times(plus(at(s.b, 0), to.constant(1)), weighted(s.a, s.out, 1, k + 1));
        return times(minus(scaled(grown, Quad(1) / k), plain(s.a, s.out, 1, k + 1)), below);
    }
};

StraightSeries::StraightSeries(std::shared_ptr<const Kernel> kernel, const std::vector<char>& flat_inputs)
    : plan_(plan_taylor(std::move(kernel), flat_inputs, {})) {
    const TaylorLoop& loop = plan_.loops[0];
    values_.resize(loop.n_values);
    step_of_.assign(loop.n_values, -1);
    inverse_.resize(loop.steps.size());
    for (std::size_t k = 0; k < loop.steps.size(); ++k) step_of_[loop.steps[k].out] = static_cast<std::int32_t>(k);
    outputs_.resize(loop.loop->stores.size());
    for (const Store& s : loop.loop->stores) outputs_[static_cast<std::size_t>(loop.loop->starts[s.address])] = s.value;
}

bool StraightSeries::can_be_written() const {
    return std::ranges::none_of(plan_.loops[0].steps, [](const TaylorStep& s) {
        return s.rule == Rule::abs || s.rule == Rule::min || s.rule == Rule::max;
    });
}

void StraightSeries::extend(StraightBuilder& to, const Reader& read, int k) {
    const Writer writer{*this, to, read, k};
    for (const TaylorStep& step : plan_.loops[0].steps) {
        const Coefficient c = k == 0 ? writer.begin(step) : writer.next(step);
        values_[step.out].push_back(c);
    }
}

StraightSeries::Coefficient StraightSeries::output(std::int64_t element, int k) const {
    return values_[outputs_[static_cast<std::size_t>(element)]][static_cast<std::size_t>(k)];
}

} // namespace vessiot::expr
