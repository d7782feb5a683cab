#include "solve/run/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;

bool reads_tops(const Analysis& a, NodeId node, const std::string& what) {
    const Graph& g = *a.system.graph;
    const Prolongation& p = a.prolongation;
    bool found = false;
    for (const ArrayId array : dependencies(g, {node})) {
        if (g.array(array).role != ArrayRole::unknown) continue;
        const auto at = std::ranges::find(p.z.jets, array);
        if (at == p.z.jets.end()) {
            throw InvalidInput(fmt::format(
                "{} contains {}{}, a derivative that the equations do not determine without being differentiated "
                "further. Put in what the equations say that a lower one is: for x' = f(x) write der(f(x)), not x''.",
                what, g.array(array).name, std::string(static_cast<std::size_t>(g.array(array).order), '\'')));
        }
        const std::int64_t first = p.z.first[static_cast<std::size_t>(at - p.z.jets.begin())];
        found |= first + g.array(array).size() > p.n_state() || !p.is_contiguous;
    }
    return found;
}

template <class S>
void compile(Compiled<S>& problem, const std::string& name, const std::vector<NodeId>& values,
             std::optional<Function<S>>& function) {
    if (values.empty()) return;
    Graph& g = *problem.system().graph;
    std::vector<Contribution> all;
    for (std::size_t k = 0; k < values.size(); ++k)
        all.push_back(
            {g.index().scalar_domain(), g.index().list({g.index().constant(static_cast<std::int64_t>(k))}), values[k]});
    function.emplace(problem.jets().compile(g, name, std::ssize(values), all, problem.evaluator()));
}

template <class S>
Recorder<S>::Recorder(Compiled<S>& problem)
    : problem_(problem), is_arclength_(problem.analysis().is_arclength), names_(problem.analysis().value_names()),
      n_values_(problem.analysis().n_values()), w_(problem.n_tops()), f_(problem.manifold().n_constraints()),
      scale_(problem.manifold().n_constraints()) {
    names_.resize(n_values_);
    make_sources();
    make_functions();
    make_event_rates();
}

template <class S> void Recorder<S>::make_sources() {
    static const S zero = 0;
    const std::span<const S> held = problem_.jets().held();
    for (const ValuePlace& v : problem_.analysis().value_places()) {
        const S* number = nullptr;
        if (v.is_held)
            number = v.at < 0 ? &zero : &held[static_cast<std::size_t>(v.at)];
        else if (v.is_top)
            number = w_.data() + v.at;
        sources_.push_back({number, v.at});
        needs_tops_ |= v.is_top;
    }
}

template <class S> void Recorder<S>::make_functions() {
    const System& system = problem_.system();
    std::vector<NodeId> outputs;
    for (const Output& o : system.outputs) {
        needs_tops_ |= reads_tops(problem_.analysis(), o.value, fmt::format("the output '{}'", o.name));
        outputs.push_back(o.value);
    }
    compile(problem_, "outputs", outputs, outputs_);
    output_values_.resize(outputs.size());
    n_outputs_ = outputs.size() / problem_.analysis().n_blocks();
}

// g(t, y, p) = 0 moves by dt/dp = -(g_y s + g_p) / (g_t + g_y y').
template <class S> void Recorder<S>::make_event_rates() {
    const std::shared_ptr<Augmentation>& augmentation = problem_.analysis().augmentation;
    if (!augmentation) return;
    const System& system = problem_.system();
    Direction D = total_derivative(*system.graph);
    const auto is_known = [&](NodeId node) {
        const std::vector<ArrayId>& z = problem_.prolongation().z.jets;
        return std::ranges::all_of(dependencies(*system.graph, {node}), [&](ArrayId a) {
            return system.graph->array(a).role != ArrayRole::unknown || std::ranges::find(z, a) != z.end();
        });
    };
    std::vector<NodeId> rates;
    for (const Event& e : system.events) {
        const NodeId rate = D(e.value);
        const bool moves = !e.every && is_known(rate);
        first_rate_.push_back(moves ? std::ssize(rates) : -1);
        if (!moves) continue;
        rates.push_back(rate);
        for (std::size_t j = 0; j < augmentation->by().size(); ++j)
            rates.push_back(augmentation->derivative(j, e.value));
    }
    for (const NodeId rate : rates) needs_tops_ |= reads_tops(problem_.analysis(), rate, "the rate of an event");
    compile(problem_, "rates", rates, rates_);
    rate_values_.resize(rates.size());
}

template <class S> void Recorder<S>::send_to(std::vector<std::shared_ptr<PointStream>> streams, std::int64_t keep) {
    streams_ = std::move(streams);
    store_ = PointStore(keep);
}

template <class S> void Recorder<S>::fill_head(Solution& solution, StreamHead& head) const {
    const System& system = problem_.system();
    head.model = system.name;
    head.independent = system.independent_name;
    head.has_s = is_arclength_;
    head.names = names_;
    for (std::size_t k = 0; k < n_outputs_; ++k) head.output_names.push_back(system.outputs[k].name);
    if (const auto& augmentation = problem_.analysis().augmentation)
        for (const SensitivityVariable& v : augmentation->by()) head.sensitivity_names.push_back(v.name);
    for (const Event& e : system.events) head.event_names.push_back(e.name);
    solution.names = names_;
    solution.output_names = head.output_names;
    solution.sensitivity_names = head.sensitivity_names;
}

template <class S> void Recorder<S>::begin(Solution& solution, StreamHead head) {
    fill_head(solution, head);
    store_.begin(head);
    for (const auto& stream : streams_) stream->begin(head);
}

template <class S>
void Recorder<S>::resume(Solution& solution, StreamHead head, const std::vector<std::vector<std::int64_t>>& positions) {
    fill_head(solution, head);
    store_.begin(head);
    for (std::size_t k = 0; k < streams_.size(); ++k) streams_[k]->resume(head, positions[k]);
}

