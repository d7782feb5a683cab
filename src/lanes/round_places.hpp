// Where the numbers of a round are, for those who execute it again and again: a state, which each round changes, and
// what stays.
//
//   state:  numbers (Number), x, V(x), and of a round of one run the number accepted_number
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/repeated/repeated_list.hpp"
#include "lanes/round_list.hpp"

namespace vessiot::lanes {

// The inputs of a round that stay: places in the buffers of parameters, levels and what follows from these.
struct FixedInput {
    std::uint32_t buffer;
    std::int64_t element;
};
std::vector<FixedInput> fixed_inputs(const expr::Kernel& round);

// In the state:
inline constexpr std::uint32_t point_place = n_numbers;
inline std::uint32_t direction_place(std::int64_t n) {
    return point_place + static_cast<std::uint32_t>(n);
}
inline std::uint32_t accepted_place(std::int64_t n) {
    return direction_place(n) + static_cast<std::uint32_t>(n);
}
inline std::size_t n_state(std::int64_t n, Crew crew = Crew::lanes) {
    return accepted_place(n) + (crew == Crew::one ? 1U : 0U);
}

// The round of points of n coordinates; `fixed` are its fixed_inputs(), in that order.
expr::RepeatedList repeated(const expr::Kernel& round, std::int64_t n, Crew crew = Crew::lanes);

} // namespace vessiot::lanes
