#include "ensemble/whole/member_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ensemble/whole/whole_lists.hpp"
#include "lanes/control_list.hpp"
#include "solve/run/recorder.hpp"
#include "solve/start/given.hpp"

namespace vessiot::ensemble {

using expr::Op;

namespace {

using Builder = PutFunctions::Builder;
using Value = PutFunctions::Value;
using Point = PutFunctions::Point;

// The parameters of a member, of what varies.
Point parameters_of(Builder& b, MemberParts& parts) {
    Point values;
    for (const double x : parts.workspace.problem().jets().parameters()) values.push_back(b.constant(x));
    for (const auto& [element, k] : parts.parameters)
        values[element] = b.read(WholeLists::varied_in, static_cast<std::int64_t>(k));
    return values;
}

// Tests and norms of both lists, as operations as they stand.
class Tests {
public:
    explicit Tests(Builder& b) : b_(b), l_(b) {}

    Value both(Value a, Value c) { return b_.exactly(Op::logical_and, a, c); }
    Value abs(Value a) { return b_.exactly(Op::abs, a); }
    Value at_most(Value a, Value c) { return b_.exactly(Op::less_equal, a, c); }
    Value are_finite(const Point& x) {
        std::vector<Value> zeros;
        for (const Value v : x) zeros.push_back(l_.mul(l_.number(0), v));
        return b_.exactly(Op::equal, b_.sum(std::move(zeros)), l_.number(0));
    }
    // sqrt(1/n sum (e_i / (atol + rtol |x_i|))^2), in the order of linalg::weighted_sum_of_squares and linalg::total
    Value norm(const Point& e, const Point& x, double rtol, double atol) {
        std::array<std::optional<Value>, 8> sums{};
        for (std::size_t i = 0; i < e.size(); ++i) {
            const Value ratio = b_.exactly(Op::div, e[i], l_.add(l_.number(atol), l_.mul(l_.number(rtol), abs(x[i]))));
            const Value is_zero = b_.exactly(Op::equal, e[i], l_.number(0));
            const Value square = l_.select(is_zero, l_.number(0), l_.mul(ratio, ratio));
            sums[i % 8] = sums[i % 8] ? l_.add(*sums[i % 8], square) : square;
        }
        const auto add = [&](std::optional<Value> a, std::optional<Value> c) { // what is not there is 0
            return a && c ? std::optional(l_.add(*a, *c)) : a ? a : c;
        };
        const auto four = [&](std::size_t k) { return add(add(sums[k], sums[k + 4]), add(sums[k + 2], sums[k + 6])); };
        const Value all = *add(four(0), four(1));
        return b_.exactly(Op::sqrt, b_.exactly(Op::div, all, l_.number(static_cast<double>(e.size()))));
    }

private:
    Builder& b_;
    lanes::ControlList l_;
};

class StartMaker {
public:
    StartMaker(MemberParts& parts, const std::vector<lanes::FixedInput>& fixed)
        : parts_(parts), problem_(parts.workspace.problem()), fixed_(fixed) {
        b_.input("varied", 1 << 20);
        b_.output("numbers", lanes::n_numbers);
        b_.output("point", problem_.n_state());
        b_.output("direction", problem_.n_state());
        b_.output("fixed", std::ssize(fixed));
    }

