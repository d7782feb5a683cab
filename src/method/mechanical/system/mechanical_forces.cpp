#include "method/mechanical/system/mechanical_forces.hpp"

#include <algorithm>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "method/mechanical/system/shape_columns.hpp"
#include "system/jet_columns.hpp"

namespace vessiot::method {

using linalg::at;

template <class S>
MechanicalForces<S>::MechanicalForces(const Parts<S>& parts, const MechanicalShape& shape)
    : n_(shape.n()), m_(shape.m()), jets_(&parts.jets), residual_(n_), inverse_(n_), directions_(n_) {
    make_equations(parts, shape);
    depend_on_y_ = reads(parts.system, parts.prolongation, shape.forces, shape.y);
    use_momenta(parts, shape);
    number_positions(shape);
    make_motion(parts, shape);
    if (m_ > 0) plan_directions();
}

// ---- what is compiled ----

template <class S> void MechanicalForces<S>::make_equations(const Parts<S>& parts, const MechanicalShape& shape) {
    const ShapeColumns c =
        columns_at(parts.system, parts.prolongation, shape.forces, joined(shape.lead, shape.multiplier));
    equations_.emplace(*parts.system.graph, parts.jets, shape.forces.families, c.selection,
                       RowFunctionOptions{parts.evaluator, true, c.arrays});
    const std::vector<std::int32_t> rows = count_from(0, n_), leads = count_from(0, n_);
    mass_ = linalg::select(equations_->pattern(), rows, leads);
    const std::vector<char> all = varying_entries(*parts.system.graph, equations_->matrix());
    for (const std::int32_t e : mass_.source) has_constant_masses_ &= !all[at(equations_->source()[at(e)])];
    const linalg::SubPattern B = linalg::select(equations_->pattern(), rows, count_from(n_, m_));
    plan_Y(B.pattern, B.source);
    mass_entries_ = linalg::Vector<S>(mass_.pattern.entries());
}

template <class S> void MechanicalForces<S>::plan_Y(const linalg::Pattern& B, const std::vector<std::int32_t>& source) {
    std::vector<std::int64_t> entry;
    Y_pattern_ = linalg::transposed(B, &entry);
    Y_source_.clear();
    for (const std::int64_t e : entry) Y_source_.push_back(source[at(e)]);
}

template <class S> void MechanicalForces<S>::use_momenta(const Parts<S>& parts, const MechanicalShape& shape) {
    const bool has_singular_masses = parts.system.lagrangian && !parts.is_mechanical;
    if (shape.is_hamiltonian || (has_constant_masses_ && !depend_on_y_ && !has_singular_masses)) return;
    momenta_ = LagrangianMomenta<S>::make(parts, shape, has_constant_masses_);
    if (!momenta_) return;
    equations_.reset();
    mass_ = {momenta_->mass_pattern(), count_from(0, momenta_->mass_pattern().entries())};
    B_first_ = linalg::padded(mass_.pattern.entries());
    plan_Y(momenta_->B_pattern(), count_from(B_first_, momenta_->B_pattern().entries()));
    depend_on_y_ = true;
}

// By their equations, where each has a y' of its own; as they come, where not.
template <class S> void MechanicalForces<S>::number_positions(const MechanicalShape& shape) {
    constexpr std::int32_t nothing = -1;
    std::vector<std::int32_t> of_row(at(n_), nothing);
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::int64_t first = mass_.pattern.column_start[at(k)], last = mass_.pattern.column_start[at(k + 1)];
        if (momenta_ || last - first != 1 || of_row[at(mass_.pattern.row[at(first)])] != nothing) {
            is_diagonal_ = false;
            of_row = count_from(0, n_);
            break;
        }
        of_row[at(mass_.pattern.row[at(first)])] = static_cast<std::int32_t>(k);
    }
    positions_.number.resize(at(n_));
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::size_t position = at(of_row[at(k)]);
        positions_.q.push_back(shape.q[position]);
        positions_.y.push_back(shape.y[position]);
        positions_.rate.push_back(shape.rate[position]);
        positions_.number[position] = static_cast<std::int32_t>(k);
    }
    positions_.q_places = Places(positions_.q);
    positions_.y_places = Places(positions_.y);
}

// Masses that are constant and stand alone are divided by once: the function need not give them at every point.
template <class S> void MechanicalForces<S>::make_motion(const Parts<S>& parts, const MechanicalShape& shape) {
    Y_slot_ = count_from(0, Y_pattern_.entries());
    if (!is_diagonal_ || !has_constant_masses_ || shape.is_hamiltonian) return;
    const ShapeColumns c = columns_at(parts.system, parts.prolongation, shape.forces, shape.multiplier);
    motion_.emplace(*parts.system.graph, parts.jets, shape.forces.families, c.selection,
                    RowFunctionOptions{parts.evaluator, m_ > 0, c.arrays});
    std::vector<std::int64_t> source;
    const linalg::Pattern pattern = linalg::transposed(motion_->pattern(), &source); // that of Y
    if (!motion_->is_placed() || pattern.row != Y_pattern_.row || pattern.column_start != Y_pattern_.column_start)
        return motion_.reset();
    for (std::size_t e = 0; e < source.size(); ++e) Y_slot_[e] = motion_->places()[at(source[e])];
    B_weight_ = linalg::Vector<S>(motion_->n_local());
}

