// A point of a mechanical system, and where its positions are among the coordinates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"

namespace vessiot::method {

// A point of a run and what is known there. Positions are numbered 0 .. n-1, multipliers 0 .. m-1.
template <class S> struct MechanicalPoint {
    S t = 0;
    linalg::Vector<S> u;
    linalg::Vector<S> force;   // f, by position
    linalg::Vector<S> entries; // of E and B
    linalg::Vector<S> Y, Z;    // in the order of MechanicalForces, HamiltonianVelocities; Z is empty where it is Y
    linalg::Vector<S> g, G;    // constraints, and G with a last column g_t where they contain t, as they are placed
    linalg::Vector<S> lambda;  // multipliers of about this point: a first guess for those of the next step
    std::unique_ptr<linalg::SquareSolver<S>> mass, normal;
    bool is_ready = false; // forces, directions and N are there
};

// Some coordinates, as runs of neighbours where these are long.
class Places {
public:
    Places() = default;
    explicit Places(const std::vector<std::int32_t>& at) {
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (k > 0 && at[k] == at[k - 1] + 1)
                ++runs_.back().n;
            else
                runs_.push_back({static_cast<std::int64_t>(k), at[k], 1});
        }
        if (8 * runs_.size() <= at.size()) return;
        runs_.clear();
        single_ = at;
    }
    template <class S> void get(const S* u, S* out) const {
        for (const Run& r : runs_) std::copy_n(u + r.at, r.n, out + r.first);
        for (std::size_t k = 0; k < single_.size(); ++k) out[k] = u[single_[k]];
    }
    template <class S> void put(const S* in, S* u) const {
        for (const Run& r : runs_) std::copy_n(in + r.first, r.n, u + r.at);
        for (std::size_t k = 0; k < single_.size(); ++k) u[single_[k]] = in[k];
    }

private:
    struct Run {
        std::int64_t first, at, n;
    };
    std::vector<Run> runs_;
    std::vector<std::int32_t> single_; // in their place, where runs are short
};

// Coordinates by position; and the number of each position of the shape (mechanical_shape.hpp), whose order is another.
struct MechanicalPositions {
    std::vector<std::int32_t> q{}, y{}, rate{}, number{};
    Places q_places{}, y_places{};
};

inline std::vector<std::int32_t> count_from(std::int64_t first, std::int64_t n) {
    std::vector<std::int32_t> result(static_cast<std::size_t>(n));
    std::iota(result.begin(), result.end(), static_cast<std::int32_t>(first));
    return result;
}

inline std::vector<std::int32_t> joined(std::vector<std::int32_t> a, const std::vector<std::int32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace vessiot::method
