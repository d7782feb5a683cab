#include "method/mechanical/mechanical_system.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "method/mechanical/mechanical_loops.hpp"
#include "method/mechanical/shape_columns.hpp"
#include "system/jet_columns.hpp"

namespace vessiot::method {

using namespace expr;
using linalg::absolute;
using linalg::at;

namespace {

constexpr std::int32_t no_position = -1;
// NOTE: sizes of coordinates below this do not count, as in the projections.
constexpr double size_floor = 1e-9;

std::vector<std::int32_t> count_from(std::int64_t first, std::int64_t n) {
    std::vector<std::int32_t> result(static_cast<std::size_t>(n));
    std::iota(result.begin(), result.end(), static_cast<std::int32_t>(first));
    return result;
}

std::vector<std::int32_t> joined(std::vector<std::int32_t> a, const std::vector<std::int32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace

template <class S> S relative_size(const linalg::Vector<S>& b, const linalg::Vector<S>& inverse) {
    return weighted_maximum(b.size(), b.data(), inverse.data());
}

template <class S>
MechanicalSystem<S>::MechanicalSystem(const Parts<S>& parts)
    : shape_(mechanical_shape(parts.system, parts.prolongation)), jets_(&parts.jets), manifold_(&parts.manifold),
      n_(shape_.n()), m_(shape_.m()), n_state_(parts.prolongation.n_state()), is_definite_(parts.is_mechanical) {
    if (!shape_.lacking.empty()) throw InvalidInput("the method needs " + shape_.lacking);
    if (parts.is_arclength)
        throw InvalidInput("methods of mechanics step in time: leave --parametrisation arclength out");
    make_forces(parts);
    forces_depend_on_y_ = reads(parts.system, parts.prolongation, shape_.forces, shape_.y);
    velocities_vary_ = reads(parts.system, parts.prolongation, shape_.velocities, shape_.q) ||
                       reads_time(parts.system, shape_.velocities);
    use_momenta(parts);
    number_positions();
    make_motion(parts);
    if (shape_.is_hamiltonian) make_velocities(parts);
    if (m_ == 0) return;
    plan_directions();
    make_constraints(parts);
    make_matrices();
    find_rows(parts);
}

// ---- what is compiled ----

template <class S> void MechanicalSystem<S>::make_forces(const Parts<S>& parts) {
    const ShapeColumns c =
        columns_at(parts.system, parts.prolongation, shape_.forces, joined(shape_.lead, shape_.multiplier));
    forces_.emplace(*parts.system.graph, parts.jets, shape_.forces.families, c.selection,
                    RowFunctionOptions{parts.evaluator, true, c.arrays});
    const std::vector<std::int32_t> rows = count_from(0, n_), leads = count_from(0, n_);
    mass_ = linalg::select(forces_->pattern(), rows, leads);
    const std::vector<char> all = varying_entries(*parts.system.graph, forces_->matrix());
    for (const std::int32_t e : mass_.source) has_constant_masses_ &= !all[at(forces_->source()[at(e)])];
    const linalg::SubPattern B = linalg::select(forces_->pattern(), rows, count_from(n_, m_));
    plan_Y(B.pattern, B.source);
    residual_ = linalg::Vector<S>(n_);
    inverse_ = linalg::Vector<S>(n_);
    work_n_ = linalg::Vector<S>(n_);
    mass_entries_ = linalg::Vector<S>(mass_.pattern.entries());
}

template <class S> void MechanicalSystem<S>::plan_Y(const linalg::Pattern& B, const std::vector<std::int32_t>& source) {
    std::vector<std::int64_t> entry;
    Y_pattern_ = linalg::transposed(B, &entry);
    Y_source_.clear();
    for (const std::int64_t e : entry) Y_source_.push_back(source[at(e)]);
}

// The entries of a point are then those of M, and of B behind them.
template <class S> void MechanicalSystem<S>::use_momenta(const Parts<S>& parts) {
    const bool has_singular_masses = parts.system.lagrangian && !parts.is_mechanical;
    if (shape_.is_hamiltonian || (has_constant_masses_ && !forces_depend_on_y_ && !has_singular_masses)) return;
    momenta_ = LagrangianMomenta<S>::make(parts, shape_, has_constant_masses_);
    if (!momenta_) return;
    forces_.reset();
    mass_ = {momenta_->mass_pattern(), count_from(0, momenta_->mass_pattern().entries())};
    B_first_ = linalg::padded(mass_.pattern.entries());
    plan_Y(momenta_->B_pattern(), count_from(B_first_, momenta_->B_pattern().entries()));
    forces_depend_on_y_ = velocities_vary_ = true;
}

// By their equations, where each has a y' of its own; as they come, where not.
template <class S> void MechanicalSystem<S>::number_positions() {
    std::vector<std::int32_t> of_row(at(n_), no_position);
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::int64_t first = mass_.pattern.column_start[at(k)], last = mass_.pattern.column_start[at(k + 1)];
        if (momenta_ || last - first != 1 || of_row[at(mass_.pattern.row[at(first)])] != no_position) {
            is_diagonal_ = false;
            of_row = count_from(0, n_);
            break;
        }
        of_row[at(mass_.pattern.row[at(first)])] = static_cast<std::int32_t>(k);
    }
    number_.resize(at(n_));
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::size_t position = at(of_row[at(k)]);
        q_.push_back(shape_.q[position]);
        y_.push_back(shape_.y[position]);
        rate_.push_back(shape_.rate[position]);
        number_[position] = static_cast<std::int32_t>(k);
    }
    q_places_ = Places(q_);
    y_places_ = Places(y_);
}

// Masses that are constant and stand alone are divided by once: the function need not give them at every point.
template <class S> void MechanicalSystem<S>::make_motion(const Parts<S>& parts) {
    Y_slot_ = count_from(0, Y_pattern_.entries());
    if (!is_diagonal_ || !has_constant_masses_ || shape_.is_hamiltonian) return;
    const ShapeColumns c = columns_at(parts.system, parts.prolongation, shape_.forces, shape_.multiplier);
    motion_.emplace(*parts.system.graph, parts.jets, shape_.forces.families, c.selection,
                    RowFunctionOptions{parts.evaluator, m_ > 0, c.arrays});
    std::vector<std::int64_t> source;
    const linalg::Pattern pattern = linalg::transposed(motion_->pattern(), &source); // that of Y
    if (!motion_->is_placed() || pattern.row != Y_pattern_.row || pattern.column_start != Y_pattern_.column_start)
        return motion_.reset();
    for (std::size_t e = 0; e < source.size(); ++e) Y_slot_[e] = motion_->places()[at(source[e])];
    B_weight_ = linalg::Vector<S>(motion_->n_local());
}

template <class S> MechanicalSystem<S>::Places::Places(const std::vector<std::int32_t>& at) {
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (k > 0 && at[k] == at[k - 1] + 1)
            ++runs_.back().n;
        else
            runs_.push_back({static_cast<std::int64_t>(k), at[k], 1});
    }
    if (8 * runs_.size() <= at.size()) return;
    runs_.clear();
    single_ = at;
}

