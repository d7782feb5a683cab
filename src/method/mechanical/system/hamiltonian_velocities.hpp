// The velocities of a hamiltonian system, q' = H_p(t, q, p), and what multipliers do to them, Z = H_pp Y.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/product.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/system/mechanical_point.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class HamiltonianVelocities {
public:
    using Point = MechanicalPoint<S>;
    // `Y`: its pattern, transposed.
    HamiltonianVelocities(const Parts<S>& parts, const MechanicalShape& shape, const MechanicalPositions& positions,
                          const linalg::Pattern& Y);

    const linalg::Pattern& Z_pattern() const { return Z_product_.pattern(); }
    // None of these allocates.
    void velocity(S t, const S* u, S* v);
    void find_Z(Point& p);
    void put_rates(const S* v, S* u) const; // where q' are coordinates

private:
    static RowFunction<S> equations(const Parts<S>& parts, const MechanicalShape& shape,
                                    const MechanicalPositions& positions);
    static linalg::SubPattern second_derivatives(const linalg::Pattern& pattern,
                                                 const std::vector<std::int32_t>& position);

    Jets<S>* jets_;
    std::vector<std::int32_t> rate_; // q' by position, -1 where it is no coordinate
    RowFunction<S> equations_;
    std::vector<std::int32_t> position_; // of each equation
    linalg::SubPattern second_;          // H_pp among their entries, transposed
    linalg::ScaledProduct Z_product_;
    linalg::Vector<S> residual_, entries_, second_entries_;
};

extern template class HamiltonianVelocities<double>;
extern template class HamiltonianVelocities<Quad>;

} // namespace vessiot::method
