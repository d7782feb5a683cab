// The projection `simplified`: f(a + W A^T lambda) = 0 with A = df frozen, so that one factorisation of A W A^T serves
// all iterations, and all projections of a step.
//
// Levels. Without invariants the constraints come in levels s = -K .. -1 (prolongation.hpp): the rows F_i^(c_i+s)
// determine the coordinates y_j^(d_j+s) once those of lower levels are known, with the same matrix at every level. So
// positions are corrected by position constraints, velocities by velocity constraints, and so on, W = 1. Of a
// mechanical system that is G G^T twice, for positions (nonlinear) and for velocities (linear).
//
// Jointly. An invariant couples the levels, and so does t as a coordinate; the general formulation has none: then all
// coordinates are moved at once, with W = diag(w_s^2), w_s = max(1, root mean square of the coordinates of level s), so
// that fast velocities are not mended by moving positions.
//
// Folds. An implicit equation such as y'^2 + y^2 = 1 determines y' badly where y' is small: a small error of y would
// become a large one of y'. For a step near such a place all is done jointly.
//
// Redundant rows (x z = x s beside z = s) depend on the others on the manifold only: off it they seem to ask for more,
// and would move x. Where there are some, A is that of the point where the step begins, which tells them apart.
//
// Freezing A over a step keeps the order: for that step the map is one smooth projection. [HLW06, IV.4] Where
// convergence is slow, the matrix of the iteration is renewed, df(x) W A^T, but not the directions W A^T. Cost: one f
// an iteration; df and a factorisation once a step, and again where convergence is slow.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/product.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/convergence.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"

namespace vessiot {

// Weights of the coordinates: the mean square of those of each level, at least 1; that of t, the level 0, is 1.
template <class S> class LevelWeights {
public:
    explicit LevelWeights(const Manifold<S>& manifold);
    void set(const S* u);
    const S* data() const { return weights_.data(); }
    S operator[](std::int64_t k) const { return weights_[k]; }

private:
    std::vector<int> depth_;      // by coordinate: minus its level
    std::vector<S> mean_, count_; // by depth
    linalg::Vector<S> weights_;
};

template <class S> class SimplifiedProjection final : public Projection<S> {
public:
    SimplifiedProjection(Manifold<S>& manifold, const ProjectionOptions& options);

    std::string_view name() const override { return "simplified"; }
    bool goes_by_levels() const override { return !is_joint_; }
    void begin_step(S tau, const S* x) override;
    void retry() override { forget(); }
    void forget() override;
    void renew() override;
    ProjectionReport<S> project(S tau, S* x) override;
    std::optional<FrozenRule<S>> frozen_rule() const override;

private:
    using Projection<S>::counts_;

    [[gnu::noinline]] void find_redundant_rows(S tau, const S* x); // once in a run, where there are none
    ProjectionReport<S> with_left_out(S tau, S* x, ProjectionReport<S> report);
    bool leaves_out_rows() const; // the factors of this step
    bool satisfies_left_out() const;
    void note_left_out();
    void forget_left_out();

    // Rows and columns of df that are solved together.
    struct Level {
        std::vector<char> is_left_out;                        // by row: it follows from the others
        std::vector<std::int32_t> rows, columns, source;      // source: entries of df
        linalg::NormalSolver<S> solver;                       // A W A^T
        linalg::ScaledProduct product;                        // df(x) W A^T
        std::unique_ptr<linalg::SquareSolver<S>> renewed;     // its factors
        bool is_renewed = false;                              // they are to be used
        linalg::Vector<S> entries, now, matrix, b, lambda, d; // of A; of df(x); of df(x) W A^T
    };
    Level make_level(std::vector<std::int32_t> rows, std::vector<std::int32_t> columns) const;
    std::vector<Level> make_levels(bool is_joint) const;
    void find_implicit_rows();
    bool is_near_fold() const;
    bool factor(S t, const S* u);
    void clear_vanishing(Level& level);
    bool factor_anew(Level& level, S t, const S* u);
    const S* weights() const { return is_joint_ || is_near_fold_ ? weights_.data() : nullptr; }
    std::vector<Level>& levels() { return is_near_fold_ ? joint_ : levels_; }
    S largest_residual(const Level& level) const;
    bool is_rounded(const Level& level, S t, const S* x);
    void correct(Level& level, S* x);
    bool moves_far(const Level& s, const S* x) const; // the last correction, beside the point

    Manifold<S>& manifold_;
    S floor_;
    int max_iterations_;
    Convergence<S> convergence_;
    bool is_joint_;
    bool has_factor_ = false;
    enum class Rows : std::uint8_t { unknown, independent, redundant } redundancy_ = Rows::unknown;
    linalg::Vector<S> row_size_, largest_row_; // where rows are redundant: largest entries, now and ever
    bool is_of_start_ = false;                 // the factors are those of the point where the step began
    bool is_near_fold_ = false;
    std::vector<Level> levels_, joint_;       // joint_: for steps near a fold, where there may be some
    std::vector<std::int32_t> implicit_rows_; // equations that contain coordinates of several levels
    std::vector<char> is_implicit_;
    mutable linalg::Vector<S> own_, all_; // of each row: sums of w_j df_ij^2, of its own level and of all
    linalg::Vector<S> f_, entries_, size_, terms_;
    LevelWeights<S> weights_;
    int n_since_terms_ = 0;   // factorisations
    bool is_trusted_ = false; // terms_ are of a point that was accepted
};

extern template class SimplifiedProjection<double>;
extern template class SimplifiedProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind simplified_projection; // kind.hpp

} // namespace vessiot
