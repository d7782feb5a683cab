// The direction and the constraints of a small system at a point whose numbers are values of a straight-line kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expr/kernel/straight.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

// The inputs that all kernels of an attempt begin with.
enum AttemptInput : std::uint32_t { // NOLINT(performance-enum-size): numbers of buffers
    step_input,                     // t, h, rtol, atol
    parameter_input,                // as Jets has them
    constant_input,                 // kept values, and what is held
    direction_input,                // what of a function depends on parameters alone: of V,
    row_input,                      // of f and df,
    term_input,                     // of the largest terms of f
    start_input,                    // x
    first_input,                    // k_1
    stage_input,                    // k_2, k_3, ..
    from_input,                     // a point that is to be moved onto the manifold
    frozen_input,                   // factors of df there
};
inline constexpr std::uint32_t n_attempt_inputs = frozen_input + 1;

class PointFormulas {
public:
    using Builder = expr::StraightBuilder;
    using Value = Builder::Value;
    using Point = std::vector<Value>;

    struct Rows {
        std::vector<Value> f, df; // df: entries of Manifold::pattern()
    };

    // The formulas are those of the parts, which must outlive this. Without constraints where these are not imposed.
    // None where there are no formulas.
    static std::optional<PointFormulas> make(const Parts<double>& parts, bool has_rows);

    std::int64_t n() const { return parts_->prolongation.n_state(); }
    const Manifold<double>& manifold() const { return parts_->manifold; }
    std::int64_t n_rows() const { return rows_ ? manifold().n_constraints() : 0; }
    std::int64_t n_operations() const { return direction_.n_operations(); }             // of V
    std::int64_t n_row_operations() const { return rows_ ? rows_->n_operations() : 0; } // of f and df

    std::vector<Value> direction(Builder& b, Value t, const Point& x) const;
    // As a call of the function has it, to the last bit.
    std::vector<Value> called_direction(Builder& b, Value t, const Point& x) const;
    Rows rows(Builder& b, Value t, const Point& x) const;
    std::vector<Value> largest_terms(Builder& b, Value t, const Point& x) const;

    // Where the inputs of these formulas are; they stay there.
    void bind(double** slots) const;

private:
    PointFormulas(const Parts<double>& parts, bool has_rows);
    std::vector<std::vector<Value>> put(const expr::StraightFormula& formula, std::uint32_t hoisted, Builder& b,
                                        Value t, const Point& x, bool exactly = false) const;

    const Parts<double>* parts_;
    expr::StraightFormula direction_;
    std::optional<expr::StraightFormula> rows_, terms_;
};

} // namespace vessiot::method
