// Methods for equations on matrix groups: Y' = A(t, Y, w) Y, A in the algebra of the group, perhaps with other unknowns
// w' = f(t, Y, w), which form the group of addition. [Hai11, II.4, III.3, III.4; HLW06, IV.8]
//
// A step multiplies by exponentials of elements of the algebra, so that Y stays in its group. A is found from the
// direction F of the field (manifold/matrix_group.hpp), whatever way the equation was written: Y' = Y B has A = Y B
// Y^-1.
//
//   rkmk_NAME  Runge-Kutta-Munthe-Kaas, for any explicit tableau: Y = exp(Omega) Y_0, Omega' = dexpinv_Omega(A),
//                  Omega_i = h sum_j a_ij K_j,   K_i = dexpinv_(Omega_i) A(t_i, exp(Omega_i) Y_0),   Omega = h sum_i
//                  b_i K_i
//              with dexpinv_Omega(A) = sum_k B_k/k! ad_Omega^k(A) as far as the order asks for (3.5)
//   cayley_NAME  the same in the coordinates of Cayley's transform, where it stays in the group (not in SL(n), n > 2):
//                  Y = cay(Omega) Y_0,   Omega' = (1 - Omega/2) A (1 + Omega/2)                          [HLW06,
//                  IV.8.3]
//              no series, no commutators, and a rational map in place of the exponential
//   cg3, cg4   Crouch-Grossman: Y_i = exp(h a_i,i-1 A_i-1) .. exp(h a_i1 A_1) Y_0, no commutators
//   magnus2    exp(h A(t + h/2)) (4.5), for Y' = A(t) Y
//   magnus4    Omega = h/2 (A_1 + A_2) + sqrt(3) h^2/12 [A_2, A_1], nodes of Gauss in ascending order (4.6, corrected)
//   magnus6    three nodes of Gauss and four commutators [BCR00]
//
// A(t) of Magnus methods is the direction at Y = 1, at all nodes in one call where the field can do that; on Stiefel
// manifolds, where there is no 1, its columns are the directions at matrices of unit vectors.
//
// Round-off: where points are projected at all, each result (of Magnus methods every eighth) takes one step towards its
// group, the quadratic iteration for the polar factor and its like for SL and Sp, so that the defect stays at a few
// eps. Other invariants of the model are imposed by the projection of the run.
//
// A step of RKMK with |Omega| >= pi leaves the region where the exponential is a chart, and fails; in the coordinates
// of Cayley that is |Omega| >= 2, but for rotations and motions, which have no such limit.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/vector.hpp"
#include "manifold/matrix_group.hpp"
#include "method/estimate/quadrature_estimate.hpp"
#include "method/one_step.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

