// Local coordinates as projections. [Hai11, III.2; HLW06, IV.5.3]
//
// A method in local coordinates z of the manifold applies a tableau to z' = ..., and goes back to y = eta(z) for every
// evaluation. With the chart at a, the point where the step begins, both of the usual choices are the tableau itself
// applied to y' = V, with every stage and the result moved by a projection pi that belongs to the chart:
//
//   partition  y = (y_1, y_2), d f/d y_2 regular: z = y_1,  pi(y) = (y_1, eta_2(y_1)) with f = 0. Stages in z are the
//              y_1 of stages in y, since z' = V_1. [WH82]
//   tangent    y = a + Q z + df(a)^T u(z), Q an orthonormal basis of the kernel of df(a): z = Q^T (y - a), z' = Q^T V;
//              pi(y) = y + df(a)^T u with f = 0. What stages in y have beside Q is in the range of df(a)^T, which pi
//              does not see. (2.2)-(2.3) [PR91]
//
// So no basis Q is needed, and step control, dense output and events are those of any tableau. For this the stages must
// be projected (--project stages, the default with these).
//
// Partitions are found by pivoting (linalg/column_choice.hpp) and kept as long as they are good: d y_2 / d y_1, applied
// to unit vectors or, where there are many, to vectors of +-1, must not get larger than 1 or than it was, or twice that
// in large systems; nor may the iteration for y_2 fail. The tangent space is a new one at each step.
//
// Cost: df and a factorisation a step, one f an iteration, whose matrix is that of a (of partitions, where that is
// slow, a new one); a new partition takes memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/solver/normal_solver.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/convergence.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"

namespace vessiot {

enum class Chart : std::uint8_t { partition, tangent };

template <class S> class ChartProjection final : public Projection<S> {
public:
    ChartProjection(Manifold<S>& manifold, const ProjectionOptions& options, Chart chart);

    std::string_view name() const override { return chart_ == Chart::partition ? "partition" : "tangent"; }
    void begin_step(S tau, const S* x) override;
    void forget() override;
    ProjectionReport<S> project(S tau, S* x) override;
    std::string note(const ProjectionCounts& counts, std::int64_t, std::string_view) const override {
        return "local coordinates: " + std::to_string(counts.charts) + " charts";
    }
    // The coordinates that depend on the others, by level, in the current chart of a partition.
    std::vector<std::int32_t> dependent() const;

private:
    using Projection<S>::counts_;

    // Rows and columns of df that are solved together.
    struct Part {
        std::vector<std::int32_t> rows, columns, source{}; // source: entries of df
        linalg::Pattern pattern{};
        linalg::Vector<S> entries{}, d{}, b{};
        std::optional<linalg::NormalSolver<S>> normal{};        // tangent
        std::vector<std::int32_t> dependent{}, square_source{}; // partition: columns of the part; entries of the part
        linalg::Vector<S> square_entries{}, probe{};
        std::optional<linalg::SquareSolver<S>> square{};
        S slope = 0; // |d y_2 / d y_1| when the partition was chosen
    };
    void make_parts();
    Part make_part(std::vector<std::int32_t> rows, std::vector<std::int32_t> columns) const;
    bool prepare(); // the chart at the point where the step begins
    bool evaluate(S t, const S* x);
    bool choose(Part& part);
    bool factor(Part& part);
    bool factor_partition(Part& part);
    void renew(Part& part, S t, const S* x);
    S slope(Part& part);
    static S limit(const Part& part);
    S largest_residual(const Part& part) const;
    void correct(Part& part, S* x);

    Manifold<S>& manifold_;
    Chart chart_;
    S floor_;
    int max_iterations_;
    Convergence<S> convergence_;
    std::vector<Part> parts_;
    linalg::Vector<S> a_, f_, entries_, size_;
    S tau_ = 0;
    bool has_point_ = false, is_ready_ = false;
};

extern template class ChartProjection<double>;
extern template class ChartProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind partition_projection, tangent_projection; // kind.hpp

} // namespace vessiot
