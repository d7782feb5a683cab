// The manifold M of a system: the points (t, u) where all constraints hold, the written, the hidden and the invariants.
//
//   f(t, u) = 0,   k rows:  F_i^(0 .. c_i-1), then I - kept value for every invariant
//   df             k x m, by u; and one more column, by t, where t is a coordinate (arclength)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "manifold/fixed.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

enum class ConstraintKind : std::uint8_t { written, hidden, invariant };

struct ConstraintRow {
    ConstraintKind kind = ConstraintKind::written;
    std::size_t source = 0;    // number in System::equations or System::invariants
    int order = 0;             // of the total derivative
    std::int64_t instance = 0; // of the family, from 0
    int level = 0;             // order - c_i < 0; invariants: 0
};

struct ManifoldOptions {
    expr::EvaluatorOptions evaluator{};
    bool has_t = false; // df has a last column for t
    bool has_invariants = true;
};

template <class S> class Manifold {
public:
    // All must outlive it.
    Manifold(const System& system, const Prolongation& p, Jets<S>& jets, const ManifoldOptions& options);

    std::int64_t n_constraints() const { return std::ssize(rows_); }
    std::int64_t n_coordinates() const { return n_columns_; } // u, and t where it is one
    const std::vector<ConstraintRow>& rows() const { return rows_; }
    // Of each column of df, order - d_j: -1 for what the tops are the derivatives of. 0 for t.
    const std::vector<int>& levels() const { return levels_; }
    bool has_t() const { return has_t_; }
    bool has_invariants() const { return has_invariants_; }
    // Do the rows of a level determine coordinates of that level? Not in the general formulation.
    bool has_levels() const { return has_levels_; }
    const linalg::Pattern& pattern() const { return with_df_->pattern(); }

    // None of these allocates.
    void f(S t, const S* u, S* f);
    void df(S t, const S* u, S* f, S* entries);
    // The same for projections: without the entries of coordinates that never move (fixed.hpp).
    void movable_df(S t, const S* u, S* f, S* entries) {
        df(t, u, f, entries);
        for (const std::int64_t e : fixed_.left_out) entries[e] = S(0);
    }
    // The functions behind these, for those that put them into others.
    const RowFunction<S>& rows_with_df() const { return *with_df_; }
    const RowFunction<S>& rows_of_terms() const { return *terms_; }
    const std::vector<std::int64_t>& immovable_entries() const { return fixed_.left_out; }
    bool is_fixed(std::int64_t coordinate) const {
        return !fixed_.is_fixed.empty() && fixed_.is_fixed[static_cast<std::size_t>(coordinate)] != 0;
    }
    // For each row the largest term of the equation there.
    void terms(S t, const S* u, S* largest);
    // For each row the size that round-off is measured by: max_j |df_ij| (|u_j| + floor), what a relative change of
    // one coordinate makes, or a sixteenth of the largest term, if that is more. It scales with the row. Needs the
    // entries of df at the point.
    void sizes(S t, const S* u, const S* entries, S floor, S* size);
    // For each row the largest number that is rounded on the way to it, as it counts there (rounding.hpp). Compiled
    // when it is first asked for.
    void roundings(S t, const S* u, S* size);
    // The same with largest terms that are known already, about.
    void sizes(const S* terms, const S* u, const S* entries, S floor, S* size) const;

    // By column of the arrays differentiated by (all jets, then t): the coordinate, -1 for none.
    const std::vector<std::int32_t>& column_numbers() const { return selection_.column; }
    // The contraction of second derivatives sum_i mu_i f_i'', the lower triangle: its columns and rows are
    // those of column_numbers(). By coordinates that never move it is 0.
    const expr::SparseMatrix& curvature_matrix();
    void curvature(S t, const S* u, const S* mu, S* entries);

    // "x^2 + y^2 = l^2", "the derivative of x^2 + y^2 = l^2", "the invariant (x'^2 + y'^2)/2 + g*y".
    std::string text(std::int64_t row) const;
    // The equation or invariant that a row comes from, not differentiated.
    std::string equation_text(std::int64_t row) const;

private:
    std::vector<RowTemplate> families(const Prolongation& p);
    std::vector<RowTemplate> invariant_families();
    std::vector<RowTemplate> largest_terms(const std::vector<RowTemplate>& rows) const;

    const System& system_;
    Jets<S>& jets_;
    bool has_t_, has_invariants_, has_levels_;
    expr::EvaluatorOptions evaluator_;
    std::int64_t n_columns_ = 0;
    std::vector<ConstraintRow> rows_;
    std::vector<int> levels_;
    std::vector<RowTemplate> templates_;
    std::vector<expr::ArrayId> columns_;
    Selection selection_;
    std::optional<RowFunction<S>> only_f_, with_df_, terms_, roundings_;
    FixedCoordinates fixed_;

    struct Curvature {
        expr::SparseMatrix matrix;
        std::vector<expr::BufferSpec> inputs;
        std::optional<expr::Function<S>> function;
        std::vector<S> mu, local;
        std::vector<std::int64_t> left_out; // entries of fixed coordinates
    };
    std::unique_ptr<Curvature> curvature_;
};

extern template class Manifold<double>;
extern template class Manifold<Quad>;

// The additive terms of an expression, signs apart: a, 2*b, c of (a - 2*b + c); through factors that are numbers.
std::vector<expr::NodeId> additive_terms(expr::Graph& g, expr::NodeId n);
// The largest of their sizes.
expr::NodeId largest_term(expr::Graph& g, expr::NodeId n);

} // namespace vessiot
