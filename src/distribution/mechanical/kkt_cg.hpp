// The distribution `kkt-cg`: the multipliers of a mechanical system by conjugate gradients, begun at those of the last
// points. Here of diagonal masses; mass_cg.hpp has the others.
//
//   r + S l = 0,   S = G E^-1 B,   B = G^T L,  L diagonal       (kkt.hpp, explicit_tops.hpp)
//
//   A = C S L^-1 C, C_i = (S_ii / L_i)^(-1/2), is symmetric and positive definite and has diagonal 1 (that is the
//   preconditioner): A x = -C r is solved for x, l = L^-1 C x. L follows from S_ij L_i = S_ji L_j at the first point,
//   and anew where that no longer holds; its sign (and with it that of S) is such that S_ii / L_i > 0.
//
//   x_0     extrapolated linearly in t from the last two points
//   end     |A x + C r| <= 1e-14 |C r| (45 epsilon)
//
// S is known entry by entry, so that an iteration is one sparse product. Where S is not of that form, there is no end
// after 2 m + 100 iterations (at most 20000), m multipliers, or what was found is no solution, it is factorised. Cost
// O(entries) an iteration; their number grows with the condition of S, sqrt(cond S), not with m. [Tuomela, Arponen,
// Normi, Algorithm 5.3; GV13, 11.5]
#pragma once

#include "distribution/mechanical/known_multipliers.hpp"
#include "distribution/mechanical/multipliers.hpp"
#include "linalg/iterative/conjugate_gradient.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

// The symmetric matrix A, for S of a fixed pattern.
template <class S> class SymmetricScaling {
public:
    explicit SymmetricScaling(const linalg::Pattern& p);

    // False where S is not of the form above. Does not allocate.
    bool scale(const S* entries);
    void forget() { has_columns_ = false; }
    const linalg::Vector<S>& row_factors() const { return row_factor_; }       // C
    const linalg::Vector<S>& column_factors() const { return column_factor_; } // L^-1 C
    // y = A x.
    void times(const S* x, S* y) const;

private:
    void find_columns(const S* entries);
    void reach(const S* entries, std::int32_t j, std::int64_t e);
    bool find_factors(const S* entries);
    bool makes_symmetric(const S* entries);

    const linalg::Pattern& pattern_;
    std::vector<std::int64_t> diagonal_, partner_; // by row, by entry: the entry; -1 for none
    std::vector<std::int32_t> reached_;            // rows whose neighbours are still to be looked at
    bool has_diagonal_ = false, has_columns_ = false;
    linalg::Vector<S> column_, row_factor_, column_factor_, entries_; // column_ is L^-1
};

template <class S> class KktCgDistribution final : public MultiplierDistribution<S> {
public:
    KktCgDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                      const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "kkt-cg"; }
    void forget() override {
        scaling_.forget();
        known_.forget();
    }
    std::int64_t n_iterations() const { return n_iterations_; }
    std::int64_t n_fallbacks() const { return n_fallbacks_; } // multipliers found by a factorisation

private:
    PointStatus solve_multipliers(S t) override;
    bool iterate();
    bool is_solution();
    bool factor();

    using MultiplierDistribution<S>::entries_;
    using MultiplierDistribution<S>::r_;
    using MultiplierDistribution<S>::l_;
    SymmetricScaling<S> scaling_;
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> b_, x_, product_;
    linalg::ConjugateGradient<S> gradients_;
    KnownMultipliers<S> known_;
    std::int64_t n_iterations_ = 0, n_fallbacks_ = 0;
};

extern template class SymmetricScaling<double>;
extern template class SymmetricScaling<Quad>;
extern template class KktCgDistribution<double>;
extern template class KktCgDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind kkt_cg_distribution; // kind.hpp

} // namespace vessiot
