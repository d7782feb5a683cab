#include "method/mechanical/system/position_constraints.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/mechanical/system/shape_columns.hpp"

namespace vessiot::method {

using linalg::absolute;
using linalg::at;

namespace {

// NOTE: sizes of coordinates below this do not count, as in the projections.
constexpr double size_floor = 1e-9;

} // namespace

template <class S>
PositionConstraints<S>::PositionConstraints(const Parts<S>& parts, const MechanicalShape& shape,
                                            const MechanicalPositions& positions)
    : n_(shape.n()), m_(shape.m()), jets_(&parts.jets), manifold_(&parts.manifold), q_(positions.q) {
    if (m_ == 0) return;
    make_functions(parts, shape, positions);
    std::vector<std::int64_t> entry;
    G_rows_ = linalg::transposed(derivatives_->pattern(), &entry);
    for (const std::int64_t e : entry)
        G_slot_.push_back(derivatives_->is_placed() ? derivatives_->places()[at(e)] : static_cast<std::int32_t>(e));
    plan_rates();
    find_rows(parts, shape);
    terms_ = linalg::Vector<S>(manifold_->n_constraints());
    size_ = linalg::Vector<S>(m_);
    rate_size_ = linalg::Vector<S>(m_);
}

template <class S>
void PositionConstraints<S>::make_functions(const Parts<S>& parts, const MechanicalShape& shape,
                                            const MechanicalPositions& positions) {
    const Prolongation& p = parts.prolongation;
    std::vector<std::int32_t> places(at(n_));
    for (std::size_t k = 0; k < positions.number.size(); ++k) places[at(positions.number[k])] = p.state[at(shape.q[k])];
    ShapeColumns c = columns_at(parts.system, p, shape.constraints, places);
    if (reads_time(parts.system, shape.constraints)) {
        c.arrays.push_back(parts.system.independent);
        c.selection.column.push_back(static_cast<std::int32_t>(n_));
        ++c.selection.n_columns;
    }
    expr::Graph& g = *parts.system.graph;
    values_.emplace(g, parts.jets, shape.constraints.families, c.selection,
                    RowFunctionOptions{parts.evaluator, false, {}});
    derivatives_.emplace(g, parts.jets, shape.constraints.families, c.selection,
                         RowFunctionOptions{parts.evaluator, true, c.arrays});
}

// G v without g_t, and where that is.
template <class S> void PositionConstraints<S>::plan_rates() {
    std::vector<std::vector<linalg::SumPlan::Term>> sums(at(m_));
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(m_); ++i)
        for (std::int64_t e = G_rows_.column_start[at(i)]; e < G_rows_.column_start[at(i) + 1]; ++e) {
            if (G_rows_.row[at(e)] < n_)
                sums[at(i)].push_back({G_slot_[at(e)], G_rows_.row[at(e)]});
            else
                G_t_.push_back({i, G_slot_[at(e)]});
        }
    rate_plan_ = linalg::SumPlan(sums);
}

template <class S> void PositionConstraints<S>::find_rows(const Parts<S>& parts, const MechanicalShape& shape) {
    const std::vector<ConstraintRow>& rows = parts.manifold.rows();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].kind != ConstraintKind::written || rows[k].order != 0) continue;
        const bool is_position =
            !shape.is_hamiltonian || parts.system.equations[rows[k].source].kind == EquationKind::constraint;
        if (is_position) row_in_manifold_.push_back(static_cast<std::int32_t>(k));
    }
}

template <class S> void PositionConstraints<S>::make(Point& p) const {
    if (m_ == 0) return;
    p.g = linalg::Vector<S>(m_);
    p.G = linalg::Vector<S>(derivatives_->is_placed() ? derivatives_->n_local() : derivatives_->pattern().entries());
    p.lambda = linalg::Vector<S>(m_);
}

template <class S> void PositionConstraints<S>::read(Point& p) {
    const S* const* inputs = jets_->at(p.t, p.u.data());
    if (derivatives_->is_placed())
        derivatives_->evaluate(inputs, p.g.data(), p.G.data());
    else
        (*derivatives_)(inputs, p.g.data(), p.G.data());
}

template <class S> void PositionConstraints<S>::rate(const Point& p, const S* v, S* b) const {
    rate_plan_.compute(p.G.data(), v, b);
    for (const auto& [row, place] : G_t_) b[row] += p.G[place];
}

// size_i = max(a sixteenth of the largest term, max_j |G_ij| (|q_j| + floor)), as Manifold::sizes. Sizes only say how
// far round-off may go: they need not be of this very point.
template <class S> void PositionConstraints<S>::measure(const Point& p) {
    if (n_until_measured_-- > 0) return;
    n_until_measured_ = measured_every_ - 1;
    measured_every_ = std::min(2 * measured_every_, 32);
    is_rate_due_ = true;
    manifold_->terms(p.t, p.u.data(), terms_.data());
    for (std::int64_t i = 0; i < m_; ++i) {
        S largest = terms_[row_in_manifold_[at(i)]] / S(16);
        for (std::int64_t e = G_rows_.column_start[at(i)]; e < G_rows_.column_start[at(i) + 1]; ++e)
            if (const std::int32_t k = G_rows_.row[at(e)]; k < n_)
                largest = std::max(largest, absolute(p.G[G_slot_[at(e)]]) * (absolute(p.u[q_[at(k)]]) + S(size_floor)));
        size_[i] = largest > S(0) ? S(1) / largest : S(1) / linalg::epsilon<S>();
    }
}

template <class S> void PositionConstraints<S>::measure_rates(const Point& p, const S* v) {
    if (!is_rate_due_) return;
    is_rate_due_ = false;
    for (std::int64_t i = 0; i < m_; ++i) {
        S largest = 0;
        for (std::int64_t e = G_rows_.column_start[at(i)]; e < G_rows_.column_start[at(i) + 1]; ++e) {
            const std::int32_t k = G_rows_.row[at(e)];
            largest =
                std::max(largest, absolute(p.G[G_slot_[at(e)]]) * (k < n_ ? absolute(v[k]) + S(size_floor) : S(1)));
        }
        rate_size_[i] = largest > S(0) ? S(1) / largest : S(1) / linalg::epsilon<S>();
    }
}

template class PositionConstraints<double>;
template class PositionConstraints<Quad>;

} // namespace vessiot::method
