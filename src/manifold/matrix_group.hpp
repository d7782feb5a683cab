// Matrix groups with numbers: the algebra element of a direction, the way back into the group, and how far off it is.
//
// Of a direction F = A Y the element A of the algebra, where it is one:
//
//   GL, SL        A = F Y^-1                     SL: less its trace
//   O, SO         A = F Y^T                      skew part
//   Sp            A = F Y^-1, Y^-1 = -J Y^T J    (A - J^-1 A^T J) / 2
//   Stiefel       A = F Y^T - Y F^T + Y F^T Y Y^T, skew, with A Y = F [HLW06, IV.9.2]
//   SE            A = [W v; 0 0], W = F_R R^T, skew part, v = F_p - W p, for Y = [R p; 0 1]
//
// Towards the group, from near it:
//
//   O, SO, Stiefel   the polar factor, by Y (3 - Y^T Y)/2, which converges quadratically   [Hai11, III.1.3]
//   SE               the same of R; the last row is set
//   SL               Y + mu W, W = Y^-T of the first Y, det = 1, by Newton's method for mu: its step is
//                    (1/det - 1)/trace(Y^-1 W)   [Hai11, III.1 (1.4)]
//   Sp               Y (1 + J E/2), E = Y^T J Y - J
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/matrix.hpp"
#include "system/system.hpp"

namespace vessiot {

template <class S> class MatrixGroupNumbers {
public:
    MatrixGroupNumbers(MatrixGroup group, std::int64_t rows, std::int64_t columns);

    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    MatrixGroup group() const { return group_; }
    bool is_orthogonal() const {
        return group_ == MatrixGroup::o || group_ == MatrixGroup::so || group_ == MatrixGroup::stiefel;
    }

    linalg::Algebra algebra_kind() const {
        return is_orthogonal() ? linalg::Algebra::skew
                               : (group_ == MatrixGroup::se ? linalg::Algebra::motion : linalg::Algebra::general);
    }
    // Does Cayley's transform take the algebra to the group?
    bool has_cayley() const { return group_ != MatrixGroup::sl || rows_ == 2; }

    // A of F at Y; false where Y is singular. None of these allocates.
    bool algebra(const S* f, const S* y, S* a);
    // One step towards the group; returns the defect before it. `goes_on`: the call before was for the same matrix.
    S correct(S* y, bool goes_on = false);
    // max |Y^T Y - 1|, |det Y - 1|, |Y^T J Y - J|, of SE also of the last row; 0 of GL.
    S defect(const S* y);

    // The part of a matrix that is in the algebra.
    void to_algebra(S* a);

private:
    void symplectic_inverse(const S* y, S* inverse) const; // -J Y^T J
    // Of the leading n x k part of a matrix with rows of `stride`: the largest entry of Y^T Y - 1; and Y (1 - that/2).
    S orthogonality(std::int64_t n, std::int64_t k, std::int64_t stride, const S* y);
    S to_polar_factor(std::int64_t n, std::int64_t k, std::int64_t stride, S* y);
    S symplecticity(const S* y); // -J Y^T J Y - 1 into work_, its largest entry
    S last_row_defect(const S* y) const;
    void motion_algebra(const S* f, const S* y, S* a) const;

    MatrixGroup group_;
    std::int64_t rows_, columns_;
    std::vector<S> work_, inverse_, product_;
};

extern template class MatrixGroupNumbers<double>;
extern template class MatrixGroupNumbers<Quad>;

} // namespace vessiot
