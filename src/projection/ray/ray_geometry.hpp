// How well the lengths of sets of coordinates can satisfy constraints at a point, and which sets do it best.
//
//   B = df = L Q      k x n, the rows of Q orthonormal: they span the normal space of M
//   n_j               the unit vector of set I_j: (x_l / |x_I|, l in I_j), 0 elsewhere
//   R = (n_1 .. n_k)  the directions in which lengths move the point
//   q = |det(Q R)|    the quality, 0 <= q <= 1
//
// q is the product of the cosines of the angles between the space of the rays and the normal space. It does not change
// when constraints are multiplied or combined; for one constraint it is |n.grad rho| / |grad rho|. Where it is 0 a ray
// is tangent to M.
//
// Choice. Atoms, which stay together, are the arrays of a model (positions q, momenta p), or where these are too few
// single coordinates. k seeds are found by pivoting, largest part of Q_A x_A / |x_A| normal to those before first; then
// the others are added, longest first, each to the set where q gets largest; a last round moves single atoms while q
// grows. With U = (sum_{l in I_j} Q_l x_l) and g = Q_A x_A, to add A to I_j makes of q
//
//   q |1 + (U^-1 g)_j| |x_j| / sqrt(|x_j|^2 + |x_A|^2)
//
// Dense, O(n k^3); for constraints by the dozen. No allocation after the constructor, but in choose().
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "projection/ray/partition.hpp"

namespace vessiot {

template <class S> class RayGeometry {
public:
    // `atom`: by coordinate the number of the array that it belongs to.
    RayGeometry(const linalg::Pattern& df, std::vector<std::int32_t> atom);

    // Up to which size it is worth its time.
    static bool is_possible(std::int64_t n_constraints, std::int64_t n_coordinates) {
        return n_constraints <= 64 && n_constraints * n_coordinates <= 1'000'000;
    }

    // Q of these entries of df; false where the rows are dependent, or not finite.
    bool load(const S* entries);
    // q at x, with the Q that was loaded. 0 for a set without length.
    S quality(const S* x, const Partition& partition);
    // The best sets that are found, all coordinates that occur in constraints among them; the quality. What there was
    // stays where nothing better is found.
    S choose(const S* x, Partition& partition);

private:
    struct Atom {
        std::vector<std::int32_t> coordinates;
        std::int32_t set = -1;
    };
    std::vector<Atom> make_atoms(bool are_single) const;
    bool find_seeds(const S* x, std::vector<Atom>& atoms);
    void add_others(const S* x, std::vector<Atom>& atoms);
    void improve(const S* x, std::vector<Atom>& atoms);
    S quality_of(const S* x, const std::vector<Atom>& atoms, Partition& work);
    Partition gathered(const std::vector<Atom>& atoms) const;
    S add_column(const S* x, const std::vector<std::int32_t>& coordinates, S* column) const; // sum Q_l x_l; sum x_l^2

    linalg::Pattern pattern_;
    std::int64_t k_, n_;
    std::vector<std::int32_t> atom_;
    std::vector<char> is_active_; // by coordinate: it occurs in a constraint
    std::vector<S> q_;            // column-major k x n
    linalg::DenseLu<S> lu_;       // of U
    std::vector<S> u_, column_, square_;
};

extern template class RayGeometry<double>;
extern template class RayGeometry<Quad>;

} // namespace vessiot
