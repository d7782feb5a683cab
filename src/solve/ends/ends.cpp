#include "solve/ends/ends.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "solve/ends/joined.hpp"
#include "solve/ends/multipliers.hpp"
#include "solve/ends/shooting.hpp"
#include "solve/problem/solving.hpp"
#include "system/constants.hpp"
#include "system/functions.hpp"

namespace vessiot {

namespace {

constexpr int most_iterations = 60;
constexpr double most_growth = 1e3; // over an interval
constexpr std::size_t most_intervals = 256;
constexpr double tightest = 2e-14; // rtol of a run
constexpr int most_homotopy_steps = 200;

// One way to begin.
struct Attempt {
    std::size_t intervals;
    bool is_line; // first guesses are on a line to the values at the end, not on the curve
};
constexpr Attempt attempts[] = {{4, false}, {16, false}, {16, true}, {4, true}, {64, false}, {64, true}};

System without_ends(System system) {
    system.ends.clear();
    system.periodic.clear();
    system.free.clear();
    return system;
}

// A flow, and the conditions on it, with tolerances of its own.
struct Setup {
    Setup(const System& system, const Settings& options, const method::MethodInfo& method, double tolerance)
        : rtol(tolerance) {
        Settings how = options;
        how.rtol = rtol;
        how.atol = options.atol * (rtol / options.rtol);
        const auto [t0, t1] = interval(system, options);
        flow = std::make_unique<Flow>(system, how, method, system.free, t0, static_cast<double>(t1));
        take(system, options);
    }
    void take(const System& system, const Settings& options) {
        conditions = std::make_unique<EndConditions>(system, options, *flow);
        shooting = std::make_unique<Shooting>(*flow, *conditions, options.rtol, options.atol, rtol);
    }

    double rtol;
    std::unique_ptr<Flow> flow;
    std::unique_ptr<EndConditions> conditions;
    std::unique_ptr<Shooting> shooting;
};

class EndsSolver {
public:
    EndsSolver(ProblemCore& core, const System& system, const Settings& options, PlainSolve solve)
        : core_(core), system_(system), options_(options), solve_(solve), solution_(new_solution(system)) {}

    Solution operator()() {
        check();
        const bool is_found = options_.homotopy.empty() ? begin(system_) : go_by_homotopy();
        if (is_found && !is_interrupted_) {
            slide();
            refine();
            tighten();
        }
        if (is_interrupted_) return interrupted();
        if (!is_found) return failed();
        summarise();
        check_residuals();
        return curve();
    }

private:
    void check() const {
        if (system_.ends.empty() && system_.periodic.empty())
            throw InvalidInput(fmt::format("{} has free parameters, but nothing is asked of the end of the interval "
                                           "that would determine them: add a line such as end x = 1",
                                           system_.name));
        if (options_.step > 0)
            throw InvalidInput("conditions at both ends are found with an error that is measured, but --step asks for "
                               "constant steps: leave it out, and give --rtol");
    }

    std::vector<double> free_guess() const {
        std::vector<double> p;
        for (const Quad v : setup_->conditions->guess()) p.push_back(static_cast<double>(v));
        return p;
    }

    // ---- counting ----

    // Where the conditions are counted: the end of the first guess, or its start.
    void count() {
        const EndConditions& c = *setup_->conditions;
        Flow& flow = *setup_->flow;
        const std::vector<double> scale(flow.n(), 1.0);
        const EndValues ends = c.values(free_guess());
        flow.set_parameters(c.with(c.guess()));
        const FlowPoint point = flow.at(ends.t0, flow.start(), scale);
        n_given_ = flow.rank_of(point, scale, c.start());
        n_conditions_ = rank_at(point.value_rates);
        const FlowEnd end = flow.run(point, ends.t0 + (ends.t1 - ends.t0) * 0.37);
        if (end.is_good) try {
                n_conditions_ = std::max(n_conditions_, rank_at(flow.at(end.t, end.u, scale).value_rates));
            } catch (const InvalidInput&) { // it stays as it was counted at the start
            }
        n_unknowns_ = flow.m() - n_given_ + c.n_free();
        is_orbit_ = c.is_periodic() && n_conditions_ == flow.m();
        const std::size_t allowed = is_orbit_ && is_autonomous(system_) ? 1 : 0;
        if (n_conditions_ + allowed >= n_unknowns_) return;
        const std::size_t missing = n_unknowns_ - n_conditions_;
        throw InvalidInput(
            fmt::format("{} too few for {}: {} left free, namely {} of {} on the constraints{}, but {} at the end "
                        "determine{} {} of them. Add values at the start or at the end, or leave fewer parameters free",
                        missing == 1 ? "one condition is" : fmt::format("{} conditions are", missing), system_.name,
                        n_unknowns_ == 1 ? "1 number is" : fmt::format("{} numbers are", n_unknowns_),
                        flow.m() - n_given_, plural(flow.m(), "start value"),
                        c.n_free() > 0 ? fmt::format(" and {}", plural(c.n_free(), "parameter")) : "",
                        plural(c.rows().size(), "condition"), c.rows().size() == 1 ? "s" : "", n_conditions_));
    }

