// The pair of Lobatto IIIA and IIIB with three stages, for mechanical systems with constraints. [HLW06, VII.1.4; Jay96]
//
//     Q_i = q_0 + h sum_j a_ij v(Q_j, P_j)                        i = 1, 2, 3:  Q_1 = q_0,  Q_3 = q_1
//     P_i = y_0 + h sum_j a^_ij (f(Q_j, P_j) + Y(Q_j) lambda_j)   a^_i3 = 0
//     g(Q_2) = 0,  g(Q_3) = 0                                     for lambda_1 and lambda_2
//     y_1 = y_0 + h sum_j b_j (f(Q_j, P_j) + Y(Q_j) lambda_j)     lambda_3 so that G v + g_t = 0 at (q_1, y_1)
//
//     a = [0 0 0; 5/24 1/3 -1/24; 1/6 2/3 1/6],  a^ = [1/6 -1/6 0; 1/6 1/3 0; 1/6 5/6 0],  b = (1/6, 2/3, 1/6)
//
// Order 4, symmetric, and symplectic where RATTLE (which is the pair with two stages) is. Positions, forces and
// multipliers are iterated together; with the matrix a a^ = [.; 1/12 1/24; 1/6 1/3] for lambda_1 and lambda_2 and its
// inverse [16 -2; -8 4],
//
//     h^2 N d_1 = -16 g(Q_2) + 2 g(Q_3),   h^2 N d_2 = 8 g(Q_2) - 4 g(Q_3),   lambda_j += d_j
//
// needs one factorisation, the one that RATTLE needs. Converges by a factor O(h); for problems that are not stiff.
#pragma once

#include "method/mechanical/mechanical_stepper.hpp"

namespace vessiot::method {

template <class S> class Lobatto3ab final : public MechanicalStepper<S> {
public:
    Lobatto3ab(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    using Point = MechanicalPoint<S>;
    bool advance(S h, StepReport<S>& report) override;
    bool solve_stages(Point& from, Point& middle, Point& to, S h, StepReport<S>& report);
    bool evaluate_accelerations(Point& from, Point& middle, StepReport<S>& report);
    S set_positions(Point& from, Point& middle, Point& to, S h);

    linalg::Vector<S> y_0_, q_0_, before_;
    linalg::Vector<S> P_1_, P_2_, P_3_, V_1_, V_2_, V_3_, A_1_, A_2_, work_;
    linalg::Vector<S> lambda_1_, lambda_2_, g_2_, g_3_, b_;
};

extern template class Lobatto3ab<double>;
extern template class Lobatto3ab<Quad>;

extern const Family lobatto3ab_family;

} // namespace vessiot::method
