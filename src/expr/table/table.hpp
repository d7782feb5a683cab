// A table: a function of one or two numbers that is given by points, as an expression of the graph (decision 30).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/table/number_list.hpp"

namespace vessiot::expr {

enum class Between { step, linear, cubic, monotone }; // not-a-knot spline; piecewise cubics without overshoot
enum class Outside { error, hold, extend, periodic };

// One argument: values[k] at grid[0][k]. Two: values[k*n + l] at (grid[0][k], grid[1][l]), n the size of grid[1].
struct TablePoints {
    std::string name{};
    std::vector<std::vector<Quad>> grid{};
    std::vector<Quad> values{};
    Between between = Between::linear;
    Outside outside = Outside::error;
};

// On each piece of an axis x, from place b_k to b_k+1, a polynomial c_0 + c_1 (x - o_k) + …: its coefficients and o_k
// are picked from lists by the number of the piece.
class Table {
public:
    // What is wrong with the points; `argument` and `at` say where, with at < 0 for all of them.
    struct Problem {
        std::size_t argument = 0;
        std::int64_t at = -1;
        std::string text;
    };
    static std::optional<Problem> check(const TablePoints& points);

    // Of points that are as they should be.
    explicit Table(const TablePoints& points);

    std::size_t n_arguments() const { return axes_.size(); }
    const std::string& name() const { return name_; }
    NodeId operator()(Graph& g, const std::vector<NodeId>& arguments) const;

private:
    struct Axis {
        const NumberList *places = nullptr, *origins = nullptr;
        std::size_t n_pieces = 0, n_coefficients = 0;
        std::optional<std::pair<Quad, Quad>> period{}; // from, length
    };
    class Maker;

    std::string name_;
    std::vector<Axis> axes_;
    std::vector<const NumberList*> coefficients_; // of x^i y^j: [i*n + j]; by piece: [k*n_pieces + l]
};

} // namespace vessiot::expr
