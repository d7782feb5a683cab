// Runge-Kutta methods that a user brings: coefficients read, checked and made a method.
//
// What is checked is algebra. The order of b, and of b_hat, is the largest p <= 12 for which the conditions of all
// rooted trees with up to p nodes hold (rooted_trees.hpp). A coefficient that is a fraction, or a decimal of fewer than
// 15 digits, is exact; a longer decimal is known to half a unit of its last digit, and a condition holds if what is
// left of it can come from that:
//
//     |sum_i b_i Phi_i(t) - 1/gamma(t)| <= 1e-30 + |t| u sum_i |b_i| Phi_i(t)[|a|],    u the largest relative error
//
// Such methods stand beside those of the registry, and never move; find_method() finds the last of each name.
#pragma once

#include <string>
#include <string_view>

#include "method/registry.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::method {

constexpr int most_user_order = 12; // that is looked for

// Throws InvalidInput, with `source` at the beginning of its text.
const MethodInfo& add_tableau(const ButcherTableau& tableau, const std::string& source);
// From a JSON file. Throws InvalidInput.
const MethodInfo& load_tableau(const std::string& path);
ButcherTableau read_tableau(const std::string& path);

// The one of that name that was added last; null where there is none. From any thread.
const MethodInfo* find_user_method(std::string_view name);
// What tells two of them apart: the name, and a number made of all coefficients.
std::string fingerprint(const MethodInfo& info);

} // namespace vessiot::method