template <class S> void MechanicalSystem<S>::make_velocities(const Parts<S>& parts) {
    const Prolongation& p = parts.prolongation;
    // q' wherever it is, then p, in the order of the positions
    std::vector<std::int32_t> rates(at(n_)), momenta(at(n_));
    for (std::size_t k = 0; k < number_.size(); ++k) {
        rates[at(number_[k])] = p.next[at(shape_.q[k])];
        momenta[at(number_[k])] = p.state[at(shape_.y[k])];
    }
    const ShapeColumns c = columns_at(parts.system, p, shape_.velocities, joined(rates, momenta));
    velocities_.emplace(*parts.system.graph, parts.jets, shape_.velocities.families, c.selection,
                        RowFunctionOptions{parts.evaluator, true, c.arrays});
    const linalg::Pattern& pattern = velocities_->pattern();
    velocity_position_.assign(at(shape_.velocities.n), no_position);
    for (std::int64_t k = 0; k < n_; ++k)
        for (std::int64_t e = pattern.column_start[at(k)]; e < pattern.column_start[at(k + 1)]; ++e)
            velocity_position_[at(pattern.row[at(e)])] = static_cast<std::int32_t>(k);
    std::vector<std::int32_t> row_of(at(n_));
    for (std::size_t r = 0; r < velocity_position_.size(); ++r)
        row_of[at(velocity_position_[r])] = static_cast<std::int32_t>(r);
    // -H_pp with its rows in the order of the positions, which leaves columns unsorted: it is symmetric, so the columns
    // of the rows are as good
    std::vector<linalg::Place> places;
    const linalg::SubPattern rows = linalg::select(pattern, row_of, count_from(n_, n_));
    for (std::int64_t j = 0; j < n_; ++j)
        for (std::int64_t e = rows.pattern.column_start[at(j)]; e < rows.pattern.column_start[at(j + 1)]; ++e)
            places.push_back({rows.pattern.row[at(e)], static_cast<std::int32_t>(j)});
    second_.pattern = linalg::make_pattern(n_, n_, places);
    second_.source.resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto first = second_.pattern.row.begin() + second_.pattern.column_start[at(places[k].column)];
        const auto found = std::lower_bound(
            first, second_.pattern.row.begin() + second_.pattern.column_start[at(places[k].column) + 1], places[k].row);
        second_.source[static_cast<std::size_t>(found - second_.pattern.row.begin())] = rows.source[k];
    }
    v_residual_ = linalg::Vector<S>(shape_.velocities.n);
    v_entries_ = linalg::Vector<S>(pattern.entries());
    second_entries_ = linalg::Vector<S>(second_.pattern.entries());
    Z_product_.emplace(Y_pattern_, second_.pattern);
}

