#include "distribution/kkt.hpp"

namespace vessiot {

template <class S> PointStatus KktDistribution<S>::solve_multipliers(S) {
    ++this->counts_.factorisations;
    if (!solver_.factor(this->entries_.data()))
        return all_finite(this->entries_.data(), this->entries_.size()) ? PointStatus::singular
                                                                        : PointStatus::not_finite;
    for (std::int64_t k = 0; k < this->n_multipliers(); ++k) this->l_[k] = -this->r_[k];
    solver_.solve(this->l_.data());
    return PointStatus::good;
}

template class KktDistribution<double>;
template class KktDistribution<expr::Quad>;

} // namespace vessiot
