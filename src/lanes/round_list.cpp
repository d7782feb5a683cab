#include "lanes/round_list.hpp"

#include "lanes/control_list.hpp"
#include "lanes/curve_list.hpp"

namespace vessiot::lanes {

using expr::Op;
using method::AttemptBlocks;

namespace {

using Builder = AttemptBlocks::Builder;
using Value = AttemptBlocks::Value;
using Point = AttemptBlocks::Point;

class RoundMaker {
public:
    RoundMaker(const AttemptBlocks& blocks, const ControllerOptions& control, const WatchedRows& watched, Crew crew)
        : blocks_(blocks), control_(control), watched_(watched), crew_(crew) {}

    void fix(const double* numbers) {
        for (const Number n : common_numbers) b_.fix(method::step_input, n, numbers[n]);
    }

    std::shared_ptr<const expr::Kernel> make() {
        AttemptBlocks::add_inputs(b_);
        b_.output("numbers", crew_ == Crew::one ? accepted_number + 1 : n_changing);
        b_.output("point", blocks_.formulas().n());
        b_.output("direction", blocks_.formulas().n());
        const auto n = static_cast<std::int64_t>(blocks_.formulas().n());
        if (crew_ == Crew::points)
            b_.output("curve", first_coefficient + n * static_cast<std::int64_t>(blocks_.plan().curve.degree + 1));
        const AttemptBlocks::Staged staged = blocks_.put_stages(b_);
        const AttemptBlocks::Landed landed = blocks_.put_landing(b_, staged);
        is_strange_ = changes(landed);
        error_ = blocks_.has_late_error() ? landed.error : staged.error;
        std::vector<Value> known{
            error_.above, error_.below.value_or(error_.above), staged.bad, landed.off, landed.residual, is_strange_};
        if (crew_ == Crew::points) known.push_back(put_curve(staged, landed));
        b_.begin_block(known);
        decide(staged, landed);
        advance(staged, landed);
        return b_.kernel();
    }

private:
    Value old(Number n) { return b_.read(method::step_input, n); }
    Value number(double x) { return b_.constant(x); }
    Value both(Value a, Value b) { return b_.exactly(Op::logical_and, a, b); }
    Value either(Value a, Value b) { return b_.exactly(Op::logical_or, a, b); }
    Value no(Value a) { return b_.exactly(Op::logical_not, a); }
    Value magnitude(Value a) { return b_.exactly(Op::abs, a); }
    Value larger(Value a, Value b) { return l_.select(l_.less(a, b), b, a); } // std::max
    void put(Number n, Value v) { b_.store(numbers_out, n, v); }

    // Does |df_i(V)| exceed what is noticed at the new point? A little before ConservationWatch says so.
    Value changes(const AttemptBlocks::Landed& landed) {
        std::vector<Value> found;
        if (watched_.rows.empty()) return number(0);
        const method::PointFormulas& formulas = blocks_.formulas();
        const Value t = b_.add(old(t_number), old(h_number));
        const std::vector<Value> df = formulas.rows(b_, t, landed.point).df;
        const linalg::Pattern& p = formulas.manifold().pattern();
        for (const std::int32_t row : watched_.rows) {
            std::vector<Value> parts, sizes;
            for (std::size_t j = 0; j < landed.point.size(); ++j)
                for (auto e = static_cast<std::size_t>(p.column_start[j]);
                     e < static_cast<std::size_t>(p.column_start[j + 1]); ++e)
                    if (p.row[e] == row) parts.push_back(b_.mul(df[e], landed.direction[j]));
            for (const Value part : parts) sizes.push_back(b_.abs(part));
            const Value limit = b_.mul(number(watched_.noticed / 2), b_.sum(sizes));
            found.push_back(no(b_.exactly(Op::less_equal, b_.abs(b_.sum(parts)), limit)));
        }
        return b_.sum(found);
    }

    // Stores it; 1 where it may be used.
    Value put_curve(const AttemptBlocks::Staged& staged, const AttemptBlocks::Landed& landed) {
        const StepCurve curve = CurveList(b_, blocks_).put(staged, landed);
        std::int64_t at = first_coefficient;
        for (const Point& coefficients : curve.coefficients)
            for (const Value c : coefficients) b_.store(curve_out, at++, c);
        return has_good_curve_ = curve.is_good;
    }

    // What FusedAttempt decides.
    void decide(const AttemptBlocks::Staged& staged, const AttemptBlocks::Landed& landed) {
        const bool is_late = blocks_.has_late_error();
        const Value is_finite = no(staged.bad), has_landed = b_.exactly(Op::equal, landed.off, number(0));
        const Value is_bad = l_.less(below(), error_.above); // ErrorSquare
        Value is_good = b_.exactly(Op::less_equal, error_.above, below());
        if (error_.below) is_good = both(is_good, l_.less(below(), number(ErrorSquare::too_large)));
        is_accepted_ = both(is_finite, both(has_landed, is_good));
        is_rejected_ = both(is_finite, is_late ? both(has_landed, is_bad) : is_bad);
        if (crew_ != Crew::points) return;
        const Value t = old(t_number), rest = b_.exactly(Op::div, l_.sub(old(report_number), t), old(h_number));
        const Value reports = b_.exactly(Op::less_equal, rest, number(1));
        is_accepted_ = both(is_accepted_, either(no(reports), has_good_curve_));
        b_.store(curve_out, reports_curve, both(is_accepted_, reports));
        b_.store(curve_out, from_curve, t);
    }