template <class S> void MechanicalSystem<S>::make_constraints(const Parts<S>& parts) {
    const Prolongation& p = parts.prolongation;
    std::vector<std::int32_t> positions(at(n_));
    for (std::size_t k = 0; k < number_.size(); ++k) positions[at(number_[k])] = p.state[at(shape_.q[k])];
    ShapeColumns c = columns_at(parts.system, p, shape_.constraints, positions);
    std::vector<NodeId> bodies;
    for (const RowTemplate& f : shape_.constraints.families) bodies.push_back(f.value);
    const std::vector<ArrayId> read = dependencies(*parts.system.graph, bodies);
    has_t_ = std::ranges::find(read, parts.system.independent) != read.end();
    if (has_t_) {
        c.arrays.push_back(parts.system.independent);
        c.selection.column.push_back(static_cast<std::int32_t>(n_));
        ++c.selection.n_columns;
    }
    Graph& g = *parts.system.graph;
    values_.emplace(g, parts.jets, shape_.constraints.families, c.selection,
                    RowFunctionOptions{parts.evaluator, false, {}});
    derivatives_.emplace(g, parts.jets, shape_.constraints.families, c.selection,
                         RowFunctionOptions{parts.evaluator, true, c.arrays});
}

template <class S> void MechanicalSystem<S>::plan_directions() {
    std::vector<std::vector<linalg::SumPlan::Term>> sums(at(n_));
    for (std::int64_t k = 0; k < n_; ++k)
        for (std::int64_t e = Y_pattern_.column_start[at(k)]; e < Y_pattern_.column_start[at(k) + 1]; ++e)
            sums[at(k)].push_back({Y_slot_[at(e)], Y_pattern_.row[at(e)]});
    Y_plan_ = linalg::SumPlan(sums);
}

// G v without g_t, and where that is.
template <class S> void MechanicalSystem<S>::plan_rates() {
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

// n_ij = sum_c G_ic Z_jc, entries in the order of diagonals.
template <class S> void MechanicalSystem<S>::plan_normal(const linalg::Pattern& Z) {
    const linalg::Pattern& N = normal_pattern_;
    std::vector<std::vector<linalg::SumPlan::Term>> sums(N.row.size());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(m_); ++i)
        for (std::int64_t p = G_rows_.column_start[at(i)]; p < G_rows_.column_start[at(i) + 1]; ++p) {
            const std::int32_t c = G_rows_.row[at(p)];
            if (c >= n_) continue;
            for (std::int64_t q = Z.column_start[at(c)]; q < Z.column_start[at(c) + 1]; ++q) {
                const std::int32_t j = Z.row[at(q)];
                const auto first = N.row.begin() + N.column_start[at(j)];
                const auto last = N.row.begin() + N.column_start[at(j) + 1];
                const auto entry = static_cast<std::size_t>(std::lower_bound(first, last, i) - N.row.begin());
                sums[entry].push_back({G_slot_[at(p)], Z_product_ ? static_cast<std::int32_t>(q) : Y_slot_[at(q)]});
            }
        }
    std::vector<std::int32_t> column(N.row.size());
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(m_); ++j)
        for (std::int64_t e = N.column_start[at(j)]; e < N.column_start[at(j) + 1]; ++e) column[at(e)] = j;
    normal_order_ = count_from(0, N.entries());
    const auto diagonal = [&](std::int32_t e) { return N.row[at(e)] - column[at(e)]; };
    // NOTE: of large bands that are no diagonals the order of the columns reads and writes neighbours
    std::ranges::stable_sort(normal_order_, {}, diagonal);
    std::vector<std::vector<linalg::SumPlan::Term>> ordered;
    for (const std::int32_t e : normal_order_) ordered.push_back(std::move(sums[at(e)]));
    normal_plan_ = linalg::SumPlan(ordered);
}

