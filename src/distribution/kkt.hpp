// The distribution `kkt`: tops w = (a, l) of a mechanical system, by the Schur complement of a diagonal mass matrix.
//
//   E a + B l = -r1        rows with c = 0, coordinates
//   G a       = -r2        rows with c > 0, multipliers
//   S = G E^-1 B,   S l = r2 - G E^-1 r1,   a = -E^-1 (r1 + B l)
//
// S is banded for chains and sparse for trees; where the system is mechanical, B = G^T up to scaling, it is definite
// and needs no pivoting. Cost O(entries). [HW96, VII.1; Tuomela, Arponen, Normi (5.3)]
#pragma once

#include <memory>

#include "distribution/distribution.hpp"
#include "distribution/top_system.hpp"
#include "linalg/product.hpp"
#include "linalg/square_solver.hpp"

namespace vessiot {

template <class S> class KktDistribution final : public Distribution<S> {
public:
    // Null where the system has not this shape.
    static std::unique_ptr<KktDistribution> make(const System& system, const Prolongation& p, Jets<S>& jets,
                                                 const expr::EvaluatorOptions& evaluator, bool is_mechanical);

    std::string_view name() const override { return "kkt"; }
    PointStatus tops(S t, const S* u, S* w) override;

private:
    // A part of A: its pattern, and by entry where the value stands in the entries of A.
    struct Part {
        linalg::Pattern pattern;
        std::vector<std::int32_t> source;
        linalg::Vector<S> values;
        void fetch(const S* entries);
    };
    struct Partition;

    KktDistribution(const Prolongation& p, std::unique_ptr<TopSystem<S>> system, Partition&& partition,
                    bool is_mechanical);

    std::unique_ptr<TopSystem<S>> system_;
    std::vector<std::int32_t> row1_, row2_, column1_, column2_; // in the order of E, and of S
    std::vector<std::int32_t> diagonal_;                        // E in the entries of A
    Part g_, bt_;                                               // G, B^T
    linalg::ScaledProduct product_;                             // G E^-1 B
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> entries_, r_, inverse_, a_, s_, l_;
};

extern template class KktDistribution<double>;
extern template class KktDistribution<expr::Quad>;

} // namespace vessiot
