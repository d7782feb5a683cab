#include "lanes/control_list.hpp"

#include <limits>

#include "core/near_power.hpp"

namespace vessiot::lanes {

using expr::Op;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

ControlList::Value ControlList::near_log2(Value x) {
    const Value is_tiny = less(x, number(std::numeric_limits<double>::min()));
    const Value y = select(is_tiny, mul(x, number(0x1p54)), x);
    const Value e = b_.exactly(expr::exponent_op, y);
    const Value m = b_.exactly(expr::mantissa_op, y);
    const Value is_large = less(number(1.4142135623730951), m);
    const Value n = select(is_large, mul(number(0.5), m), m);
    const Value k = add(select(is_tiny, sub(e, number(54)), e), is_large);
    const Value s = b_.exactly(Op::div, sub(n, number(1)), add(n, number(1))), q = mul(s, s), r = mul(q, q);
    const Value low = add(number(2.8853900817779268), mul(q, number(0.96179669392597560)));
    const Value high =
        add(add(number(0.57707801635558537), mul(q, number(0.41219858311113240))), mul(r, number(0.32059889797532520)));
    const Value log = add(k, mul(s, add(low, mul(r, high))));
    const Value is_above = less(number(std::numeric_limits<double>::max()), x);
    return select(b_.exactly(Op::equal, x, number(0)), number(-infinity), select(is_above, x, log));
}

ControlList::Value ControlList::near_exp2(Value y) {
    const Value magic = number(6755399441055744.0);
    const Value n = sub(add(y, magic), magic), f = sub(y, n), g = mul(f, f);
    const Value low = add(add(number(1.0), mul(f, number(0.69314718055994531))),
                          mul(g, add(number(0.24022650695910071), mul(f, number(0.055504108664821580)))));
    const Value middle = add(number(0.0096181291076284772), mul(f, number(0.0013333558146428443)));
    const Value high = add(number(0.00015403530393381609), mul(f, number(0.000015252733804059840)));
    const Value p = add(low, mul(mul(g, g), add(middle, mul(g, high))));
    const Value power = mul(p, b_.exactly(expr::power_of_two_op, n));
    // NOTE: of NaN it is NaN in near_power.hpp, but errors that are none end before
    const Value is_below = b_.exactly(Op::less_equal, y, number(-1022));
    return select(less(y, number(1023)), select(is_below, number(0), power), number(infinity));
}

ControlList::Value ControlList::rough_power(Value y) {
    return mul(number(1 / 1.5), b_.exactly(expr::of_word_op, y));
}

ControlList::Factors ControlList::factors(const ControllerOptions& o, Value above, std::optional<Value> below,
                                          const Memory& memory) {
    using C = Controller<double>;
    const Value safety = number(o.safety), least = number(o.factor_min);
    const Value most = select(memory.was_rejected, number(1), number(o.factor_max));
    const Value good = number(C::log_of_good);
    const double alpha = o.exponent - 0.75 * o.beta;
    if (o.is_rough) {
        const Value log = sub(word(above), below ? word(*below) : number(as_word(1)));
        const Value origin = number(begin_of_power_times(o.safety));
        const Value begin = add(origin, mul(number(o.beta * word_unit), memory.log_old));
        const Value power = rough_power(sub(begin, mul(number(alpha / 2), log)));
        const Value smaller = rough_power(sub(origin, mul(number(o.exponent / 2), log)));
        return {.accepted = clamp(power, least, most),
                .rejected = max(least, smaller),
                .log_old = max(mul(number(0.5 / word_unit), log), good)};
    }
    const Value square = below ? b_.exactly(Op::div, above, *below) : above;
    const Value log = mul(number(0.5), near_log2(square));
    const Value power = near_exp2(sub(mul(number(o.beta), memory.log_old), mul(number(alpha), log)));
    const Value smaller = mul(safety, near_exp2(mul(number(-o.exponent), log)));
    return {
        .accepted = clamp(mul(safety, power), least, most), .rejected = max(least, smaller), .log_old = max(log, good)};
}

ControlList::Value ControlList::reaches(Value rest, Value h) {
    const Value reach = mul(number(1.01), b_.exactly(Op::abs, h));
    return b_.exactly(Op::less_equal, b_.exactly(Op::abs, rest), reach);
}

ControlList::Value ControlList::is_short(Value t, Value h, Value floor) {
    const Value size = b_.exactly(Op::abs, h);
    const Value scale = max(b_.exactly(Op::abs, t), b_.exactly(Op::abs, add(t, h)));
    const Value round_off = mul(number(8 * std::numeric_limits<double>::epsilon()), scale);
    return b_.exactly(Op::logical_or, less(size, floor), b_.exactly(Op::less_equal, size, round_off));
}

} // namespace vessiot::lanes
