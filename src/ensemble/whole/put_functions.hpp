// The functions of a problem as parts of a list: the same operations in the same order, and so the same bits. What
// depends on parameters alone is computed in the list where these vary, and is a constant elsewhere.
#pragma once

#include <vector>

#include "expr/kernel/straight.hpp"
#include "manifold/manifold.hpp"

namespace vessiot::ensemble {

class PutFunctions {
public:
    using Builder = expr::StraightBuilder;
    using Value = Builder::Value;
    using Point = std::vector<Value>;

    // By element of all parameters.
    PutFunctions(Builder& b, Jets<double>& jets, Point parameters, bool is_varied);

    // The first output of a function of the inputs of Jets; tops are 0 where none are given.
    std::vector<Point> outputs(const expr::Function<double>& function, Value t, const Point& x, const Point& w = {});
    Point operator()(const expr::Function<double>& function, Value t, const Point& x, const Point& w = {}) {
        return outputs(function, t, x, w)[0];
    }
    // Of a function of the parameters alone.
    Point of_parameters(const expr::Function<double>& function);
    struct Rows {
        Point f, df; // df: entries of Manifold::pattern()
    };
    Rows rows(const Manifold<double>& manifold, Value t, const Point& x);
    Point largest_terms(const Manifold<double>& manifold, Value t, const Point& x);

    const Point& parameters() const { return parameters_; }
    const Point& constants() const { return constants_; }
    void set_constants(Point values) { constants_ = std::move(values); }
    // What of a function depends on parameters alone.
    const Point& hoisted(const expr::Function<double>& function);

private:
    Builder& b_;
    Jets<double>& jets_;
    Point parameters_, constants_;
    bool is_varied_;
    std::vector<std::pair<const void*, Point>> hoisted_; // by function
};

// Does it call functions of the user?
bool has_calls(const expr::Function<double>& function);

} // namespace vessiot::ensemble