    std::size_t rank_at(const Dense& rates) const {
        const EndConditions& c = *setup_->conditions;
        Dense a(c.rows().size(), setup_->flow->m());
        for (std::size_t i = 0; i < a.rows; ++i)
            for (std::size_t j = 0; j < a.columns; ++j) a(i, j) = rates(c.rows()[i].value, j);
        return LeastSquares(std::move(a), 1e-8, 1.0).rank();
    }

    // ---- the first solution ----

    bool begin(const System& system) {
        setup_ = std::make_unique<Setup>(system, options_, core_.method(), std::max(options_.rtol / 10, 1e-12));
        count();
        for (const Attempt& a : attempts)
            if (attempt(a) || is_interrupted_) return !is_interrupted_;
        return false;
    }

    bool attempt(const Attempt& a) {
        Shooting& shooting = *setup_->shooting;
        ShootingState state;
        const std::vector<double> p = free_guess(), start = setup_->flow->start();
        const bool is_curve = shooting.follow(start, p, a.intervals, state);
        if (a.is_line) state = line(state.places, start, p);
        if (!a.is_line && !is_curve) return false;
        if (!run(state)) return false;
        state_ = std::move(state);
        return true;
    }

    bool run(ShootingState& state, int most = most_iterations) {
        const Shooting::Outcome outcome = setup_->shooting->solve(state, most);
        if (outcome == Shooting::Outcome::interrupted) is_interrupted_ = true;
        if (outcome == Shooting::Outcome::failed) why_ = setup_->shooting->why();
        return outcome == Shooting::Outcome::converged;
    }

    // Points on a line from the start point to what is known of the end.
    ShootingState line(const std::vector<double>& places, const std::vector<double>& start,
                       const std::vector<double>& p) {
        Flow& flow = *setup_->flow;
        const EndConditions& c = *setup_->conditions;
        const EndValues ends = c.values(p);
        const std::vector<std::string> names = coordinates();
        std::vector<double> from = start, to = start;
        for (const EndConditions::Row& row : c.rows()) {
            if (row.is_periodic) continue;
            const std::string& name = flow.names()[row.value];
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (names[i] == name) to[i] = ends.end[row.given];
                const bool is_given = std::ranges::find(c.start(), i) != c.start().end();
                const auto position = std::ranges::find(names, name);
                if (names[i] == name + "'" && !is_given && position != names.end()) { // its slope
                    const auto k = static_cast<std::size_t>(position - names.begin());
                    from[i] = to[i] = (ends.end[row.given] - start[k]) / (ends.t1 - ends.t0);
                }
            }
        }
        ShootingState state{places, {}, p};
        const std::vector<double> scale(flow.n(), 1.0);
        for (const double s : places) {
            std::vector<double> u(flow.n());
            for (std::size_t i = 0; i < u.size(); ++i) u[i] = from[i] + s * (to[i] - from[i]);
            std::vector<std::pair<std::size_t, double>> fixed;
            for (std::size_t k = 0; s == 0 && k < c.start().size(); ++k)
                fixed.emplace_back(c.start()[k], start[c.start()[k]]);
            if (!flow.project(ends.t0 + s * (ends.t1 - ends.t0), u, scale, fixed)) u = start;
            state.u.push_back(std::move(u));
        }
        return state;
    }

