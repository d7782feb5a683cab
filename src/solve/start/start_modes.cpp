#include "solve/start/start_modes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "solve/events/event_functions.hpp"
#include "solve/events/mode_walk.hpp"
#include "solve/events/surfaces.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

namespace {

constexpr int most_rounds = 100;          // to find discrete quantities and a start point that fit each other
constexpr int most_tries = 20;            // to find modes and a start point that fit each other
constexpr std::size_t most_switched = 50; // conditions that are tried on their other side, one by one
constexpr std::size_t most_together = 6;  // and in all combinations
constexpr std::size_t most_combined = 9;  // the same where there is no point at all otherwise

expr::EvaluatorOptions interpreted() {
    expr::EvaluatorOptions options; // a few evaluations only
    options.backend = expr::Backend::interpreter;
    return options;
}

template <class S> class ModeSearch {
public:
    ModeSearch(Compiled<S>& problem, Surfaces<S>& surfaces, const Settings& options, Quad t)
        : problem_(problem), analysis_(problem.analysis()), options_(options), t_(static_cast<S>(t)),
          surfaces_(surfaces),
          given_(read_start(analysis_.system, analysis_.prolongation, options, problem.start_functions())) {
        find_open();
    }

    StartPoint<S> run() {
        settle_on_given();
        std::optional<StartPoint<S>> start;
        try {
            start = find();
        } catch (const SeveralStarts<S>&) { // by the formulas of one side, on which they may not be
            leave_surfaces();
            try_here();
            look_elsewhere();
            if (rows_.empty()) throw;
            std::ranges::copy(only_, problem_.jets().constants().begin());
            return find();
        } catch (const InvalidInput&) { // on the sides that what is given lies on
            start = find_on_other_sides();
            if (!start) throw;
        }
        add(start->u);
        look_elsewhere();
        return *std::move(start);
    }

private:
    // What the equations determine, and nobody said where to look: `open` are its arrays. Of those, what a guess acts
    // on is listed, which highest derivatives are only where conditions read them.
    void find_open() {
        const Prolongation& p = analysis_.prolongation;
        const expr::Graph& g = *analysis_.system.graph;
        std::vector<expr::ArrayId> open;
        is_listed_.assign(given_.value.size(), 0);
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
            const expr::Array& jet = g.array(p.z.jets[k]);
            const auto first = static_cast<std::size_t>(p.z.first[k]), size = static_cast<std::size_t>(jet.size());
            const bool is_read = !surfaces_.reading({p.z.jets[k]}).empty();
            bool is_open = false;
            for (std::size_t at = first; at < first + size; ++at) {
                if (!given_.is_computed[at] || given_.is_given[at] || given_.is_guessed[at]) continue;
                is_open = true;
                is_listed_[at] = is_read || jet.order == 0;
            }
            if (is_open && is_read) open.push_back(p.z.jets[k]);
        }
        switchable_ = surfaces_.reading(open);
        for (const std::vector<std::int32_t>* part : {&p.state, &p.top})
            for (const std::int32_t at : *part)
                if (is_listed(at)) names_.push_back(analysis_.name_of(at));
    }

    bool is_listed(std::int32_t at) const { return is_listed_[static_cast<std::size_t>(at)]; }

    // What is given for highest derivatives and algebraic unknowns says which side is meant.
    void settle_on_given() {
        const Prolongation& p = analysis_.prolongation;
        linalg::Vector<S> u(problem_.n_state() + 1);
        std::vector<S> w(p.top.size(), S(std::numeric_limits<double>::quiet_NaN()));
        for (std::size_t k = 0; k < p.state.size(); ++k)
            u[static_cast<std::int64_t>(k)] = given_.value[static_cast<std::size_t>(p.state[k])];
        u[problem_.n_state()] = t_;
        for (std::size_t k = 0; k < p.top.size(); ++k) {
            const auto at = static_cast<std::size_t>(p.top[k]);
            if (given_.is_given[at] || given_.is_guessed[at]) w[k] = given_.value[at];
        }
        surfaces_.assume_tops(w);
        surfaces_.settle(t_, u.data(), true);
        surfaces_.assume_tops({});
    }

    StartPoint<S> find() {
        const auto fits = [&](const linalg::Vector<S>& u) { return surfaces_.fits(t_, u.data()); };
        for (int k = 0; k < most_tries; ++k) {
            StartPoint<S> start = make_start<S>(problem_, options_, t_, fits);
            const std::span<const S> held = problem_.jets().held();
            const std::vector<S> before(held.begin(), held.end());
            if (!surfaces_.settle(t_, start.u.data(), true)) break; // in a circle
            if (std::ranges::equal(before, held)) return start;
        }
        if (auto start = walk()) return *std::move(start);
        throw InvalidInput(
            fmt::format("no start point was found at which the condition {} agrees with what follows from it: "
                        "give start values that lie on one side of it",
                        surfaces_.open()));
    }