// The product of the groups of a system: vectors of its algebra have the entries of all A, of those in O(3) and SO(3)
// only the vector a, A b = a x b; then those of w.
template <class S> class LieProduct {
public:
    LieProduct(const Parts<S>& parts, Field<S>& field, bool is_cayley);

    std::int64_t size() const { return size_; } // of vectors of the algebra
    bool has_others() const { return !additive_.empty(); }
    std::int64_t n_group_equations() const { return n_group_equations_; }
    // The element of the algebra at a point; dx is left in direction().
    PointStatus slope(S t, const S* x, S* g);
    const S* direction() const { return dx_.data(); }
    // The same where dx is the direction at the point 1 of the groups.
    PointStatus slope_at_identity(const S* dx, S* g);
    // The element A(t) of Y' = A(t) Y, column by column: from the directions at points whose columns are those of 1.
    // For matrices with fewer columns than rows, where A is not known from the direction at one point.
    PointStatus linear_slope(S t, S* g);
    bool has_identity() const { return has_identity_; } // matrices are square, and there is no w
    bool is_rotation() const { return size_ == 3 && blocks_.size() == 1 && blocks_[0].is_rotation; } // of space, alone
    void set_identity(S* x) const;
    // exp(g) x, or cay(g) x; false where there is no such point
    bool move(const S* g, const S* x, S* out);
    // g <- dexpinv_omega(g), to order q in omega; or that of cay, which is no series
    void inverse_differential(const S* omega, int q, S* g);
    // Is omega in the region where exp or cay is a chart?
    bool is_chart(const S* omega) const;
    void commutator(const S* a, const S* b, S* c) const; // 0 for w
    // g Y, and g for w: a small element as a change of coordinates
    void tangent(const S* g, const S* x, S* dx) const;
    // One step towards the groups; returns the largest defect before it.
    S correct(S* x);
    // An element of the algebra of size about 0.3.
    void example(S* g);

private:
    struct Block {
        std::int64_t at;    // of Y in x, by rows
        std::int64_t first; // of A in a vector of the algebra
        bool is_rotation;   // A is a vector
        MatrixGroupNumbers<S> group;
        linalg::Exponential<S> exponential;
        linalg::Cayley<S> cayley;
    };
    static void bracket(const Block& b, const S* x, const S* y, S* z);
    void dexpinv(Block& b, const S* omega, int q, S* a);
    void dcayinv(Block& b, const S* omega, S* a);

    bool is_cayley_, has_identity_ = true;
    Field<S>& field_;
    std::vector<Block> blocks_;
    std::vector<std::int64_t> additive_; // coordinates of w
    std::int64_t size_ = 0, first_additive_ = 0, n_group_equations_ = 0;
    linalg::Vector<S> dx_, columns_;
    std::vector<S> work_, next_;
};

template <class S> class LieStepper final : public OneStep<S> {
public:
    LieStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    // Throws InvalidInput where a method for Y' = A(t) Y finds that A depends on Y.
    void begin(S tau, const S* x) override;
    void begin_as(int /*mode*/, S tau, const S* x) override {
        is_checked_ = true; // where the run began
        begin(tau, x);
    }

private:
    bool advance(S h, StepReport<S>& report) override;
    bool needs_first() const override { return false; }
    void renew() override {
        OneStep<S>::renew();
        is_checked_ = false;
    }
    bool counts_directions() const override { return false; }
    bool slope(S tau, const S* x, S* g, StepReport<S>& report);
    void plan_nodes();
    bool magnus(S h, StepReport<S>& report);
    bool magnus_general(S h, StepReport<S>& report);
    bool nodes(S h, StepReport<S>& report); // A at the nodes of Gauss, into k
    bool munthe_kaas(S h, StepReport<S>& report);
    bool estimate_error(S h, StepReport<S>& report);
    bool crouch_grossman(S h, StepReport<S>& report);
    bool project(StepReport<S>& report);
    void check_is_linear(S tau);
    S* k(std::size_t stage) { return k_.data() + static_cast<std::int64_t>(stage) * group_.size(); }
    // out = h sum_j w_j k_j
    void combine(const S* weights, std::size_t n, S h, S* out);

    const MethodInfo& info_;
    Projection<S>* projection_; // of invariants that the groups do not have; null where there are none
    bool projects_, estimates_, is_checked_ = false;
    LieProduct<S> group_;
    std::size_t n_stages_;
    std::vector<S> a_, b_, e_, c_; // of the tableau; e = b - b_hat
    QuadratureEstimate<S> quadrature_;
    linalg::Vector<S> stage_, error_;
    linalg::Vector<S> k_, omega_, work_; // work_: three of them
    int n_since_corrected_ = 0;
    S defect_ = 0; // as the last correction found it
    // of Magnus methods: all nodes in one call, or null; where they are evaluated; and directions there
    Stages<S>* stages_ = nullptr;
    bool is_one_call_ = false; // and they are worth it by now
    linalg::Vector<S> identity_, directions_;
    std::vector<S*> direction_at_;
};

extern template class LieStepper<double>;
extern template class LieStepper<Quad>;

extern const Family magnus_family;

extern const Family rkmk_family;

extern const Family crouch_grossman_family;

extern const Family cayley_family;

} // namespace vessiot::method
