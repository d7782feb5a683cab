// Where a loop reads and writes: addresses as functions of the instance number.
#pragma once

#include <vector>

#include "expr/graph/index.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

struct AddressForm {
    std::uint32_t buffer = 0;
    FormId form = 0; // position in the buffer
    auto operator<=>(const AddressForm&) const = default;
};

// Fills addresses, lengths, starts and tables of a loop over the domain. Addresses that are affine in the innermost
// index become segments, also those that are so piece by piece (`mod(i, n) + 1`); the others become tables.
// `literals` are forms whose values are wanted as numbers, one for each instance in the order of the loop: their
// addresses follow those of `addresses` in the loop, in buffers first_literal, first_literal + 1, ...
// Returns the values. A domain without instances leaves the loop without segments.
std::vector<std::vector<Quad>> lay_out(const IndexSpace& index, DomainId domain,
                                       const std::vector<AddressForm>& addresses, const std::vector<FormId>& literals,
                                       std::uint32_t first_literal, Loop& loop);

} // namespace vessiot::expr
