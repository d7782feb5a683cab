// The power series of formulas with every order written out, as operations of a straight-line kernel: the recurrences
// of taylor_plan.hpp for small systems, in which what is known beforehand costs nothing.
//
//   zeros        coefficients that vanish (of parameters, of t above order 1) are not there at all
//   sums         products are added in the order in which they get known: those of middle coefficients first, those
//                with the newest ones last, since everything waits for them
//   squares      by halves: c_2m = 2 (a_0 a_2m + .. + a_m-1 a_m+1) + a_m^2; the square of a root is what is below it
//   quotients    products with 1 / b_0, which is computed once; products with 1 / k
//   powers       a^p, p a number: c_k = 1/a_0 sum_{j=1..k} (((p + 1) j / k - 1) a_j) c_{k-j}
//
// A number that is not finite (a power at 0) reaches the last coefficients or the sum of the series: whoever uses them
// looks there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "expr/kernel/straight.hpp"
#include "expr/series/taylor_plan.hpp"

namespace vessiot::expr {

class StraightSeries {
public:
    using Value = StraightBuilder::Value;
    using Coefficient = std::optional<Value>; // none: it vanishes
    // Coefficient k of an element of an input; of flat inputs those of order 0 alone are read.
    using Reader = std::function<Coefficient(std::uint32_t buffer, std::int64_t element, int k)>;

    // A kernel of one loop with one instance and one output, as StraightBuilder makes them.
    StraightSeries(std::shared_ptr<const Kernel> kernel, const std::vector<char>& flat_inputs);

    // abs, min and max take the side on which the curve goes, which is known on the way only.
    bool can_be_written() const;
    // Coefficient k of all values; those below are there.
    void extend(StraightBuilder& to, const Reader& read, int k);
    Coefficient output(std::int64_t element, int k) const;

private:
    struct Writer;
    struct Product {
        int known; // the order after which it can be made
        Value a, b;
    };

    TaylorPlan plan_;
    std::vector<std::vector<Coefficient>> values_; // by value and order
    std::vector<std::int32_t> step_of_;            // by value: the step that makes it
    std::vector<Coefficient> inverse_;             // by step: of what it divides by
    std::vector<std::uint32_t> outputs_;           // by element: its value
};

} // namespace vessiot::expr
