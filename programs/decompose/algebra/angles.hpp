// Angles: arguments of sin, cos and tan as sums of positions with constant coefficients.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::decompose {

// sum of coefficient * position + constant
struct LinearForm {
    std::map<std::size_t, Quad> coefficients{}; // by number of the position; none is 0
    Quad constant = 0;

    LinearForm& add(const LinearForm& other, Quad factor);
    LinearForm& scale(Quad factor);
};

// The largest b > 0 of which all coefficients are whole multiples, none of them beyond `most`; nothing where there is
// none (sin(x) beside sin(pi*x)).
std::optional<Quad> common_step(const std::vector<Quad>& coefficients, int most = 64);

} // namespace vessiot::decompose
