// Sums over the stages of a step, y + h sum_i w_i k_i, for many lists of weights w: zeros are dropped once for all.
//
// The first stage of a step is the direction at the end of the step before. Instead of copying it, the places of the
// two stages change roles at each step: a sum has two lists of pointers, for the steps with and without the change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/quad.hpp"
#include "linalg/vector.hpp"

namespace vessiot::method {

template <class S> class StageSums {
public:
    // A new sum with weight w_i = weights[i * stride] of stage i; its number is how often this was called before.
    std::size_t add(std::span<const Quad> weights, std::size_t stride = 1) {
        Sum sum{.first = stages_.size(), .count = 0};
        for (std::size_t i = 0; i * stride < weights.size(); ++i) {
            const Quad w = weights[i * stride];
            if (w == 0) continue;
            weights_.push_back(static_cast<S>(w));
            stages_.push_back(i);
            ++sum.count;
        }
        sums_.push_back(sum);
        return sums_.size() - 1;
    }

    // Where the stages are, after the last add(): k[i], with k[0] and k[last] changed in the second list.
    void link(std::span<S* const> k, std::size_t last) {
        for (const std::size_t i : stages_) {
            pointers_[0].push_back(k[i]);
            pointers_[1].push_back(k[i == 0 ? last : i == last ? 0 : i]);
        }
    }

    // out = y + h sum_i w_i k_i; y may be null.
    void compute(std::size_t number, bool is_changed, std::int64_t n_padded, const S* y, S h, S* out) const {
        const Sum sum = sums_[number];
        linalg::combine(n_padded, y, h, sum.count, weights_.data() + sum.first,
                        pointers_[is_changed].data() + sum.first, out);
    }

private:
    struct Sum {
        std::size_t first; // place in the lists below
        int count;
    };

    std::vector<Sum> sums_;
    std::vector<S> weights_;
    std::vector<std::size_t> stages_;
    std::array<std::vector<const S*>, 2> pointers_;
};

} // namespace vessiot::method