template <class S> std::vector<std::vector<std::int64_t>> Recorder<S>::positions() const {
    std::vector<std::vector<std::int64_t>> result;
    for (const auto& stream : streams_) result.push_back(stream->position());
    return result;
}

template <class S> void Recorder<S>::sync() {
    for (const auto& stream : streams_) stream->sync();
}

template <class S> void Recorder<S>::compute_tops(S t, const S* u) {
    if (!needs_tops_) return;
    if (problem_.distribution().tops(t, u, w_.data()) != PointStatus::good)
        std::fill(w_.begin(), w_.end(), std::numeric_limits<double>::quiet_NaN());
}

template <class S> void Recorder<S>::values(S t, const S* u, std::vector<double>& row) {
    compute_tops(t, u);
    row.clear();
    for (std::size_t k = 0; k < n_values_; ++k) row.push_back(value(k, u));
}

template <class S> void Recorder<S>::sensitivities(S t, const S* u, std::vector<double>& row) {
    compute_tops(t, u);
    row.clear();
    for (std::size_t k = n_values_; k < sources_.size(); ++k) row.push_back(value(k, u));
}

template <class S> void Recorder<S>::event_sensitivities(std::size_t event, S t, const S* u, std::vector<double>& row) {
    row.clear();
    if (first_rate_.empty() || first_rate_[event] < 0) return;
    compute_tops(t, u);
    S* outputs[] = {rate_values_.data()};
    (*rates_)(problem_.jets().at(t, u, w_.data()), outputs);
    const S* rate = rate_values_.data() + first_rate_[event];
    for (std::size_t j = 1; j < problem_.analysis().n_blocks(); ++j)
        row.push_back(static_cast<double>(-rate[j] / rate[0]));
}

template <class S> double Recorder<S>::residual(S t, const S* u) {
    problem_.manifold().f(t, u, f_.data());
    S largest = 0;
    for (const S& r : f_) largest = std::max(largest, linalg::absolute(r));
    return static_cast<double>(largest);
}

template <class S> void Recorder<S>::check_constraints(Solution& solution, S t, const S* u) {
    Manifold<S>& m = problem_.manifold();
    if (m.n_constraints() == 0) return;
    m.f(t, u, f_.data());
    m.terms(t, u, scale_.data());
    for (std::int64_t k = 0; k < f_.size(); ++k) {
        const double r = static_cast<double>(linalg::absolute(f_[k]));
        if (m.rows()[static_cast<std::size_t>(k)].kind == ConstraintKind::invariant) {
            solution.invariant_drift_max = std::max(solution.invariant_drift_max, r);
        } else {
            solution.constraint_residual_absolute = std::max(solution.constraint_residual_absolute, r);
            solution.constraint_residual_max =
                std::max(solution.constraint_residual_max, r / std::max(1.0, static_cast<double>(scale_[k])));
        }
    }
}

template <class S> void Recorder<S>::add(Solution& solution, S t, S s, const S* u) {
    check_constraints(solution, t, u);
    compute_tops(t, u);
    row_.resize(sources_.size());
    for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = value(k, u);
    output_row_.clear();
    if (!output_values_.empty()) {
        S* outputs[] = {output_values_.data()};
        (*outputs_)(problem_.jets().at(t, u, w_.data()), outputs);
        for (const S& v : output_values_) output_row_.push_back(static_cast<double>(v));
    }
    const std::span<const double> values(row_), outputs(output_row_);
    const StreamPoint point{.t = static_cast<double>(t),
                            .s = static_cast<double>(s),
                            .values = values.first(n_values_),
                            .outputs = outputs.first(n_outputs_),
                            .sensitivities = values.subspan(n_values_),
                            .output_sensitivities = outputs.subspan(n_outputs_)};
    store_.add(solution, point);
    for (const auto& stream : streams_) stream->add(point);
}

template <class S>
void Recorder<S>::add_event(Solution& solution, std::size_t event, S t, const S* u, const std::vector<double>& after) {
    event_sensitivities(event, t, u, rate_row_);
    values(t, u, row_);
    store_.add_event(solution, {problem_.system().events[event].name, static_cast<double>(t), row_, rate_row_, after});
    for (const auto& stream : streams_) stream->add_event({event, static_cast<double>(t), row_});
}

template <class S> void Recorder<S>::drop_incomplete(Solution& solution) const {
    std::size_t n = solution.t.size();
    if (is_arclength_) n = std::min(n, solution.s.size());
    const auto limit = [&](const std::vector<double>& rows, std::size_t width) {
        if (width > 0) n = std::min(n, rows.size() / width);
    };
    const std::size_t n_derivatives = sources_.size() - n_values_;
    const std::size_t n_output_derivatives = output_values_.size() - n_outputs_;
    limit(solution.numbers, n_values_);
    limit(solution.sensitivities, n_derivatives);
    limit(solution.output_numbers, n_outputs_);
    limit(solution.output_sensitivities, n_output_derivatives);
    solution.t.resize(n);
    if (is_arclength_) solution.s.resize(n);
    solution.numbers.resize(n * n_values_);
    solution.sensitivities.resize(n * n_derivatives);
    solution.output_numbers.resize(n * n_outputs_);
    solution.output_sensitivities.resize(n * n_output_derivatives);
}

template void compile(Compiled<double>&, const std::string&, const std::vector<NodeId>&,
                      std::optional<Function<double>>&);
template void compile(Compiled<Quad>&, const std::string&, const std::vector<NodeId>&, std::optional<Function<Quad>>&);
template class Recorder<double>;
template class Recorder<Quad>;

} // namespace vessiot
