#include "method/attempt/point_formulas.hpp"

namespace vessiot::method {

namespace {

const expr::Function<double>& velocity_of(const Parts<double>& parts) {
    return *parts.distribution.velocity_function();
}

double* hoisted_of(const expr::Function<double>& function) {
    return function.prologue() ? function.prologue()->values() : nullptr;
}

} // namespace

std::optional<PointFormulas> PointFormulas::make(const Parts<double>& parts, bool has_rows) {
    if (parts.is_arclength || parts.base || !parts.distribution.velocity_function()) return std::nullopt;
    PointFormulas result(parts, has_rows && parts.manifold.n_constraints() > 0);
    const auto has_calls = [](const auto& formula) { return formula && formula->has_calls(); };
    if (result.direction_.has_calls() || has_calls(result.rows_) || has_calls(result.terms_)) return std::nullopt;
    return result;
}

PointFormulas::PointFormulas(const Parts<double>& parts, bool has_rows)
    : parts_(&parts), direction_(velocity_of(parts).kernel()) {
    if (!has_rows) return;
    rows_.emplace(parts.manifold.rows_with_df().function().kernel());
    terms_.emplace(parts.manifold.rows_of_terms().function().kernel());
}

// The inputs of functions are those of Jets, and what was computed from parameters alone.
std::vector<std::vector<PointFormulas::Value>> PointFormulas::put(const expr::StraightFormula& formula,
                                                                  std::uint32_t hoisted, Builder& b, Value t,
                                                                  const Point& x, bool exactly) const {
    const auto read = [&](std::uint32_t input, std::int64_t element) -> Value {
        switch (input) {
        case 0: return t;
        case 1: return b.read(parameter_input, element);
        case 4: return b.read(constant_input, element);
        case Jets<double>::n_inputs: return b.read(hoisted, element);
        default: break;
        }
        const auto at = parts_->jets.coordinate_at(input, element);
        return at ? x[static_cast<std::size_t>(*at)] : b.constant(0);
    };
    return formula.put(b, read, exactly);
}

std::vector<PointFormulas::Value> PointFormulas::direction(Builder& b, Value t, const Point& x) const {
    return put(direction_, direction_input, b, t, x)[0];
}

std::vector<PointFormulas::Value> PointFormulas::called_direction(Builder& b, Value t, const Point& x) const {
    return put(direction_, direction_input, b, t, x, true)[0];
}

PointFormulas::Rows PointFormulas::rows(Builder& b, Value t, const Point& x) const {
    const RowFunction<double>& function = manifold().rows_with_df();
    const auto out = put(*rows_, row_input, b, t, x);
    Rows rows{.f = std::vector<Value>(static_cast<std::size_t>(n_rows())), .df = {}};
    for (std::size_t k = 0; k < function.row_numbers().size(); ++k)
        if (const std::int32_t row = function.row_numbers()[k]; row >= 0)
            rows.f[static_cast<std::size_t>(row)] = out[0][k];
    std::vector<std::vector<Value>> parts(function.pattern().row.size());
    for (std::size_t k = 0; k < function.entry_numbers().size(); ++k)
        if (const std::int32_t entry = function.entry_numbers()[k]; entry >= 0)
            parts[static_cast<std::size_t>(entry)].push_back(out[1][k]);
    for (auto& terms : parts) rows.df.push_back(b.sum(std::move(terms)));
    return rows;
}

std::vector<PointFormulas::Value> PointFormulas::largest_terms(Builder& b, Value t, const Point& x) const {
    const RowFunction<double>& function = manifold().rows_of_terms();
    const auto out = put(*terms_, term_input, b, t, x);
    std::vector<Value> terms(static_cast<std::size_t>(n_rows()));
    for (std::size_t k = 0; k < function.row_numbers().size(); ++k)
        if (const std::int32_t row = function.row_numbers()[k]; row >= 0)
            terms[static_cast<std::size_t>(row)] = out[0][k];
    return terms;
}

void PointFormulas::bind(double** slots) const {
    const double* const* fixed = parts_->jets.parameters_only();
    slots[parameter_input] = const_cast<double*>(fixed[1]); // only read
    slots[constant_input] = const_cast<double*>(fixed[4]);
    slots[direction_input] = hoisted_of(velocity_of(*parts_));
    if (!rows_) return;
    slots[row_input] = hoisted_of(manifold().rows_with_df().function());
    slots[term_input] = hoisted_of(manifold().rows_of_terms().function());
}

} // namespace vessiot::method