// N, or [E B; G 0] where E is not diagonal.
template <class S> void MechanicalSystem<S>::make_matrices() {
    std::vector<std::int64_t> G_entry;
    G_rows_ = linalg::transposed(derivatives_->pattern(), &G_entry);
    for (const std::int64_t e : G_entry)
        G_slot_.push_back(derivatives_->is_placed() ? derivatives_->places()[at(e)] : static_cast<std::int32_t>(e));
    plan_rates();
    if (is_diagonal_) {
        linalg::Pattern G = derivatives_->pattern(); // without the column of t
        G.columns = n_;
        G.column_start.resize(at(n_) + 1);
        G.row.resize(at(G.column_start.back()));
        const linalg::Pattern& Z = Z_product_ ? Z_product_->pattern() : Y_pattern_;
        normal_pattern_ = linalg::product_pattern(G, Z);
        plan_normal(Z);
    } else {
        std::vector<linalg::Place> places;
        const auto add = [&](std::int32_t row, std::int32_t column) { places.push_back({row, column}); };
        const auto last = static_cast<std::int32_t>(n_);
        for (std::int32_t j = 0; j < last; ++j) {
            for (std::int64_t e = mass_.pattern.column_start[at(j)]; e < mass_.pattern.column_start[at(j) + 1]; ++e)
                add(mass_.pattern.row[at(e)], j);
            for (std::int64_t e = Y_pattern_.column_start[at(j)]; e < Y_pattern_.column_start[at(j) + 1]; ++e)
                add(j, last + Y_pattern_.row[at(e)]);
        }
        const auto for_each_of_G = [&](const auto& visit) {
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(m_); ++i)
                for (std::int64_t e = G_rows_.column_start[at(i)]; e < G_rows_.column_start[at(i) + 1]; ++e)
                    if (G_rows_.row[at(e)] < last) visit(last + i, G_rows_.row[at(e)], e);
        };
        for_each_of_G([&](std::int32_t row, std::int32_t column, std::int64_t) { add(row, column); });
        normal_pattern_ = linalg::make_pattern(n_ + m_, n_ + m_, places);
        const auto entry = [&](std::int32_t row, std::int32_t column) {
            const auto first = normal_pattern_.row.begin() + normal_pattern_.column_start[at(column)];
            const auto end = normal_pattern_.row.begin() + normal_pattern_.column_start[at(column) + 1];
            return static_cast<std::int32_t>(std::lower_bound(first, end, row) - normal_pattern_.row.begin());
        };
        for (std::int32_t j = 0; j < last; ++j) {
            for (std::int64_t e = mass_.pattern.column_start[at(j)]; e < mass_.pattern.column_start[at(j) + 1]; ++e)
                mass_at_.push_back(entry(mass_.pattern.row[at(e)], j));
            for (std::int64_t e = Y_pattern_.column_start[at(j)]; e < Y_pattern_.column_start[at(j) + 1]; ++e)
                B_at_.push_back(entry(j, last + Y_pattern_.row[at(e)]));
        }
        for_each_of_G([&](std::int32_t row, std::int32_t column, std::int64_t e) {
            G_at_.push_back({entry(row, column), G_slot_[at(e)]});
        });
    }
    normal_ = linalg::Vector<S>(normal_pattern_.entries());
    work_normal_ = linalg::Vector<S>(normal_pattern_.rows);
    terms_ = linalg::Vector<S>(manifold_->n_constraints());
    size_ = linalg::Vector<S>(m_);
    rate_size_ = linalg::Vector<S>(m_);
}

template <class S> void MechanicalSystem<S>::find_rows(const Parts<S>& parts) {
    const std::vector<ConstraintRow>& rows = parts.manifold.rows();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].kind != ConstraintKind::written || rows[k].order != 0) continue;
        const bool is_position =
            !shape_.is_hamiltonian || parts.system.equations[rows[k].source].kind == EquationKind::constraint;
        if (is_position) row_in_manifold_.push_back(static_cast<std::int32_t>(k));
    }
}

