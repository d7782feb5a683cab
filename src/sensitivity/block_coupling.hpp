// How the directions of derivatives (augmentation.hpp) change with the solution itself: K_j = dV_j/du, which makes the
// Jacobian of all blocks lower triangular, with J of the system itself in each diagonal block (shifted_solver.hpp).
//
// With F(t, u, w) = r + A w the equations for the tops, B = F_u, and F_j(t, u, w, s, s_w) = B s + A s_w + F_p those of
// block j, of which G = dF_j/du and H = dF_j/dw:
//
//     dw = -A^-1 B y,     dw_j = -A^-1 (G y + H dw + B q),     K_j x = S q + E dw_j
//
// where without projected stages y = x, q = 0; and with them y = P' x, and q, how the projection of s_j moves, is the
// shortest solution of  df q + (d(df s_j + f_p)/du) y = 0.
#pragma once

#include <cstdint>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

template <class S> class BlockCoupling final : public Coupling<S> {
public:
    // `field` is that of the system itself, with the manifold `base` or none; `all` is the manifold of all blocks, and
    // the rest is of all blocks, too. All must outlive it.
    BlockCoupling(Linearised<S>& field, const System& system, const Prolongation& p, Jets<S>& jets,
                  const expr::EvaluatorOptions& evaluator, Manifold<S>* base, Manifold<S>* all);

    std::int64_t n_blocks() const override { return n_blocks_; }
    // Takes the derivatives at a point, w the tops of all blocks; `field` has been set to the same.
    PointStatus set(S t, const S* x, const S* w);
    void apply(const S* x, S* dx) override;

private:
    struct Entry { // of the derivative by u of the constraints of blocks 1 ..
        std::int64_t from;
        std::int32_t row, column;
    };

    Linearised<S>& field_;
    Jets<S>& jets_;
    Manifold<S>* all_;
    std::int64_t n_, n_tops_, n_equations_, n_constraints_, n_blocks_;
    RowFunction<S> rows_; // of blocks 1 .., columns: u, w of the system itself
    std::vector<Entry> constraint_entries_;
    linalg::Vector<S> entries_, values_, df_, f_, products_, offsets_, y_, q_, dw_, dw_j_;
};

extern template class BlockCoupling<double>;
extern template class BlockCoupling<Quad>;

} // namespace vessiot