    std::vector<std::string> coordinates() const {
        const Prolongation& p = setup_->flow->analysis().prolongation;
        const std::vector<std::string> all = coordinate_names(setup_->flow->analysis().system, p.z);
        std::vector<std::string> names;
        for (const std::int32_t at : p.state) names.push_back(all[static_cast<std::size_t>(at)]);
        return names;
    }

    // ---- homotopy ----

    struct Way {
        std::size_t parameter = 0, element = 0;
        Quad from = 0, to = 0;
    };

    std::vector<Way> ways() const {
        std::vector<Way> all;
        for (const auto& [name, value] : options_.homotopy) {
            bool is_known = false;
            std::vector<std::string> names;
            for (std::size_t p = 0; p < system_.parameters.size(); ++p) {
                const expr::ArrayId array = system_.parameters[p].array;
                for (std::size_t e = 0; e < system_.parameters[p].values.size(); ++e) {
                    names.push_back(system_.graph->print_read(
                        array, system_.graph->indices_at(array, static_cast<std::int64_t>(e))));
                    if (names.back() != name) continue;
                    is_known = true;
                    const auto is_same = [&](const FreeParameter& f) {
                        return f.parameter == p && static_cast<std::size_t>(f.element) == e;
                    };
                    if (std::ranges::any_of(system_.free, is_same))
                        throw InvalidInput(fmt::format("--homotopy {}: it is free, and found anyway", name));
                    if (system_.parameters[p].is_structural)
                        throw InvalidInput(
                            fmt::format("--homotopy {}: it sizes an array or bounds a loop, and cannot change", name));
                    all.push_back({p, e, Quad(value), system_.parameters[p].values[e]});
                }
            }
            if (is_known) continue;
            const auto near = nearest(name, names);
            throw InvalidInput(fmt::format("--homotopy {0}={1}: '{0}' is no parameter of {2}{3}", name, value,
                                           system_.name, near ? fmt::format("; did you mean '{}'?", *near) : ""));
        }
        return all;
    }

    System on_the_way(const std::vector<Way>& all, double part) const {
        System system = system_;
        for (const Way& w : all)
            system.parameters[w.parameter].values[w.element] = w.from + Quad(part) * (w.to - w.from);
        for (Parameter& p : system.parameters) {
            const bool is_moved =
                std::ranges::any_of(all, [&](const Way& w) { return &system.parameters[w.parameter] == &p; });
            const auto number = static_cast<std::size_t>(&p - system.parameters.data());
            if (!is_moved && !p.formula.empty() && follows(number)) p.values = evaluate_constants(system, p.formula);
        }
        return system;
    }

    bool follows(std::size_t parameter) const {
        return evaluate_constants(system_, system_.parameters[parameter].formula) ==
               system_.parameters[parameter].values;
    }

    bool go_by_homotopy() {
        const std::vector<Way> all = ways();
        if (!begin(on_the_way(all, 0))) return false;
        double done = 0, step = 0.25;
        ShootingState before = state_;
        double done_before = 0;
        while (done < 1) {
            if (solution_.ends.homotopy_steps++ >= most_homotopy_steps || step < 1e-5) {
                why_ = fmt::format("the homotopy got to {:.3g} of its way, and no further: {}", done, why_);
                return false;
            }
            const double next = std::min(1.0, done + step);
            setup_->take(on_the_way(all, next), options_);
            ShootingState state = state_;
            if (done > 0) extrapolate(before, (next - done) / (done - done_before), state);
            if (run(state, 12)) {
                before = state_;
                done_before = done;
                state_ = std::move(state);
                done = next;
                step *= 1.7;
            } else if (is_interrupted_) {
                return true;
            } else {
                step /= 3;
            }
        }
        return true;
    }

    // state + ratio (state - before), on the manifold as far as that goes.
    void extrapolate(const ShootingState& before, double ratio, ShootingState& state) {
        const ShootingState now = state;
        for (std::size_t j = 0; j < state.p.size(); ++j) state.p[j] += ratio * (now.p[j] - before.p[j]);
        const EndValues ends = setup_->conditions->values(state.p);
        setup_->flow->set_parameters(setup_->conditions->with({state.p.begin(), state.p.end()}));
        const std::vector<double> scale(setup_->flow->n(), 1.0);
        for (std::size_t k = 0; k < state.u.size(); ++k) {
            for (std::size_t i = 0; i < state.u[k].size(); ++i) state.u[k][i] += ratio * (now.u[k][i] - before.u[k][i]);
            if (!setup_->flow->project(ends.t0 + state.places[k] * (ends.t1 - ends.t0), state.u[k], scale, {}))
                state.u[k] = now.u[k];
        }
    }

