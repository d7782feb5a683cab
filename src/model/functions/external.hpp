// Functions of C++ as the expression graph knows them (expr/graph/external.hpp): what the user gave, and differences
// for what is missing.
//
//   order 0: f                              f_i, one for each row of the pattern
//   order 1: df                             d f_i / d x_j, one for each entry of the pattern, column by column
//   order 2: differences of order 1         d2 f_i / d x_j d x_k, for each entry (i, j) those of its row; and so on
#pragma once

#include <memory>
#include <string>

#include "expr/graph/external.hpp"
#include "vessiot/external.hpp"

namespace vessiot {

// Throws InvalidInput, with the names of the model and of the function, where the description makes no sense.
std::shared_ptr<const expr::External> make_external(const std::string& model, const std::string& name,
                                                    const ExternalFunction& function);

// Compressed columns with ascending rows; the text says what `what` is. Throws InvalidInput.
void check_pattern(const SparsePattern& pattern, const std::string& what);

} // namespace vessiot
