// What a tableau comes to in an explicit step: its stages, and the sums of them that are needed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "method/explicit/stage_sums.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> struct ExplicitPlan {
    // Errors as the estimate says; the point of the embedded method may be the one that goes on.
    ExplicitPlan(const MethodInfo& info, Estimate estimate, bool continue_embedded);

    std::size_t n_stages, n_total;
    bool is_fsal;          // the last stage is V at the result, and the first one of the next step
    std::size_t n_inner;   // stages before the result: S, or S - 1 if the last one is at the result
    std::size_t end_stage; // the stage at the result; a place of its own behind all others if the tableau has none
    bool has_own_dense;    // a dense output that is better than the Hermite interpolant
    std::vector<S> c;
    StageSums<S> sums;                                // 0 .. n_total - 1: the rows of a
    std::size_t result = 0, error = 0, error_low = 0; // sums; 0 is no sum that these could be
    std::size_t dense = 0;                            // the first of the sums for the powers of theta

    std::size_t n_places() const { return std::max(n_total, end_stage + 1); }

private:
    void add_estimates(const TableauView& tableau, Estimate estimate, bool continue_embedded);
    void add_dense_sums(const TableauView& tableau);
};

extern template struct ExplicitPlan<double>;
extern template struct ExplicitPlan<Quad>;

// b - b_hat, or b - b_low. In quad precision, so that the small differences have all their digits in double.
std::vector<Quad> error_weights(const TableauView& tableau, std::span<const Quad> embedded);

// A tableau's dense output of a lower degree would be no better than the Hermite interpolant.
inline bool has_own_dense(const TableauView& tableau) {
    return tableau.degree >= 3;
}

} // namespace vessiot::method
