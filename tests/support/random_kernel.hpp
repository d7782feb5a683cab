// Random kernels and random data for them: every evaluator is compared with the others on thousands of these.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::test {

using Random = std::mt19937_64;

struct RandomKernelOptions {
    int max_operations = 100; // in all bodies together; the number itself is random, small ones more often
    int max_loops = 4;        // loops with operations; loops that only set scratch come on top
    int max_instances = 200;  // of one loop
    bool only_straight_line = false;
    bool has_elementary = true; // sin, exp, …
    bool is_benign = false;     // well-conditioned: rounding errors stay below 1e-13 in relative terms, no conditions
};

// A kernel with random bodies, strides from -2 to 3, tables, several segments and all modes of stores. It passes
// check().
expr::Kernel random_kernel(Random& random, const RandomKernelOptions& options = {});

// All buffers of a kernel, element e of lane l at [e * lanes + l]: scratch and literals too, for evaluators that want
// them from outside.
template <class S> struct KernelData {
    std::vector<std::vector<S>> buffers;

    // In the form that evaluators take.
    std::vector<S*> pointers() {
        std::vector<S*> result;
        for (auto& b : buffers) result.push_back(b.data());
        return result;
    }
};

// Random values for inputs and outputs (outputs, since stores may add to them); literals filled in; scratch NaN, so
// that nobody gets away with reading what was not written. Benign data is in [0.5, 2]; other data is of all magnitudes,
// with a few zeros, infinities and NaN.
KernelData<double> make_data(Random& random, const expr::Kernel& kernel, int lanes = 1, bool is_benign = false);

KernelData<Quad> as_quad(const KernelData<double>& data, const expr::Kernel& kernel, int lanes = 1);

// The data of one lane alone.
template <class S> KernelData<S> lane_of(const KernelData<S>& data, int lanes, int lane) {
    KernelData<S> result;
    for (const auto& b : data.buffers) {
        result.buffers.emplace_back();
        for (std::size_t i = lane; i < b.size(); i += lanes) result.buffers.back().push_back(b[i]);
    }
    return result;
}

// Equal bit for bit; any NaN equals any NaN.
bool is_same(double a, double b);
bool is_same(Quad a, Quad b);

} // namespace vessiot::test