    // With these modes there is no point: from others, few of them switched first.
    std::optional<StartPoint<S>> find_on_other_sides() {
        std::vector<std::size_t> functions;
        for (std::size_t f = 0; f < surfaces_.size(); ++f)
            if (!surfaces_.is_one_of_two(f) &&
                std::ranges::none_of(functions, [&](std::size_t other) { return surfaces_.is_same(f, other); }))
                functions.push_back(f);
        if (functions.size() > most_switched) return {};
        const std::span<S> constants = problem_.jets().constants();
        const std::vector<S> before(constants.begin(), constants.end());
        const bool is_all = functions.size() <= most_combined;
        std::vector<std::size_t> choices; // bits: which ones are switched
        for (std::size_t k = 1; is_all && k < std::size_t(1) << functions.size(); ++k) choices.push_back(k);
        std::ranges::stable_sort(choices, {}, [](std::size_t k) { return std::popcount(k); });
        for (std::size_t k = 0; k < (is_all ? choices.size() : functions.size()); ++k) {
            std::ranges::copy(before, constants.begin());
            leave_surfaces(functions);
            for (std::size_t j = 0; j < functions.size(); ++j)
                if (is_all ? (choices[k] >> j & 1U) != 0 : j == k) surfaces_.switch_over(functions[j]);
            if (auto start = find_from_here()) return start;
        }
        std::ranges::copy(before, constants.begin());
        return {};
    }

    // Modes and a point that fit each other, by setting them in turn.
    std::optional<StartPoint<S>> find_from_here() {
        const auto fits = [&](const linalg::Vector<S>& u) { return surfaces_.fits(t_, u.data()); };
        const std::span<const S> held = problem_.jets().held();
        for (int k = 0; k < most_tries; ++k) {
            const std::vector<S> before(held.begin(), held.end());
            try {
                StartPoint<S> start = make_start<S>(problem_, options_, t_, fits);
                if (!surfaces_.settle(t_, start.u.data(), true)) return {};
                if (std::ranges::equal(before, held)) return start;
            } catch (const InvalidInput&) {
                return {};
            }
        }
        return {};
    }

    // From what is given, piece by piece.
    std::optional<StartPoint<S>> walk() {
        const Prolongation& p = analysis_.prolongation;
        ModePoint<S> point{linalg::Vector<S>(problem_.n_state() + 1), std::vector<S>(p.top.size())};
        for (std::size_t k = 0; k < p.state.size(); ++k)
            point.u[static_cast<std::int64_t>(k)] = given_.value[static_cast<std::size_t>(p.state[k])];
        for (std::size_t k = 0; k < p.top.size(); ++k) point.w[k] = given_.value[static_cast<std::size_t>(p.top[k])];
        point.u[problem_.n_state()] = t_;
        std::optional<StartPoint<S>> last;
        const SolvedWithModes<S> solved = [&](ModePoint<S>& to) {
            try {
                last = make_start<S>(problem_, options_, t_);
            } catch (const InvalidInput&) { // with these modes
                return false;
            }
            linalg::Vector<S> w(p.n_tops());
            if (problem_.distribution().tops(t_, last->u.data(), w.data()) != PointStatus::good) return false;
            to = {last->u, {w.begin(), w.end()}};
            return true;
        };
        return walk_to_modes(surfaces_, t_, point, solved) ? std::move(last) : std::nullopt;
    }

    // What nobody gave counts as 0, which may be on a surface by chance.
    void leave_surfaces() { leave_surfaces(switchable_); }
    void leave_surfaces(const std::vector<std::size_t>& functions) {
        for (const std::size_t f : functions)
            if (!surfaces_.is_one_of_two(f) && surfaces_.side(f) == 0) surfaces_.set(f, S(1));
    }

    void look_elsewhere() {
        if (switchable_.empty() || switchable_.size() > most_switched) return;
        const std::span<S> constants = problem_.jets().constants();
        const std::vector<S> before(constants.begin(), constants.end());
        const bool is_all = switchable_.size() <= most_together;
        const std::size_t n = is_all ? (std::size_t(1) << switchable_.size()) - 1 : switchable_.size();
        for (std::size_t k = 1; k <= n; ++k) {
            std::ranges::copy(before, constants.begin());
            for (std::size_t j = 0; j < switchable_.size(); ++j)
                if (is_all ? (k >> j & 1U) != 0 : j + 1 == k) surfaces_.switch_over(switchable_[j]);
            try_here();
        }
        std::ranges::copy(before, constants.begin());
        if (rows_.size() > 1) throw InvalidInput(choice_text(names_, rows_));
    }

