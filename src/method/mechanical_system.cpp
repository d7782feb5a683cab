#include "method/mechanical_system.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "expr/derivative.hpp"
#include "linalg/scalar.hpp"
#include "system/jet_columns.hpp"

namespace vessiot::method {

using namespace expr;
using linalg::absolute;
using linalg::at;

namespace {

constexpr std::int32_t nothing = -1;
// NOTE: sizes of coordinates below this do not count, as in the projections.
constexpr double size_floor = 1e-9;

// Arrays to differentiate by, and what the columns are.
struct Columns {
    std::vector<ArrayId> arrays;
    Selection selection;
};

// Columns for places of z, numbered in the order given, and rows as the shape has them.
Columns columns_at(const System& system, const Prolongation& p, const ShapeRows& rows,
                   const std::vector<std::int32_t>& places) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(p.z.size), nothing);
    for (std::size_t k = 0; k < places.size(); ++k) number[at(places[k])] = static_cast<std::int32_t>(k);
    Columns c;
    c.selection = {rows.n, std::ssize(places), rows.number, {}};
    for (std::size_t j = 0; j < p.z.jets.size(); ++j) {
        const auto first = number.begin() + p.z.first[j];
        const auto last = first + system.graph->array(p.z.jets[j]).size();
        if (std::all_of(first, last, [](std::int32_t k) { return k < 0; })) continue;
        c.arrays.push_back(p.z.jets[j]);
        c.selection.column.insert(c.selection.column.end(), first, last);
    }
    return c;
}

// Do the families read one of the coordinates?
bool reads(const System& system, const Prolongation& p, const ShapeRows& rows,
           const std::vector<std::int32_t>& coordinates) {
    std::vector<char> is_wanted(static_cast<std::size_t>(p.z.size), 0);
    for (const std::int32_t k : coordinates) is_wanted[at(p.state[at(k)])] = 1;
    std::vector<NodeId> bodies;
    for (const RowTemplate& f : rows.families) bodies.push_back(f.value);
    const std::vector<ArrayId> read = dependencies(*system.graph, bodies);
    for (std::size_t j = 0; j < p.z.jets.size(); ++j) {
        const auto first = is_wanted.begin() + p.z.first[j];
        const bool has_one = std::find(first, first + system.graph->array(p.z.jets[j]).size(), 1) !=
                             first + system.graph->array(p.z.jets[j]).size();
        if (has_one && std::ranges::find(read, p.z.jets[j]) != read.end()) return true;
    }
    return false;
}

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
    S largest[4] = {}, sum = 0; // side by side; 0 b is 0 or not a number
    std::int64_t i = 0;
    for (; i + 4 <= b.size(); i += 4)
        for (std::int64_t j = 0; j < 4; ++j) {
            const S r = absolute(b[i + j]) * inverse[i + j];
            largest[j] = r > largest[j] ? r : largest[j];
            sum += S(0) * b[i + j];
        }
    for (; i < b.size(); ++i) {
        largest[0] = std::max(largest[0], absolute(b[i]) * inverse[i]);
        sum += S(0) * b[i];
    }
    return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3])) + sum;
}

template <class S>
MechanicalSystem<S>::MechanicalSystem(const Parts<S>& parts)
    : shape_(mechanical_shape(parts.system, parts.prolongation)), jets_(&parts.jets), manifold_(&parts.manifold),
      n_(shape_.n()), m_(shape_.m()), n_state_(parts.prolongation.n_state()), is_definite_(parts.is_mechanical) {
    if (!shape_.lacking.empty()) throw InvalidInput("the method needs " + shape_.lacking);
    if (parts.is_arclength)
        throw InvalidInput("methods of mechanics step in time: leave --parametrisation arclength out");
    make_forces(parts);
    number_positions();
    if (shape_.is_hamiltonian) make_velocities(parts);
    forces_depend_on_y_ = reads(parts.system, parts.prolongation, shape_.forces, shape_.y);
    velocities_depend_on_q_ = reads(parts.system, parts.prolongation, shape_.velocities, shape_.q);
    if (m_ == 0) return;
    make_constraints(parts);
    make_matrices();
    find_rows(parts);
}

