// The linear systems that constraints lead to: N lambda = b, N = G Z, or where masses are factorised
//
//   [E B; G 0] (x, lambda) = (0, b),   x = Y lambda
//
// which is sparse where N is not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/sum_plan.hpp"
#include "linalg/vector.hpp"
#include "method/mechanical/system/hamiltonian_velocities.hpp"
#include "method/mechanical/system/mechanical_forces.hpp"
#include "method/mechanical/system/mechanical_point.hpp"
#include "method/mechanical/system/position_constraints.hpp"

namespace vessiot::method {

template <class S> class ConstraintMatrix {
public:
    using Point = MechanicalPoint<S>;
    // What the matrix is made of; `velocities`: null where Z is Y.
    struct Blocks {
        std::int64_t n, m;
        const MechanicalForces<S>& forces;
        const HamiltonianVelocities<S>* velocities;
        const PositionConstraints<S>& constraints;
    };
    // `is_definite`: N needs no pivoting.
    ConstraintMatrix(const Blocks& blocks, bool is_definite);

    void make(Point& p) const; // what it needs of a point
    // None of these allocates.
    // Of G, with the directions of a point, into the solver of p; false where it is singular.
    bool factor(const S* G, const Point& directions, Point& p);
    // lambda in the place of b
    void solve(Point& p, S* b);

private:
    struct Placed {
        std::int32_t to, from;
    };

    void plan_products(const Blocks& blocks);
    void plan_blocks(const Blocks& blocks);

    std::int64_t n_, m_;
    bool is_diagonal_, is_definite_; // is_diagonal_: it is N
    linalg::Pattern pattern_;
    linalg::SumPlan plan_;             // N, diagonal by diagonal
    std::vector<std::int32_t> order_;  // and which entries of it these are
    std::vector<Placed> mass_, B_, G_; // of the other: from Point::entries, and from Point::G
    linalg::Vector<S> entries_, work_;
};

extern template class ConstraintMatrix<double>;
extern template class ConstraintMatrix<Quad>;

} // namespace vessiot::method
