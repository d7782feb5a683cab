#include "solve/start/violation.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"

namespace vessiot {

namespace {

constexpr double noticed = 1e-12;
constexpr std::size_t most_named = 3;     // equations in a message
constexpr std::size_t most_written = 100; // that have their text

// One element of an equation, with its derivatives; or of an invariant.
using Key = std::tuple<bool, std::size_t, std::int64_t>;
Key key(const ConstraintRow& row) {
    return {row.kind == ConstraintKind::invariant, row.source, row.instance};
}
Key key(const Violation& v) {
    return key(v.row);
}

std::string derivative(int order) {
    return order == 1 ? "derivative" : order == 2 ? "second derivative" : fmt::format("derivative of order {}", order);
}

} // namespace

template <class S> bool has_violations(Manifold<S>& manifold, S t, const S* u) {
    return std::ranges::any_of(scaled_residuals(manifold, t, u), [](double r) { return !(r <= noticed); });
}

template <class S> std::vector<Violation> find_violations(Manifold<S>& manifold, S t, const S* u) {
    const std::vector<double> scaled = scaled_residuals(manifold, t, u);
    linalg::Vector<S> f(manifold.n_constraints());
    manifold.f(t, u, f.data());
    // rows of one equation together, then the worst equations first, as many as are told of
    std::vector<std::size_t> off;
    for (std::size_t k = 0; k < scaled.size(); ++k)
        if (!(scaled[k] <= noticed)) off.push_back(k);
    const auto place = [&](std::size_t k) {
        const ConstraintRow& row = manifold.rows()[k];
        return std::tuple(row.kind == ConstraintKind::invariant, row.source, row.instance, row.order, k);
    };
    std::ranges::sort(off, {}, place);
    struct Alike {
        std::size_t first, n;
        double worst;
    };
    std::vector<Alike> groups;
    for (std::size_t k = 0; k < off.size(); ++k) {
        const bool is_same = k > 0 && key(manifold.rows()[off[k]]) == key(manifold.rows()[off[k - 1]]);
        if (!is_same) groups.push_back({k, 0, 0});
        ++groups.back().n;
        if (!(scaled[off[k]] <= groups.back().worst)) groups.back().worst = scaled[off[k]];
    }
    const auto told = groups.begin() + static_cast<std::ptrdiff_t>(std::min(groups.size(), most_written));
    std::ranges::partial_sort(groups, told, [](const Alike& a, const Alike& b) {
        return a.worst != b.worst ? a.worst > b.worst : a.first < b.first;
    });
    std::vector<Violation> found;
    for (const Alike& g : groups)
        for (std::size_t k = g.first; k < g.first + g.n; ++k) {
            const auto row = static_cast<std::int64_t>(off[k]);
            found.push_back(
                {manifold.rows()[off[k]], row, {}, static_cast<double>(linalg::absolute(f[row])), scaled[off[k]]});
        }
    for (std::size_t k = 0; k < std::min(found.size(), most_written); ++k)
        found[k].equation = manifold.equation_text(found[k].number);
    return found;
}

std::string to_text(const std::vector<Violation>& violations) {
    std::string text;
    std::size_t n = 0;
    for (std::size_t k = 0; k < violations.size(); ++k) {
        const Violation& v = violations[k];
        const bool is_first = k == 0 || key(v) != key(violations[k - 1]);
        if (is_first && ++n > most_named) continue;
        if (n > most_named) continue;
        const bool is_invariant = v.row.kind == ConstraintKind::invariant;
        const std::string name =
            is_invariant ? v.equation : fmt::format("equation {} ({})", v.row.source + 1, v.equation);
        if (k > 0) text += "; ";
        if (!is_first)
            text += fmt::format("hidden: its {} by {:.3g}", derivative(v.row.order), v.residual);
        else if (v.row.order > 0)
            text += fmt::format("hidden: the {} of {} is off by {:.3g}", derivative(v.row.order), name, v.residual);
        else if (v.row.kind == ConstraintKind::hidden)
            text += fmt::format("hidden: {} is off by {:.3g}", v.equation, v.residual);
        else
            text += fmt::format("{} is off by {:.3g}", name, v.residual);
    }
    if (n > most_named) text += fmt::format("; and {} more", n - most_named);
    return text;
}

template bool has_violations(Manifold<double>&, double, const double*);
template bool has_violations(Manifold<Quad>&, Quad, const Quad*);
template std::vector<Violation> find_violations(Manifold<double>&, double, const double*);
template std::vector<Violation> find_violations(Manifold<Quad>&, Quad, const Quad*);

} // namespace vessiot
