// The meaning of a kernel, written down in the plainest way: one instance after another, one operation after another.
// Slow and obviously right; the interpreter must agree with it bit for bit.
#pragma once

#include <array>
#include <vector>

#include "expr/functions/vmath.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::test {

// One system (one lane); all buffers are given by the caller, scratch and literals too.
template <class S> class ReferenceEvaluator {
public:
    explicit ReferenceEvaluator(const expr::Kernel& kernel) : kernel_(kernel) {}

    void operator()(S* const* buffers) const {
        for (const expr::Loop& loop : kernel_.loops) run(loop, buffers);
    }

private:
    using Partials = std::array<S, expr::reduction_width>;

    void run(const expr::Loop& loop, S* const* buffers) const {
        std::size_t instance = 0; // counted over all segments
        for (std::size_t segment = 0; segment < loop.lengths.size(); ++segment) {
            std::vector<Partials> partials(loop.stores.size(), Partials{});
            for (std::int64_t i = 0; i < loop.lengths[segment]; ++i, ++instance) {
                const auto element = [&](std::uint32_t k) -> S& {
                    const expr::Address& address = loop.addresses[k];
                    const std::int64_t e = address.table >= 0
                                               ? loop.tables[address.table][instance]
                                               : loop.starts[segment * loop.addresses.size() + k] + address.stride * i;
                    return buffers[address.buffer][e];
                };
                const std::vector<S> values = evaluate_body(loop, element);
                for (std::size_t s = 0; s < loop.stores.size(); ++s) {
                    const expr::Store& store = loop.stores[s];
                    const S value = values[store.value];
                    if (store.mode == expr::StoreMode::assign) element(store.address) = value;
                    if (store.mode == expr::StoreMode::add) element(store.address) += value;
                    if (store.mode == expr::StoreMode::reduce) partials[s][i % expr::reduction_width] += value;
                }
            }
            add_reductions(loop, segment, partials, buffers);
        }
    }

    template <class Element> std::vector<S> evaluate_body(const expr::Loop& loop, Element element) const {
        std::vector<S> values;
        for (const expr::Instruction& i : loop.body) {
            if (i.op == expr::Op::constant)
                values.push_back(static_cast<S>(kernel_.constants[i.a]));
            else if (i.op == expr::Op::read)
                values.push_back(element(i.a));
            else
                values.push_back(operation(i.op, values[i.a], arity(i.op) > 1 ? values[i.b] : S(0),
                                           arity(i.op) > 2 ? values[i.c] : S(0)));
        }
        return values;
    }

    static S operation(expr::Op op, S a, S b, S c) {
        using expr::Op;
        switch (op) {
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::neg: return -a;
        case Op::sign: return S(int(a > 0) - int(a < 0));
        case Op::min: return a < b ? a : b;
        case Op::max: return a > b ? a : b;
        case Op::less: return S(a < b);
        case Op::less_equal: return S(a <= b);
        case Op::equal: return S(a == b);
        case Op::not_equal: return S(a != b);
        case Op::logical_and: return S(a != 0 && b != 0);
        case Op::logical_or: return S(a != 0 || b != 0);
        case Op::logical_not: return S(!(a != 0));
        case Op::select: return a != 0 ? b : c;
        default: return expr::apply<S>(op, a, b, c);
        }
    }

    static void add_reductions(const expr::Loop& loop, std::size_t segment, const std::vector<Partials>& partials,
                               S* const* buffers) {
        for (std::size_t s = 0; s < loop.stores.size(); ++s) {
            if (loop.stores[s].mode != expr::StoreMode::reduce) continue;
            const Partials& p = partials[s];
            const std::uint32_t k = loop.stores[s].address;
            S& out = buffers[loop.addresses[k].buffer][loop.starts[segment * loop.addresses.size() + k]];
            out = out + (((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7])));
        }
    }

    const expr::Kernel& kernel_;
};

} // namespace vessiot::test
