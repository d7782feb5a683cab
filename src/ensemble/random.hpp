// Numbers that look random and depend on nothing but a seed, a member and a dimension: any member can be made without
// those before it, and every machine makes the same ones.
#pragma once

#include <cstdint>
#include <span>

#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

// A number in (0, 1).
double uniform(std::uint64_t seed, std::uint64_t member, std::uint64_t dimension);

// A permutation of 0 .. n-1, given by its key: where k goes. A Feistel network on the next power of four, gone through
// again for numbers outside.
std::uint64_t permuted(std::uint64_t k, std::uint64_t n, std::uint64_t key);

// Sample k of n by Latin hypercubes: each of n equal parts of (0, 1) has one of them, in every dimension.
double latin(std::uint64_t seed, std::uint64_t cube, std::uint64_t k, std::uint64_t n, std::uint64_t dimension);

// Sample k of Sobol's sequence [JK08], moved by a digital shift that the seed chooses; of the first 2^m samples each of
// 2^m equal parts of (0, 1) has one, in every dimension.
inline constexpr std::uint64_t sobol_dimensions = 64;
double sobol(std::uint64_t seed, std::uint64_t k, std::uint64_t dimension);

// x with P(X <= x) = u for the distribution. Not for grids.
double quantile(Vary::Kind kind, std::span<const double> numbers, double u);

} // namespace vessiot::ensemble