    // ---- accuracy ----

    // More intervals where changes grow too much over one of them.
    void refine() {
        while (setup_->shooting->growth() > most_growth && 4 * state_.u.size() <= most_intervals) {
            ShootingState finer{{}, {}, state_.p};
            Flow& flow = *setup_->flow;
            const EndValues ends = setup_->conditions->values(state_.p);
            const std::vector<double> scale = setup_->shooting->scale();
            for (std::size_t k = 0; k < state_.u.size(); ++k) {
                const double next = k + 1 < state_.places.size() ? state_.places[k + 1] : 1.0;
                std::vector<double> u = state_.u[k];
                for (int part = 0; part < 4; ++part) {
                    const double place = state_.places[k] + (next - state_.places[k]) * part / 4;
                    const double after = state_.places[k] + (next - state_.places[k]) * (part + 1) / 4;
                    finer.places.push_back(place);
                    finer.u.push_back(u);
                    if (part == 3) break;
                    const double length = ends.t1 - ends.t0;
                    const FlowEnd end = flow.run(flow.at(ends.t0 + place * length, u, scale), ends.t0 + after * length);
                    if (!end.is_good) return;
                    u = end.u;
                }
            }
            ShootingState old = state_;
            if (!run(finer)) {
                run(old);
                return;
            }
            state_ = std::move(finer);
        }
    }

    // The same with tighter tolerances, until nothing changes by more than rtol.
    void tighten() {
        n_runs_ = setup_->flow->n_runs();
        n_iterations_ = setup_->shooting->iterations();
        error_.reset();
        while (setup_->rtol > tightest) {
            auto tighter =
                std::make_unique<Setup>(system_, options_, core_.method(), std::max(setup_->rtol / 100, tightest));
            ShootingState state = state_;
            std::swap(setup_, tighter);
            const bool is_found = run(state, 15);
            n_runs_ += setup_->flow->n_runs();
            n_iterations_ += setup_->shooting->iterations();
            if (!is_found) {
                std::swap(setup_, tighter); // what is there stays
                if (is_interrupted_) return;
                solution_.notes.push_back(
                    "warning: the error of what was found at the ends could not be measured, since "
                    "with tighter tolerances the iteration did not converge: " +
                    why_);
                return;
            }
            std::swap(state_, state);
            slide();
            error_ = distance(state, state_);
            if (*error_ <= 1) return;
        }
        if (error_ && *error_ > 1)
            solution_.notes.push_back(fmt::format(
                "warning: what was found at the ends may be off by {:.2g} times the tolerances, even with the tightest "
                "runs",
                *error_));
    }

    // Of a family of solutions the one nearest to the first guess.
    void slide() { is_nearest_ = setup_->shooting->slide(state_, setup_->flow->start(), free_guess()); }

    // In tolerances.
    double distance(const ShootingState& a, const ShootingState& b) const {
        double worst = 0;
        const std::vector<double>& scale = setup_->shooting->scale();
        for (std::size_t k = 0; k < a.u.size(); ++k)
            for (std::size_t i = 0; i < a.u[k].size(); ++i)
                worst = std::max(worst, std::abs(a.u[k][i] - b.u[k][i]) / (options_.atol + options_.rtol * scale[i]));
        for (std::size_t j = 0; j < a.p.size(); ++j)
            worst = std::max(worst, std::abs(a.p[j] - b.p[j]) / (options_.atol + options_.rtol * std::abs(a.p[j])));
        return worst;
    }

    // ---- the result ----

