// Combinations of the equations r + A w = 0 that contain no top: Gauss' elimination in the formulas, with pivots that
// are chosen by numbers, at several points of the manifold.
//
//   v^T A = 0   =>   h = v^T r = 0   holds on every solution
//
// It vanishes on the manifold where the equations depend on each other; where it does not, it is a constraint that was
// hidden. Equations of small depth (differentiated fewer times) are used up first, so that the largest depth among the
// pivots is the smallest possible.
#pragma once

#include <set>
#include <vector>

#include "distribution/tops/written_rows.hpp"
#include "expr/graph/graph.hpp"
#include "linalg/vector.hpp"

namespace vessiot {

// The equations at a point of the manifold, with numbers.
struct SampledRows {
    linalg::Vector<Quad> r;    // by equation
    linalg::Vector<Quad> a;    // dense, column-major
    std::vector<Quad> scale{}; // by which combine() divides each of them
};

// An equation without tops.
struct Combination {
    expr::NodeId h = 0;
    int depth = 0;               // differentiations of the equations it is made of
    std::set<std::int32_t> from; // these equations
    bool is_zero = false;        // at all points: it says nothing new
    bool is_constant = false;    // the same number at all points, but not zero: it cannot be satisfied
    double value = 0;            // h at the first point
};

struct Combinations {
    int rank = 0;      // of A, near the first point
    int depth = 0;     // largest one among the pivots
    int rank_here = 0; // at the first point itself
    std::vector<Combination> left;
    std::vector<std::int32_t> open; // tops without a pivot
};

// `depth` by equation; `samples`: the first is the point itself, at least one.
Combinations combine(expr::Graph& g, std::vector<WrittenRow> rows, const std::vector<int>& depth,
                     std::vector<SampledRows> samples, std::int64_t n_tops);

} // namespace vessiot