    std::shared_ptr<const expr::Kernel> make() {
        put_.emplace(b_, problem_.jets(), parameters_of(b_, parts_), !parts_.parameters.empty());
        if (!put_point()) return nullptr;
        t_ = l_.number(parts_.t);
        is_good_ = tests_.both(tests_.are_finite(put_->parameters()), tests_.are_finite(x_));
        keep_invariants();
        check_constraints();
        v_ = (*put_)(*problem_.distribution().velocity_function(), t_, x_);
        check_directions();
        const Value h = parts_.h_first ? l_.number(*parts_.h_first) : first_step();
        store(h);
        return b_.kernel();
    }

private:
    // The values that are given; what is computed, or left open, is for others.
    bool put_point() {
        const System& system = problem_.system();
        const Prolongation& p = problem_.prolongation();
        const Given<double> given = read_start(system, p, parts_.settings, problem_.start_functions());
        for (std::size_t k = 0; k < p.state.size(); ++k)
            if (!given.is_given[static_cast<std::size_t>(p.state[k])]) return false;
        for (const std::int32_t at : p.top)
            if (given.is_given[static_cast<std::size_t>(at)]) return false;
        Point z;
        for (const double value : given.value) z.push_back(l_.number(value));
        if (!parts_.parameters.empty()) put_statements(given, z);
        for (const auto& [name, k] : parts_.starts) {
            const std::int64_t at = position_of(system, p, name);
            if (std::ranges::find(p.state, at) == p.state.end()) return false;
            z[static_cast<std::size_t>(at)] = b_.read(WholeLists::varied_in, static_cast<std::int64_t>(k));
        }
        for (const std::int32_t at : p.state) x_.push_back(z[static_cast<std::size_t>(at)]);
        return true;
    }

    // Those that follow from parameters, but for what the options say.
    void put_statements(const Given<double>& given, Point& z) {
        const expr::Function<double>* const function = problem_.start_functions().start.function();
        if (!function) return;
        const Point values = put_->of_parameters(*function);
        const std::vector<std::int64_t> positions =
            positions_of(problem_.system(), problem_.prolongation(), problem_.system().start);
        for (std::size_t k = 0; k < positions.size(); ++k)
            if (positions[k] >= 0 && !given.is_asked[static_cast<std::size_t>(positions[k])])
                z[static_cast<std::size_t>(positions[k])] = values[k];
    }

    // take_kept_values
    void keep_invariants() {
        const Manifold<double>& m = problem_.manifold();
        Point constants = put_->constants();
        for (Value& c : constants) c = l_.number(0);
        put_->set_constants(constants);
        if (!m.has_invariants()) return;
        const Point f = put_->rows(m, t_, x_).f;
        const std::size_t n_kept = problem_.jets().kept().size(), first = f.size() - n_kept;
        for (std::size_t k = 0; k < n_kept; ++k)
            if (!problem_.system().invariants[m.rows()[first + k].source].kept) constants[k] = f[first + k];
        put_->set_constants(constants);
    }

    // NOTE: a little more strictly than has_violations() does: sizes of rows are at least a sixteenth of their terms.
    void check_constraints() {
        const Manifold<double>& m = problem_.manifold();
        if (m.n_constraints() == 0) return;
        constexpr double allowed = 0.9e-12 / 16;
        const Point f = put_->rows(m, t_, x_).f, terms = put_->largest_terms(m, t_, x_);
        for (std::size_t k = 0; k < f.size(); ++k)
            is_good_ = tests_.both(is_good_,
                                   tests_.at_most(tests_.abs(f[k]), l_.mul(l_.number(allowed), tests_.abs(terms[k]))));
    }

    // V has a value, and what is conserved does not change along it: a little more strictly than ConservationWatch says
    // so.
    void check_directions() {
        const Point w = (*put_)(*problem_.distribution().tops_function(), t_, x_);
        is_good_ = tests_.both(is_good_, tests_.both(tests_.are_finite(v_), tests_.are_finite(w)));
        const std::vector<std::int32_t> watched = parts_.run.watched_rows();
        if (watched.empty()) return;
        const Manifold<double>& m = problem_.manifold();
        const Point df = put_->rows(m, t_, x_).df;
        const linalg::Pattern& p = m.pattern();
        for (const std::int32_t row : watched) {
            std::vector<Value> products, sizes;
            for (std::size_t j = 0; j < x_.size(); ++j)
                for (auto e = static_cast<std::size_t>(p.column_start[j]);
                     e < static_cast<std::size_t>(p.column_start[j + 1]); ++e)
                    if (p.row[e] == row) products.push_back(l_.mul(df[e], v_[j]));
            for (const Value part : products) sizes.push_back(tests_.abs(part));
            const Value limit = l_.mul(l_.number(ConservationWatch<double>::noticed / 2), b_.sum(std::move(sizes)));
            is_good_ = tests_.both(is_good_, tests_.at_most(tests_.abs(b_.sum(std::move(products))), limit));
        }
    }

