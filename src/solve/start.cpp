#include "solve/start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/function.hpp"
#include "linalg/scalar.hpp"
#include "manifold/domain_error.hpp"
#include "solve/compatibility.hpp"
#include "solve/consistent.hpp"
#include "solve/dependent.hpp"

namespace vessiot {

using namespace expr;

namespace {

// Values of z by position, and where they come from.
template <class S> struct Given {
    std::vector<S> value;
    std::vector<char> is_given, is_guessed, is_asked, is_held;
};

// Calls visit(position in z or -1, number of the instance) for every element that a statement names.
template <class Statement, class Visit> void for_elements(const Analysis& a, const Statement& s, const Visit& visit) {
    const Prolongation& p = a.prolongation;
    const Graph& g = *a.system.graph;
    const auto jet = std::ranges::find(p.z.jets, s.jet);
    const std::int64_t first = jet == p.z.jets.end() ? -1 : p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
    g.index().for_each(s.domain, [&](const Env& env) {
        const std::int64_t address = g.address(s.jet, s.target, env);
        visit(first < 0 || address < 0 ? -1 : first + address);
        return true;
    });
}

// The numbers of `start` or `guess` statements, one statement after the other.
template <class S> std::vector<S> evaluate(const System& system, const std::vector<StartValue>& statements) {
    Graph& g = *system.graph;
    std::vector<RowTemplate> rows;
    for (const StartValue& s : statements) rows.push_back({s.domain, s.value});
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, rows, n);
    if (n == 0) return {};
    BufferSpec parameters{"p", {}};
    for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
    EvaluatorOptions once;
    once.backend = Backend::interpreter;
    Function<S> function(g, {parameters}, {{"values", {row_array(g, "start", blocks, n)}}}, once);
    std::vector<S> p, values(static_cast<std::size_t>(n));
    for (const Quad v : parameter_values(system)) p.push_back(static_cast<S>(v));
    const S* inputs[] = {p.data()};
    S* outputs[] = {values.data()};
    function.prepare(inputs);
    function(inputs, outputs);
    return values;
}

template <class S> Given<S> read_start(const Analysis& a, const SolveOptions& options) {
    const auto n = static_cast<std::size_t>(a.prolongation.z.size);
    const std::vector<char> none(n, 0);
    Given<S> given{std::vector<S>(n, S(0)), none, none, none, none};
    const auto fill = [&](const std::vector<StartValue>& statements, std::vector<char>& flags) {
        const std::vector<S> values = evaluate<S>(a.system, statements);
        std::size_t k = 0;
        for (const StartValue& s : statements)
            for_elements(a, s, [&](std::int64_t at) {
                const S value = values[k++];
                if (at < 0) return;
                if (!linalg::is_finite(value)) {
                    throw InvalidInput(fmt::format("line {} of {}: the start value of {} is not finite: {}",
                                                   s.where.line, a.system.name, a.name_of(at),
                                                   static_cast<double>(value)));
                }
                given.value[static_cast<std::size_t>(at)] = value;
                flags[static_cast<std::size_t>(at)] = 1;
            });
    };
    fill(a.system.guesses, given.is_guessed);
    fill(a.system.start, given.is_given);
    for (const auto& [name, value] : options.start) {
        const auto at = static_cast<std::size_t>(a.position_of(name));
        given.value[at] = S(value);
        given.is_given[at] = given.is_asked[at] = 1;
    }
    for (const Hold& h : a.system.holds)
        for_elements(a, h, [&](std::int64_t at) {
            if (at >= 0) given.is_held[static_cast<std::size_t>(at)] = 1;
        });
    return given;
}

template <class S> class Starter {
public:
    Starter(Problem<S>& problem, const SolveOptions& options, S t)
        : problem_(problem), analysis_(problem.analysis()), options_(options), t_(t),
          given_(read_start<S>(analysis_, options)) {}

    StartPoint<S> run() {
        place();
        satisfy_constraints();
        set_levels();
        compute_tops();
        for (std::string& note : check_compatibility(problem_, options_, t_, u_)) notes_.push_back(std::move(note));
        return {t_, std::move(u_), std::move(notes_)};
    }

private:
    void place() {
        const Prolongation& p = analysis_.prolongation;
        u_ = linalg::Vector<S>(p.n_state() + 1); // room for t
        freedom_.assign(p.state.size(), Freedom::free);
        std::vector<std::string> missing;
        for (std::size_t k = 0; k < p.state.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.state[k]);
            u_[static_cast<std::int64_t>(k)] = given_.value[at];
            if (given_.is_given[at]) freedom_[k] = Freedom::given;
            if (given_.is_asked[at]) freedom_[k] = Freedom::asked;
            if (given_.is_held[at]) freedom_[k] = Freedom::held;
            if (!given_.is_given[at] && !given_.is_guessed[at] && missing.size() < 1000)
                missing.push_back(analysis_.name_of(p.state[k]));
        }
        missing_ = std::move(missing);
    }

