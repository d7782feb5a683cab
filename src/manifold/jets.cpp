#include "manifold/jets.hpp"

#include <algorithm>

#include "system/functions.hpp"

namespace vessiot {

using namespace expr;

std::int64_t count_invariants(const System& system) {
    std::int64_t n = 0;
    for (const Invariant& i : system.invariants) n += system.graph->index().count(i.domain, std::int64_t{1} << 40);
    return n;
}

template <class S> Jets<S>::Jets(const System& system, const Prolongation& p) {
    Graph& g = *system.graph;
    BufferSpec parameters{"p", {}}, u{"u", {}}, rest{"w", {}};
    for (const Parameter& q : system.parameters) parameters.arrays.push_back(q.array);
    std::int64_t n_whole = 0; // coordinates in arrays that hold nothing else
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
        const std::int64_t end = p.z.first[k] + g.array(p.z.jets[k]).size();
        const bool is_whole = end <= p.n_state() && (end == 0 || p.state[static_cast<std::size_t>(end - 1)] == end - 1);
        (is_whole ? u : rest).arrays.push_back(p.z.jets[k]);
        if (is_whole) n_whole = end;
    }
    for (std::int64_t k = n_whole; k < p.n_state(); ++k)
        moves_.push_back(
            {static_cast<std::int32_t>(k), static_cast<std::int32_t>(p.state[static_cast<std::size_t>(k)] - n_whole)});
    for (std::size_t k = 0; k < p.top.size(); ++k)
        top_moves_.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(p.top[k] - n_whole)});
    rest_ = linalg::Vector<S>(p.z.size - n_whole);
    zero_ = linalg::Vector<S>(p.z.size - n_whole);
    n_kept_ = static_cast<std::size_t>(count_invariants(system));
    kept_array_ = g.add_array(
        {.name = "kept", .role = ArrayRole::auxiliary, .lo = {0}, .extent = {static_cast<std::int64_t>(n_kept_)}});
    BufferSpec constants{"kept", {kept_array_}};
    constants_.resize(n_kept_);
    for (const Held& h : system.held) constants.arrays.push_back(h.array);
    for (const Quad v : held_values(system)) constants_.push_back(static_cast<S>(v));
    inputs_ = {{"t", {system.independent}}, parameters, u, rest, constants};
    for (const Quad v : parameter_values(system)) parameters_.push_back(static_cast<S>(v));
    pointers_[0] = &t_;
    pointers_[1] = constant_[1] = parameters_.data();
    pointers_[4] = constant_[4] = constants_.data();
}

template <class S> const S* const* Jets<S>::at(S t, const S* u, const S* w) {
    t_ = t;
    for (const Move& m : moves_) rest_[m.to] = u[m.from];
    for (const Move& m : top_moves_) rest_[m.to] = w[m.from];
    pointers_[2] = u;
    pointers_[3] = rest_.data();
    return pointers_;
}

template <class S>
Function<S> Jets<S>::compile(Graph& g, const std::string& name, std::int64_t size,
                             const std::vector<Contribution>& elements, const EvaluatorOptions& evaluator) {
    const ArrayId array = g.define(name, {0}, {size}, elements, true);
    Function<S> function(g, inputs_, {{name, {array}}}, evaluator);
    prepare(function);
    return function;
}

template <class S> void Jets<S>::prepare(Function<S>& function) {
    if (!function.prologue()) return;
    run(*function.prologue());
    std::erase_if(prologues_, [](const auto& p) { return p.expired(); });
    prologues_.push_back(function.prologue());
}

template <class S> std::optional<std::int32_t> Jets<S>::coordinate_at(std::uint32_t input, std::int64_t element) const {
    if (input == 2) return static_cast<std::int32_t>(element);
    const auto at = std::ranges::find(moves_, element, &Move::to);
    return at == moves_.end() ? std::nullopt : std::optional(at->from);
}

template <class S> std::optional<std::int32_t> Jets<S>::top_at(std::uint32_t input, std::int64_t element) const {
    if (input != 3) return std::nullopt;
    const auto at = std::ranges::find(top_moves_, element, &Move::to);
    return at == top_moves_.end() ? std::nullopt : std::optional(at->from);
}

template <class S> void Jets<S>::run(Prologue<S>& prologue) {
    std::vector<const S*> inputs(prologue.n_inputs(), nullptr);
    std::copy_n(constant_, n_inputs, inputs.begin());
    prologue(inputs.data());
}

template <class S> void Jets<S>::begin(std::span<const S> held) {
    std::ranges::fill(kept(), S(0));
    std::ranges::copy(held, this->held().begin());
}

template <class S> void Jets<S>::set_parameters(std::span<const S> values) {
    std::ranges::copy(values, parameters_.begin());
    for (const auto& known : prologues_)
        if (const auto prologue = known.lock()) run(*prologue);
}

template class Jets<double>;
template class Jets<Quad>;

} // namespace vessiot