template <class S> MechanicalPoint<S> MechanicalSystem<S>::make_point() const {
    Point p;
    p.u = linalg::Vector<S>(n_state_);
    p.force = linalg::Vector<S>(n_);
    p.entries = linalg::Vector<S>(momenta_ ? B_first_ + Y_pattern_.entries() : forces_->pattern().entries());
    if (!is_diagonal_ && !momenta_) p.mass = std::make_unique<linalg::SquareSolver<S>>(mass_.pattern);
    if (m_ == 0) return p;
    p.Y = linalg::Vector<S>(motion_ ? motion_->n_local() : Y_pattern_.entries());
    if (Z_product_) p.Z = linalg::Vector<S>(Z_product_->pattern().entries());
    p.g = linalg::Vector<S>(m_);
    p.G = linalg::Vector<S>(derivatives_->is_placed() ? derivatives_->n_local() : derivatives_->pattern().entries());
    p.lambda = linalg::Vector<S>(m_);
    if (is_diagonal_)
        p.normal = std::make_unique<linalg::SquareSolver<S>>(normal_pattern_, is_definite_, normal_order_);
    else
        p.normal = std::make_unique<linalg::SquareSolver<S>>(normal_pattern_, false);
    return p;
}

template <class S> void MechanicalSystem<S>::put_rates(const S* v, S* u) const {
    if (!shape_.is_hamiltonian) return;
    for (std::size_t k = 0; k < rate_.size(); ++k)
        if (rate_[k] >= 0) u[rate_[k]] = v[k];
}

// ---- forces ----

template <class S> bool MechanicalSystem<S>::evaluate_forces(Point& p, const S* u) {
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
    (*forces_)(jets_->at(p.t, u), residual_.data(), p.entries.data());
    const bool is_good = is_diagonal_ ? divide_by_masses(p) : factor_masses(p);
    return is_good && linalg::all_finite(p.force.data(), n_);
}

