// The highest-value transversal of a signature matrix: each equation paired with one unknown of its own so that the sum
// of sigma over the pairs is as large as possible. And where no such pairing exists, what stands in the way.
#pragma once

#include <cstdint>
#include <vector>

#include "completion/signature.hpp"

namespace vessiot {

struct Assignment {
    std::vector<std::int32_t> unknown_of;  // by equation; -1: none
    std::vector<std::int32_t> equation_of; // by unknown; -1: none
    std::int64_t n_pairs = 0;
    std::int64_t value = 0;              // sum of sigma over the pairs
    std::vector<std::int32_t> potential; // u_i: sigma_kj - u_k >= sigma_ij - u_i for the equation k paired with j
    int n_rounds = 0;                    // searches that were needed

    bool is_perfect() const { return n_pairs == std::ssize(unknown_of) && n_pairs == std::ssize(equation_of); }
};

// A highest-value transversal; where there is none, a pairing that is as large as possible.
//
// Primal-dual, with potentials u_i + v_j >= sigma_ij, equality on the pairs, v_j = 0 for unknowns without a partner and
// u_i = U, one and the same number, for all equations without one. A round is
//   1. distances from all free equations at once, along u_i + v_j - sigma_ij (bucket queue), up to the nearest free
//      unknown;
//   2. potentials lowered and raised by them, so that the ways to the nearest free unknowns become tight;
//   3. a maximum matching among the tight entries that keeps what is paired (Hopcroft and Karp).
// U starts at the largest sigma, falls by at least 1 in every round but the first, and stays >= -max c_i with the
// offsets c_i of offsets.hpp, since along the alternating path from a free equation i to a free unknown j of a highest
// transversal U = u_i + v_j >= d_j - c_i. So there are at most max sigma + max c + 1 rounds, each of a few sweeps over
// the entries in practice: nearly linear for systems of small order and index.
Assignment highest_transversal(const Signature& s);

// Equations and unknowns, ascending.
struct SubSystem {
    std::vector<std::int32_t> equations, unknowns;
};

// The parts of Dulmage and Mendelsohn that a largest pairing leaves over.
struct SingularParts {
    SubSystem overdetermined;  // these equations contain no other unknowns, and are more than they are
    SubSystem underdetermined; // these unknowns occur in no other equations, and are more than they are
};
SingularParts singular_parts(const Signature& s, const Assignment& largest);

} // namespace vessiot
