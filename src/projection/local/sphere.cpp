#include "projection/local/sphere.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

// Column j of the matrix of second derivatives has its only entry on the diagonal, or none; these are the diagonals.
struct Diagonal {
    std::int32_t coordinate = 0;
    std::int64_t entry = 0;
};

std::optional<std::vector<Diagonal>> diagonals(const expr::SparseMatrix& d2f, const std::vector<std::int32_t>& number) {
    std::vector<Diagonal> result;
    for (std::int64_t c = 0; c < d2f.columns; ++c)
        for (std::int64_t e = d2f.column_start[linalg::at(c)]; e < d2f.column_start[linalg::at(c) + 1]; ++e) {
            if (d2f.row[linalg::at(e)] != c || number[linalg::at(c)] < 0) return std::nullopt;
            result.push_back({number[linalg::at(c)], e});
        }
    std::ranges::sort(result, {}, &Diagonal::coordinate);
    return result;
}

template <class S> bool is_same(S a, S b, S size) {
    return linalg::absolute(a - b) <= S(16) * linalg::epsilon<S>() * size;
}

} // namespace

template <class S> std::optional<Sphere<S>> Sphere<S>::recognise(Manifold<S>& manifold) {
    if (manifold.n_constraints() != 1) return std::nullopt;
    const linalg::Pattern& pattern = manifold.pattern();
    const expr::SparseMatrix& d2f = manifold.curvature_matrix();
    const auto diagonal = diagonals(d2f, manifold.column_numbers());
    if (!diagonal || diagonal->empty() || std::ssize(*diagonal) != pattern.entries()) return std::nullopt;
    Sphere sphere;
    for (const Diagonal& d : *diagonal) {
        // df has one row: its entries are those of the columns that have one
        if (pattern.column_start[linalg::at(d.coordinate)] != std::ssize(sphere.columns_) ||
            pattern.column_start[linalg::at(d.coordinate) + 1] != std::ssize(sphere.columns_) + 1)
            return std::nullopt;
        sphere.columns_.push_back(d.coordinate);
    }
    sphere.centre_.resize(sphere.columns_.size());
    linalg::Vector<S> x(manifold.n_coordinates()), df(pattern.entries()), second(d2f.n_entries());
    for (int point = 0; point < 3; ++point) {
        for (std::int64_t j = 0; j < x.size(); ++j) x[j] = S(1 + (37 * j + 101 * point) % 64) / S(17) - S(point);
        const S t = S(point) / S(3), one = 1;
        S f = 0;
        manifold.movable_df(t, x.data(), &f, df.data());
        manifold.curvature(t, x.data(), &one, second.data());
        if (point == 0) sphere.d_ = second[(*diagonal)[0].entry];
        if (sphere.d_ == S(0)) return std::nullopt;
        for (std::size_t i = 0; i < sphere.columns_.size(); ++i) {
            const S at = x[sphere.columns_[i]], centre = at - df[static_cast<std::int64_t>(i)] / sphere.d_;
            if (point == 0) sphere.centre_[i] = is_same(centre, S(0), linalg::absolute(at)) ? S(0) : centre;
            const S size = linalg::absolute(at) + linalg::absolute(centre);
            if (!is_same(second[(*diagonal)[i].entry], sphere.d_, linalg::absolute(sphere.d_)) ||
                !is_same(centre, sphere.centre_[i], size))
                return std::nullopt;
        }
    }
    return sphere;
}

template <class S> bool Sphere<S>::project(S f, S* x) const {
    S r2 = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const S d = x[columns_[i]] - centre_[i];
        r2 += d * d;
    }
    const S rho2 = S(1) - S(2) * f / (d_ * r2);
    if (!(rho2 > S(0)) || !linalg::is_finite(rho2)) return false;
    const S rho = linalg::square_root(rho2);
    for (std::size_t i = 0; i < columns_.size(); ++i) x[columns_[i]] = centre_[i] + rho * (x[columns_[i]] - centre_[i]);
    return true;
}

template class Sphere<double>;
template class Sphere<Quad>;

} // namespace vessiot
