#include "solve/violation.hpp"

#include <algorithm>
#include <map>

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
Key key(const Violation& v) {
    return {v.row.kind == ConstraintKind::invariant, v.row.source, v.row.instance};
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
    std::vector<Violation> found;
    std::map<Key, double> worst;
    for (std::size_t k = 0; k < scaled.size(); ++k) {
        if (scaled[k] <= noticed) continue;
        const auto row = static_cast<std::int64_t>(k);
        found.push_back({manifold.rows()[k], row, {}, static_cast<double>(linalg::absolute(f[row])), scaled[k]});
        double& w = worst[key(found.back())];
        if (!(scaled[k] <= w)) w = scaled[k];
    }
    std::ranges::stable_sort(found, [&](const Violation& a, const Violation& b) {
        if (key(a) == key(b)) return a.row.order < b.row.order;
        const double wa = worst[key(a)], wb = worst[key(b)];
        return wa != wb ? wa > wb : key(a) < key(b);
    });
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
template bool has_violations(Manifold<expr::Quad>&, expr::Quad, const expr::Quad*);
template std::vector<Violation> find_violations(Manifold<double>&, double, const double*);
template std::vector<Violation> find_violations(Manifold<expr::Quad>&, expr::Quad, const expr::Quad*);

} // namespace vessiot