// ---- what is compiled ----

template <class S> void MechanicalSystem<S>::make_forces(const Parts<S>& parts) {
    const Columns c =
        columns_at(parts.system, parts.prolongation, shape_.forces, joined(shape_.lead, shape_.multiplier));
    forces_.emplace(*parts.system.graph, parts.jets, shape_.forces.families, c.selection,
                    RowFunctionOptions{parts.evaluator, true, c.arrays});
    const std::vector<std::int32_t> rows = count_from(0, n_), leads = count_from(0, n_);
    mass_ = linalg::select(forces_->pattern(), rows, leads);
    const std::vector<char> all = varying_entries(*parts.system.graph, forces_->matrix());
    for (const std::int32_t e : mass_.source) has_constant_masses_ &= !all[at(forces_->source()[at(e)])];
    const linalg::SubPattern B = linalg::select(forces_->pattern(), rows, count_from(n_, m_));
    std::vector<std::int64_t> source;
    Y_pattern_ = linalg::transposed(B.pattern, &source);
    for (const std::int64_t e : source) Y_source_.push_back(B.source[at(e)]);
    residual_ = linalg::Vector<S>(n_);
    inverse_ = linalg::Vector<S>(n_);
    work_n_ = linalg::Vector<S>(n_);
    mass_entries_ = linalg::Vector<S>(mass_.pattern.entries());
}