// f_i = -r_i / E_ii,  Y_ij = -B_ij / E_ii
template <class S> bool MechanicalSystem<S>::divide_by_masses(Point& p) {
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

template <class S> void MechanicalSystem<S>::divide_by_constant_masses(Point& p, const S* u) {
    S *force = p.force.data(), *Y = p.Y.data();
    motion_->evaluate(jets_->at(p.t, u), force, Y);
    const S *inverse = inverse_.data(), *weight = B_weight_.data();
    for (std::int64_t k = 0; k < n_; ++k) force[k] *= inverse[k];
    for (std::int64_t e = 0; e < p.Y.size(); ++e) Y[e] *= weight[e];
}

// f = -E^-1 r; Y holds -B, and E is divided by where Y is used
template <class S> bool MechanicalSystem<S>::factor_masses(Point& p) {
    for (std::size_t e = 0; e < Y_source_.size(); ++e) p.Y[static_cast<std::int64_t>(e)] = -p.entries[Y_source_[e]];
    for (std::int64_t e = 0; e < mass_entries_.size(); ++e) mass_entries_[e] = p.entries[mass_.source[at(e)]];
    if (!linalg::all_finite(mass_entries_.data(), mass_entries_.size())) return false;
    if (!p.mass->factor(mass_entries_.data())) return false;
    for (std::int64_t k = 0; k < n_; ++k) p.force[k] = -residual_[k];
    p.mass->solve(p.force.data());
    return true;
}

template <class S> void MechanicalSystem<S>::find_directions(Point& p, const S* lambda) {
    Y_plan_.compute(p.Y.data(), lambda, work_n_.data());
    if (p.mass) p.mass->solve(work_n_.data());
}

template <class S> void MechanicalSystem<S>::add_directions(Point& p, S factor, const S* lambda, S* out) {
    if (m_ == 0) return;
    find_directions(p, lambda);
    add_multiple(n_, factor, work_n_.data(), out);
}

template <class S> void MechanicalSystem<S>::move(Point& p, const Move& by, const S* lambda, S* y, S* q) {
    if (m_ > 0)
        find_directions(p, lambda);
    else
        std::fill(work_n_.begin(), work_n_.end(), S(0));
    kick_and_drift(n_, KickAndDrift<S>{by.base, p.force.data(), work_n_.data(), by.q_0, by.kappa, by.h}, y, q);
}

// v = q' - (q' - H_p), whatever stands for q'
template <class S> void MechanicalSystem<S>::velocity(S t, const S* u, S* v) {
    if (!shape_.is_hamiltonian) return y_places_.get(u, v);
    (*velocities_)(jets_->at(t, u), v_residual_.data(), v_entries_.data());
    for (std::size_t r = 0; r < velocity_position_.size(); ++r) {
        const std::int32_t k = velocity_position_[r];
        const S rate = rate_[at(k)] >= 0 ? u[rate_[at(k)]] : S(0);
        v[k] = rate - v_residual_[static_cast<std::int64_t>(r)];
    }
}

// ---- constraints ----

// Z = H_pp Y, of a hamiltonian
template <class S> void MechanicalSystem<S>::find_velocity_directions(Point& p) {
    if (!Z_product_) return;
    (*velocities_)(jets_->at(p.t, p.u.data()), v_residual_.data(), v_entries_.data());
    for (std::int64_t e = 0; e < second_entries_.size(); ++e) second_entries_[e] = -v_entries_[second_.source[at(e)]];
    Z_product_->compute(p.Y.data(), static_cast<const S*>(nullptr), second_entries_.data(), p.Z.data());
}

template <class S> void MechanicalSystem<S>::read_constraints(Point& p) {
    const S* const* inputs = jets_->at(p.t, p.u.data());
    if (derivatives_->is_placed())
        derivatives_->evaluate(inputs, p.g.data(), p.G.data());
    else
        (*derivatives_)(inputs, p.g.data(), p.G.data());
}

template <class S> bool MechanicalSystem<S>::constrain(Point& p) {
    if (m_ == 0) return true;
    find_velocity_directions(p);
    read_constraints(p);
    measure(p);
    return factor(p.G.data(), p, p);
}

template <class S> bool MechanicalSystem<S>::renew(const Point& from, Point& to) {
    read_constraints(to);
    return factor(to.G.data(), from, to);
}

template <class S> bool MechanicalSystem<S>::factor(const S* G, const Point& directions, Point& p) {
    if (is_diagonal_) {
        const S* Z = directions.Z.size() > 0 ? directions.Z.data() : directions.Y.data();
        normal_plan_.compute(G, Z, normal_.data());
    } else {
        for (std::size_t e = 0; e < mass_at_.size(); ++e) normal_[mass_at_[e]] = directions.entries[mass_.source[e]];
        for (std::size_t e = 0; e < B_at_.size(); ++e) normal_[B_at_[e]] = directions.entries[Y_source_[e]];
        for (const auto& [to, from] : G_at_) normal_[to] = G[from];
    }
    // NOTE: eliminated without pivoting, a number that is not finite makes a pivot that is none
    const bool shows_itself = is_diagonal_ && is_definite_ && p.normal->kind() == "band";
    return (shows_itself || linalg::all_finite(normal_.data(), normal_.size())) && p.normal->factor(normal_.data());
}

template <class S> void MechanicalSystem<S>::solve(Point& p, S* b) {
    if (is_diagonal_) return p.normal->solve(b);
    // [E B; G 0] (x, lambda) = (0, b): x = Y lambda
    std::fill_n(work_normal_.data(), n_, S(0));
    std::copy_n(b, m_, work_normal_.data() + n_);
    p.normal->solve(work_normal_.data());
    std::copy_n(work_normal_.data() + n_, m_, b);
}

// size_i = max(a sixteenth of the largest term, max_j |G_ij| (|q_j| + floor)), as Manifold::sizes. Sizes only say how
// far round-off may go: they need not be of this very point.
template <class S> void MechanicalSystem<S>::measure(Point& p) {
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

template <class S> void MechanicalSystem<S>::measure_rates(const Point& p, const S* v) {
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

template <class S> void MechanicalSystem<S>::constraint_rate(const Point& p, const S* v, S* b) const {
    rate_plan_.compute(p.G.data(), v, b);
    for (const auto& [row, place] : G_t_) b[row] += p.G[place];
}

template class MechanicalSystem<double>;
template class MechanicalSystem<Quad>;
template double relative_size(const linalg::Vector<double>&, const linalg::Vector<double>&);
template Quad relative_size(const linalg::Vector<Quad>&, const linalg::Vector<Quad>&);

} // namespace vessiot::method