    void summarise() {
        EndsSummary& e = solution_.ends;
        const EndConditions& c = *setup_->conditions;
        const Shooting& shooting = *setup_->shooting;
        e.intervals = std::ssize(state_.u);
        e.unknowns = static_cast<std::int64_t>(n_unknowns_);
        e.conditions = static_cast<std::int64_t>(n_conditions_);
        e.iterations = n_iterations_;
        e.runs = n_runs_;
        e.error = error_.value_or(0);
        const std::vector<std::string> names = coordinates();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (std::ranges::find(c.start(), i) == c.start().end()) e.start.push_back({names[i], state_.u[0][i]});
        const std::vector<std::string> free = c.free_names();
        for (std::size_t j = 0; j < free.size(); ++j) e.parameters.push_back({free[j], state_.p[j]});
        add_residuals();
        const std::size_t least = std::min(n_conditions_, n_unknowns_);
        const std::size_t rank = shooting.rank() - std::min(shooting.rank(), n_given_);
        e.dependent = static_cast<std::int64_t>(rank < n_conditions_ ? n_conditions_ - rank : 0);
        if (rank < least)
            solution_.notes.push_back(fmt::format("{} at the end follow{} from the others, since quantities are "
                                                  "conserved; what {} free was chosen {} "
                                                  "to the first guess",
                                                  plural(least - rank, "condition"), least - rank == 1 ? "s" : "",
                                                  n_unknowns_ - rank == 1 ? "is then" : "are then",
                                                  is_nearest_ ? "nearest" : "near"));
        else if (n_conditions_ < n_unknowns_)
            solution_.notes.push_back(fmt::format("the orbit is the same from each of its points: {} to the first "
                                                  "guess is its start",
                                                  is_nearest_ ? "the one nearest" : "one near"));
        else if (n_conditions_ > n_unknowns_)
            solution_.notes.push_back(fmt::format("{} at the end follow{} from the others",
                                                  plural(n_conditions_ - n_unknowns_, "condition"),
                                                  n_conditions_ - n_unknowns_ == 1 ? "s" : ""));
        if (is_orbit_) e.multipliers = multipliers(system_, shooting.monodromy());
    }

    void add_residuals() {
        const EndConditions& c = *setup_->conditions;
        const std::vector<double> r = setup_->shooting->residuals();
        for (std::size_t k = 0; k < r.size(); ++k) solution_.ends.residuals.push_back({c.text(k), r[k]});
    }

    // Where there are more conditions than unknowns, they may contradict each other: the shortest residual is not 0.
    void check_residuals() {
        const EndConditions& c = *setup_->conditions;
        const std::vector<double> r = setup_->shooting->residuals();
        for (std::size_t k = 0; k < r.size(); ++k) {
            const double size = std::abs(state_value(k));
            if (std::abs(r[k]) <= 1e3 * (options_.atol + options_.rtol * std::max(size, 1e-2))) continue;
            const bool is_many = n_conditions_ > n_unknowns_;
            throw InvalidInput(
                fmt::format("{}. With the best of them {} is off by {:.3g}{}", counted(), c.text(k), r[k],
                            is_many ? ". " + std::string(leave_out) : ": a quantity that is conserved may forbid it"));
        }
    }

    static constexpr std::string_view leave_out =
        "Leave values out, at the start or at the end, or make parameters free";

    // "one condition is too many: 2 conditions at the end (2 independent on the constraints) for 1 number left free"
    std::string counted() const {
        const auto extra = n_conditions_ - n_unknowns_;
        const std::string many =
            extra == 1 ? "one condition is too many" : fmt::format("{} conditions are too many", extra);
        return fmt::format("{}: {} at the end ({} independent on the constraints) for {} left free",
                           n_conditions_ > n_unknowns_ ? many : "the conditions contradict each other",
                           plural(setup_->conditions->rows().size(), "condition"), n_conditions_,
                           plural(n_unknowns_, "number"));
    }

    double state_value(std::size_t row) const {
        const EndConditions& c = *setup_->conditions;
        return setup_->shooting->first().values[c.rows()[row].value];
    }

    Solution interrupted() {
        solution_.status = Status::interrupted;
        solution_.message = "interrupted before the values at the ends were found";
        return std::move(solution_);
    }

