// Equations of motion of a Poisson structure,
//
//   y' = B(y) grad H + force,      {F, G} = (grad F)^T B grad G,
//
// B antisymmetric, with the Jacobi identity  sum_l B_il d_l B_jk + B_jl d_l B_ki + B_kl d_l B_ij = 0.  A hamiltonian
// with pairs is the case of the constant B = [0 I; -I 0]. [Tuomela, Arponen, Normi, (6.9)]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/system.hpp"

namespace vessiot {

struct PoissonStructure {
    struct Coordinate {
        expr::ArrayId array = expr::none; // an unknown
        expr::ListId at = 0;              // its element, without loop variables
    };
    std::vector<Coordinate> coordinates{};
    std::vector<expr::NodeId> matrix{}; // B, row-major
    expr::NodeId hamiltonian = 0;
};

// B and its derivatives are written out element by element.
inline constexpr std::size_t most_poisson_coordinates = 60;

// What is wrong with B, in words, with the numbers that were measured at a few points; nothing: it is one.
std::optional<std::string> poisson_defect(const System& system, const PoissonStructure& poisson);

// Adds the equations of motion. The forces of the system act on these equations; they and the hamiltonian are taken out
// of it.
void derive_poisson(System& system, const PoissonStructure& poisson, Location where);

} // namespace vessiot
