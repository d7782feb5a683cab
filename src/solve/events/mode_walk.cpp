#include "solve/events/mode_walk.hpp"

#include <algorithm>

namespace vessiot {

namespace {

constexpr std::size_t most_together = 8; // conditions that are tried in all combinations

template <class S> std::vector<S> values_at(Surfaces<S>& surfaces, S t, const ModePoint<S>& point) {
    std::vector<S> v(surfaces.size());
    surfaces.assume_tops(point.w);
    surfaces.terms(t, point.u.data(), v.data());
    surfaces.values(t, point.u.data(), v.data());
    surfaces.assume_tops({});
    return v;
}

template <class S> bool is_finite_at(const std::vector<S>& v) {
    return std::ranges::all_of(v, [](S x) { return linalg::is_finite(x); });
}

template <class S> bool solve_tops(Compiled<S>& problem, S t, ModePoint<S>& point) {
    linalg::Vector<S> w(problem.n_tops());
    if (problem.distribution().tops(t, point.u.data(), w.data()) != PointStatus::good) return false;
    point.w.assign(w.begin(), w.end());
    return true;
}

template <class S> int sign_beyond(S x, S zero) {
    return linalg::absolute(x) <= zero ? 0 : x > S(0) ? 1 : -1;
}

} // namespace

template <class S>
bool walk_to_modes(Surfaces<S>& surfaces, S t, ModePoint<S>& point, const SolvedWithModes<S>& solved) {
    surfaces.assume_tops(point.w);
    const bool is_settled = surfaces.settle(t, point.u.data(), true);
    surfaces.assume_tops({});
    if (!is_settled) return false;
    for (std::size_t k = 0; k < 10 * surfaces.size() + 20; ++k) {
        ModePoint<S> end = point;
        if (!solved(end)) return false;
        const std::vector<S> from = values_at(surfaces, t, point), to = values_at(surfaces, t, end);
        if (!is_finite_at(from) || !is_finite_at(to)) return false;
        // the first function that leaves the side of its mode on the way
        S theta = 2;
        std::size_t first = 0;
        for (std::size_t f = 0; f < to.size(); ++f) {
            const int is = sign_beyond(to[f], surfaces.near_zero(f)), side = surfaces.side(f);
            if (is == 0 || is == side) continue;
            const S way = from[f] - to[f];
            const S at = side == 0 || sign_beyond(from[f], surfaces.near_zero(f)) != side ? S(0) : from[f] / way;
            if (at < theta) {
                theta = at;
                first = f;
            }
        }
        if (theta > S(1)) {
            point = std::move(end);
            return true;
        }
        surfaces.set(first, surfaces.beyond(first, to[first] > S(0) ? 1 : -1));
        for (std::int64_t j = 0; j < point.u.size(); ++j) point.u[j] += theta * (end.u[j] - point.u[j]);
        for (std::size_t j = 0; j < point.w.size(); ++j) point.w[j] += theta * (end.w[j] - point.w[j]);
    }
    return false;
}

template <class S> bool walk_to_modes(Compiled<S>& problem, Surfaces<S>& surfaces, S t, const linalg::Vector<S>& u) {
    const SolvedWithModes<S> solved = [&](ModePoint<S>& point) { return solve_tops(problem, t, point); };
    ModePoint<S> point{u, {}};
    return solve_tops(problem, t, point) && walk_to_modes(surfaces, t, point, solved);
}

template <class S>
bool take_other_modes(Compiled<S>& problem, Surfaces<S>& surfaces, S t, const linalg::Vector<S>& u,
                      std::size_t function) {
    const Prolongation& p = problem.prolongation();
    std::vector<expr::ArrayId> tops;
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
        const auto is_in = [&](std::int32_t at) {
            return at >= p.z.first[k] &&
                   at < p.z.first[k] + problem.system().graph->array(p.z.jets[k]).size();
        };
        if (std::ranges::any_of(p.top, is_in)) tops.push_back(p.z.jets[k]);
    }
    const std::vector<std::size_t> open = surfaces.reading(tops);
    if (open.empty() || open.size() > most_together) return false;
    const std::span<S> held = problem.jets().held();
    const std::vector<S> before(held.begin(), held.end());
    std::vector<std::vector<S>> found;
    for (std::size_t k = 0; k < std::size_t(1) << open.size(); ++k) {
        std::ranges::copy(before, held.begin());
        for (std::size_t j = 0; j < open.size(); ++j)
            if (surfaces.is_one_of_two(open[j])) {
                if ((k >> j & 1U) != 0) surfaces.switch_over(open[j]);
            } else {
                surfaces.set(open[j], S((k >> j & 1U) != 0 ? 1 : -1));
            }
        ModePoint<S> point{u, {}};
        if (!solve_tops(problem, t, point)) continue;
        const std::vector<S> v = values_at(surfaces, t, point);
        if (!is_finite_at(v) || linalg::absolute(v[function]) <= surfaces.near_zero(function)) continue;
        if (surfaces.fits(t, u.data())) found.emplace_back(held.begin(), held.end());
    }
    const bool is_taken = found.size() == 1;
    const std::vector<S>& taken = is_taken ? found.front() : before;
    std::ranges::copy(taken, held.begin());
    if (problem.base()) std::ranges::copy(taken, problem.base()->jets().held().begin());
    return is_taken;
}

#define VESSIOT_MODE_WALK(S)                                                                                          \
    template bool walk_to_modes(Surfaces<S>&, S, ModePoint<S>&, const SolvedWithModes<S>&);                           \
    template bool walk_to_modes(Compiled<S>&, Surfaces<S>&, S, const linalg::Vector<S>&);                             \
    template bool take_other_modes(Compiled<S>&, Surfaces<S>&, S, const linalg::Vector<S>&, std::size_t);
VESSIOT_MODE_WALK(double)
VESSIOT_MODE_WALK(Quad)
#undef VESSIOT_MODE_WALK

} // namespace vessiot