    // What ExplicitRk::run_on does with it, and the controller.
    void advance(const AttemptBlocks::Staged& staged, const AttemptBlocks::Landed& landed) {
        const Value t = old(t_number), h = old(h_number);
        const Value end = l_.add(t, h), is_decided = either(is_accepted_, is_rejected_);
        const auto if_accepted = [&](Value a, Value otherwise) { return l_.select(is_accepted_, a, otherwise); };
        const ControlList::Factors factors =
            l_.factors(control_, error_.above, error_.below, {old(log_old_number), old(was_rejected_number)});
        const Value grown = limited(l_.mul(h, factors.accepted));
        const Value next_t = if_accepted(end, t);
        const Value next_h = if_accepted(grown, l_.select(is_rejected_, l_.mul(h, factors.rejected), h));
        const Value longest = if_accepted(larger(old(longest_number), magnitude(h)), old(longest_number));
        const Value rounds_left = l_.sub(old(rounds_left_number), is_decided);
        const Value rest = l_.sub(old(end_number), next_t), is_last = l_.reaches(rest, next_h);
        const bool is_whole = crew_ == Crew::whole;
        put(t_number, next_t);
        put(h_number, is_whole ? l_.select(is_last, rest, next_h) : next_h);
        if (is_whole) put(last_number, is_last);
        put(log_old_number, if_accepted(factors.log_old, old(log_old_number)));
        put(was_rejected_number, if_accepted(number(0), l_.select(is_rejected_, number(1), old(was_rejected_number))));
        put(longest_number, longest);
        put(steps_number, l_.add(old(steps_number), is_accepted_));
        put(rounds_left_number, rounds_left);
        Value is_allowed = l_.less(number(0), rounds_left);
        if (!is_whole) {
            const Value steps_left = l_.sub(old(steps_left_number), is_accepted_);
            put(steps_left_number, steps_left);
            put(rejected_number, l_.add(old(rejected_number), is_rejected_));
            put(above_number, l_.select(is_decided, error_.above, old(above_number)));
            put(below_number, l_.select(is_decided, below(), old(below_number)));
            put(taken_number, if_accepted(l_.sub(end, t), old(taken_number)));
            put_residual(landed.residual);
            is_allowed = both(l_.less(number(0), steps_left), is_allowed);
        }
        const Value is_long = is_long_enough(next_t, next_h, longest);
        const Value is_plain = is_whole ? either(is_last, is_long) : both(is_inside(next_t, next_h), is_long);
        Value decided = l_.select(both(is_allowed, is_plain), of(Outcome::goes_on), of(Outcome::looks));
        if (is_whole) decided = l_.select(both(old(last_number), is_accepted_), of(Outcome::ended), decided);
        const Value is_odd = both(is_accepted_, is_strange_);
        put(outcome_number,
            l_.select(is_odd, of(Outcome::strange), l_.select(is_decided, decided, of(Outcome::unclear))));
        for (std::size_t e = 0; e < staged.start.size(); ++e) {
            const auto at = static_cast<std::int64_t>(e);
            b_.store(point_out, at, if_accepted(landed.point[e], staged.start[e]));
            b_.store(direction_out, at, if_accepted(landed.direction[e], staged.k[0][e]));
        }
    }

    // Of the step, or the largest of all.
    void put_residual(Value residual) {
        const bool is_alone = crew_ == Crew::one;
        const Value kept = is_alone ? residual : larger(old(residual_number), residual);
        put(residual_number, l_.select(is_accepted_, kept, old(residual_number)));
        if (is_alone) put(accepted_number, is_accepted_);
    }

    Value below() { return error_.below.value_or(number(1)); }
    Value of(Outcome outcome) { return number(static_cast<double>(outcome)); }

    Value limited(Value h) {
        const Value most = old(most_number), least = b_.exactly(Op::neg, most);
        const Value below = l_.select(l_.less(most, h), most, h);
        return l_.select(l_.less(below, least), least, below);
    }

    // As at the head of the loop there.
    Value is_inside(Value t, Value h) {
        const Value size = magnitude(h);
        const Value is_before_end = l_.less(l_.mul(number(1.01), size), magnitude(l_.sub(old(end_number), t)));
        if (crew_ == Crew::points) return is_before_end;
        return both(is_before_end, l_.less(size, magnitude(l_.sub(old(report_number), t))));
    }
    Value is_long_enough(Value t, Value h, Value longest) {
        const Value size = magnitude(h);
        return no(either(l_.is_short(t, h, old(floor_number)), l_.less(size, l_.mul(old(slow_number), longest))));
    }

    const AttemptBlocks& blocks_;
    const ControllerOptions& control_;
    const WatchedRows& watched_;
    Crew crew_;
    Builder b_;
    ControlList l_{b_};
    AttemptBlocks::Error error_;
    Value is_accepted_ = 0, is_rejected_ = 0, is_strange_ = 0, has_good_curve_ = 0;
};

} // namespace

std::shared_ptr<const expr::Kernel> make_round(const AttemptBlocks& blocks, const ControllerOptions& control,
                                               const WatchedRows& watched, Crew crew) {
    return RoundMaker(blocks, control, watched, crew).make();
}

std::shared_ptr<const expr::Kernel> make_whole_round(const AttemptBlocks& blocks, const ControllerOptions& control,
                                                     const WatchedRows& watched, const double* numbers) {
    RoundMaker maker(blocks, control, watched, Crew::whole);
    maker.fix(numbers);
    return maker.make();
}

} // namespace vessiot::lanes
