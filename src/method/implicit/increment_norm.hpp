// How large the increments of an iteration for stages are, and when they are small enough.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linalg/vector.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

// With tolerances, or, of constant steps, in units of the last digit: there the sizes that increments are measured by
// change from one iteration to the next.
template <class S> class IncrementNorm {
public:
    IncrementNorm(std::int64_t n, const StepperOptions<S>& options, S enough)
        : norm_(n, options), kappa_(enough), to_round_off_(options.to_round_off), weight_(n), scale_(n) {}

    S kappa() const { return kappa_; } // increments below it are small enough
    void begin(const S* start) { norm_.weights(start, scale_.data(), weight_.data()); }
    // A point near the end of the step, whose size counts beside that of the start.
    void set_scale(const S* x) { std::copy_n(x, scale_.size(), scale_.data()); }
    S square(const S* x, const S* start) const {
        return to_round_off_ ? norm_.square(x, start, scale_.data()) : norm_.square(x, weight_.data());
    }
    S root(S square) const { return norm_.root(square); }

private:
    ErrorNorm<S> norm_;
    S kappa_;
    bool to_round_off_;
    linalg::Vector<S> weight_; // 1 over what increments are measured by
    linalg::Vector<S> scale_;
};

} // namespace vessiot::method
