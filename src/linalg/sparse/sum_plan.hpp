// Many small sums of products, out_i = sum_p a[s_ip] b[r_ip], as sparse matrices of families need them: A x, A^T x, A
// B^T.
//
// The indices of a family go up in step: s_i+1,p = s_ip + 1, and so r, or they stay. Such runs of sums are loops over
// neighbours without index lists, which go with vector instructions; where runs are short, sums have their own lists.
// The order of the terms of a sum is the one given.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

class SumPlan {
public:
    struct Term {
        std::int32_t a = 0, b = 0;
    };

    SumPlan() = default;
    // The terms of each sum.
    explicit SumPlan(const std::vector<std::vector<Term>>& sums);

    std::int64_t size() const { return size_; }
    // Does not allocate. `out` is neither a nor b.
    template <class S> void compute(const S* a, const S* b, S* out) const;

private:
    struct Part {
        std::int32_t a, b, a_step, b_step;
    };
    struct Run {
        std::int64_t first, n;
        std::size_t part, n_parts;
    };
    template <class S> void compute_run(const Run& run, const S* a, const S* b, S* out) const;

    std::int64_t size_ = 0;
    std::vector<Run> runs_;
    std::vector<Part> parts_;
    std::vector<std::int32_t> count_; // where runs are short: terms of each sum
    std::vector<Term> terms_;
};

extern template void SumPlan::compute(const double*, const double*, double*) const;
extern template void SumPlan::compute(const Quad*, const Quad*, Quad*) const;

} // namespace vessiot::linalg
