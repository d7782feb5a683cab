#include "expr/series/taylor_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <quadmath.h>

namespace vessiot::expr {

namespace {

bool is_piecewise_constant(Op op) {
    return op == Op::sign || op == Op::floor || op == Op::ceil || is_of_list(op) ||
           (op >= Op::less && op <= Op::logical_not);
}

// The steps of one loop.
class LoopPlanner {
public:
    LoopPlanner(TaylorPlan& plan, const Loop& loop) : plan_(plan), loop_(loop) {}

    TaylorLoop run() {
        const auto n = static_cast<std::uint32_t>(loop_.body.size());
        is_flat_.assign(n, true);
        is_late_.assign(n, false);
        result_.loop = &loop_;
        result_.n_values = n;
        for (std::uint32_t k = 0; k < n; ++k)
            if (loop_.body[k].op == Op::sin || loop_.body[k].op == Op::cos || loop_.body[k].op == Op::sinh ||
                loop_.body[k].op == Op::cosh)
                partners_.try_emplace({loop_.body[k].op, loop_.body[k].a}, k);
        for (std::uint32_t k = 0; k < n; ++k) plan_value(k, loop_.body[k]);
        plan_stores();
        return std::move(result_);
    }

private:
    using Key = std::pair<Op, std::uint32_t>;

    TaylorStep& push(const TaylorStep& step, bool is_flat, bool is_late) {
        if (step.out >= is_flat_.size()) {
            is_flat_.resize(step.out + 1, true);
            is_late_.resize(step.out + 1, false);
        }
        is_flat_[step.out] = is_flat;
        is_late_[step.out] = is_late;
        TaylorStep& added = result_.steps.emplace_back(step);
        added.is_late = is_late;
        if (is_flat) added.rule = Rule::flat;
        return added;
    }

    void plan_value(std::uint32_t out, const Instruction& i) {
        if (i.op == Op::constant) {
            push({.rule = Rule::flat, .op = i.op, .out = out, .a = i.a}, true, false);
        } else if (i.op == Op::read) {
            const std::uint32_t buffer = loop_.addresses[i.a].buffer;
            push({.rule = Rule::read, .op = i.op, .out = out, .a = i.a}, plan_.is_flat[buffer] != 0,
                 plan_.is_late[buffer] != 0);
        } else {
            plan_operation(out, i);
        }
    }

    // Adds a value beside those of the body.
    std::uint32_t add(Op op, std::uint32_t a, std::uint32_t b = 0) {
        const std::uint32_t out = result_.n_values++;
        plan_operation(out, {op, a, b, 0});
        return out;
    }

    std::uint32_t constant(Quad number) {
        const std::uint32_t out = result_.n_values++;
        auto& numbers = plan_.constants;
        const auto at = std::find(numbers.begin(), numbers.end(), number);
        const auto k = static_cast<std::uint32_t>(at - numbers.begin());
        if (at == numbers.end()) numbers.push_back(number);
        push({.rule = Rule::flat, .op = Op::constant, .out = out, .a = k}, true, false);
        return out;
    }

    bool flat(const Instruction& i) const {
        if (is_piecewise_constant(i.op)) return true;
        const int n = arity(i.op);
        return (n < 1 || is_flat_[i.a]) && (n < 2 || is_flat_[i.b]) && (n < 3 || is_flat_[i.c]);
    }
    bool late(const Instruction& i) const {
        const int n = arity(i.op);
        return (n > 0 && is_late_[i.a]) || (n > 1 && is_late_[i.b]) || (n > 2 && is_late_[i.c]);
    }

    void plan_operation(std::uint32_t out, const Instruction& i) {
        const bool is_late = late(i);
        TaylorStep step{.rule = Rule::flat, .op = i.op, .is_late = false, .out = out, .a = i.a, .b = i.b, .c = i.c};
        if (flat(i)) {
            push(step, true, is_late);
            return;
        }
        step.rule = rule_of(i);
        if (i.op == Op::mul && is_flat_[i.b]) std::swap(step.a, step.b); // scale: the flat one first
        switch (i.op) {
        case Op::hypot: step.x = add(Op::add, add(Op::mul, i.a, i.a), add(Op::mul, i.b, i.b)); break;
        case Op::sqrt: step.x = i.a; break;
        case Op::cbrt: step.b = constant(Quad(1) / 3); break;
        case Op::pow:
            if (step.rule == Rule::chain) { // exp(b log a)
                step.x = add(Op::mul, i.b, add(Op::log, i.a));
                step.q = out;
            }
            break;
        case Op::atan2: step.q = add(Op::add, add(Op::mul, i.a, i.a), add(Op::mul, i.b, i.b)); break;
        default:
            if (step.rule == Rule::chain) return plan_chain(step);
            if (step.rule == Rule::quotient) plan_quotient(step);
        }
        push(step, false, is_late);
    }

