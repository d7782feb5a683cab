#include "method/mechanical/system/hamiltonian_velocities.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/mechanical/system/shape_columns.hpp"

namespace vessiot::method {

using linalg::at;

namespace {

// The position whose q' an equation contains, by equation: q' are the first n columns.
std::vector<std::int32_t> positions_of(const linalg::Pattern& pattern, std::int64_t n, std::int64_t n_equations) {
    std::vector<std::int32_t> position(at(n_equations), -1);
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t e = pattern.column_start[at(k)]; e < pattern.column_start[at(k + 1)]; ++e)
            position[at(pattern.row[at(e)])] = static_cast<std::int32_t>(k);
    return position;
}

} // namespace

template <class S>
HamiltonianVelocities<S>::HamiltonianVelocities(const Parts<S>& parts, const MechanicalShape& shape,
                                                const MechanicalPositions& positions, const linalg::Pattern& Y)
    : jets_(&parts.jets), rate_(positions.rate), equations_(equations(parts, shape, positions)),
      position_(positions_of(equations_.pattern(), shape.n(), shape.velocities.n)),
      second_(second_derivatives(equations_.pattern(), position_)), Z_product_(Y, second_.pattern),
      residual_(shape.velocities.n), entries_(equations_.pattern().entries()),
      second_entries_(second_.pattern.entries()) {}

// Columns: q' wherever it is, then p, in the order of the positions.
template <class S>
RowFunction<S> HamiltonianVelocities<S>::equations(const Parts<S>& parts, const MechanicalShape& shape,
                                                   const MechanicalPositions& positions) {
    const Prolongation& p = parts.prolongation;
    std::vector<std::int32_t> rates(at(shape.n())), momenta(at(shape.n()));
    for (std::size_t k = 0; k < positions.number.size(); ++k) {
        rates[at(positions.number[k])] = p.next[at(shape.q[k])];
        momenta[at(positions.number[k])] = p.state[at(shape.y[k])];
    }
    const ShapeColumns c = columns_at(parts.system, p, shape.velocities, joined(rates, momenta));
    return RowFunction<S>(*parts.system.graph, parts.jets, shape.velocities.families, c.selection,
                          RowFunctionOptions{parts.evaluator, true, c.arrays});
}

// -H_pp with its rows in the order of the positions, which leaves columns unsorted: it is symmetric, so the columns of
// the rows are as good.
template <class S>
linalg::SubPattern HamiltonianVelocities<S>::second_derivatives(const linalg::Pattern& pattern,
                                                                const std::vector<std::int32_t>& position) {
    const std::int64_t n = std::ssize(position);
    std::vector<std::int32_t> row_of(position.size());
    for (std::size_t r = 0; r < position.size(); ++r) row_of[at(position[r])] = static_cast<std::int32_t>(r);
    std::vector<linalg::Place> places;
    const linalg::SubPattern rows = linalg::select(pattern, row_of, count_from(n, n));
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t e = rows.pattern.column_start[at(j)]; e < rows.pattern.column_start[at(j + 1)]; ++e)
            places.push_back({rows.pattern.row[at(e)], static_cast<std::int32_t>(j)});
    linalg::SubPattern second;
    second.pattern = linalg::make_pattern(n, n, places);
    second.source.resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto first = second.pattern.row.begin() + second.pattern.column_start[at(places[k].column)];
        const auto found = std::lower_bound(
            first, second.pattern.row.begin() + second.pattern.column_start[at(places[k].column) + 1], places[k].row);
        second.source[static_cast<std::size_t>(found - second.pattern.row.begin())] = rows.source[k];
    }
    return second;
}

// v = q' - (q' - H_p), whatever stands for q'
template <class S> void HamiltonianVelocities<S>::velocity(S t, const S* u, S* v) {
    equations_(jets_->at(t, u), residual_.data(), entries_.data());
    for (std::size_t r = 0; r < position_.size(); ++r) {
        const std::int32_t k = position_[r];
        const S rate = rate_[at(k)] >= 0 ? u[rate_[at(k)]] : S(0);
        v[k] = rate - residual_[static_cast<std::int64_t>(r)];
    }
}

template <class S> void HamiltonianVelocities<S>::find_Z(Point& p) {
    equations_(jets_->at(p.t, p.u.data()), residual_.data(), entries_.data());
    for (std::int64_t e = 0; e < second_entries_.size(); ++e) second_entries_[e] = -entries_[second_.source[at(e)]];
    Z_product_.compute(p.Y.data(), static_cast<const S*>(nullptr), second_entries_.data(), p.Z.data());
}

template <class S> void HamiltonianVelocities<S>::put_rates(const S* v, S* u) const {
    for (std::size_t k = 0; k < rate_.size(); ++k)
        if (rate_[k] >= 0) u[rate_[k]] = v[k];
}

template class HamiltonianVelocities<double>;
template class HamiltonianVelocities<Quad>;

} // namespace vessiot::method
