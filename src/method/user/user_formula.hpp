// Linear multistep formulas that a user brings: rho and sigma read, checked and made a method.
//
// What is checked is algebra (multistep/formula.hpp): consistency, the order, the root condition of rho; for formulas
// on the equations as they stand that it is implicit, and up to which index sigma lets it converge. Decimals of 15 and
// more digits count as rounded. Such methods stand beside those of the registry, and never move; find_method() finds
// the last of each name.
#pragma once

#include <string>
#include <string_view>

#include "method/registry.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::method {

// Throws InvalidInput, with `source` at the beginning of its text.
const MethodInfo& add_multistep(const LinearMultistep& formula, const std::string& source);
// From a JSON file. Throws InvalidInput.
const MethodInfo& load_multistep(const std::string& path);

// The one of that name that was added last; null where there is none. From any thread.
const MethodInfo* find_user_multistep(std::string_view name);

} // namespace vessiot::method
