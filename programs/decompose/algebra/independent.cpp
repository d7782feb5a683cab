#include "decompose/algebra/independent.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/scalar.hpp"

namespace vessiot::decompose {

namespace {

using Row = std::vector<Quad>;

Quad dot(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), Quad(0));
}

// d p / d (each position): through cos(b x) and sin(b x), whose values are those of the two variables themselves.
Row gradient(const Polynomial& p, const PolynomialSystem& system, const std::vector<Quad>& values) {
    Row row(system.positions.size(), 0);
    for (std::size_t k = 0; k < system.variables.size(); ++k) {
        const Variable& v = system.variables[k];
        if (v.kind == Variable::Kind::root) continue;
        Quad inner = 1;
        // NOTE: the cosine and the sine of a position stand side by side
        if (v.kind == Variable::Kind::cosine) inner = -v.factor * values[k + 1];
        if (v.kind == Variable::Kind::sine) inner = v.factor * values[k - 1];
        row[v.position] += inner * partial(p, values, k);
    }
    return row;
}

} // namespace

std::vector<Polynomial> independent_equations(const Component& component, const PolynomialSystem& system,
                                              const std::vector<Quad>& values) {
    constexpr Quad least = 1e-6; // part of a row, normal to those before it
    const std::size_t wanted = system.positions.size() - static_cast<std::size_t>(component.dimension);
    std::vector<Polynomial> candidates = component.generators, chosen;
    std::ranges::stable_sort(candidates, {}, [](const Polynomial& p) { return std::pair(p.degree(), p.terms.size()); });
    candidates.insert(candidates.begin(), component.links.begin(), component.links.end());
    std::vector<Row> basis; // orthonormal, by Gram and Schmidt
    for (const Polynomial& p : candidates) {
        if (chosen.size() == wanted) break;
        Row row = gradient(p, system, values);
        const Quad length = linalg::square_root(dot(row, row));
        for (const Row& b : basis) {
            const Quad along = dot(row, b);
            for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * b[i];
        }
        const Quad rest = linalg::square_root(dot(row, row));
        if (!(rest > least * length)) continue;
        for (Quad& x : row) x /= rest;
        basis.push_back(std::move(row));
        chosen.push_back(p);
    }
    return chosen;
}

} // namespace vessiot::decompose
