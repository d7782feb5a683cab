#include "solve/start/hidden.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/scalar.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

template <class S>
HiddenConstraints<S>::HiddenConstraints(const Prepared<S>& completed, Search search)
    : problem_(*completed.problem), manifold_(problem_.written_manifold()), places_(completed.analysis->value_places()),
      freedom_(static_cast<std::size_t>(problem_.n_state()), Freedom::free), u_(problem_.n_state() + 1),
      f_(manifold_.n_constraints()), terms_(manifold_.n_constraints()) {
    for (const ValuePlace& place : places_)
        if (!place.is_top && !place.is_held) freedom_[static_cast<std::size_t>(place.at)] = Freedom::given;
    if (search == Search::algebraic) {
        const std::vector<Freedom> at_jumps = freedom_at_jumps(problem_.system(), problem_.prolongation());
        for (std::size_t k = 0; k < freedom_.size(); ++k)
            if (at_jumps[k] == Freedom::free) freedom_[k] = Freedom::free;
    }
    searches_ = std::ranges::find(freedom_, Freedom::free) != freedom_.end();
}

template <class S> void HiddenConstraints<S>::take_constants(std::span<const S> constants) {
    std::ranges::copy(constants, problem_.jets().constants().begin());
}

template <class S> void HiddenConstraints<S>::take(std::span<const double> row, bool is_all) {
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const ValuePlace& place = places_[k];
        if (place.is_top || place.is_held) continue;
        if (is_all || freedom_[static_cast<std::size_t>(place.at)] == Freedom::given) u_[place.at] = S(row[k]);
    }
}

template <class S> void HiddenConstraints<S>::settle(S t, S end, std::span<const double> row) {
    if (!problem_.analysis().conditions) return;
    if (!surfaces_) surfaces_.emplace(problem_, end < t ? S(-1) : S(1), end, problem_.evaluator());
    take(row, true);
    surfaces_->settle(t, u_.data(), false);
}

template <class S> double HiddenConstraints<S>::residual(S t, std::span<const double> row) {
    take(row, true);
    if (searches_) {
        const auto is_found = [&](bool by_levels) {
            return make_consistent(manifold_, t, u_, freedom_, Freedom::given, by_levels).is_consistent;
        };
        if (!is_found(false) && !is_found(true)) return std::numeric_limits<double>::infinity();
        take(row, false);
    }
    manifold_.f(t, u_.data(), f_.data());
    manifold_.terms(t, u_.data(), terms_.data());
    double largest = 0;
    for (std::int64_t k = 0; k < f_.size(); ++k)
        largest = std::max(largest, static_cast<double>(linalg::absolute(f_[k])) /
                                        std::max(1.0, static_cast<double>(terms_[k])));
    return largest;
}

template <class S> std::vector<S> HiddenConstraints<S>::values(S t) {
    linalg::Vector<S> w(problem_.n_tops());
    const bool has_tops = problem_.distribution().tops(t, u_.data(), w.data()) == PointStatus::good;
    std::vector<S> all(places_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < places_.size(); ++k)
        if (!places_[k].is_held && (has_tops || !places_[k].is_top))
            all[k] = places_[k].is_top ? w[places_[k].at] : u_[places_[k].at];
    return all;
}

template class HiddenConstraints<double>;
template class HiddenConstraints<Quad>;

} // namespace vessiot
