// The derivative of a projection onto the manifold, at a point:
//
//   P' = 1 - df^T (df df^T)^-1 df                                    the orthogonal one
//   P' = .. P_-1 P_-2,  P_s = 1 - E_s A_s^T (A_s A_s^T)^-1 df_s      by levels: df_s the constraints of a level, A_s
//                                            their derivatives by the coordinates of that level, which alone are moved
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/solver/normal_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class LevelProjector {
public:
    // Of the first n coordinates of the manifold, which must outlive it.
    LevelProjector(Manifold<S>& manifold, std::int64_t n, bool by_levels);

    const linalg::Pattern& pattern() const { return manifold_.pattern(); } // of df
    std::int64_t n_constraints() const { return manifold_.n_constraints(); }
    // Does a constraint move a coordinate? By levels those of its own level only.
    bool moves(std::int64_t constraint, std::int64_t coordinate) const;

    // df at a point; false where it is not finite.
    bool set(S t, const S* u);
    const linalg::Vector<S>& df() const { return df_; }
    // P' x in the place of x, or the shortest way from x to df y + offset = 0
    void project(S* x, const S* offset = nullptr);
    // M P' in the place of M, n x n by columns
    void project_rows(S* matrix);

private:
    struct Level {
        std::vector<std::int32_t> rows;
        std::vector<std::int32_t> columns, source; // of A_s; its entries in df
        linalg::NormalSolver<S> solver;
        linalg::Vector<S> entries, b;
        bool is_solvable = false;
    };

    void factor();

    Manifold<S>& manifold_;
    std::int64_t n_;
    bool by_levels_;
    std::vector<Level> levels_; // lowest first
    linalg::Vector<S> f_, df_, correction_;
    bool is_factored_ = false;
};

extern template class LevelProjector<double>;
extern template class LevelProjector<Quad>;

} // namespace vessiot
