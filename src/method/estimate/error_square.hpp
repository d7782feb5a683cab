// The square of the norm of an error as a step has it first: a quotient that nobody waits for, and no root. Whether a
// step is accepted, and how large the next one may be, can be said without them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace vessiot {

struct ErrorSquare {
    static constexpr double too_large = 1e300; // below: overflow is near, and says nothing

    double above = 0, below = 0; // below = 0: not known

    bool is_known() const { return below != 0; }
    bool is_good() const { return above <= below && below < too_large; }
    bool is_bad() const { return below < above; } // neither: not a number
    // At most 1 where it is good, above where it is bad.
    double root() const {
        const double error = std::sqrt(above / below);
        return is_bad() ? std::max(error, 1 + std::numeric_limits<double>::epsilon()) : error;
    }
};

} // namespace vessiot
