// Functions that are given by points, inside of formulas: measured inputs, characteristic curves, maps.
//
//     auto torque = m.table("torque", {0, 0.5, 1, 4}, {0, 12, 10, 0}, {.between = TableBetween::monotone});
//     m.equation(der(w) == torque(w) - load);
//
// They are differentiated exactly, and steps end where a table has a kink (docs/language.md, `table`).
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <vector>

#include "vessiot/expression.hpp"

namespace vessiot {

enum class TableBetween : std::uint8_t { step, linear, cubic, monotone }; // a spline; cubics that do not overshoot
enum class TableOutside : std::uint8_t { error, hold, extend, periodic };

struct TableOptions {
    TableBetween between = TableBetween::linear; // the points
    TableOutside outside = TableOutside::error;  // of their range: the run ends there with a message
};

// Such a function as a name of a model, made by Model::table.
class TableFunction {
public:
    // torque(w), or K(a, b). Throws InvalidInput for another number of arguments.
    template <std::convertible_to<Expr>... A> Expr operator()(const A&... arguments) const {
        return of({Expr(arguments)...});
    }
    Expr of(const std::vector<Expr>& arguments) const;

private:
    friend class Draft;
    TableFunction(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}

    std::shared_ptr<Draft> draft_;
    std::uint32_t id_ = 0;
};

} // namespace vessiot
