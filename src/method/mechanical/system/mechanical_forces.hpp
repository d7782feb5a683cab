// The forces of a mechanical system, and what multipliers add to them.
//
//   y' = f + Y lambda         f = -E^-1 r, Y = -E^-1 B, where r + E y' + B lambda = 0 are the equations
//
// Where each equation has one y' of its own, E is divided by, once where it is constant: Y is Y. Else E is factorised
// at each point, and Y of a point is -B: E is divided by where it is used. With momenta of a lagrangian
// (lagrangian_momenta.hpp) E = 1, and the entries of a point are those of M = L_q'q', and of B behind them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/sparse/sum_plan.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/system/lagrangian_momenta.hpp"
#include "method/mechanical/system/mechanical_point.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class MechanicalForces {
public:
    using Point = MechanicalPoint<S>;
    MechanicalForces(const Parts<S>& parts, const MechanicalShape& shape);

    const MechanicalPositions& positions() const { return positions_; }
    LagrangianMomenta<S>* momenta() const { return momenta_.get(); } // null where they are not needed
    bool depend_on_y() const { return depend_on_y_; }
    bool is_diagonal() const { return is_diagonal_; } // each equation has one y', that of its position
    const linalg::SubPattern& mass() const { return mass_; }
    const linalg::Pattern& Y_pattern() const { return Y_pattern_; } // transposed: m x n
    // By entry of Y: where it is in Point::Y, and which of Point::entries is that of B.
    const std::vector<std::int32_t>& Y_slot() const { return Y_slot_; }
    const std::vector<std::int32_t>& Y_source() const { return Y_source_; }
    void make(Point& p) const; // what forces need of a point

    // None of these allocates.
    // f and Y at the time of the point, with the coordinates u. False where they are not finite or E is singular.
    bool evaluate(Point& p, const S* u);
    // Y lambda, until it is called again
    const S* directions(Point& p, const S* lambda);

private:
    void make_equations(const Parts<S>& parts, const MechanicalShape& shape);
    void use_momenta(const Parts<S>& parts, const MechanicalShape& shape);
    void plan_Y(const linalg::Pattern& B, const std::vector<std::int32_t>& source);
    void number_positions(const MechanicalShape& shape);
    void make_motion(const Parts<S>& parts, const MechanicalShape& shape);
    void plan_directions();
    bool divide_by_masses(Point& p);
    void divide_by_constant_masses(Point& p, const S* u);
    bool factor_masses(Point& p);

    std::int64_t n_, m_;
    Jets<S>* jets_;
    MechanicalPositions positions_;
    bool depend_on_y_, is_diagonal_ = true, has_constant_masses_ = true, has_inverse_ = false;
    std::optional<RowFunction<S>> equations_;       // r, E and B; not there with momenta
    std::optional<RowFunction<S>> motion_;          // r and B, where masses are constant and diagonal
    std::unique_ptr<LagrangianMomenta<S>> momenta_; // of a lagrangian, where they are needed
    std::int64_t B_first_ = 0;                      // with them: where B begins among the entries
    linalg::SubPattern mass_;                       // E among the entries
    linalg::Pattern Y_pattern_;
    std::vector<std::int32_t> Y_source_, Y_slot_;
    linalg::SumPlan Y_plan_;     // Y lambda
    linalg::Vector<S> B_weight_; // -1 / mass by the entries that motion_ gives
    linalg::Vector<S> residual_, inverse_, directions_, mass_entries_;
};

extern template class MechanicalForces<double>;
extern template class MechanicalForces<Quad>;

} // namespace vessiot::method