    // The worst violated constraints, for messages.
    std::string violations(Manifold<S>& m) const {
        const std::vector<double> r = scaled_residuals(m, t_, u_.data());
        linalg::Vector<S> f(m.n_constraints());
        m.f(t_, u_.data(), f.data());
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < r.size(); ++k)
            if (!(r[k] <= 1e-12)) order.push_back(k);
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return !(r[a] <= r[b]); });
        std::string text;
        for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 3); ++k)
            text += fmt::format("{}{} is off by {:.3g}", k ? "; " : "", m.text(static_cast<std::int64_t>(order[k])),
                                static_cast<double>(linalg::absolute(f[static_cast<std::int64_t>(order[k])])));
        if (order.size() > 3) text += fmt::format("; and {} more", order.size() - 3);
        return text;
    }

    void check_finite(Manifold<S>& m) const {
        const std::vector<double> r = scaled_residuals(m, t_, u_.data());
        if (std::ranges::all_of(r, [](double x) { return std::isfinite(x); })) return;
        fail_not_finite("the constraints have no value at the start point");
    }

    [[noreturn]] void fail_not_finite(const std::string& what) const {
        const std::vector<double> u(u_.begin(), u_.end() - 1), w(static_cast<std::size_t>(problem_.n_tops()), 0);
        const std::string where =
            explain_not_finite(analysis_.system, analysis_.prolongation, static_cast<double>(t_), u, w);
        if (where.empty()) fail_singular();
        throw InvalidInput(fmt::format("{}: {}. Check the start values and parameters{}.", what, where, moved_));
    }

    [[noreturn]] void fail_singular() const {
        const std::string dependent = dependent_constraints(problem_.manifold(), t_, u_.data());
        if (!dependent.empty())
            throw InvalidInput(fmt::format("the constraints are dependent at the start point {}. Leave out what is "
                                           "written twice, or start elsewhere{}.",
                                           dependent, moved_));
        throw InvalidInput(fmt::format(
            "at the start point the equations do not determine {}{}. Either it is a singular point ({}), or the system "
            "has hidden constraints that its structure does not show, which this version does not find.",
            analysis_.top_names(), moved_,
            analysis_.is_arclength ? "several curves may cross there: start elsewhere"
                                   : "an impasse, perhaps: try --parametrisation arclength, or start elsewhere"));
    }

    void move_onto(Manifold<S>& m) {
        const linalg::Vector<S> before = u_;
        const std::string off = violations(m);
        if (off.empty()) return;
        ConsistencyReport best;
        const auto attempt = [&](Freedom mobile, bool by_stages) {
            if (best.is_consistent) return;
            const ConsistencyReport r = make_consistent(m, t_, u_, freedom_, mobile, by_stages);
            if (r.is_consistent) best = r;
        };
        const bool has_stages = m.has_stages() && !m.has_invariants();
        if (has_stages) attempt(Freedom::free, true);
        attempt(Freedom::free, false);
        if (!best.is_consistent) best.is_consistent = find_what_is_missing(m, has_stages);
        if (has_stages) attempt(Freedom::given, true);
        attempt(Freedom::given, false);
        if (has_stages) attempt(Freedom::asked, true);
        attempt(Freedom::asked, false);
        if (!best.is_consistent) {
            const bool has_held = std::ranges::find(freedom_, Freedom::held) != freedom_.end();
            const std::string dependent = dependent_constraints(m, t_, u_.data());
            throw InvalidInput(fmt::format(
                "no start point that satisfies all constraints was found near the one given: {}. {}{}.", off,
                dependent.empty() ? "Give start values that are nearer, or check that all can be satisfied"
                                  : "They are dependent there, and may contradict each other " + dependent,
                has_held ? "; or hold fewer unknowns" : ""));
        }
        note_moves(before, off);
    }

    // What nobody gave counts as 0 first, where a constraint such as y^2 = x says nothing about y. So other values are
    // tried for all of it: one solution is taken, several are an error, since the model has to choose.
    bool find_what_is_missing(Manifold<S>& m, bool has_stages) {
        const Prolongation& p = analysis_.prolongation;
        std::vector<std::int64_t> open;
        S size = 1;
        for (std::size_t k = 0; k < freedom_.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.state[k]);
            if (freedom_[k] == Freedom::free && !given_.is_guessed[at]) open.push_back(static_cast<std::int64_t>(k));
            size = std::max(size, linalg::absolute(u_[static_cast<std::int64_t>(k)]));
        }
        if (open.empty() || open.size() > 50) return false;
        std::vector<linalg::Vector<S>> found;
        for (const double guess : {1.0, -1.0, 0.3, -0.3}) {
            linalg::Vector<S> trial = u_;
            for (const std::int64_t k : open) trial[k] = S(guess) * size;
            const bool is_found =
                (has_stages && make_consistent(m, t_, trial, freedom_, Freedom::free, true).is_consistent) ||
                make_consistent(m, t_, trial, freedom_, Freedom::free, false).is_consistent;
            const auto is_near = [&](const linalg::Vector<S>& other) {
                return std::ranges::all_of(open, [&](std::int64_t k) {
                    return linalg::absolute(other[k] - trial[k]) <= S(1e-6) * (S(1) + linalg::absolute(trial[k]));
                });
            };
            if (is_found && std::ranges::none_of(found, is_near)) found.push_back(std::move(trial));
        }
        if (found.size() > 1) fail_several(found, open);
        if (found.empty()) return false;
        u_ = std::move(found[0]);
        return true;
    }

    [[noreturn]] void fail_several(const std::vector<linalg::Vector<S>>& found,
                                   const std::vector<std::int64_t>& open) const {
        std::string text, first;
        for (const linalg::Vector<S>& u : found) {
            std::string one;
            for (const std::int64_t k : open) {
                const bool differs = std::ranges::any_of(found, [&](const linalg::Vector<S>& other) {
                    return linalg::absolute(other[k] - u[k]) > S(1e-6) * (S(1) + linalg::absolute(u[k]));
                });
                if (!differs || std::ranges::count(one, '=') == 5) continue;
                one += fmt::format("{}{} = {:.6g}", one.empty() ? "" : ", ",
                                   analysis_.name_of(analysis_.prolongation.state[static_cast<std::size_t>(k)]),
                                   static_cast<double>(u[k]));
            }
            if (first.empty()) first = one.substr(0, one.find(','));
            text += (text.empty() ? "" : "; or ") + one;
        }
        throw InvalidInput(
            fmt::format("the start values leave a choice: {}. Say which, for example by `guess {}`.", text, first));
    }

    void note_moves(const linalg::Vector<S>& before, const std::string& off) {
        double largest = 0;
        std::vector<std::pair<double, std::size_t>> moved;
        bool has_given = false;
        for (std::size_t k = 0; k < freedom_.size(); ++k) {
            const auto at = static_cast<std::int64_t>(k);
            const double d = static_cast<double>(linalg::absolute(u_[at] - before[at]));
            if (d <= 1e-14 * (1 + static_cast<double>(linalg::absolute(u_[at])))) continue;
            moved.emplace_back(d, k);
            has_given |= freedom_[k] != Freedom::free;
            largest = std::max(largest, d);
        }
        std::ranges::stable_sort(moved, [](const auto& a, const auto& b) { return a.first > b.first; });
        std::vector<std::string> names;
        for (const auto& [d, k] : moved) {
            if (names.size() < 6)
                names.push_back(analysis_.name_of(analysis_.prolongation.state[k]));
            else
                names.emplace_back();
        }
        if (has_given)
            notes_.push_back(fmt::format("start: {}; moved {} by up to {:.3g}", off, listed(names), largest));
        else
            notes_.push_back(fmt::format("start: {} computed from the rest", listed(names)));
        if (has_given)
            moved_ = fmt::format(" ({} moved by up to {:.3g}, to satisfy the constraints)", listed(names), largest);
    }

    void satisfy_constraints() {
        Manifold<S>& m = problem_.written_manifold();
        check_finite(m);
        const linalg::Vector<S> before = u_;
        move_onto(m);
        std::vector<std::string> unset;
        if (!missing_.empty()) {
            // what nobody gave and nothing moved
            const Prolongation& p = analysis_.prolongation;
            for (std::size_t k = 0; k < p.state.size() && unset.size() < 1000; ++k) {
                const auto at = static_cast<std::size_t>(p.state[k]);
                if (!given_.is_given[at] && !given_.is_guessed[at] &&
                    u_[static_cast<std::int64_t>(k)] == before[static_cast<std::int64_t>(k)])
                    unset.push_back(analysis_.name_of(p.state[k]));
            }
        }
        if (!unset.empty())
            notes_.push_back(fmt::format("start: no value was given for {}: 0 is taken", listed(unset)));
    }

    // Levels that the model does not give are the values at the start point.
    void set_levels() {
        Manifold<S>& m = problem_.manifold();
        if (!m.has_invariants()) return;
        const auto take = [&] {
            std::vector<S>& levels = problem_.jets().levels();
            linalg::Vector<S> f(m.n_constraints());
            std::ranges::fill(levels, S(0));
            m.f(t_, u_.data(), f.data());
            const std::int64_t first = m.n_constraints() - std::ssize(levels);
            for (std::size_t k = 0; k < levels.size(); ++k)
                if (!analysis_.system.invariants[m.rows()[static_cast<std::size_t>(first) + k].source].level)
                    levels[k] = f[first + static_cast<std::int64_t>(k)];
        };
        take();
        check_finite(m);
        move_onto(m);
        take();
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
        for (std::size_t k = 0; k < p.top.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.top[k]);
            const S value = w[static_cast<std::int64_t>(k)];
            const double off = static_cast<double>(linalg::absolute(given_.value[at] - value));
            if (given_.is_given[at] && off > 1e-6 * (1 + std::fabs(static_cast<double>(value))) && notes_.size() < 20)
                notes_.push_back(fmt::format("start: {} = {:.10g} follows from the equations; {:.10g} was given",
                                             analysis_.name_of(p.top[k]), static_cast<double>(value),
                                             static_cast<double>(given_.value[at])));
        }
    }

    Problem<S>& problem_;
    const Analysis& analysis_;
    const SolveOptions& options_;
    S t_;
    Given<S> given_;
    linalg::Vector<S> u_;
    std::vector<Freedom> freedom_;
    std::vector<std::string> missing_, notes_;
    std::string moved_; // start values that were moved, for messages
};

} // namespace

template <class S> StartPoint<S> make_start(Problem<S>& problem, const SolveOptions& options, S t) {
    for (const Parameter& p : problem.system().parameters)
        for (const Quad v : p.values)
            if (!linalg::is_finite(v))
                throw InvalidInput(fmt::format("the parameter {} is not finite: {}", p.name, static_cast<double>(v)));
    return Starter<S>(problem, options, t).run();
}

template StartPoint<double> make_start(Problem<double>&, const SolveOptions&, double);
template StartPoint<Quad> make_start(Problem<Quad>&, const SolveOptions&, Quad);

} // namespace vessiot
