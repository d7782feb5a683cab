#include "distribution/mechanical/kkt.hpp"

#include "distribution/explicit.hpp"
#include "distribution/kind.hpp"

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
template class KktDistribution<Quad>;

namespace {

template <class S> std::unique_ptr<Distribution<S>> make_kkt(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    const std::string_view own = kkt_distribution.name;
    misfit = misfit_of_square(own, shape);
    if (!misfit.empty()) return nullptr;
    // without being asked for, `explicit` has looked already
    if (const auto found = parts.is_asked ? named_tops(shape) : std::nullopt; found && found->name == own)
        return std::make_unique<ExplicitDistribution<S>>(shape.system, shape.prolongation, found->tops, parts.jets,
                                                         parts.evaluator, own);
    if (const auto tops = kkt_tops(shape.system, shape.prolongation))
        return std::make_unique<KktDistribution<S>>(shape.system, shape.prolongation, *tops, parts.jets,
                                                    parts.evaluator, shape.is_mechanical);
    misfit = misfit_text(own, shape, "it is no mechanical system with multipliers and a diagonal mass matrix");
    return nullptr;
}

} // namespace

const DistributionKind kkt_distribution{
    .name = "kkt",
    .help = "the multipliers first, by a factorisation of their matrix",
    .needs = "a mechanical system with multipliers and a diagonal mass matrix",
    // contacts change which equations hold, and with them what can be eliminated
    .suits = [](const DistributionShape& shape) { return shape.is_square() && shape.system.contacts.empty() ? 20 : 0; },
    .make_double = make_kkt<double>,
    .make_quad = make_kkt<Quad>};

} // namespace vessiot
