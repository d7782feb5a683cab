#include "solve/start/start.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/function.hpp"
#include "linalg/scalar.hpp"
#include "manifold/domain_error.hpp"
#include "projection/consistent.hpp"
#include "solve/start/compatibility.hpp"
#include "solve/start/dependent.hpp"
#include "solve/start/given.hpp"
#include "solve/start/initially.hpp"
#include "solve/start/violation.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::size_t most_reported = 100; // moved coordinates
constexpr std::size_t most_searched = 50;  // coordinates whose values are looked for
constexpr std::size_t few_searched = 8;    // more than that only where equations are not linear in them
constexpr std::size_t most_lifted = 500;   // coordinates that leave 0 where formulas have no value

template <class S> class Starter {
public:
    using Fits = std::function<bool(const linalg::Vector<S>&)>;

    Starter(Compiled<S>& problem, const Settings& options, S t, const Fits& fits)
        : problem_(problem), analysis_(problem.analysis()), options_(options), t_(t), fits_(fits),
          initial_(problem.initial_equations()) {}

    StartPoint<S> run() {
        if (initial_) {
            initial_->take_constants(problem_);
            enter({&initial_->system(), &initial_->prolongation()}, initial_->start_functions());
            begin_with_tops();
            note_unused();
            satisfy_initial_equations();
            leave_initial_equations();
        } else {
            enter({&analysis_.system, &analysis_.prolongation}, problem_.start_functions());
            note_unused();
            satisfy_constraints(problem_.written_manifold());
        }
        const linalg::Vector<S> before = u_;
        set_kept_values();
        if (initial_) check_initial_equations(before);
        compute_tops();
        for (std::string& note : check_compatibility(problem_, options_, t_, u_)) notes_.push_back(std::move(note));
        return {t_, std::move(u_), std::move(report_), std::move(notes_)};
    }

private:
    // Whose coordinates the point has: those of the problem, or of its equations at the start.
    struct Space {
        const System* system = nullptr;
        const Prolongation* p = nullptr;
    };

    void enter(const Space& space, StartFunctions<S>& functions) {
        space_ = space;
        given_ = read_start<S>(*space.system, *space.p, options_, functions);
        place();
    }

    void place() {
        const Prolongation& p = *space_.p;
        u_ = linalg::Vector<S>(p.n_state() + 1); // room for t
        freedom_.assign(p.state.size(), Freedom::free);
        for (std::size_t k = 0; k < p.state.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.state[k]);
            u_[static_cast<std::int64_t>(k)] = given_.value[at];
            freedom_[k] = given_.freedom(p, k);
            is_missing_ |= !given_.is_given[at] && !given_.is_guessed[at];
        }
    }

    // From what is given; where nothing is found so, from a point that satisfies the constraints without these
    // equations.
    void satisfy_initial_equations() {
        try {
            satisfy_constraints(initial_->manifold());
        } catch (const SeveralStarts<S>&) {
            throw;
        } catch (const InvalidInput&) {
            if (!begin_consistent()) throw;
            satisfy_constraints(initial_->manifold());
        }
    }

    bool begin_consistent() {
        const Prolongation& p = analysis_.prolongation;
        enter({&analysis_.system, &p}, problem_.start_functions());
        if (!make_consistent<S>(problem_.written_manifold(), t_, u_, freedom_, [] { return false; })) return false;
        const linalg::Vector<S> found = u_;
        linalg::Vector<S> w(p.n_tops());
        const bool has_tops = problem_.distribution().tops(t_, found.data(), w.data()) == PointStatus::good;
        enter({&initial_->system(), &initial_->prolongation()}, initial_->start_functions());
        begin_with_tops();
        for (std::size_t k = 0; k < p.state.size(); ++k) u_[p.state[k]] = found[static_cast<std::int64_t>(k)];
        for (std::size_t k = 0; has_tops && k < p.top.size(); ++k)
            if (freedom_[static_cast<std::size_t>(p.top[k])] != Freedom::held)
                u_[p.top[k]] = w[static_cast<std::int64_t>(k)];
        return true;
    }

    // NOTE: what is computed is held where somebody says at which value. What nobody says anything of begins as the
    // equations have it, where they have it.
    void begin_with_tops() {
        const Prolongation& p = analysis_.prolongation;
        const auto is_computed_at = [&](std::size_t at) { return given_.is_computed[at] != 0; };
        for (std::size_t at = 0; at < freedom_.size(); ++at)
            if (freedom_[at] == Freedom::held && is_computed_at(at) && !given_.is_given[at])
                freedom_[at] = Freedom::computed;
        linalg::Vector<S> u = of_problem(u_), w(p.n_tops());
        if (problem_.distribution().tops(t_, u.data(), w.data()) != PointStatus::good) return;
        for (std::size_t k = 0; k < p.top.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.top[k]);
            const S value = w[static_cast<std::int64_t>(k)];
            if (!given_.is_given[at] && !given_.is_guessed[at] && linalg::is_finite(value)) u_[p.top[k]] = value;
        }
    }

    // The coordinates of the problem among those of its equations at the start.
    linalg::Vector<S> of_problem(const linalg::Vector<S>& z) const {
        const Prolongation& p = analysis_.prolongation;
        linalg::Vector<S> u(p.n_state() + 1);
        for (std::size_t k = 0; k < p.state.size(); ++k) u[static_cast<std::int64_t>(k)] = z[p.state[k]];
        return u;
    }

    void leave_initial_equations() {
        const linalg::Vector<S> found = of_problem(u_);
        enter({&analysis_.system, &analysis_.prolongation}, problem_.start_functions());
        u_ = found;
    }

    // NOTE: invariants with given values are satisfied after these equations.
    void check_initial_equations(const linalg::Vector<S>& before) const {
        for (std::int64_t k = 0; k < before.size(); ++k)
            if (linalg::absolute(u_[k] - before[k]) > S(1e-9) * (S(1) + linalg::absolute(before[k])))
                throw InvalidInput(fmt::format("the values of the invariants move {} away from where the equations of "
                                               "the start point (initially …) hold: leave one of them out",
                                               name_at(space_.p->state[static_cast<std::size_t>(k)])));
    }

    // Statements about derivatives above all those that the equations contain.
    void note_unused() {
        const System& system = *space_.system;
        std::vector<std::string> names;
        const auto look = [&](ArrayId jet) {
            if (std::ranges::find(space_.p->z.jets, jet) != space_.p->z.jets.end()) return;
            const Array& array = system.graph->array(jet);
            names.push_back(array.name + std::string(static_cast<std::size_t>(array.order), '\''));
        };
        for (const StartValue& s : system.start) look(s.jet);
        for (const StartValue& s : system.guesses) look(s.jet);
        for (const Hold& h : system.holds) look(h.jet);
        if (!names.empty())
            notes_.push_back(fmt::format("start: what is said about {} is not used: the equations contain no such "
                                         "derivative",
                                         listed(names)));
    }

    bool is_finite_there(Manifold<S>& m) const {
        const std::vector<double> r = scaled_residuals(m, t_, u_.data());
        return std::ranges::all_of(r, [](double x) { return std::isfinite(x); });
    }

    void check_finite(Manifold<S>& m) const {
        if (!is_finite_there(m)) fail_not_finite("the constraints have no value at the start point");
    }

    // What nobody gave counts as 0, where formulas such as x/r may have no value: then it begins with 1.
    void leave_zeros(Manifold<S>& m) {
        if (is_finite_there(m)) return;
        const linalg::Vector<S> before = u_;
        for (std::size_t k = 0; k < freedom_.size(); ++k)
            if (freedom_[k] <= Freedom::free && !has_value(k)) u_[static_cast<std::int64_t>(k)] = S(1);
        if (is_finite_there(m)) return;
        u_ = before;
        leave_given_zeros(m);
    }

    // A start value 0 of the model that is not held (a length that others determine) begins with 1 likewise, where
    // there is no value else: as few of them as will do.
    void leave_given_zeros(Manifold<S>& m) {
        const auto is_zero = [&](std::size_t k) {
            return freedom_[k] <= Freedom::given && u_[static_cast<std::int64_t>(k)] == S(0);
        };
        lifted_ = coordinates(is_zero);
        if (lifted_.size() > most_lifted) lifted_.clear();
        for (const std::int64_t k : lifted_) u_[k] = S(1);
        const bool is_better = is_finite_there(m);
        std::erase_if(lifted_, [&](std::int64_t k) {
            u_[k] = S(0);
            if (!is_better || is_finite_there(m)) return true;
            u_[k] = S(1);
            return false;
        });
    }

    // What begins with 1 in place of the 0 that the model gives has to follow from the rest.
    void check_lifted(Manifold<S>& m) {
        if (lifted_.empty()) return;
        const std::vector<char> is_determined = determined(m, t_, u_, lifted_);
        if (std::ranges::find(is_determined, 0) == is_determined.end()) return;
        for (const std::int64_t k : lifted_) u_[k] = S(0);
        fail_not_finite("the constraints have no value at the start point");
    }

    [[noreturn]] void fail_not_finite(const std::string& what) const {
        const linalg::Vector<S> point = space_.p == &analysis_.prolongation ? u_ : of_problem(u_);
        const std::vector<double> u(point.begin(), point.end() - 1), w(static_cast<std::size_t>(problem_.n_tops()), 0);
        const std::string where =
            explain_not_finite(analysis_.system, analysis_.prolongation, static_cast<double>(t_), u, w);
        if (where.empty()) fail_singular();
        throw NoDirection(fmt::format("{}: {}. Check the start values and parameters{}.", what, where, moved_));
    }

    [[noreturn]] void fail_singular() const {
        const std::string dependent = dependent_constraints(problem_.manifold(), t_, u_.data());
        if (!dependent.empty())
            throw NoDirection(fmt::format("the constraints are dependent at the start point {}. Leave out what is "
                                          "written twice, or start elsewhere{}.",
                                          dependent, moved_));
        throw NoDirection(fmt::format(
            "at the start point, which is a singular one, the equations do not determine {}{} ({}).",
            analysis_.top_names(), moved_,
            analysis_.is_arclength ? "several curves may cross there: start elsewhere"
                                   : "an impasse, perhaps: try --parametrisation arclength, or start elsewhere"));
    }

    void move_onto(Manifold<S>& m) {
        const linalg::Vector<S> before = u_;
        if (!has_violations(m, t_, u_.data())) return;
        if (!find_computed(m) && !make_consistent<S>(m, t_, u_, freedom_, [&] { return find_what_is_missing(m); })) {
            const bool has_held = std::ranges::find(freedom_, Freedom::held) != freedom_.end();
            const std::string dependent = dependent_constraints(m, t_, u_.data());
            throw InvalidInput(
                fmt::format("no start point that satisfies all constraints was found near the one given: {}. {}{}.",
                            to_text(find_violations(m, t_, before.data())),
                            dependent.empty() ? "Give start values that are nearer, or check that all can be satisfied"
                                              : "They may contradict each other: they are dependent there " + dependent,
                            has_held ? "; or hold fewer unknowns" : ""));
        }
        note_moves(m, before);
    }

    // What the equations determine, the rest as it is: from the values given or guessed, or else from others.
    bool find_computed(Manifold<S>& m) {
        const std::vector<std::int64_t> computed = coordinates([&](std::size_t k) { return is_computed(k); });
        if (computed.empty()) return false;
        if (make_consistent(m, t_, u_, freedom_, Freedom::computed, false).is_consistent) return true;
        const std::vector<Freedom> freedom = only(computed);
        return take_one(m, freedom, coordinates([&](std::size_t k) { return is_computed(k) && !has_value(k); })) ||
               take_one(m, freedom, computed); // from a bad guess
    }

    // What nobody gave counts as 0 first, where a constraint such as y^2 = x says nothing about y. So other values are
    // tried for all of it.
    bool find_what_is_missing(Manifold<S>& m) {
        return take_one(m, freedom_,
                        coordinates([&](std::size_t k) { return freedom_[k] <= Freedom::free && !has_value(k); }));
    }

    // One solution is taken, several are an error, since the model has to choose.
    bool take_one(Manifold<S>& m, const std::vector<Freedom>& freedom, const std::vector<std::int64_t>& open) {
        if (open.empty() || open.size() > most_searched) return false;
        if (open.size() > few_searched && nonlinear_blocks(m, t_, u_, open).empty()) return false; // the same from all
        std::vector<linalg::Vector<S>> found = fitting(find_solutions(m, t_, u_, freedom, open));
        if (found.empty()) return false;
        check_choice(m, found, open);
        const auto distance = [&](const linalg::Vector<S>& u) {
            S sum = 0;
            for (const std::int64_t k : open) sum += (u[k] - u_[k]) * (u[k] - u_[k]);
            return sum;
        };
        u_ = *std::ranges::min_element(found, {}, distance);
        return true;
    }

    // What nobody gave a value or a guess for may have other solutions than the one found, each as good.
    void check_other_solutions(Manifold<S>& m) {
        const std::vector<std::int64_t> open =
            coordinates([&](std::size_t k) { return is_computed(k) && !has_value(k); });
        if (open.empty() || open.size() > most_searched) return;
        for (const std::vector<std::int64_t>& block : nonlinear_blocks(m, t_, u_, open)) {
            std::vector<linalg::Vector<S>> found = find_solutions(m, t_, u_, only(block), block);
            found.insert(found.begin(), u_);
            found = fitting(std::move(found));
            check_choice(m, found, block);
            u_ = found.front(); // another one where the first does not fit
        }
    }

    // Without those that do not fit, where there are others.
    std::vector<linalg::Vector<S>> fitting(std::vector<linalg::Vector<S>> found) const {
        const auto fits = [&](const linalg::Vector<S>& u) {
            return fits_(space_.p == &analysis_.prolongation ? u : of_problem(u));
        };
        if (fits_ && std::ranges::any_of(found, fits)) std::erase_if(found, std::not_fn(fits));
        return found;
    }

    // Members of a family of solutions are no choice: there the nearest one will do. So one of each family is listed,
    // with what is determined in all of them.
    void check_choice(Manifold<S>& m, std::vector<linalg::Vector<S>>& found,
                      const std::vector<std::int64_t>& open) const {
        struct Root {
            const linalg::Vector<S>* u;
            std::vector<char> is_determined; // by open
        };
        std::vector<Root> roots;
        std::vector<std::int64_t> shown = open;
        for (const linalg::Vector<S>& u : found) {
            const Root root{&u, determined(m, t_, u, open)};
            const auto is_other = [&](const Root& known) {
                for (std::size_t j = 0; j < open.size(); ++j)
                    if (known.is_determined[j] && root.is_determined[j] && differ(u[open[j]], (*known.u)[open[j]]))
                        return true;
                return false;
            };
            if (!std::ranges::all_of(roots, is_other)) continue;
            roots.push_back(root);
            for (std::size_t j = 0; j < open.size(); ++j)
                if (!root.is_determined[j]) std::erase(shown, open[j]);
        }
        if (roots.size() == 1) return;
        std::vector<linalg::Vector<S>> several;
        for (const Root& root : roots) several.push_back(*root.u);
        fail_several(several, shown.empty() ? open : shown);
    }

    std::string name_at(std::int64_t position) const { return vessiot::name_of(*space_.system, *space_.p, position); }

    static bool differ(S a, S b) { return is_other_value(static_cast<double>(a), static_cast<double>(b)); }

    template <class Test> std::vector<std::int64_t> coordinates(const Test& test) const {
        std::vector<std::int64_t> result;
        for (std::size_t k = 0; k < freedom_.size(); ++k)
            if (test(k)) result.push_back(static_cast<std::int64_t>(k));
        return result;
    }

    bool is_computed(std::size_t k) const { return freedom_[k] == Freedom::computed; }

    // Given or guessed by somebody?
    bool has_value(std::size_t k) const {
        const auto at = static_cast<std::size_t>(space_.p->state[k]);
        return given_.is_given[at] || given_.is_guessed[at];
    }

    // These may move, the others are held.
    std::vector<Freedom> only(const std::vector<std::int64_t>& mobile) const {
        std::vector<Freedom> freedom(freedom_.size(), Freedom::held);
        for (const std::int64_t k : mobile) freedom[static_cast<std::size_t>(k)] = Freedom::free;
        return freedom;
    }

    [[noreturn]] void fail_several(const std::vector<linalg::Vector<S>>& found,
                                   const std::vector<std::int64_t>& open) const {
        std::vector<std::string> names;
        for (const std::int64_t k : open) names.push_back(name_at(space_.p->state[static_cast<std::size_t>(k)]));
        std::vector<std::vector<double>> rows;
        for (const linalg::Vector<S>& u : found) {
            rows.emplace_back();
            for (const std::int64_t k : open) rows.back().push_back(static_cast<double>(u[k]));
        }
        std::vector<linalg::Vector<S>> points;
        for (const linalg::Vector<S>& u : found)
            points.push_back(space_.p == &analysis_.prolongation ? u : of_problem(u));
        throw SeveralStarts<S>(choice_text(names, rows), std::move(points));
    }

    void note_moves(Manifold<S>& m, const linalg::Vector<S>& before) {
        struct Move {
            std::size_t coordinate;
            double from, to;
            double length() const { return std::fabs(to - from); }
        };
        std::vector<Move> moved;
        bool has_given = false;
        for (std::size_t k = 0; k < freedom_.size(); ++k) {
            const auto at = static_cast<std::int64_t>(k);
            const auto from = static_cast<double>(before[at]), to = static_cast<double>(u_[at]);
            if (std::fabs(to - from) <= 1e-14 * (1 + std::fabs(to))) continue;
            if (is_computed(k) && note_computed(space_.p->state[k], before[at], u_[at])) {
                report_.moves.push_back({name_at(space_.p->state[k]), from, to});
                continue;
            }
            moved.push_back({k, from, to});
            has_given |= freedom_[k] > Freedom::free;
        }
        if (moved.empty()) return;
        std::ranges::stable_sort(moved, std::greater(), &Move::length);
        std::vector<std::string> names(moved.size()); // of those that are reported
        for (std::size_t k = 0; k < std::min(moved.size(), most_reported); ++k) {
            names[k] = name_at(space_.p->state[moved[k].coordinate]);
            report_.moves.push_back({names[k], moved[k].from, moved[k].to});
        }
        if (has_given) {
            const std::string moves =
                fmt::format("{} {}{:.3g}", listed(names), moved.size() == 1 ? "by " : "by up to ", moved[0].length());
            const std::vector<Violation> violated = find_violations(m, t_, before.data());
            notes_.push_back(fmt::format("start: {}; moved {}", to_text(violated), moves));
            moved_ = fmt::format(" (moved, to satisfy the constraints: {})", moves);
            for (const Violation& v : violated)
                if (!v.equation.empty())
                    report_.violations.push_back(
                        {v.equation, v.row.order, v.row.kind == ConstraintKind::hidden, v.residual});
        } else {
            notes_.push_back(fmt::format("start: {} computed from the rest", listed(names)));
        }
    }

    // Coordinates that nobody gave, nothing moved, and no constraint determines: moved away from the 0 that was taken,
    // they do not come back.
    std::vector<std::int64_t> values_left_open(Manifold<S>& m, const linalg::Vector<S>& before) const {
        const Prolongation& p = *space_.p;
        std::vector<std::int64_t> open;
        if (!is_missing_) return open;
        for (std::size_t k = 0; k < p.state.size() && open.size() < 1000; ++k) {
            const auto at = static_cast<std::size_t>(p.state[k]);
            const auto c = static_cast<std::int64_t>(k);
            if (!given_.is_given[at] && !given_.is_guessed[at] && u_[c] == before[c]) open.push_back(c);
        }
        if (open.empty() || open.size() > 100) return open;
        std::vector<Freedom> freedom(freedom_.size(), Freedom::held);
        linalg::Vector<S> moved = u_;
        S away = S(1e-3);
        for (const std::int64_t k : open) {
            freedom[static_cast<std::size_t>(k)] = Freedom::free;
            moved[k] += away *= S(1.1);
        }
        const linalg::Vector<S> from = moved;
        if (!make_consistent(m, t_, moved, freedom, Freedom::free, false).is_consistent) return open;
        std::erase_if(open, [&](std::int64_t k) {
            return linalg::absolute(moved[k] - u_[k]) <= S(1e-6) * linalg::absolute(from[k] - u_[k]);
        });
        return open;
    }

    void satisfy_constraints(Manifold<S>& m) {
        leave_zeros(m);
        check_finite(m);
        const linalg::Vector<S> before = u_;
        move_onto(m);
        check_lifted(m);
        check_other_solutions(m);
        std::vector<std::string> unset;
        for (const std::int64_t k : values_left_open(m, before))
            unset.push_back(name_at(space_.p->state[static_cast<std::size_t>(k)]));
        if (!unset.empty())
            notes_.push_back(fmt::format("start: no value was given for {}: 0 is taken", listed(unset)));
    }

    // Kept values that the model does not give are the values at the start point.
    void set_kept_values() {
        Manifold<S>& m = problem_.manifold();
        if (!m.has_invariants()) return;
        take_kept_values(problem_, t_, u_.data());
        check_finite(m);
        move_onto(m);
        take_kept_values(problem_, t_, u_.data());
    }

    void compute_tops() {
        const Prolongation& p = analysis_.prolongation;
        linalg::Vector<S> w(p.n_tops()), du(p.n_state() + 1);
        S dt = 0;
        const PointStatus status = analysis_.is_arclength
                                       ? problem_.distribution().tangent(t_, u_.data(), du.data(), &dt)
                                       : problem_.distribution().tops(t_, u_.data(), w.data());
        if (status == PointStatus::good && !analysis_.is_arclength) return compare_tops(w);
        if (status == PointStatus::good) return;
        if (status == PointStatus::not_finite)
            fail_not_finite("the direction of the solution has no value at the start point");
        fail_singular();
    }

    void compare_tops(const linalg::Vector<S>& w) {
        const Prolongation& p = analysis_.prolongation;
        for (std::size_t k = 0; k < p.top.size(); ++k)
            note_computed(p.top[k], given_.value[static_cast<std::size_t>(p.top[k])], w[static_cast<std::int64_t>(k)]);
    }

    // A value of z that was given, but is computed; false where nobody gave it.
    bool note_computed(std::int32_t position, S was, S is) {
        if (!given_.is_given[static_cast<std::size_t>(position)]) return false;
        const double value = static_cast<double>(is) + 0.0; // no -0
        const bool differs = std::fabs(static_cast<double>(was) - value) > 1e-6 * (1 + std::fabs(value));
        if (differs && given_.is_held[static_cast<std::size_t>(position)])
            throw InvalidInput(
                fmt::format("{} is held at {:.10g} at the start, but follows from the equations there: it "
                            "is {:.10g}. Give start values of the unknowns that it follows from, and let "
                            "them be found by leaving others open.",
                            name_at(position), static_cast<double>(was), value));
        if (!differs || notes_.size() >= 20) return true;
        std::string note = fmt::format("start: {} = {:.10g} follows from the equations; {:.10g} was given",
                                       name_at(position), value, static_cast<double>(was));
        if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
        return true;
    }

    Compiled<S>& problem_;
    const Analysis& analysis_;
    const Settings& options_;
    S t_;
    const Fits& fits_;
    InitialEquations<S>* initial_; // null: none
    Space space_;
    Given<S> given_;
    linalg::Vector<S> u_;
    std::vector<Freedom> freedom_;
    std::vector<std::int64_t> lifted_; // begin with 1 where 0 is given
    bool is_missing_ = false;          // a value of somebody
    std::vector<std::string> notes_;
    StartReport report_;
    std::string moved_; // start values that were moved, for messages
};

} // namespace