    // With the modes as they are.
    void try_here() {
        const auto fits = [&](const linalg::Vector<S>& u) { return surfaces_.fits(t_, u.data()); };
        try {
            const StartPoint<S> other = make_start<S>(problem_, options_, t_, fits);
            if (fits(other.u)) add(other.u);
        } catch (const SeveralStarts<S>& several) {
            for (const linalg::Vector<S>& u : several.points())
                if (fits(u)) add(u);
        } catch (const InvalidInput&) { // there is none
        }
    }

    void add(const linalg::Vector<S>& u) {
        const Prolongation& p = analysis_.prolongation;
        linalg::Vector<S> w(p.n_tops());
        if (problem_.distribution().tops(t_, u.data(), w.data()) != PointStatus::good) return;
        std::vector<double> row;
        for (std::size_t k = 0; k < p.state.size(); ++k)
            if (is_listed(p.state[k])) row.push_back(static_cast<double>(u[static_cast<std::int64_t>(k)]));
        for (std::size_t k = 0; k < p.top.size(); ++k)
            if (is_listed(p.top[k])) row.push_back(static_cast<double>(w[static_cast<std::int64_t>(k)]));
        const auto is_same = [&](const std::vector<double>& other) {
            return std::ranges::equal(row, other, std::not_fn(is_other_value));
        };
        if (std::ranges::any_of(rows_, is_same)) return;
        rows_.push_back(std::move(row));
        only_.assign(problem_.jets().constants().begin(), problem_.jets().constants().end());
    }

    Compiled<S>& problem_;
    const Analysis& analysis_;
    const Settings& options_;
    S t_;
    Surfaces<S>& surfaces_;
    Given<S> given_;
    std::vector<std::size_t> switchable_; // conditions that depend on what is open
    std::vector<char> is_listed_;
    std::vector<std::string> names_;        // of what is listed
    std::vector<std::vector<double>> rows_; // its values in the solutions found
    std::vector<S> only_;                   // the modes and kept values of the last one
};

} // namespace

template <class S> struct StartModes<S>::Functions {
    std::optional<Surfaces<S>> surfaces;     // made with the first search
    std::optional<EventFunctions<S>> always; // where events are looked at always
};

template <class S>
StartModes<S>::StartModes(Compiled<S>& problem) : problem_(problem), functions_(std::make_unique<Functions>()) {
    if (std::ranges::any_of(problem.system().events, &Event::is_always)) functions_->always.emplace(problem);
}

template <class S> StartModes<S>::~StartModes() = default;

template <class S> StartPoint<S> StartModes<S>::with_discrete(const Settings& options, Quad t) {
    const Analysis& analysis = problem_.analysis();
    if (!analysis.conditions) return make_start<S>(problem_, options, static_cast<S>(t));
    const bool has_end = options.to || analysis.system.to || options.to_s; // else only the point is of interest
    Quad to = has_end ? interval(analysis.system, options, true).second : t;
    if (to == t) to = t + 1; // a point alone is looked at forward
    const S direction = S(to < t ? -1 : 1), end = static_cast<S>(to);
    std::optional<Surfaces<S>>& surfaces = functions_->surfaces;
    if (surfaces)
        surfaces->renew(direction, end);
    else
        surfaces.emplace(problem_, direction, end, interpreted());
    return ModeSearch<S>(problem_, *surfaces, options, t).run();
}

template <class S> StartPoint<S> StartModes<S>::operator()(const Settings& options, Quad t) {
    StartPoint<S> start = with_discrete(options, t);
    if (!functions_->always) return start;
    EventFunctions<S>& functions = *functions_->always;
    for (int k = 0; k < most_rounds; ++k) {
        bool has_changed = false;
        for (const std::size_t e : functions.always())
            has_changed |= functions.set_discrete_at_start(e, static_cast<S>(t), start.u.data());
        if (!has_changed) return start;
        start = with_discrete(options, t);
    }
    throw InvalidInput(fmt::format("no start point was found at which what is discrete agrees with the events that are "
                                   "looked at always ('{}'): it changes again and again",
                                   problem_.system().events[functions.always().front()].name));
}

template class StartModes<double>;
template class StartModes<Quad>;

} // namespace vessiot