    Solution failed() {
        solution_.status = Status::failed;
        solution_.system = setup_->flow->summary();
        solution_.ends.iterations = setup_->shooting->iterations();
        solution_.ends.runs = setup_->flow->n_runs();
        std::string off;
        if (setup_->shooting->has_ends()) {
            add_residuals();
            for (const EndsSummary::Residual& r : solution_.ends.residuals)
                off += fmt::format("{}{} is off by {:.3g}", off.empty() ? "; at last " : ", ", r.condition, r.residual);
            // a point where the conditions hold is no curve yet
            if (const double gap = setup_->shooting->widest_gap(); gap > options_.atol + options_.rtol)
                off += fmt::format(", of {} pieces that do not meet: they are up to {:.3g} apart",
                                   setup_->shooting->n_pieces(), gap);
        }
        solution_.message = fmt::format("no curve with these values at its ends was found: {}{}. Give first guesses "
                                        "(guess x' = 1), other values of "
                                        "free parameters, or follow it from an easier problem: --homotopy NAME=value",
                                        why_, off);
        if (n_conditions_ > n_unknowns_)
            solution_.message = fmt::format("{}. {}; {}", counted(), leave_out, solution_.message);
        return std::move(solution_);
    }

    // Interval by interval, from the points that were found.
    Solution curve() {
        const System plain = without_ends(setup_->conditions->with({state_.p.begin(), state_.p.end()}));
        const EndValues ends = setup_->conditions->values(state_.p);
        const auto time = [&](std::size_t k) {
            return k == state_.places.size() ? ends.t1 : ends.t0 + state_.places[k] * (ends.t1 - ends.t0);
        };
        Settings how = options_;
        how.homotopy.clear();
        how.throw_on_failure = false;
        how.streams.clear();
        how.keep = 0;
        how.rtol = std::max(options_.rtol / 10, tightest);
        how.atol = options_.atol * (how.rtol / options_.rtol);
        how.from = ends.t0;
        how.to = ends.t1;
        Solution ignored;
        const auto [span, from] = span_of<double>(plain, how, false, ignored);
        const std::vector<std::string> names = coordinates();
        std::optional<Solution> all;
        for (std::size_t k = 0; k < state_.u.size(); ++k) {
            Settings part = how;
            part.from = time(k);
            part.to = time(k + 1);
            if (all) part.max_steps -= all->stats.steps + all->stats.rejected; // what is left for the curve
            if (part.max_steps <= 0) {
                all->status = Status::failed;
                all->message =
                    fmt::format("{} steps used at {} = {:.10g} of {:.10g}. Looser tolerances, another method, or a "
                                "larger --max-steps may help",
                                how.max_steps, all->independent, *part.from, ends.t1);
                break;
            }
            for (std::size_t i = 0; i < names.size(); ++i) part.start.emplace_back(names[i], state_.u[k][i]);
            const bool has_times = !span.times.empty();
            bool is_asked = true;
            if (has_times) {
                part.every = 0;
                part.at = span.times.between(*part.from, *part.to);
                if (k == 0 && span.times[0] == ends.t0) part.at.push_back(ends.t0);
                is_asked = !part.at.empty();
                if (!is_asked) part.at = {*part.to};
            }
            Solution next = solve_(core_, part_system(plain, has_times), part);
            if (!is_asked) drop_points(next);
            if (k == 0)
                all = std::move(next);
            else
                append(*all, std::move(next), !has_times);
            if (all->status != Status::success) break;
        }
        all->ends = std::move(solution_.ends);
        all->method.rtol = options_.rtol;
        all->method.atol = options_.atol;
        all->start = {};
        for (const std::string& note : solution_.notes)
            if (std::ranges::find(all->notes, note) == all->notes.end()) all->notes.push_back(note);
        return std::move(*all);
    }

    // Points of the model's own would come beside those asked for.
    static System part_system(System system, bool has_times) {
        if (!has_times) return system;
        system.output_every.reset();
        system.output_at.clear();
        return system;
    }

    static void drop_points(Solution& s) {
        s.t.clear();
        s.numbers.clear();
        s.output_numbers.clear();
        s.n_points = 0;
    }

    ProblemCore& core_;
    const System& system_;
    const Settings& options_;
    PlainSolve solve_;
    Solution solution_;
    std::unique_ptr<Setup> setup_;
    ShootingState state_;
    std::string why_;
    bool is_interrupted_ = false, is_orbit_ = false, is_nearest_ = true;
    std::size_t n_given_ = 0, n_conditions_ = 0, n_unknowns_ = 0;
    std::int64_t n_runs_ = 0, n_iterations_ = 0;
    std::optional<double> error_;
};

} // namespace

Solution solve_ends(ProblemCore& core, const System& system, const Settings& options, PlainSolve solve) {
    return EndsSolver(core, system, options, solve)();
}

} // namespace vessiot
