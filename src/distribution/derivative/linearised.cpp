#include "distribution/derivative/linearised.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr std::int64_t dense_limit = 60;           // coordinates; above, A that is not monomial stays sparse
constexpr std::int64_t overdetermined_limit = 600; // more equations than tops are solved with dense matrices

// One entry in each row and column.
bool has_one_entry_each(const linalg::Pattern& a) {
    if (a.rows != a.columns || a.entries() != a.rows) return false;
    std::vector<char> seen(at(a.rows));
    for (std::int64_t j = 0; j < a.columns; ++j)
        if (a.column_start[at(j + 1)] != j + 1 || seen[at(a.row[at(j)])]++) return false;
    return true;
}

} // namespace

template <class S>
Linearised<S>::Linearised(const System& system, const Prolongation& p, Jets<S>& jets,
                          const expr::EvaluatorOptions& evaluator, Manifold<S>* manifold, bool by_levels,
                          LinearisedForm form, std::optional<std::int64_t> rank)
    : equations_(system, p, jets, evaluator), tops_(equations_, rank),
      projector_(manifold && manifold->n_constraints() > 0
                     ? std::make_unique<LevelProjector<S>>(
                           *manifold, n_state() + (form == LinearisedForm::tangent ? 1 : 0), by_levels)
                     : nullptr),
      tangent_(form == LinearisedForm::tangent ? std::make_unique<TangentDerivative<S>>(equations_) : nullptr),
      matrix_(choose_shape(form), equations_, projector_.get(), n_state() + (tangent_ ? 1 : 0)),
      column_(std::max(n_equations(), n_tops())), work_(n_state()) {}

template <class S> typename Linearised<S>::Shape Linearised<S>::choose_shape(LinearisedForm form) const {
    const bool is_square = n_equations() == n_tops() && !tops_.has_rank();
    if (!is_square && n_state() > overdetermined_limit)
        throw InvalidInput("implicit methods solve systems with more equations than unknowns, or redundant ones, with "
                           "dense matrices, up to " +
                           std::to_string(overdetermined_limit) + " coordinates, but this one has " +
                           std::to_string(n_state()) + ". Take an explicit method.");
    if (form == LinearisedForm::tangent) return Shape::dense;
    if (form == LinearisedForm::direct) return Shape::reduced;
    if (is_square && has_one_entry_each(equations_.by_w()) && !projector_) return Shape::monomial;
    if (is_square && form == LinearisedForm::tops) return Shape::reduced;
    if (!is_square || n_state() <= dense_limit) return Shape::dense;
    if (form == LinearisedForm::expanded) return Shape::expanded;
    return projector_ ? Shape::augmented : Shape::reduced;
}

template <class S> PointStatus Linearised<S>::set(S t, const S* u, const S* w) {
    tops_.forget();
    if (!equations_.evaluate(t, u, w)) return PointStatus::not_finite;
    if (projector_ && !projector_->set(t, u)) return PointStatus::not_finite;
    return matrix_.set(tops_, projector_.get());
}

template <class S> PointStatus Linearised<S>::set_tangent(const S* x, const S* v) {
    tops_.forget();
    S* const minus_J = matrix_.begin_dense();
    if (const PointStatus status = tangent_->find(x, v, minus_J); status != PointStatus::good) return status;
    if (projector_) {
        if (!projector_->set(x[n_state()], x)) return PointStatus::not_finite;
        projector_->project_rows(minus_J);
    }
    return matrix_.status();
}

template <class S> void Linearised<S>::apply(const S* x, S* dx) {
    if (is_formed()) return matrix_.apply(x, dx);
    std::copy_n(x, n_state(), work_.data());
    project(work_.data());
    std::fill(column_.begin(), column_.end(), S(0));
    tops(work_.data(), column_.data());
    spread(work_.data(), column_.data(), dx);
}

template <class S> void Linearised<S>::tops(const S* y, S* rows) {
    equations_.add_products(y, rows);
    tops_.factor();
    tops_.solve(rows);
}

template <class S> void Linearised<S>::rate(S* dx) {
    std::fill(column_.begin(), column_.end(), S(0));
    equations_.time_column(column_.data());
    tops_.factor();
    tops_.solve(column_.data());
    for (std::int64_t k = 0; k < n_state(); ++k) {
        const auto next = equations_.next(k);
        dx[k] = next.is_top ? column_[next.at] : S(0);
    }
}

template <class S> void Linearised<S>::dense(S* matrix) {
    linalg::Vector<S> unit(n_state());
    for (std::int64_t j = 0; j < n_state(); ++j) {
        unit[j] = 1;
        apply(unit.data(), matrix + j * n_state());
        unit[j] = 0;
    }
}

template class Linearised<double>;
template class Linearised<Quad>;

} // namespace vessiot
