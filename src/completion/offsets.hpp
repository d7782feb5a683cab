// Offsets: how often each equation must be differentiated, and up to which order each unknown then occurs. [Pry01]
//
// c_i >= 0 and d_j are the smallest numbers with
//   d_j - c_i >= sigma_ij   for all entries,   = on a highest transversal.
// They do not depend on which transversal. The equations F_i^(0..c_i) = 0 determine the unknowns y_j^(0..d_j) as far as
// they are determined; the highest derivatives y_j^(d_j) follow from F_i^(c_i) = 0, a square system with the matrix
//   J_ij = dF_i^(c_i) / dy_j^(d_j) = dF_i / dy_j^(sigma_ij)   where d_j - c_i = sigma_ij,   else 0.
// All numbers below are right where J is regular; whether it is, only numbers can tell.
#pragma once

#include <cstdint>
#include <vector>

#include "completion/assignment.hpp"
#include "completion/signature.hpp"

namespace vessiot {

struct Offsets {
    std::vector<std::int32_t> c; // by equation
    std::vector<std::int32_t> d; // by unknown
};

// From a transversal, which must be perfect. With sigma_kj of the pair (k, j), c is the smallest solution of
//   c_k >= 0,   c_k >= c_i + sigma_ij - sigma_kj   for every equation i that contains j,
// the length of the longest path to k; then d_j = c_k + sigma_kj. With the potentials u of the assignment the lengths
//   r_ik = (sigma_kj - u_k) - (sigma_ij - u_i) >= 0
// take their place, and longest paths become shortest ones: c_k = -u_k - min_i (-u_i + distance_r(i, k)), found in one
// sweep with a bucket queue. The work is proportional to the entries, however large the offsets are.
Offsets canonical_offsets(const Signature& s, const Assignment& transversal);

// max c_i, and one more if some d_j = 0: an unknown of which no derivative is reached yet takes one more
// differentiation until everything is an ordinary differential equation. 0 for y' = f(t, y), 1 for y' = f(y, z),
// 0 = g(y, z), 3 for a pendulum with its multiplier.
int structural_index(const Offsets& offsets);

// sum d_j - sum c_i = sum of sigma over the transversal: how many numbers can be chosen freely at the start; the
// dimension of M at a fixed t. Twice the number of degrees of freedom of a mechanical system.
std::int64_t phase_dimension(const Offsets& offsets);

// Constraints among the coordinates
//   y_j^(0..q_j-1), and y_j itself where q_j = 0,   q_j = highest derivative of y_j in the equations.
// A solution is known by these, so there are sum_j max(q_j, 1) - phase_dimension independent ones. `written` are those
// that stand in the model: equations with sigma_ij < q_j wherever q_j > 0. The others are hidden.
//
// The pendulum x'' = -z x, y'' = -z y - g, x^2 + y^2 = 1: coordinates x, x', y, y', z and dimension 2, hence 3
// constraints: one is written, hidden are its derivative, and its second derivative with x'', y'' put in, which gives
// z.
struct ConstraintCount {
    std::int64_t written = 0, hidden = 0;
};
ConstraintCount count_constraints(const Signature& s, std::int64_t phase_dimension);

} // namespace vessiot
