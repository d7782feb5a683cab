// The corrections of a projection with df frozen (FrozenRule), as values of a straight-line kernel:
//
//   G = A W A^T = L D L^T,   lambda = G^-1 f,   x <- x - W A^T lambda
//
// for sets of rows and coordinates, one after the other. Without pivoting: G is positive definite, or a pivot is small.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "method/attempt/point_formulas.hpp"
#include "projection/projection.hpp"

namespace vessiot::method {

class FrozenFactors {
public:
    using Builder = PointFormulas::Builder;
    using Value = PointFormulas::Value;
    using Point = PointFormulas::Point;

    FrozenFactors(const PointFormulas& formulas, const FrozenRule<double>& rule);

    struct Values {
        std::vector<Value> numbers; // all of them, in an order of their own
        std::vector<Value> small;   // 1 for each pivot that is too small
    };
    // Of df at x.
    Values factor(Builder& b, Value t, const Point& x) const;
    // What points near each other share, from one of them: weights, and how large the residuals of rows may be, which
    // is `tolerance` times their size where coordinates are as large as `magnitude`. The other numbers are left open.
    std::vector<Value> shared(Builder& b, Value t, const Point& x, const Point& magnitude, Value tolerance) const;
    // Of df at x, with what is shared.
    Values factor(Builder& b, Value t, const Point& x, const std::vector<Value>& shared) const;
    // How many numbers they are; those that another kernel has stored.
    std::int64_t n_numbers() const { return n_numbers_; }
    std::int64_t n_sets() const { return static_cast<std::int64_t>(sets_.size()); }
    std::vector<Value> stored(Builder& b) const;

    // What is left to do for points near x where they are corrected once: x <- x - S f, S = W A^T G^-1.
    struct Gains {
        std::vector<std::vector<std::vector<std::optional<Value>>>> of; // [set][column][row]; none: 0
        std::vector<Value> small;                                       // as in Values
    };
    Gains gains(Builder& b, Value t, const Point& x, const std::vector<Value>& shared) const;
    void correct(Builder& b, Value t, const Gains& gains, Point& x) const;
    // 1 if f(x) is far larger than f(before), and not small: the largest of all rows, in what is allowed for each.
    Value has_grown(Builder& b, Value t, const std::vector<Value>& shared, const Point& before, const Point& x) const;
    std::int64_t n_gain_operations() const; // of a correction without the formulas

    // One correction of every set in turn. `far` has a 1 for each set that moved by half of its size.
    void correct(Builder& b, Value t, const std::vector<Value>& numbers, Point& x, std::vector<Value>& far) const;
    // For each row 1 if it is not satisfied at x; and the largest |f|.
    struct Residual {
        std::vector<Value> off;
        Value largest;
    };
    Residual residual(Builder& b, Value t, const std::vector<Value>& numbers, const Point& x) const;

private:
    static constexpr std::int32_t none = -1;
    // Rows and coordinates that are solved together. `entry`, `lower`: places in the list of numbers, none for zeros.
    struct Set {
        std::vector<std::int32_t> rows, columns;
        std::vector<std::vector<std::int32_t>> entry; // [row][column], of A
        std::vector<std::vector<std::int32_t>> lower; // [i][j], j < i, of L
        std::vector<std::int32_t> inverse;            // of D, inverted
        std::vector<std::int32_t> weight;             // by column; none: 1
    };
    void add_set(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns);
    void find_fill(Set& set);
    std::vector<Value> weights(Builder& b, const Point& x) const;
    std::vector<Value> sizes(Builder& b, Value t, const Point& x, const std::vector<Value>& df,
                             const Point& magnitude) const;
    void factor(Builder& b, const Set& set, Values& to) const;

    const PointFormulas& formulas_;
    FrozenRule<double> rule_;
    std::vector<Set> sets_;
    std::vector<std::int32_t> df_place_; // by entry of df: its number, none for what never moves
    std::vector<std::int32_t> weight_place_;
    std::int32_t size_place_ = 0; // of the first row: tolerance times its size
    std::int64_t n_numbers_ = 0;
};

} // namespace vessiot::method
