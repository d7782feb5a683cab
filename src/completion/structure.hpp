// What the structure of a system says about its solutions, before any number is computed: Pryce's Sigma-method. [Pry01]
//
// Signature matrix, highest-value transversal, offsets, block triangular form. From the offsets follow the index, the
// dimension and the hidden constraints; they are right wherever the matrix of the highest derivatives (offsets.hpp) is
// regular, which is for numbers to verify. Only systems with as many equations as unknowns are analysed.
#pragma once

#include <cstdint>
#include <vector>

#include "completion/assignment.hpp"
#include "completion/block_triangular.hpp"
#include "completion/offsets.hpp"
#include "completion/signature.hpp"
#include "system/system.hpp"

namespace vessiot {

// The offsets c of a family of equations, or d of an array of unknowns; of all elements where is_uniform().
struct OffsetRange {
    std::int32_t lowest = 0, highest = 0;
    std::int64_t count = 0;

    bool is_uniform() const { return lowest == highest; }
};

struct Structure {
    Signature signature{};
    bool is_square = false;  // as many equations as unknowns; nothing below is filled in otherwise
    bool is_regular = false; // there is a transversal: each unknown can be paired with an equation that contains it
    Assignment transversal{};
    SingularParts singular{}; // where it is not regular; nothing below is filled in then

    Offsets offsets{};
    int index = 0;                    // structural index
    std::int64_t phase_dimension = 0; // dim M at a fixed t; the dimension with t is one more
    ConstraintCount constraints{};    // among the unknowns and their derivatives below the highest
    std::vector<OffsetRange> c{};     // by System::equations
    std::vector<OffsetRange> d{};     // by System::unknowns
    bool is_uniform = true;           // every family has one offset
    BlockTriangular blocks{};         // of the equations for the highest derivatives
};

Structure analyse(const System& system);
Structure analyse(Signature signature);

} // namespace vessiot
