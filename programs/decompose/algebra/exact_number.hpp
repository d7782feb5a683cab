// Numbers of a model as exact numbers: what a literal or a parameter stands for, found from its quad value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::decompose {

// rational * sqrt(p1) * sqrt(p2) * ..., the p_i different primes.
struct RootTerm {
    std::string rational; // "3", "-3/4"
    std::vector<std::int64_t> roots{};
};

// The sum of its terms; one at least.
struct ExactNumber {
    std::vector<RootTerm> terms;

    bool is_rational() const { return terms.size() == 1 && terms[0].roots.empty(); }
};

// The number that a quad value is the rounding of, if it is
//   1. a fraction p/q with p*q < 1e24,
//   2. a decimal number of up to 30 digits,
//   3. the square root of a fraction with p*q < 1e12,
//   4. a root of a x^2 + b x + c with whole coefficients below 1e5: 1/2 + sqrt(2);
// within a few units of the last of its 34 digits, so that a chance hit is out of the question for 1, 3 and 4, and
// would not change 30 digits for 2.
std::optional<ExactNumber> recognise(Quad value);

} // namespace vessiot::decompose