    // initial_step(), where all norms are finite
    Value first_step() {
        const Engine<double>& engine = parts_.workspace.engine();
        const double rtol = parts_.settings.rtol, atol = parts_.settings.atol;
        const double most = parts_.numbers[lanes::most_number];
        const double sign = parts_.numbers[lanes::end_number] < parts_.t ? -1 : 1;
        const double small = std::isfinite(most) ? 1e-6 * most : 1e-6;
        const auto at_least = [&](Value a, double limit) { return tests_.at_most(l_.number(limit), a); };
        const auto smaller = [&](Value a, Value c) { return l_.select(l_.less(c, a), c, a); }; // std::min
        const Value d_0 = tests_.norm(x_, x_, rtol, atol), d_1 = tests_.norm(v_, x_, rtol, atol);
        const Value part = smaller(l_.mul(l_.number(0.01), b_.exactly(Op::div, d_0, d_1)), l_.number(most));
        Value h_0 = l_.select(tests_.both(at_least(d_0, 1e-5), at_least(d_1, 1e-5)), part, l_.number(small));
        h_0 = l_.select(l_.less(l_.number(0), h_0), h_0, l_.number(small));
        const Value h = l_.mul(l_.number(sign), h_0);
        Point trial;
        for (std::size_t i = 0; i < x_.size(); ++i) trial.push_back(l_.add(x_[i], l_.mul(h, v_[i])));
        Point change = (*put_)(*problem_.distribution().velocity_function(), l_.add(t_, h), trial);
        for (std::size_t i = 0; i < x_.size(); ++i) change[i] = l_.sub(change[i], v_[i]);
        const Value d_2 = b_.exactly(Op::div, tests_.norm(change, x_, rtol, atol), tests_.abs(h));
        is_good_ = tests_.both(is_good_, tests_.are_finite({l_.add(d_1, d_2)}));
        const Value d = l_.select(l_.less(d_1, d_2), d_2, d_1);
        const int order = engine.method.first_order > 0 ? engine.method.first_order : engine.method.order;
        const Value power =
            l_.near_exp2(l_.mul(l_.number(1.0 / (order + 1)), l_.near_log2(b_.exactly(Op::div, l_.number(0.01), d))));
        const Value h_1 =
            l_.select(tests_.at_most(d, l_.number(1e-15)), l_.number(std::numeric_limits<double>::infinity()), power);
        const Value least = smaller(smaller(l_.mul(l_.number(100), h_0), h_1), l_.number(most));
        return l_.mul(l_.number(sign), least);
    }

    void store(Value h) {
        const auto put = [&](lanes::Number n, Value v) { b_.store(WholeLists::numbers_out, n, v); };
        const Value rest = l_.number(parts_.numbers[lanes::end_number] - parts_.t), is_last = l_.reaches(rest, h);
        const Value is_short = l_.is_short(t_, h, l_.number(parts_.numbers[lanes::floor_number]));
        const Value is_plain =
            tests_.both(is_good_, b_.exactly(Op::logical_or, is_last, b_.exactly(Op::logical_not, is_short)));
        const auto of = [&](lanes::Outcome o) { return l_.number(static_cast<double>(o)); };
        put(lanes::t_number, t_);
        put(lanes::h_number, l_.select(is_last, rest, h));
        put(lanes::last_number, is_last);
        put(lanes::log_old_number, l_.number(Controller<double>::log_of_good));
        for (const lanes::Number n : {lanes::was_rejected_number, lanes::longest_number, lanes::steps_number})
            put(n, l_.number(0));
        put(lanes::rounds_left_number, l_.number(parts_.numbers[lanes::rounds_left_number]));
        put(lanes::outcome_number, l_.select(is_plain, of(lanes::Outcome::goes_on), of(lanes::Outcome::unclear)));
        for (std::size_t e = 0; e < x_.size(); ++e) {
            b_.store(WholeLists::point_out, static_cast<std::int64_t>(e), x_[e]);
            b_.store(WholeLists::direction_out, static_cast<std::int64_t>(e), v_[e]);
        }
        for (std::size_t k = 0; k < fixed_.size(); ++k)
            b_.store(WholeLists::fixed_out, static_cast<std::int64_t>(k), fixed(fixed_[k]));
    }

