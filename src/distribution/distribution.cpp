#include "distribution/distribution.hpp"

namespace vessiot {

template <class S>
Distribution<S>::Distribution(const Prolongation& p) : n_state_(p.n_state()), n_tops_(p.n_tops()), w_(p.n_tops()) {
    std::vector<std::int32_t> state_at(static_cast<std::size_t>(p.z.size), -1), top_at = state_at;
    for (std::size_t k = 0; k < p.state.size(); ++k)
        state_at[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k)
        top_at[static_cast<std::size_t>(p.top[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.next.size(); ++k) {
        const auto at = static_cast<std::size_t>(p.next[k]);
        const bool is_top = top_at[at] >= 0;
        const std::int32_t from = is_top ? top_at[at] : state_at[at];
        const auto to = static_cast<std::int32_t>(k);
        if (!runs_.empty() && runs_.back().is_top == is_top && runs_.back().from + runs_.back().n == from)
            ++runs_.back().n;
        else
            runs_.push_back({to, from, 1, is_top});
    }
}

template <class S> void Distribution<S>::spread(const S* u, const S* w, S tau, S* du) const {
    for (const Run& r : runs_) {
        const S* from = (r.is_top ? w : u) + r.from;
        const S factor = r.is_top ? S(1) : tau;
        for (std::int32_t k = 0; k < r.n; ++k) du[r.to + k] = factor * from[k];
    }
}

template <class S> PointStatus Distribution<S>::velocity(S t, const S* u, S* du) {
    const PointStatus status = tops(t, u, w_.data());
    if (status == PointStatus::good) spread(u, w_.data(), S(1), du);
    return status;
}

template <class S> PointStatus Distribution<S>::tangent(S t, const S* u, S* du, S* dt) {
    *dt = 1;
    return velocity(t, u, du);
}

template class Distribution<double>;
template class Distribution<Quad>;

} // namespace vessiot