    Rule rule_of(const Instruction& i) const {
        switch (i.op) {
        case Op::add: return Rule::add;
        case Op::sub: return Rule::sub;
        case Op::neg: return Rule::neg;
        case Op::mul: return is_flat_[i.a] || is_flat_[i.b] ? Rule::scale : i.a == i.b ? Rule::square : Rule::mul;
        case Op::div: return is_flat_[i.b] ? Rule::ratio : Rule::div;
        case Op::sqrt:
        case Op::hypot: return Rule::root;
        case Op::abs: return Rule::abs;
        case Op::min: return Rule::min;
        case Op::max: return Rule::max;
        case Op::select: return Rule::select;
        case Op::cbrt: return Rule::power;
        case Op::pow: return is_flat_[i.b] ? Rule::power : Rule::chain;
        case Op::atan2: return Rule::angle;
        case Op::asin:
        case Op::acos:
        case Op::atan:
        case Op::asinh:
        case Op::acosh:
        case Op::atanh:
        case Op::log:
        case Op::log10: return Rule::quotient;
        default: return Rule::chain; // sin, cos, tan, sinh, cosh, tanh, exp, erf
        }
    }

    // c' = f q a'. Coefficient k needs those of q below k only, so that q may come after c.
    void plan_chain(TaylorStep step) {
        const bool is_late = is_late_[step.a];
        const std::uint32_t out = step.out;
        step.x = step.a;
        switch (step.op) {
        case Op::exp:
            step.q = out;
            push(step, false, is_late);
            return;
        case Op::erf: { // q = exp(-a^2)
            step.q = add(Op::exp, add(Op::neg, add(Op::mul, step.a, step.a)));
            step.factor = 2 / sqrtq(acosq(-1));
            push(step, false, is_late);
            return;
        }
        case Op::tan:
        case Op::tanh: { // q = 1 + c^2, 1 - c^2
            const std::size_t at = result_.steps.size();
            push(step, false, is_late);
            const std::uint32_t one = constant(1), square = add(Op::mul, out, out);
            result_.steps[at].q = add(step.op == Op::tan ? Op::add : Op::sub, one, square);
            return;
        }
        default: break;
        }
        // sin, cos, sinh, cosh: each is the derivative of the other, up to the sign
        const Op other = step.op == Op::sin    ? Op::cos
                         : step.op == Op::cos  ? Op::sin
                         : step.op == Op::sinh ? Op::cosh
                                               : Op::sinh;
        if (step.op == Op::cos) step.factor = -1;
        const auto known = partners_.find({other, step.a});
        const bool has_partner = known != partners_.end();
        step.q = has_partner ? known->second : result_.n_values++;
        partners_.try_emplace({step.op, step.a}, out);
        push(step, false, is_late);
        if (has_partner) return;
        partners_.try_emplace({other, step.a}, step.q);
        TaylorStep partner{.rule = Rule::chain, .op = other, .is_late = false, .out = step.q, .a = step.a};
        partner.x = step.a;
        partner.q = out;
        if (other == Op::cos) partner.factor = -1;
        push(partner, false, is_late);
    }

    // q c' = f a'
    void plan_quotient(TaylorStep& step) {
        step.x = step.a;
        if (step.op == Op::log || step.op == Op::log10) {
            step.q = step.a;
            if (step.op == Op::log10) step.factor = 1 / logq(10);
            return;
        }
        const std::uint32_t square = add(Op::mul, step.a, step.a), one = constant(1);
        const auto radicand = [&] { // of the functions whose derivative has a root
            switch (step.op) {
            case Op::asinh: return add(Op::add, square, one);
            case Op::acosh: return add(Op::sub, square, one);
            default: return add(Op::sub, one, square); // asin, acos, atanh
            }
        };
        if (step.op == Op::atan)
            step.q = add(Op::add, one, square);
        else if (step.op == Op::atanh)
            step.q = radicand();
        else
            step.q = add(Op::sqrt, radicand());
        if (step.op == Op::acos) step.factor = -1;
    }

    void plan_stores() {
        for (const Store& store : loop_.stores) {
            const std::uint32_t buffer = loop_.addresses[store.address].buffer;
            if (!is_flat_[store.value]) plan_.is_flat[buffer] = false;
            if (is_late_[store.value]) plan_.is_late[buffer] = true;
        }
    }

    TaylorPlan& plan_;
    const Loop& loop_;
    TaylorLoop result_;
    std::vector<char> is_flat_, is_late_;
    std::map<Key, std::uint32_t> partners_;
};

} // namespace

TaylorPlan plan_taylor(std::shared_ptr<const Kernel> kernel, const std::vector<char>& flat_inputs,
                       const std::vector<char>& late_inputs) {
    TaylorPlan plan;
    plan.kernel = std::move(kernel);
    plan.constants = plan.kernel->constants;
    for (std::size_t b = 0; b < plan.kernel->buffers.size(); ++b) {
        const bool is_input = plan.kernel->buffers[b].role == BufferRole::input;
        plan.is_flat.push_back(!is_input || b >= flat_inputs.size() || flat_inputs[b]);
        plan.is_late.push_back(is_input && b < late_inputs.size() && late_inputs[b]);
    }
    for (const Loop& loop : plan.kernel->loops) plan.loops.push_back(LoopPlanner(plan, loop).run());
    // all that is written to a late buffer is written again, the values that sums begin with among it
    for (TaylorLoop& loop : plan.loops) {
        loop.has_late = std::ranges::any_of(loop.steps, &TaylorStep::is_late);
        for (const Store& store : loop.loop->stores) {
            loop.is_late.push_back(plan.is_late[loop.loop->addresses[store.address].buffer]);
            loop.has_late |= loop.is_late.back() != 0;
        }
    }
    return plan;
}

} // namespace vessiot::expr
