// Points of a manifold near a given one, by Gauss and Newton with weights: which coordinates may move, and how easily.
#pragma once

#include <vector>

#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

enum class Freedom : std::uint8_t {
    free,  // nobody gave a value
    given, // a start value of the model
    asked, // a start value from outside, which goes before those of the model
    held,  // not to be moved
};

struct ConsistencyReport {
    bool is_consistent = false;
    int iterations = 0;
    double residual = 0; // largest |f_i| over the size of row i (Manifold::sizes), at the end
};

// Moves u onto the manifold; leaves it where it was if that fails. `freedom` by coordinate; coordinates with a freedom
// above `mobile` stay. `by_stages`: stage after stage, in each first with the free ones alone; else jointly. Takes
// memory.
template <class S>
ConsistencyReport make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                                  Freedom mobile, bool by_stages);

// |f_i| over the size of row i (Manifold::sizes); 0 where both are 0.
template <class S> std::vector<double> scaled_residuals(Manifold<S>& manifold, S t, const S* u);

extern template ConsistencyReport make_consistent(Manifold<double>&, double, linalg::Vector<double>&,
                                                  const std::vector<Freedom>&, Freedom, bool);
extern template ConsistencyReport make_consistent(Manifold<expr::Quad>&, expr::Quad, linalg::Vector<expr::Quad>&,
                                                  const std::vector<Freedom>&, Freedom, bool);
extern template std::vector<double> scaled_residuals(Manifold<double>&, double, const double*);
extern template std::vector<double> scaled_residuals(Manifold<expr::Quad>&, expr::Quad, const expr::Quad*);

} // namespace vessiot
