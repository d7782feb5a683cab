// Lengths of sets of coordinates, and how constraints change with them:
//
//   x_l = s_j a_l for l in the set j,   J_ij = sum_{l in I_j} df_il a_l
//
// The pattern of J is that of the sets, or full where they may change.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "projection/ray/partition.hpp"

namespace vessiot {

template <class S> class RayMatrix {
public:
    // `df`, its pattern, and the partition must stay. `has_determinant`: it is asked for.
    RayMatrix(const linalg::Pattern& df, const Partition& partition, bool has_determinant);

    void take_sets(); // of the partition, as it is now
    // None of the others allocates.
    void lengths(const S* a, S* length) const;      // |a_j|
    void scale(const S* s, const S* a, S* x) const; // x_l = s_j a_l
    void fill(const S* df, const S* a);             // J
    bool factor() { return solver_->factor(entries_.data()); }
    void solve(S* b) { solver_->solve(b); }
    // det J with rows and columns of size 1; df and lengths as they were when it was filled. 0 where nobody asked for
    // it.
    bool has_determinant() const { return !dense_.empty(); }
    S determinant(const S* df, const S* length);

private:
    const linalg::Pattern& df_;
    const Partition& partition_;
    std::int64_t k_;
    linalg::Pattern pattern_;
    std::unique_ptr<linalg::SquareSolver<S>> solver_;
    std::vector<std::int32_t> set_;   // by coordinate; -1: none
    std::vector<std::int64_t> place_; // by entry of df: its entry in J; -1: none
    linalg::Vector<S> entries_;
    std::vector<S> dense_, row_; // J, and squares of the rows of df, for its determinant
};

extern template class RayMatrix<double>;
extern template class RayMatrix<Quad>;

} // namespace vessiot
