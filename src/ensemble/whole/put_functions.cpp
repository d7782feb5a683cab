#include "ensemble/whole/put_functions.hpp"

#include <algorithm>
#include <utility>

namespace vessiot::ensemble {

namespace {

using Value = PutFunctions::Value;
using Point = PutFunctions::Point;

// Rows of a function in the order of the manifold.
Point in_order(const Point& all, const std::vector<std::int32_t>& numbers, std::size_t n) {
    Point rows(n);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] >= 0) rows[static_cast<std::size_t>(numbers[k])] = all[k];
    return rows;
}

} // namespace

bool has_calls(const expr::Function<double>& function) {
    return !function.kernel().externals.empty() ||
           (function.lowered().prologue && !function.lowered().prologue->externals.empty());
}

PutFunctions::PutFunctions(Builder& b, Jets<double>& jets, Point parameters, bool is_varied)
    : b_(b), jets_(jets), parameters_(std::move(parameters)), is_varied_(is_varied) {
    for (const double x : jets.constants()) constants_.push_back(b.constant(x));
}

const Point& PutFunctions::hoisted(const expr::Function<double>& function) {
    const auto known = std::ranges::find(hoisted_, &function, &std::pair<const void*, Point>::first);
    if (known != hoisted_.end()) return known->second;
    Point values;
    if (const std::shared_ptr<const expr::Kernel>& prologue = function.lowered().prologue) {
        if (is_varied_) {
            const std::uint32_t parameters = function.prologue()->n_inputs() == 1 ? 0 : 1;
            const auto read = [&](std::uint32_t input, std::int64_t element) {
                return (input == parameters ? parameters_ : constants_)[static_cast<std::size_t>(element)];
            };
            values = expr::StraightFormula(*prologue).put(b_, read, true)[0];
        } else {
            const auto n = static_cast<std::size_t>(function.kernel().buffers[function.prologue()->n_inputs()].size);
            for (std::size_t k = 0; k < n; ++k) values.push_back(b_.constant(function.prologue()->values()[k]));
        }
    }
    return hoisted_.emplace_back(&function, std::move(values)).second;
}

std::vector<Point> PutFunctions::outputs(const expr::Function<double>& function, Value t, const Point& x,
                                         const Point& w) {
    const Point of_function = hoisted(function);
    const auto read = [&](std::uint32_t input, std::int64_t element) -> Value {
        const auto e = static_cast<std::size_t>(element);
        switch (input) {
        case 0: return t;
        case 1: return parameters_[e];
        case 4: return constants_[e];
        case Jets<double>::n_inputs: return of_function[e];
        default: break;
        }
        if (const auto at = jets_.coordinate_at(input, element)) return x[static_cast<std::size_t>(*at)];
        const auto top = w.empty() ? std::nullopt : jets_.top_at(input, element);
        return top ? w[static_cast<std::size_t>(*top)] : b_.constant(0);
    };
    return expr::StraightFormula(function.kernel()).put(b_, read, true);
}

Point PutFunctions::of_parameters(const expr::Function<double>& function) {
    const Point of_function = hoisted(function);
    const auto read = [&](std::uint32_t input, std::int64_t element) {
        return (input == 0 ? parameters_ : of_function)[static_cast<std::size_t>(element)];
    };
    return expr::StraightFormula(function.kernel()).put(b_, read, true)[0];
}

PutFunctions::Rows PutFunctions::rows(const Manifold<double>& manifold, Value t, const Point& x) {
    const RowFunction<double>& function = manifold.rows_with_df();
    const std::vector<Point> out = outputs(function.function(), t, x);
    Rows rows{.f = in_order(out[0], function.row_numbers(), static_cast<std::size_t>(manifold.n_constraints())),
              .df = {}};
    std::vector<Point> parts(function.pattern().row.size());
    for (std::size_t k = 0; k < function.entry_numbers().size(); ++k)
        if (const std::int32_t entry = function.entry_numbers()[k]; entry >= 0)
            parts[static_cast<std::size_t>(entry)].push_back(out[1][k]);
    for (Point& terms : parts) rows.df.push_back(b_.sum(std::move(terms)));
    return rows;
}

Point PutFunctions::largest_terms(const Manifold<double>& manifold, Value t, const Point& x) {
    const RowFunction<double>& function = manifold.rows_of_terms();
    return in_order((*this)(function.function(), t, x), function.row_numbers(),
                    static_cast<std::size_t>(manifold.n_constraints()));
}

} // namespace vessiot::ensemble
