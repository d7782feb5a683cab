#include "distribution/written.hpp"

#include <algorithm>

#include "distribution/kind.hpp"

namespace vessiot {

template <class S>
WrittenDistribution<S>::WrittenDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                            const expr::EvaluatorOptions& evaluator)
    : Distribution<S>(p), system_(system, p, jets, evaluator), r_(p.n_equations()),
      entries_(system_.pattern().entries()) {
    constexpr std::int64_t most = 300;
    const auto n = static_cast<int>(p.n_tops());
    if (n <= most) qr_ = std::make_unique<linalg::PivotedQr<S>>(static_cast<int>(p.n_equations()), n);
}

template <class S> PointStatus WrittenDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    std::fill_n(w, this->n_tops(), S(0));
    if (!qr_) return PointStatus::good;
    system_(t, u, r_.data(), entries_.data());
    if (!all_finite(r_.data(), r_.size()) || !all_finite(entries_.data(), entries_.size()))
        return PointStatus::not_finite;
    linalg::fill_dense(system_.pattern(), entries_.data(), qr_->matrix());
    qr_->factor(S(1e-10));
    for (S& r : r_) r = -r;
    qr_->solve_min_norm(r_.data(), w);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template class WrittenDistribution<double>;
template class WrittenDistribution<Quad>;

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_written(const DistributionParts<S>& parts, std::string& /*misfit*/) {
    return std::make_unique<WrittenDistribution<S>>(parts.shape.system, parts.shape.prolongation, parts.jets,
                                                    parts.evaluator);
}

} // namespace

const DistributionKind written_distribution{.name = "written",
                                            .help = "of the equations as they stand",
                                            .needs = "",
                                            .suits = never_suits,
                                            .make_double = make_written<double>,
                                            .make_quad = make_written<Quad>};

} // namespace vessiot
