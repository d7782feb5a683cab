#include "solve/start/dependent.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_rows = 200, most_columns = 1000;
constexpr std::size_t most_dependent = 3;

} // namespace

template <class S> std::string dependent_constraints(Manifold<S>& manifold, S t, const S* u) {
    const std::int64_t k = manifold.n_constraints(), n = manifold.n_coordinates();
    if (k == 0 || k > most_rows || n > most_columns) return "";
    const linalg::Pattern& pattern = manifold.pattern();
    linalg::Vector<S> f(k), entries(pattern.entries());
    manifold.df(t, u, f.data(), entries.data());
    if (!linalg::all_finite(entries.data(), entries.size())) return "";
    std::vector<S> dense(static_cast<std::size_t>(k * n));
    linalg::fill_dense(pattern, entries.data(), dense.data());
    const std::vector<int> rows =
        linalg::dependent_rows(dense.data(), static_cast<int>(k), static_cast<int>(n), S(1e-5));
    if (rows.empty()) return "";
    std::string text = fmt::format("(rank {} of {}): ", k - std::ssize(rows), k);
    for (std::size_t i = 0; i < std::min(rows.size(), most_dependent); ++i)
        text += (i ? "; " : "") + manifold.text(rows[i]);
    if (rows.size() > most_dependent) text += fmt::format("; and {} more", rows.size() - most_dependent);
    return text + (rows.size() == 1 ? " depends on the others" : " depend on the others");
}

template std::string dependent_constraints(Manifold<double>&, double, const double*);
template std::string dependent_constraints(Manifold<Quad>&, Quad, const Quad*);

} // namespace vessiot