    Value fixed(const lanes::FixedInput& f) {
        const auto e = static_cast<std::size_t>(f.element);
        const Manifold<double>& m = problem_.manifold();
        switch (f.buffer) {
        case method::parameter_input: return put_->parameters()[e];
        case method::constant_input: return put_->constants()[e];
        case method::direction_input: return put_->hoisted(*problem_.distribution().velocity_function())[e];
        case method::row_input: return put_->hoisted(m.rows_with_df().function())[e];
        default: return put_->hoisted(m.rows_of_terms().function())[e];
        }
    }

    MemberParts& parts_;
    Compiled<double>& problem_;
    const std::vector<lanes::FixedInput>& fixed_;
    Builder b_;
    lanes::ControlList l_{b_};
    Tests tests_{b_};
    std::optional<PutFunctions> put_;
    Point x_, v_;
    Value t_ = 0, is_good_ = 0;
};

} // namespace

std::shared_ptr<const expr::Kernel> start_list(MemberParts& parts, const std::vector<lanes::FixedInput>& fixed) {
    return StartMaker(parts, fixed).make();
}

std::shared_ptr<const expr::Kernel> record_list(MemberParts& parts, double end,
                                                const std::vector<std::size_t>& columns) {
    Compiled<double>& problem = parts.workspace.problem();
    Builder b;
    lanes::ControlList l(b);
    b.input("varied", 1 << 20);
    b.input("point", problem.n_state());
    b.output("row", std::ssize(columns));
    if (!problem.jets().constants().empty() && !problem.system().outputs.empty()) return nullptr;
    PutFunctions put(b, problem.jets(), parameters_of(b, parts), !parts.parameters.empty());
    Point x;
    for (std::int64_t e = 0; e < problem.n_state(); ++e) x.push_back(b.read(WholeLists::point_in, e));
    Point w = put(*problem.distribution().tops_function(), l.number(end), x);
    const Value is_finite = Tests(b).are_finite(w);
    for (Value& top : w) top = l.select(is_finite, top, l.number(std::numeric_limits<double>::quiet_NaN()));
    const std::vector<ValuePlace> places = problem.analysis().value_places();
    std::vector<expr::NodeId> nodes;
    for (const Output& o : problem.system().outputs) nodes.push_back(o.value);
    std::optional<expr::Function<double>> function;
    compile(problem, "outputs", nodes, function);
    if (function && has_calls(*function)) return nullptr;
    const Point outputs = function ? put(*function, l.number(end), x, w) : Point();
    const std::size_t n_values = problem.analysis().n_values();
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const bool is_output = columns[k] >= n_values;
        const ValuePlace place = is_output ? ValuePlace{} : places[columns[k]];
        if (place.is_held) return nullptr;
        const auto at = static_cast<std::size_t>(place.at);
        const Value value = is_output ? outputs[columns[k] - n_values] : place.is_top ? w[at] : x[at];
        b.store(WholeLists::row_out, static_cast<std::int64_t>(k), value);
    }
    return b.kernel();
}

} // namespace vessiot::ensemble