bool is_other_value(double a, double b) {
    return std::fabs(a - b) > 1e-6 * (1e-3 + std::max(std::fabs(a), std::fabs(b)));
}

std::string choice_text(const std::vector<std::string>& names, const std::vector<std::vector<double>>& rows) {
    std::string text, first;
    for (const std::vector<double>& row : rows) {
        std::string one;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const bool differs = std::ranges::any_of(
                rows, [&](const std::vector<double>& other) { return is_other_value(other[k], row[k]); });
            if (!differs || std::ranges::count(one, '=') == 5) continue;
            one += fmt::format("{}{} = {:.6g}", one.empty() ? "" : ", ", names[k], row[k]);
        }
        if (first.empty()) first = one.substr(0, one.find(','));
        text += (text.empty() ? "" : "; or ") + one;
    }
    return fmt::format("the start values leave a choice: {}. Say which, for example by `guess {}`.", text, first);
}

template <class S> void take_kept_values(Compiled<S>& problem, S t, const S* u) {
    Manifold<S>& m = problem.manifold();
    if (!m.has_invariants()) return;
    const std::span<S> values = problem.jets().kept();
    linalg::Vector<S> f(m.n_constraints());
    std::ranges::fill(values, S(0));
    m.f(t, u, f.data());
    const std::int64_t first = m.n_constraints() - std::ssize(values);
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!problem.system().invariants[m.rows()[static_cast<std::size_t>(first) + k].source].kept)
            values[k] = f[first + static_cast<std::int64_t>(k)];
}

template <class S>
StartPoint<S> make_start(Compiled<S>& problem, const Settings& options, S t,
                         const std::function<bool(const linalg::Vector<S>&)>& fits) {
    for (const Parameter& p : problem.system().parameters)
        for (const Quad v : p.values)
            if (!linalg::is_finite(v))
                throw InvalidInput(fmt::format("the parameter {} is not finite: {}", p.name, static_cast<double>(v)));
    return Starter<S>(problem, options, t, fits).run();
}

template void take_kept_values(Compiled<double>&, double, const double*);
template void take_kept_values(Compiled<Quad>&, Quad, const Quad*);
template StartPoint<double> make_start(Compiled<double>&, const Settings&, double,
                                       const std::function<bool(const linalg::Vector<double>&)>&);
template StartPoint<Quad> make_start(Compiled<Quad>&, const Settings&, Quad,
                                     const std::function<bool(const linalg::Vector<Quad>&)>&);

} // namespace vessiot
