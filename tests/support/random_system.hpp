// Random systems of equations over families: arrays with shifted indices, sums, `let` families, index conditions, all
// operations. Values stay moderate and away from the edges of domains, so that derivatives can be compared with
// differences.
#pragma once

#include <random>

#include "system/system.hpp"

namespace vessiot::test {

System random_system(std::mt19937_64& random);

} // namespace vessiot::test