// By their equations, where each has a y' of its own; as they come, where not.
template <class S> void MechanicalSystem<S>::number_positions() {
    std::vector<std::int32_t> of_row(at(n_), nothing);
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::int64_t first = mass_.pattern.column_start[at(k)], last = mass_.pattern.column_start[at(k + 1)];
        if (last - first != 1 || of_row[at(mass_.pattern.row[at(first)])] != nothing) {
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
}

template <class S> void MechanicalSystem<S>::make_velocities(const Parts<S>& parts) {
    const Prolongation& p = parts.prolongation;
    // q' wherever it is, then p, in the order of the positions
    std::vector<std::int32_t> rates(at(n_)), momenta(at(n_));
    for (std::size_t k = 0; k < number_.size(); ++k) {
        rates[at(number_[k])] = p.next[at(shape_.q[k])];
        momenta[at(number_[k])] = p.state[at(shape_.y[k])];
    }
    const Columns c = columns_at(parts.system, p, shape_.velocities, joined(rates, momenta));
    velocities_.emplace(*parts.system.graph, parts.jets, shape_.velocities.families, c.selection,
                        RowFunctionOptions{parts.evaluator, true, c.arrays});
    const linalg::Pattern& pattern = velocities_->pattern();
    velocity_position_.assign(at(shape_.velocities.n), nothing);
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
    Columns c = columns_at(parts.system, p, shape_.constraints, positions);
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

// N, or [E B; G 0] where E is not diagonal.
template <class S> void MechanicalSystem<S>::make_matrices() {
    linalg::Pattern G = derivatives_->pattern(); // without the column of t
    G.columns = n_;
    G.column_start.resize(at(n_) + 1);
    G.row.resize(at(G.column_start.back()));
    if (is_diagonal_) {
        normal_product_.emplace(G, Z_product_ ? Z_product_->pattern() : Y_pattern_);
        normal_pattern_ = normal_product_->pattern();
    } else {
        std::vector<linalg::Place> places;
        const auto add = [&](std::int32_t row, std::int32_t column) { places.push_back({row, column}); };
        const auto last = static_cast<std::int32_t>(n_);
        for (std::int32_t j = 0; j < last; ++j) {
            for (std::int64_t e = mass_.pattern.column_start[at(j)]; e < mass_.pattern.column_start[at(j) + 1]; ++e)
                add(mass_.pattern.row[at(e)], j);
            for (std::int64_t e = Y_pattern_.column_start[at(j)]; e < Y_pattern_.column_start[at(j) + 1]; ++e)
                add(j, last + Y_pattern_.row[at(e)]);
            for (std::int64_t e = G.column_start[at(j)]; e < G.column_start[at(j) + 1]; ++e)
                add(last + G.row[at(e)], j);
        }
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
            for (std::int64_t e = G.column_start[at(j)]; e < G.column_start[at(j) + 1]; ++e)
                G_at_.push_back(entry(last + G.row[at(e)], j));
        }
    }
    normal_ = linalg::Vector<S>(normal_pattern_.entries());
    work_normal_ = linalg::Vector<S>(normal_pattern_.rows);
    terms_ = linalg::Vector<S>(manifold_->n_constraints());
    size_ = linalg::Vector<S>(m_);
    rate_size_ = linalg::Vector<S>(m_);
    G_rows_ = linalg::transposed(derivatives_->pattern(), &G_entry_);
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
    p.entries = linalg::Vector<S>(forces_->pattern().entries());
    if (!is_diagonal_) p.mass = std::make_unique<linalg::SquareSolver<S>>(mass_.pattern);
    if (m_ == 0) return p;
    p.Y = linalg::Vector<S>(Y_pattern_.entries());
    if (Z_product_) p.Z = linalg::Vector<S>(Z_product_->pattern().entries());
    p.g = linalg::Vector<S>(m_);
    p.G = linalg::Vector<S>(derivatives_->pattern().entries());
    p.lambda = linalg::Vector<S>(m_);
    p.normal = std::make_unique<linalg::SquareSolver<S>>(normal_pattern_, is_diagonal_ && is_definite_);
    return p;
}

template <class S> void MechanicalSystem<S>::put_rates(const S* v, S* u) const {
    if (!shape_.is_hamiltonian) return;
    for (std::size_t k = 0; k < rate_.size(); ++k)
        if (rate_[k] >= 0) u[rate_[k]] = v[k];
}

// ---- forces ----

template <class S> bool MechanicalSystem<S>::evaluate_forces(Point& p, const S* u) {
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
        for (std::int64_t e = start[k]; e < start[k + 1]; ++e) p.Y[e] = p.entries[Y_source_[at(e)]] * inverse_[k];
    }
    return true;
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

template <class S> void MechanicalSystem<S>::add_directions(Point& p, S factor, const S* lambda, S* out) {
    if (m_ == 0) return;
    const std::int64_t* start = Y_pattern_.column_start.data();
    const std::int32_t* row = Y_pattern_.row.data();
    const S* Y = p.Y.data();
    if (is_diagonal_) {
        for (std::int64_t k = 0; k < n_; ++k) {
            S sum = 0;
            for (std::int64_t e = start[k]; e < start[k + 1]; ++e) sum += Y[e] * lambda[row[e]];
            out[k] += factor * sum;
        }
        return;
    }
    for (std::int64_t k = 0; k < n_; ++k) {
        S sum = 0;
        for (std::int64_t e = start[k]; e < start[k + 1]; ++e) sum += Y[e] * lambda[row[e]];
        work_n_[k] = sum;
    }
    p.mass->solve(work_n_.data());
    for (std::int64_t k = 0; k < n_; ++k) out[k] += factor * work_n_[k];
}

// v = q' - (q' - H_p), whatever stands for q'
template <class S> void MechanicalSystem<S>::velocity(S t, const S* u, S* v) {
    if (!shape_.is_hamiltonian) return get_y(u, v);
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

template <class S> bool MechanicalSystem<S>::constrain(Point& p) {
    if (m_ == 0) return true;
    find_velocity_directions(p);
    (*derivatives_)(jets_->at(p.t, p.u.data()), p.g.data(), p.G.data());
    measure(p);
    return factor(p.G.data(), p, p);
}

template <class S> bool MechanicalSystem<S>::renew(const Point& from, Point& to) {
    (*derivatives_)(jets_->at(to.t, to.u.data()), to.g.data(), to.G.data());
    return factor(to.G.data(), from, to);
}

template <class S> bool MechanicalSystem<S>::factor(const S* G, const Point& directions, Point& p) {
    if (is_diagonal_) {
        const S* Z = directions.Z.size() > 0 ? directions.Z.data() : directions.Y.data();
        normal_product_->compute(G, static_cast<const S*>(nullptr), Z, normal_.data());
    } else {
        for (std::size_t e = 0; e < mass_at_.size(); ++e) normal_[mass_at_[e]] = directions.entries[mass_.source[e]];
        for (std::size_t e = 0; e < B_at_.size(); ++e) normal_[B_at_[e]] = directions.entries[Y_source_[e]];
        for (std::size_t e = 0; e < G_at_.size(); ++e) normal_[G_at_[e]] = G[e];
    }
    return linalg::all_finite(normal_.data(), normal_.size()) && p.normal->factor(normal_.data());
}

template <class S> void MechanicalSystem<S>::solve(Point& p, S* b) {
    if (is_diagonal_) return p.normal->solve(b);
    // [E B; G 0] (x, lambda) = (0, b): x = Y lambda
    std::fill_n(work_normal_.data(), n_, S(0));
    std::copy_n(b, m_, work_normal_.data() + n_);
    p.normal->solve(work_normal_.data());
    std::copy_n(work_normal_.data() + n_, m_, b);
}

// size_i = max(a sixteenth of the largest term, max_j |G_ij| (|q_j| + floor)), as Manifold::sizes
template <class S> void MechanicalSystem<S>::measure(Point& p) {
    // the largest terms only say how far round-off may go: they need not be of this very point
    if (n_since_terms_-- == 0) {
        manifold_->terms(p.t, p.u.data(), terms_.data());
        n_since_terms_ = 31;
    }
    for (std::int64_t i = 0; i < m_; ++i) size_[i] = terms_[row_in_manifold_[at(i)]] / S(16);
    const linalg::Pattern& G = derivatives_->pattern();
    for (std::int64_t k = 0; k < n_; ++k) {
        const S weight = absolute(p.u[q_[at(k)]]) + S(size_floor);
        for (std::int64_t e = G.column_start[at(k)]; e < G.column_start[at(k) + 1]; ++e) {
            S& largest = size_[G.row[at(e)]];
            largest = std::max(largest, absolute(p.G[e]) * weight);
        }
    }
    for (S& size : size_) size = size > S(0) ? S(1) / size : S(1) / linalg::epsilon<S>();
}

template <class S> void MechanicalSystem<S>::measure_rates(const Point& p, const S* v) {
    std::fill(rate_size_.begin(), rate_size_.end(), S(0));
    const linalg::Pattern& G = derivatives_->pattern();
    for (std::int64_t k = 0; k < G.columns; ++k) {
        const S weight = k < n_ ? absolute(v[k]) + S(size_floor) : S(1);
        for (std::int64_t e = G.column_start[at(k)]; e < G.column_start[at(k) + 1]; ++e) {
            S& largest = rate_size_[G.row[at(e)]];
            largest = std::max(largest, absolute(p.G[e]) * weight);
        }
    }
    for (S& size : rate_size_) size = size > S(0) ? S(1) / size : S(1) / linalg::epsilon<S>();
}

template <class S> void MechanicalSystem<S>::constraint_rate(const Point& p, const S* v, S* b) const {
    const std::int64_t* start = G_rows_.column_start.data();
    for (std::int64_t i = 0; i < m_; ++i) {
        S sum = 0;
        for (std::int64_t e = start[i]; e < start[i + 1]; ++e) {
            const std::int32_t k = G_rows_.row[at(e)];
            sum += p.G[G_entry_[at(e)]] * (k < n_ ? v[k] : S(1));
        }
        b[i] = sum;
    }
}

template class MechanicalSystem<double>;
template class MechanicalSystem<Quad>;
template double relative_size(const linalg::Vector<double>&, const linalg::Vector<double>&);
template Quad relative_size(const linalg::Vector<Quad>&, const linalg::Vector<Quad>&);

} // namespace vessiot::method
