// Points of a manifold near a given one, by Gauss and Newton with weights: which coordinates may move, and how easily.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

enum class Freedom : std::uint8_t {
    computed, // what the equations determine: algebraic unknowns, highest derivatives; a value given for it is a guess
    free,     // nobody gave a value
    given,    // a start value of the model
    asked,    // a start value from outside, which goes before those of the model
    held,     // not to be moved
};

struct ConsistencyReport {
    bool is_consistent = false;
    int iterations = 0;
    double residual = 0; // largest |f_i| over the size of row i (Manifold::sizes), at the end
};

// What is solved together, one group after the other.
enum class Groups : std::uint8_t {
    one,    // all of it
    levels, // positions by position constraints, then velocities by theirs, and so on
    rest,   // rows that contain nothing computed, by the rest; then the others, by what is computed
};

struct Group {
    std::vector<std::int32_t> rows;    // without those that contain nothing mobile: they can only be satisfied already
    std::vector<std::int32_t> columns; // with a freedom of at most `mobile`
    std::vector<std::int32_t> free, computed; // with a freedom of at most that
};

// By number, in the order of solving.
template <class S>
std::map<int, Group> make_groups(Manifold<S>& manifold, const std::vector<Freedom>& freedom, Freedom mobile,
                                 Groups groups);

// Moves u onto the manifold; leaves it where it was if that fails. `freedom` by coordinate; coordinates with a freedom
// above `mobile` stay. `by_levels`: level after level, in each first with the computed ones alone, then with the free
// ones; else jointly. Takes memory.
template <class S>
ConsistencyReport make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                                  Freedom mobile, bool by_levels);

// The same in the order of trust: what is computed moves first, then what is free, then what the model gives, then what
// was asked for; each level after level, then what is computed after the rest, then jointly. `choose` is called where
// the free ones alone, from where they are, do not suffice: it may put u on the manifold, and says whether it did.
// Where nothing is found so, the shortest way is looked for in units in which all sizes are alike.
template <class S>
bool make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                     const std::function<bool()>& choose);

// Points of the manifold that differ from u in the coordinates `open` only, found from a few values for all of them,
// and, where they are few, from some more at random.
template <class S>
std::vector<linalg::Vector<S>> find_solutions(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                              const std::vector<Freedom>& freedom,
                                              const std::vector<std::int64_t>& open);

// Of the coordinates `open` of a point of the manifold, all others fixed: which ones are isolated values, and no member
// of a family of solutions? A double solution is none.
template <class S>
std::vector<char> determined(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                             const std::vector<std::int64_t>& open);

// The coordinates `open` in blocks that no constraint connects, those only in which a constraint is not linear.
template <class S>
std::vector<std::vector<std::int64_t>> nonlinear_blocks(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                                        const std::vector<std::int64_t>& open);

// Up to n points of the manifold near u, which is one: moved at random by `amount` times their size + `floor`, and put
// back. The same for the same u and seed.
template <class S>
std::vector<linalg::Vector<S>> points_near(Manifold<S>& manifold, S t, const linalg::Vector<S>& u, int n, double amount,
                                           double floor, std::uint64_t seed = 12345);

// |f_i| over the size of row i (Manifold::sizes); 0 where both are 0.
template <class S> std::vector<double> scaled_residuals(Manifold<S>& manifold, S t, const S* u);

} // namespace vessiot
