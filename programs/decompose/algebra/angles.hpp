// Angles: arguments of sin, cos and tan as sums of positions with constant coefficients.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::decompose {

// sum of coefficient * position + constant
struct LinearForm {
    std::map<std::size_t, expr::Quad> coefficients{}; // by number of the position; none is 0
    expr::Quad constant = 0;

    LinearForm& add(const LinearForm& other, expr::Quad factor);
    LinearForm& scale(expr::Quad factor);
};

// The largest b > 0 of which all coefficients are whole multiples, none of them beyond `most`; nothing where there is
// none (sin(x) beside sin(pi*x)).
std::optional<expr::Quad> common_step(const std::vector<expr::Quad>& coefficients, int most = 64);

} // namespace vessiot::decompose
