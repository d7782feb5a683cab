// N = A W B^T for sparse A, B with the same number of columns, W = diag(w):
//
//   n_ij = sum_c a_ic w_c b_jc
//
// The plan lists, column by column of A and B, where each product a_ic b_jc goes: 4 bytes a product, and the entries of
// A and B are read in the order they have.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

class ScaledProduct {
public:
    ScaledProduct(const Pattern& a, const Pattern& b);

    const Pattern& pattern() const { return n_; }
    // weights may be null, which stands for ones. Neither allocates nor searches.
    template <class S> void compute(const S* a, const S* weights, const S* b, S* n_entries) const;

private:
    Pattern n_;
    std::vector<std::int32_t> count_a_, count_b_; // entries of each column
    std::vector<std::int32_t> target_;            // entry of N, for each column, each b in it, each a in it
};

extern template void ScaledProduct::compute(const double*, const double*, const double*, double*) const;
extern template void ScaledProduct::compute(const Quad*, const Quad*, const Quad*, Quad*) const;

// The pattern of A B^T.
Pattern product_pattern(const Pattern& a, const Pattern& b);

// The number of products, without making the plan.
std::int64_t product_count(const Pattern& a, const Pattern& b);

} // namespace vessiot::linalg
