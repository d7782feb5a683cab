// Points of a manifold near a given one, by Gauss and Newton with weights: which coordinates may move, and how easily.
#pragma once

#include <functional>
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

// The same in the order of trust: what is free moves first, then what the model gives, then what was asked for; each
// stage after stage, then jointly. `choose` is called where the free ones alone, from where they are, do not suffice:
// it may put u on the manifold, and says whether it did.
template <class S>
bool make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                     const std::function<bool()>& choose);

// Points of the manifold that differ from u in the coordinates `open` only, found from a few values for all of them.
template <class S>
std::vector<linalg::Vector<S>> find_solutions(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                              const std::vector<Freedom>& freedom,
                                              const std::vector<std::int64_t>& open);

// Up to n points of the manifold near u, which is one: moved at random by `amount` times their size + `floor`, and put
// back. The same for the same u and seed.
template <class S>
std::vector<linalg::Vector<S>> points_near(Manifold<S>& manifold, S t, const linalg::Vector<S>& u, int n, double amount,
                                           double floor, std::uint64_t seed = 12345);

// |f_i| over the size of row i (Manifold::sizes); 0 where both are 0.
template <class S> std::vector<double> scaled_residuals(Manifold<S>& manifold, S t, const S* u);

} // namespace vessiot
