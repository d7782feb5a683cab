// The constraints of a mechanical system, g(t, q) = 0, with G = dg/dq, and what their round-off is measured by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/sparse/sum_plan.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/system/mechanical_point.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class PositionConstraints {
public:
    using Point = MechanicalPoint<S>;
    // There may be none.
    PositionConstraints(const Parts<S>& parts, const MechanicalShape& shape, const MechanicalPositions& positions);

    const linalg::Pattern& G_pattern() const { return derivatives_->pattern(); } // a last column is that of t
    // The same transposed, and where its entries are in Point::G.
    const linalg::Pattern& G_rows() const { return G_rows_; }
    const std::vector<std::int32_t>& G_slot() const { return G_slot_; }
    void make(Point& p) const; // what constraints need of a point

    // None of these allocates.
    // g at (t, u)
    void values(S t, const S* u, S* g) { (*values_)(jets_->at(t, u), g, nullptr); }
    // g and G at the point
    void read(Point& p);
    // b = G v + g_t
    void rate(const Point& p, const S* v, S* b) const;
    // What round-off in g, and in G v + g_t, is measured by, inverted; of about the last points.
    const linalg::Vector<S>& inverse_sizes() const { return size_; }
    const linalg::Vector<S>& inverse_rate_sizes() const { return rate_size_; }
    void measure(const Point& p);
    void measure_rates(const Point& p, const S* v);
    // What was measured at other points counts no more.
    void forget_sizes() {
        n_until_measured_ = 0;
        measured_every_ = 1;
    }

private:
    struct TimeDerivative {
        std::int32_t row, place; // in Point::G
    };

    void make_functions(const Parts<S>& parts, const MechanicalShape& shape, const MechanicalPositions& positions);
    void plan_rates();
    void find_rows(const Parts<S>& parts, const MechanicalShape& shape);

    std::int64_t n_, m_;
    Jets<S>* jets_;
    Manifold<S>* manifold_;
    std::vector<std::int32_t> q_;                        // coordinates by position
    std::optional<RowFunction<S>> values_, derivatives_; // g; g and G
    std::vector<std::int32_t> row_in_manifold_;          // of each constraint
    linalg::Pattern G_rows_;
    std::vector<std::int32_t> G_slot_;
    linalg::SumPlan rate_plan_;                     // G v
    std::vector<TimeDerivative> G_t_;               // g_t
    int n_until_measured_ = 0, measured_every_ = 1; // sizes are measured now and then
    bool is_rate_due_ = true;
    linalg::Vector<S> terms_, size_, rate_size_;
};

extern template class PositionConstraints<double>;
extern template class PositionConstraints<Quad>;

} // namespace vessiot::method
