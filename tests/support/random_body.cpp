#include "support/random_body.hpp"

#include <algorithm>
#include <cmath>

namespace vessiot::test {

using expr::BufferRole;
using expr::Instruction;
using expr::Kernel;
using expr::Loop;
using expr::Op;

namespace {

// What is known about a value of a benign body: its range, and a bound of its relative error in units of the rounding.
struct Range {
    double low = 0, high = 0, error = 0;
};

class BodyMaker {
public:
    BodyMaker(Random& random, const Kernel& kernel, Loop& loop) : random_(random), kernel_(kernel), loop_(loop) {}

    void leaves(std::uint32_t first_read) {
        for (auto k = first_read; k < loop_.addresses.size(); ++k) push({Op::read, k, 0, 0}, range_of_read(k));
        const int n_constants = between(0, static_cast<int>(kernel_.constants.size()));
        for (int i = 0; i < n_constants; ++i) {
            const auto c = static_cast<std::uint32_t>(between(0, static_cast<int>(kernel_.constants.size()) - 1));
            const auto value = static_cast<double>(kernel_.constants[c]);
            push({Op::constant, c, 0, 0}, {value, value, 1});
        }
    }

    void any_operation(bool has_elementary) {
        // NOTE: weights: mostly arithmetic as in real models; bounded functions keep the numbers from running away.
        static const std::vector<double> weights = operation_weights();
        Op op = Op::pow;
        do op = static_cast<Op>(std::discrete_distribution<int>(weights.begin(), weights.end())(random_));
        while (is_elementary(op) && !has_elementary);
        push({op, operand(), operand(), operand()}, {});
    }

    void benign_operation(bool has_elementary) {
        const double limit = 100.0 * static_cast<double>(kernel_.loops.size()) + 40;
        for (int attempt = 0; attempt < 20; ++attempt) {
            const Instruction i{benign_op(has_elementary), operand(), operand(), 0};
            const Range r = benign_range(i);
            if (!(r.low >= 1e-3 && r.high <= 1e3 && r.error <= limit)) continue;
            push(i, r);
            return;
        }
        const std::uint32_t a = operand(), b = operand(); // no rounding, no growth: always possible
        const Range &x = ranges_[a], &y = ranges_[b];
        push({Op::max, a, b, 0}, {std::max(x.low, y.low), std::max(x.high, y.high), std::max(x.error, y.error)});
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    void push(const Instruction& instruction, const Range& range) {
        Instruction i = instruction;
        if (!is_leaf(i.op) && arity(i.op) < 2) i.b = 0;
        if (!is_leaf(i.op) && arity(i.op) < 3) i.c = 0;
        loop_.body.push_back(i);
        ranges_.push_back(range);
    }

    // Recent values often, so that bodies get deep.
    std::uint32_t operand() {
        const int n = static_cast<int>(loop_.body.size());
        return static_cast<std::uint32_t>(between(0, 9) < 6 ? between(std::max(0, n - 12), n - 1) : between(0, n - 1));
    }

    static std::vector<double> operation_weights() {
        std::vector<double> w(expr::n_ops, 0.7);
        const auto set = [&](Op op, double value) { w[static_cast<int>(op)] = value; };
        set(Op::constant, 0), set(Op::read, 0), set(Op::index_value, 0);
        set(Op::add, 20), set(Op::sub, 14), set(Op::mul, 20), set(Op::div, 4), set(Op::neg, 3), set(Op::select, 3);
        set(Op::sin, 2), set(Op::cos, 2), set(Op::tanh, 1.5), set(Op::atan, 1.5);
        return w;
    }

    Range range_of_read(std::uint32_t k) const {
        switch (kernel_.buffers[loop_.addresses[k].buffer].role) {
        case BufferRole::literal: return {1, 1e4, 0};
        // Sums of some hundred values of at most 1e3, and what was lost in the loops before.
        case BufferRole::scratch: return {1e-3, 1e6, 100.0 * static_cast<double>(kernel_.loops.size())};
        default: return {0.5, 2, 0};
        }
    }

    Op benign_op(bool has_elementary) {
        static const Op ops[] = {Op::add, Op::add,  Op::mul, Op::mul,  Op::div, Op::sqrt,  Op::min,  Op::max,
                                 Op::sin, Op::atan, Op::exp, Op::tanh, Op::log, Op::hypot, Op::cbrt, Op::asinh};
        return ops[between(0, has_elementary ? 15 : 7)];
    }

    // Positive numbers only, so that nothing cancels.
    Range benign_range(const Instruction& i) const {
        const Range &a = ranges_[i.a], &b = ranges_[i.b];
        const double worst = std::max(a.error, b.error);
        switch (i.op) {
        case Op::add: return {a.low + b.low, a.high + b.high, worst + 1};
        case Op::mul: return {a.low * b.low, a.high * b.high, a.error + b.error + 1};
        case Op::div: return {a.low / b.high, a.high / b.low, a.error + b.error + 1};
        case Op::sqrt: return {std::sqrt(a.low), std::sqrt(a.high), a.error / 2 + 1};
        case Op::min: return {std::min(a.low, b.low), std::min(a.high, b.high), worst};
        case Op::max: return {std::max(a.low, b.low), std::max(a.high, b.high), worst};
        case Op::sin: return a.high > 1.5 ? Range{} : Range{std::sin(a.low), std::sin(a.high), a.error + 2};
        case Op::atan: return {std::atan(a.low), std::atan(a.high), a.error + 2};
        case Op::exp: return {std::exp(a.low), std::exp(a.high), a.error * a.high + 2};
        case Op::tanh: return {std::tanh(a.low), std::tanh(a.high), a.error + 2};
        case Op::log: return a.low < 3 ? Range{} : Range{std::log(a.low), std::log(a.high), a.error + 2};
        case Op::hypot: return {std::hypot(a.low, b.low), std::hypot(a.high, b.high), worst + 2};
        case Op::cbrt: return {std::cbrt(a.low), std::cbrt(a.high), a.error / 3 + 2};
        default: return {std::asinh(a.low), std::asinh(a.high), a.error + 2};
        }
    }

    Random& random_;
    const Kernel& kernel_;
    Loop& loop_;
    std::vector<Range> ranges_;
};

} // namespace

void make_body(Random& random, bool has_elementary, bool is_benign, int n_operations, std::uint32_t first_read,
               const Kernel& kernel, Loop& loop) {
    BodyMaker maker(random, kernel, loop);
    maker.leaves(first_read);
    for (int i = 0; i < n_operations; ++i) {
        if (is_benign)
            maker.benign_operation(has_elementary);
        else
            maker.any_operation(has_elementary);
    }
}

} // namespace vessiot::test