template <class S> void MechanicalForces<S>::plan_directions() {
    std::vector<std::vector<linalg::SumPlan::Term>> sums(at(n_));
    for (std::int64_t k = 0; k < n_; ++k)
        for (std::int64_t e = Y_pattern_.column_start[at(k)]; e < Y_pattern_.column_start[at(k) + 1]; ++e)
            sums[at(k)].push_back({Y_slot_[at(e)], Y_pattern_.row[at(e)]});
    Y_plan_ = linalg::SumPlan(sums);
}

template <class S> void MechanicalForces<S>::make(Point& p) const {
    p.force = linalg::Vector<S>(n_);
    p.entries = linalg::Vector<S>(momenta_ ? B_first_ + Y_pattern_.entries() : equations_->pattern().entries());
    if (!is_diagonal_ && !momenta_) p.mass = std::make_unique<linalg::SquareSolver<S>>(mass_.pattern);
    if (m_ > 0) p.Y = linalg::Vector<S>(motion_ ? motion_->n_local() : Y_pattern_.entries());
}

// ---- at a point ----

template <class S> bool MechanicalForces<S>::evaluate(Point& p, const S* u) {
    if (motion_ && has_inverse_) {
        divide_by_constant_masses(p, u);
        return linalg::all_finite(p.force.data(), n_);
    }
    if (momenta_) {
        momenta_->evaluate(p.t, u, residual_.data(), p.entries.data(), p.entries.data() + B_first_);
        for (std::int64_t k = 0; k < n_; ++k) p.force[k] = -residual_[k];
        for (std::size_t e = 0; e < Y_source_.size(); ++e) p.Y[static_cast<std::int64_t>(e)] = -p.entries[Y_source_[e]];
        return linalg::all_finite(p.force.data(), n_) && linalg::all_finite(p.entries.data(), p.entries.size());
    }
    (*equations_)(jets_->at(p.t, u), residual_.data(), p.entries.data());
    const bool is_good = is_diagonal_ ? divide_by_masses(p) : factor_masses(p);
    return is_good && linalg::all_finite(p.force.data(), n_);
}

// f_i = -r_i / E_ii,  Y_ij = -B_ij / E_ii
template <class S> bool MechanicalForces<S>::divide_by_masses(Point& p) {
    if (!has_constant_masses_ || !has_inverse_) {
        for (std::int64_t k = 0; k < n_; ++k) {
            const auto row = at(mass_.pattern.row[at(k)]);
            const S mass = p.entries[mass_.source[at(k)]];
            if (mass == S(0)) return false;
            inverse_[static_cast<std::int64_t>(row)] = S(-1) / mass;
        }
        has_inverse_ = linalg::all_finite(inverse_.data(), n_);
    }
    const std::int64_t* start = Y_pattern_.column_start.data();
    for (std::int64_t k = 0; k < n_; ++k) {
        p.force[k] = residual_[k] * inverse_[k];
        for (std::int64_t e = start[k]; e < start[k + 1]; ++e) {
            p.Y[Y_slot_[at(e)]] = p.entries[Y_source_[at(e)]] * inverse_[k];
            if (motion_) B_weight_[Y_slot_[at(e)]] = inverse_[k];
        }
    }
    return true;
}

template <class S> void MechanicalForces<S>::divide_by_constant_masses(Point& p, const S* u) {
    S *force = p.force.data(), *Y = p.Y.data();
    motion_->evaluate(jets_->at(p.t, u), force, Y);
    const S *inverse = inverse_.data(), *weight = B_weight_.data();
    for (std::int64_t k = 0; k < n_; ++k) force[k] *= inverse[k];
    for (std::int64_t e = 0; e < p.Y.size(); ++e) Y[e] *= weight[e];
}

// f = -E^-1 r; Y holds -B, and E is divided by where Y is used
template <class S> bool MechanicalForces<S>::factor_masses(Point& p) {
    for (std::size_t e = 0; e < Y_source_.size(); ++e) p.Y[static_cast<std::int64_t>(e)] = -p.entries[Y_source_[e]];
    for (std::int64_t e = 0; e < mass_entries_.size(); ++e) mass_entries_[e] = p.entries[mass_.source[at(e)]];
    if (!linalg::all_finite(mass_entries_.data(), mass_entries_.size())) return false;
    if (!p.mass->factor(mass_entries_.data())) return false;
    for (std::int64_t k = 0; k < n_; ++k) p.force[k] = -residual_[k];
    p.mass->solve(p.force.data());
    return true;
}

template <class S> const S* MechanicalForces<S>::directions(Point& p, const S* lambda) {
    if (m_ == 0) {
        std::fill(directions_.begin(), directions_.end(), S(0));
        return directions_.data();
    }
    Y_plan_.compute(p.Y.data(), lambda, directions_.data());
    if (p.mass) p.mass->solve(directions_.data());
    return directions_.data();
}

template class MechanicalForces<double>;
template class MechanicalForces<Quad>;

} // namespace vessiot::method
