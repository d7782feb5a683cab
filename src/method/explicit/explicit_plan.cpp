#include "method/explicit/explicit_plan.hpp"

#include <algorithm>
#include <span>

namespace vessiot::method {

namespace {

// The first stage from `from` on that is V at the result: a_ij = b_j, c_i = 1. n_total where there is none.
std::size_t stage_at_result(const TableauView& t, std::size_t from) {
    for (std::size_t i = from; i < t.n_total; ++i) {
        const auto row = t.a.subspan(i * t.n_total, t.n_total);
        const bool is_b = std::equal(t.b.begin(), t.b.end(), row.begin());
        const bool is_rest_0 = std::all_of(row.begin() + t.b.size(), row.end(), [](Quad a) { return a == 0; });
        if (t.c[i] == 1 && is_b && is_rest_0) return i;
    }
    return t.n_total;
}

} // namespace

std::vector<Quad> error_weights(const TableauView& tableau, std::span<const Quad> embedded) {
    std::vector<Quad> e(tableau.b.begin(), tableau.b.end());
    for (std::size_t i = 0; i < e.size(); ++i) e[i] -= embedded[i];
    return e;
}

template <class S>
ExplicitPlan<S>::ExplicitPlan(const MethodInfo& info, Estimate estimate, bool continue_embedded)
    : n_stages(info.tableau.n_stages), n_total(info.tableau.n_total), is_fsal(info.is_fsal && !continue_embedded),
      n_inner(is_fsal ? n_stages - 1 : n_stages), end_stage(stage_at_result(info.tableau, n_inner)),
      has_own_dense(method::has_own_dense(info.tableau)) {
    const TableauView& t = info.tableau;
    for (const Quad at : t.c) c.push_back(static_cast<S>(at));
    for (std::size_t i = 0; i < n_total; ++i) sums.add(t.a.subspan(i * n_total, n_total));
    if (estimate != Estimate::none) add_estimates(t, estimate, continue_embedded);
    result = sums.add(continue_embedded ? t.b_hat : t.b);
    if (has_own_dense) add_dense_sums(t);
}

// b - b_hat and b - b_low, or the weights of the points that the result is compared with.
template <class S>
void ExplicitPlan<S>::add_estimates(const TableauView& t, Estimate estimate, bool continue_embedded) {
    if (estimate == Estimate::by_projected_points) {
        if (!t.b_hat.empty()) error = sums.add(continue_embedded ? t.b : t.b_hat);
        if (!t.b_low.empty()) error_low = sums.add(t.b_low);
        return;
    }
    if (!t.b_hat.empty()) error = sums.add(error_weights(t, t.b_hat));
    if (!t.b_low.empty()) error_low = sums.add(error_weights(t, t.b_low));
}

// For each power of theta the column of its coefficients.
template <class S> void ExplicitPlan<S>::add_dense_sums(const TableauView& t) {
    for (std::size_t power = 0; power < t.degree; ++power) {
        const std::size_t sum = sums.add(t.dense.subspan(power), t.degree);
        if (power == 0) dense = sum;
    }
}

template struct ExplicitPlan<double>;
template struct ExplicitPlan<Quad>;

} // namespace vessiot::method
