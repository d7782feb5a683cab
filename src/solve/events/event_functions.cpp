#include "solve/events/event_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/recorder.hpp"
#include "solve/start/given.hpp"
#include "system/constants.hpp"

namespace vessiot {

using namespace expr;

namespace {

std::string name_of_held(const System& system, std::size_t number) {
    Graph& g = *system.graph;
    for (const Held& h : system.held) {
        if (number < h.values.size())
            return g.print_read(h.array, g.indices_at(h.array, static_cast<std::int64_t>(number)));
        number -= h.values.size();
    }
    return "";
}

} // namespace

template <class S>
EventFunctions<S>::EventFunctions(Compiled<S>& problem)
    : problem_(problem), n_(problem.system().events.size()), w_(problem.n_tops()) {
    const System& system = problem.system();
    std::vector<NodeId> values, terms;
    for (const Event& e : system.events) {
        needs_tops_ |= reads_tops(problem.analysis(), e.value, fmt::format("the event '{}'", e.name));
        values.push_back(e.value);
        terms.push_back(largest_term(*system.graph, e.value));
        resets_.push_back(make_reset(e, e.then, false));
        guesses_.push_back(make_reset(e, e.guesses, true));
        is_stop_.push_back(e.is_stop);
    }
    set_intervals();
    compile(problem, "events", values, values_);
    compile(problem, "event_terms", terms, terms_);
    make_rates();
}

template <class S> void EventFunctions<S>::set_intervals() {
    intervals_.clear();
    for (const Event& e : problem_.system().events) {
        intervals_.push_back(e.every ? static_cast<S>(evaluate_constants(problem_.system(), {*e.every}).front())
                                     : S(0));
        if (e.every && !(intervals_.back() > S(0)))
            throw InvalidInput(fmt::format("the time between the events '{}' must be positive, but it is {}", e.name,
                                           static_cast<double>(intervals_.back())));
    }
}

template <class S> void EventFunctions<S>::make_rates() {
    const System& system = problem_.system();
    Graph& g = *system.graph;
    const std::vector<ArrayId>& z = problem_.prolongation().z.jets;
    const auto is_known = [&](NodeId node) {
        return std::ranges::all_of(dependencies(g, {node}), [&](ArrayId a) {
            return g.array(a).role != ArrayRole::unknown || std::ranges::find(z, a) != z.end();
        });
    };
    Direction D = total_derivative(g);
    std::vector<NodeId> rates;
    for (std::size_t e = 0; e < n_; ++e) {
        const NodeId rate = ends_step(e) ? D(system.events[e].value) : g.zero();
        has_rate_.push_back(ends_step(e) && is_known(rate));
        rates.push_back(has_rate_[e] ? rate : g.zero());
        rates_need_tops_ |= reads_tops(problem_.analysis(), rates.back(), "the rate of an event");
    }
    if (std::ranges::find(has_rate_, 1) != has_rate_.end()) compile(problem_, "event_rates", rates, rates_);
}

template <class S>
typename EventFunctions<S>::ResetFunction
EventFunctions<S>::make_reset(const Event& event, const std::vector<Reset>& resets, bool is_guess) {
    const System& system = problem_.system();
    const Prolongation& p = problem_.prolongation();
    Graph& g = *system.graph;
    ResetFunction reset;
    if (resets.empty()) return reset;
    std::vector<Reset> then = resets;
    const auto sets_coordinate = [&](const Reset& r) { return !system.find_held(r.jet); };
    std::ranges::stable_partition(then, sets_coordinate);
    std::vector<std::int64_t> coordinate(static_cast<std::size_t>(p.z.size), -1); // by position in z
    for (std::size_t k = 0; k < p.state.size(); ++k)
        coordinate[static_cast<std::size_t>(p.state[k])] = static_cast<std::int64_t>(k);
    std::vector<RowTemplate> rows;
    for (const Reset& r : then) {
        rows.push_back({r.domain, r.value});
        reset.needs_tops |=
            reads_tops(problem_.analysis(), r.value,
                       fmt::format("what the event '{}' {}", event.name, is_guess ? "guesses" : "sets"));
        if (!sets_coordinate(r)) {
            std::size_t first = 0; // among what is held
            for (auto h = system.held.begin(); h->array != r.jet; ++h) first += h->values.size();
            g.index().for_each(r.domain, [&](const Env& env) {
                reset.held.push_back(first + static_cast<std::size_t>(g.address(r.jet, r.target, env)));
                reset.is_constant.push_back(g.is_constant(r.value));
                return true;
            });
            continue;
        }
        const auto jet = std::ranges::find(p.z.jets, r.jet);
        const std::int64_t first = p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
        g.index().for_each(r.domain, [&](const Env& env) {
            const std::int64_t at = first + g.address(r.jet, r.target, env);
            if (!is_guess && coordinate[static_cast<std::size_t>(at)] < 0)
                throw InvalidInput(fmt::format("the event '{}' cannot set {}: it follows from the equations",
                                               event.name, name_of(system, p, at)));
            reset.coordinates.push_back(coordinate[static_cast<std::size_t>(at)]);
            return true;
        });
    }
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, rows, n);
    reset.all.resize(static_cast<std::size_t>(n));
    reset.values.resize(reset.coordinates.size());
    const ArrayId array = row_array(g, "then", blocks, n);
    reset.function.emplace(g, problem_.jets().inputs(), std::vector<BufferSpec>{{"then", {array}}},
                           problem_.evaluator());
    problem_.jets().prepare(*reset.function);
    return reset;
}

