// The form of Weierstrass and Kronecker of a small regular pencil A + lambda B, in quadruple precision:
//
//   P A Q = (C 0)     P B Q = (1 0)     N = blockdiag(N_1, N_2, ...), N_i ones above the diagonal
//           (0 1)             (0 N)
//
// With c such that A + c B is invertible, M = (A + c B)^-1 B is regular on the range R of its powers and nilpotent on
// the kernel K of them, and these are complements. Of kernels and ranges the next follows from the last,
//
//   K_(j+1) = {x: M x in K_j},   R_(j+1) = M R_j
//
// by singular values of matrices with orthonormal parts: no powers, no eigenvalues, so that multiple ones do no harm.
// In a basis Q of R and K, M = diag(J1, J2); P = diag(J1^-1, (1 - c J2)^-1) Q^-1 (A + c B)^-1. Chains x, N x, N^2 x,
// ... in the same kernels make ones above the diagonal of N. [Hai11, IV.1, theorem 1.1 and its proof; GV13, 7.7]
//
// C is not brought to Jordan's form, which is not continuous in its entries. Ranks are decided at 1e-22 of the largest
// singular value; `gap` says how near to that a decision was.
#pragma once

#include <optional>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

struct PencilForm {
    int n = 0, n_regular = 0;   // of A; of C
    std::vector<Quad> p{}, q{}; // by rows
    std::vector<Quad> c{};
    std::vector<int> blocks{}; // sizes of N_1, N_2, ..., largest first
    double gap = 1;            // the smallest singular value that was taken for one, over the largest beside it
    double residual = 0;       // the largest entry of P A Q - diag(C, 1) and P B Q - diag(1, N), over 1 or that of C
    double condition = 0;      // |Q| |Q^-1|

    int index() const { return blocks.empty() ? 0 : blocks.front(); } // of nilpotency
};

// By rows, n x n. Nothing where A + lambda B is singular for all lambda.
std::optional<PencilForm> weierstrass_form(int n, const std::vector<Quad>& a, const std::vector<Quad>& b);

} // namespace vessiot::linalg
