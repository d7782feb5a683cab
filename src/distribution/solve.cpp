#include "distribution/solve.hpp"

#include "distribution/kind.hpp"

namespace vessiot {

template <class S>
SolveDistribution<S>::SolveDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                        const expr::EvaluatorOptions& evaluator)
    : Distribution<S>(p), system_(system, p, jets, evaluator), solver_(system_.pattern()),
      entries_(system_.pattern().entries()) {}

template <class S> PointStatus SolveDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, w, entries_.data());
    if (!all_finite(w, this->n_tops()) || !all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;
    ++this->counts_.factorisations;
    if (!solver_.factor(entries_.data())) return PointStatus::singular;
    for (std::int64_t k = 0; k < this->n_tops(); ++k) w[k] = -w[k];
    solver_.solve(w);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::singular;
}

template <class S> bool SolveDistribution<S>::solve_again(const S* r, S* w) {
    for (std::int64_t k = 0; k < this->n_tops(); ++k) w[k] = -r[k];
    solver_.solve(w);
    return true;
}

template class SolveDistribution<double>;
template class SolveDistribution<Quad>;

namespace {

template <class S> std::unique_ptr<Distribution<S>> make_solve(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    misfit = misfit_of_square(solve_distribution.name, shape);
    if (!misfit.empty()) return nullptr;
    return std::make_unique<SolveDistribution<S>>(shape.system, shape.prolongation, parts.jets, parts.evaluator);
}

} // namespace

const DistributionKind solve_distribution{
    .name = "solve",
    .help = "one linear system for all highest derivatives",
    .needs = "as many equations as unknowns",
    .suits = [](const DistributionShape& shape) { return shape.is_square() ? 10 : 0; },
    .make_double = make_solve<double>,
    .make_quad = make_solve<Quad>};

} // namespace vessiot
