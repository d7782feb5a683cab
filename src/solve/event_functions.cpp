#include "solve/event_functions.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "solve/given.hpp"
#include "solve/recorder.hpp"

namespace vessiot {

using namespace expr;

namespace {

NodeId largest_term(Graph& g, NodeId n) {
    NodeId largest = g.zero();
    for (const NodeId term : additive_terms(g, n)) largest = g.apply(Op::max, largest, g.apply(Op::abs, term));
    return largest;
}

} // namespace

template <class S>
EventFunctions<S>::EventFunctions(Problem<S>& problem)
    : problem_(problem), n_(problem.system().events.size()), w_(problem.n_tops()) {
    const System& system = problem.system();
    std::vector<NodeId> values, terms;
    for (const Event& e : system.events) {
        needs_tops_ |= reads_tops(problem.analysis(), e.value, fmt::format("the event '{}'", e.name));
        values.push_back(e.value);
        terms.push_back(largest_term(*system.graph, e.value));
        resets_.push_back(make_reset(e));
    }
    compile(problem, "events", values, values_);
    compile(problem, "event_terms", terms, terms_);
}

template <class S> typename EventFunctions<S>::ResetFunction EventFunctions<S>::make_reset(const Event& event) {
    const System& system = problem_.system();
    const Prolongation& p = problem_.prolongation();
    Graph& g = *system.graph;
    ResetFunction reset;
    if (event.then.empty()) return reset;
    std::vector<std::int64_t> coordinate(static_cast<std::size_t>(p.z.size), -1); // by position in z
    for (std::size_t k = 0; k < p.state.size(); ++k)
        coordinate[static_cast<std::size_t>(p.state[k])] = static_cast<std::int64_t>(k);
    std::vector<RowTemplate> rows;
    for (const Reset& r : event.then) {
        rows.push_back({r.domain, r.value});
        reset.needs_tops |=
            reads_tops(problem_.analysis(), r.value, fmt::format("what the event '{}' sets", event.name));
        const auto jet = std::ranges::find(p.z.jets, r.jet);
        const std::int64_t first = p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
        g.index().for_each(r.domain, [&](const Env& env) {
            const std::int64_t at = first + g.address(r.jet, r.target, env);
            if (coordinate[static_cast<std::size_t>(at)] < 0)
                throw InvalidInput(fmt::format("the event '{}' cannot set {}: it follows from the equations",
                                               event.name, name_of(system, p, at)));
            reset.coordinates.push_back(coordinate[static_cast<std::size_t>(at)]);
            return true;
        });
    }
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, rows, n);
    reset.values.resize(static_cast<std::size_t>(n));
    const ArrayId array = row_array(g, "then", blocks, n);
    reset.function.emplace(g, problem_.jets().inputs(), std::vector<BufferSpec>{{"then", {array}}},
                           problem_.evaluator());
    reset.function->prepare(problem_.jets().parameters_only());
    return reset;
}

template <class S> bool EventFunctions<S>::has_resets() const {
    return std::ranges::any_of(resets_, [](const ResetFunction& r) { return !r.coordinates.empty(); });
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

template <class S> const std::vector<S>& EventFunctions<S>::assigned(std::size_t event, S t, const S* u) {
    ResetFunction& reset = resets_[event];
    evaluate(*reset.function, reset.needs_tops, t, u, reset.values.data());
    return reset.values;
}

template class EventFunctions<double>;
template class EventFunctions<Quad>;

} // namespace vessiot
