// How large the error of a step is, measured in its tolerances: 1 where it just meets them. [HNW93, II.4]
//
//     w_i = atol + rtol max(|x_i|, |p_i|)        x and p the ends of the step
//     rms   |e|^2 = 1/n sum_i (e_i / w_i)^2
//     max   |e|^2 = max_i (e_i / w_i)^2
//
// Of several blocks (StepperOptions::block) the largest of their norms, with atol / scale for atol.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linalg/scalar.hpp"
#include "linalg/transform.hpp"
#include "linalg/vector.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class ErrorNorm {
public:
    ErrorNorm(std::int64_t n, const StepperOptions<S>& options)
        : n_(options.block > 0 ? options.block : n), rtol_(options.rtol), atol_(options.atol),
          is_max_(options.norm == NormKind::max), count_(is_max_ || n == 0 ? S(1) : S(n_)) {
        if (options.block > 0 && !options.only_first_block) scale_ = options.block_scale;
    }

    // count() |e|^2: the sum, or the largest term; of several blocks that of the worst.
    S square(const S* e, const S* x, const S* p) const {
        S result = square(e, x, p, atol_);
        for (std::size_t b = 1; b < scale_.size(); ++b) {
            const std::int64_t first = static_cast<std::int64_t>(b) * n_;
            const S block = square(e + first, x + first, p + first, atol_ / scale_[b]);
            if (block > result || block != block) result = block; // NaN stays
        }
        return result;
    }
    // The same with weights 1 / w_i, padded with zeros as all vectors are.
    void weights(const S* x, const S* p, S* weight) const {
        for (std::int64_t i = 0; i < n_; ++i)
            weight[i] = 1 / (atol_ + rtol_ * std::max(linalg::absolute(x[i]), linalg::absolute(p[i])));
    }
    S square(const S* e, const S* weight) const {
        if (!is_max_) return linalg::weighted_sum_of_squares(linalg::padded(n_), e, weight);
        S result = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            const S term = (e[i] * weight[i]) * (e[i] * weight[i]);
            if (term > result || term != term) result = term; // NaN stays
        }
        return result;
    }
    S count() const { return count_; }
    S operator()(const S* e, const S* x, const S* p) const { return root(square(e, x, p)); }
    // |e| from count() |e|^2.
    S root(S square) const { return linalg::square_root(square / count_); }

private:
    S square(const S* e, const S* x, const S* p, S atol) const {
        return is_max_ ? largest(e, x, p, atol) : linalg::weighted_sum_of_squares(n_, e, x, p, atol, rtol_);
    }

    S largest(const S* e, const S* x, const S* p, S atol) const {
        S result = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            if (e[i] == S(0)) continue; // whatever the divisor
            const S ratio = e[i] / (atol + rtol_ * std::max(linalg::absolute(x[i]), linalg::absolute(p[i])));
            const S term = ratio * ratio;
            if (term > result || term != term) result = term; // NaN stays
        }
        return result;
    }

    std::int64_t n_;
    S rtol_, atol_;
    bool is_max_;
    S count_;
    std::vector<S> scale_; // of blocks
};

} // namespace vessiot::method