template <class S> bool EventFunctions<S>::has_resets() const {
    return std::ranges::any_of(resets_, [](const ResetFunction& r) { return r.function.has_value(); });
}

template <class S> void EventFunctions<S>::evaluate(Function<S>& function, bool needs_tops, S t, const S* u, S* v) {
    if (needs_tops && problem_.distribution().tops(t, u, w_.data()) != PointStatus::good)
        std::fill(w_.begin(), w_.end(), std::numeric_limits<double>::quiet_NaN());
    S* outputs[] = {v};
    function(problem_.jets().at(t, u, w_.data()), outputs);
}

template <class S> void EventFunctions<S>::values(S t, const S* u, S* v) {
    if (n_ > 0) evaluate(*values_, needs_tops_, t, u, v);
}

template <class S> void EventFunctions<S>::terms(S t, const S* u, S* v) {
    if (n_ > 0) evaluate(*terms_, needs_tops_, t, u, v);
}

template <class S> void EventFunctions<S>::rates(S t, const S* u, S* v) {
    if (rates_) evaluate(*rates_, rates_need_tops_, t, u, v);
    for (std::size_t e = 0; e < n_; ++e)
        if (!has_rate_[e]) v[e] = std::numeric_limits<double>::quiet_NaN();
}

template <class S> const std::vector<S>& EventFunctions<S>::assigned(std::size_t event, S t, const S* u) {
    ResetFunction& reset = resets_[event];
    evaluate(*reset.function, reset.needs_tops, t, u, reset.all.data());
    std::copy_n(reset.all.begin(), reset.values.size(), reset.values.begin());
    return reset.values;
}

template <class S> bool EventFunctions<S>::changes(std::size_t event, S t, const S* u) {
    assigned(event, t, u);
    const ResetFunction& reset = resets_[event];
    for (std::size_t k = 0; k < reset.coordinates.size(); ++k)
        if (!(reset.values[k] == u[reset.coordinates[k]])) return true;
    const std::span<const S> values = std::span(reset.all).subspan(reset.values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!(values[k] == problem_.jets().held()[reset.held[k]])) return true;
    return false;
}

template <class S> std::vector<std::size_t> EventFunctions<S>::always() const {
    std::vector<std::size_t> found;
    for (std::size_t e = 0; e < n_; ++e)
        if (problem_.system().events[e].is_always) found.push_back(e);
    return found;
}

template <class S> bool EventFunctions<S>::set_discrete_at_start(std::size_t event, S t, const S* u) {
    assigned(event, t, u);
    const ResetFunction& reset = resets_[event];
    bool has_changed = false;
    for (std::size_t k = 0; k < reset.held.size(); ++k) {
        S& now = problem_.jets().held()[reset.held[k]];
        const S value = reset.all[reset.values.size() + k];
        if (reset.is_constant[k] || value == now || !linalg::is_finite(value)) continue;
        now = value;
        has_changed = true;
    }
    return has_changed;
}

template <class S> std::string EventFunctions<S>::set_discrete(std::size_t event) {
    const ResetFunction& reset = resets_[event];
    const std::span<const S> values = std::span(reset.all).subspan(reset.values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!std::isfinite(static_cast<double>(values[k]))) return name_of_held(problem_.system(), reset.held[k]);
    for (std::size_t k = 0; k < values.size(); ++k) problem_.jets().held()[reset.held[k]] = values[k];
    return "";
}

template <class S> const std::vector<S>& EventFunctions<S>::guessed(std::size_t event, S t, const S* u) {
    ResetFunction& guess = guesses_[event];
    if (guess.function) evaluate(*guess.function, guess.needs_tops, t, u, guess.all.data());
    return guess.all;
}

template class EventFunctions<double>;
template class EventFunctions<Quad>;

} // namespace vessiot
