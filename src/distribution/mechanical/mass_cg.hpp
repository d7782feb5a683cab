// The distribution `kkt-cg` of mechanical systems whose masses E(q, q') are any positive definite matrix.
//
//   E a + B l = -r1,   G a = -r2,   B_k = L_k G_c(k): column k of B is parallel to the row of the constraint that the
//                                   multiplier k belongs to, L diagonal
//   S y = r2 - G E^-1 r1,   S = G E^-1 G^T,   y_c = L_k l_k,   a = -E^-1 (r1 + B l)
//
// S is never formed: a product with it is one with G^T, a solve with the factors of E, one with G; conjugate gradients
// from the multipliers of the last points, preconditioned by the diagonal of G diag(E)^-1 G^T, until the residual is 45
// epsilon of the right-hand side. E is factorised once a point, and not again while its entries stay what they are.
// Which constraint belongs to a multiplier is found at the first point, and anew where it is no longer parallel.
//
// Where E is not symmetric with a diagonal of one sign, no constraint is parallel, iterations have no end or what was
// found is no solution, all equations are factorised together. [Tuomela, Arponen, Normi, Algorithm 5.3]
#pragma once

#include <optional>
#include <vector>

#include "distribution/distribution.hpp"
#include "distribution/mechanical/known_multipliers.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/iterative/conjugate_gradient.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

// The numbers of the rows and columns of A in r + A w = 0: motion and constraints, coordinates and multipliers.
struct MassBlocks {
    std::vector<std::int32_t> motion, constraints, coordinates, multipliers;
};

// Nothing where there are no multipliers, or not as many as constraints.
std::optional<MassBlocks> mass_blocks(const Prolongation& p);

template <class S> class MassCgDistribution final : public Distribution<S> {
public:
    MassCgDistribution(const System& system, const Prolongation& p, MassBlocks blocks, Jets<S>& jets,
                       const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "kkt-cg"; }
    PointStatus tops(S t, const S* u, S* w) override;
    void forget() override;
    std::int64_t n_iterations() const { return n_iterations_; }
    std::int64_t n_fallbacks() const { return n_fallbacks_; } // points at which all was factorised together

private:
    // Some rows and columns of A.
    struct Block {
        explicit Block(linalg::SubPattern sub)
            : pattern(std::move(sub.pattern)), source(std::move(sub.source)), entries(pattern.entries()) {}
        void take(const S* all);
        void times(const S* x, S* y) const;            // y = M x
        void times_transposed(const S* x, S* y) const; // y = M^T x
        linalg::Pattern pattern;
        std::vector<std::int32_t> source;
        linalg::Vector<S> entries;
    };
    bool factor_masses();
    void find_preconditioner();
    bool find_constraints();
    bool finds_ratios();
    bool is_parallel(std::int64_t multiplier, std::int64_t constraint, S& ratio);
    bool iterate(S t, S* w);
    bool is_solution(const S* a);
    bool factor_all(S* w);
    void multiply(const S* y, S* product);

    const MassBlocks blocks_;
    TopSystem<S> system_;
    Block E_, B_, Gt_; // Gt = G^T
    linalg::SquareSolver<S> masses_, all_;
    linalg::ConjugateGradient<S> gradients_;
    KnownMultipliers<S> known_;
    std::vector<std::int32_t> constraint_; // by multiplier; empty: not known yet
    linalg::Vector<S> entries_, r_, factored_, diagonal_, column_, ratio_, a_, b_, y_, l_, inverse_diagonal_;
    S sign_ = 1; // of the masses
    bool has_masses_ = false;
    std::int64_t n_iterations_ = 0, n_fallbacks_ = 0;
};

extern template class MassCgDistribution<double>;
extern template class MassCgDistribution<Quad>;

} // namespace vessiot
