// Functions: checks the sizes and hands on. Patterns.
#include "vessiot/functions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "model/functions/functions_base.hpp"

namespace vessiot {

// ---- patterns ----

namespace {

void check_shape(std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
    if (rows < 0 || columns < 0 || rows > largest || columns > largest) {
        throw InvalidInput(fmt::format("a sparse pattern has {} rows and {} columns, but both must be from 0 to {}",
                                       rows, columns, largest));
    }
}

} // namespace

SparsePattern SparsePattern::dense(std::int64_t rows, std::int64_t columns) {
    check_shape(rows, columns);
    SparsePattern p{.rows = rows, .columns = columns, .column_start = {}, .row = {}};
    p.row.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t c = 0; c <= columns; ++c) p.column_start.push_back(c * rows);
    for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t r = 0; r < rows; ++r) p.row.push_back(static_cast<std::int32_t>(r));
    return p;
}

SparsePattern SparsePattern::from_entries(std::int64_t rows, std::int64_t columns,
                                          std::vector<std::pair<std::int64_t, std::int64_t>> entries) {
    check_shape(rows, columns);
    for (const auto& [row, column] : entries) {
        if (row < 0 || row >= rows || column < 0 || column >= columns) {
            throw InvalidInput(
                fmt::format("entry ({}, {}) is outside of a pattern of {} x {}; rows and columns count from 0", row,
                            column, rows, columns));
        }
    }
    std::ranges::sort(entries, {}, [](const auto& e) { return std::pair{e.second, e.first}; });
    entries.erase(std::ranges::unique(entries).begin(), entries.end());
    SparsePattern p{.rows = rows, .columns = columns, .column_start = {}, .row = {}};
    p.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
    for (const auto& [row, column] : entries) {
        ++p.column_start[static_cast<std::size_t>(column) + 1];
        p.row.push_back(static_cast<std::int32_t>(row));
    }
    std::partial_sum(p.column_start.begin(), p.column_start.end(), p.column_start.begin());
    return p;
}

// ---- functions ----

namespace {

void check_size(const FunctionsBase& base, const char* what, std::size_t size, std::int64_t needed, const char* unit) {
    if (static_cast<std::int64_t>(size) == needed) return;
    throw InvalidInput(fmt::format("{}: {} has {} elements, but {} are needed, one for each {}", base.name(), what,
                                   size, needed, unit));
}

} // namespace

Functions::Functions(const Model& model, const CompileOptions& options) : base_(make_functions(model, options)) {}
Functions::Functions(const CallableSystem& system) : base_(make_functions(system)) {}
Functions::Functions(Functions&&) noexcept = default;
Functions& Functions::operator=(Functions&&) noexcept = default;
Functions::~Functions() = default;

std::int64_t Functions::n_equations() const {
    return base_->n_equations();
}

std::int64_t Functions::n_coordinates() const {
    return base_->n_coordinates();
}

const std::vector<std::string>& Functions::names() const {
    return base_->names();
}

const SparsePattern& Functions::df_pattern() {
    return base_->df_pattern();
}

const SparsePattern& Functions::d2f_pattern() {
    return base_->d2f_pattern();
}

void Functions::evaluate(double t, std::span<const double> z, std::span<const double> mu, std::span<double> f,
                         std::span<double> df, std::span<double> d2f) {
    check_size(*base_, "z", z.size(), n_coordinates(), "coordinate");
    if (!f.empty()) check_size(*base_, "f", f.size(), n_equations(), "equation");
    if (!df.empty()) check_size(*base_, "df", df.size(), df_pattern().n_entries(), "entry of df_pattern()");
    if (!d2f.empty()) {
        check_size(*base_, "mu", mu.size(), n_equations(), "equation");
        check_size(*base_, "d2f", d2f.size(), d2f_pattern().n_entries(), "entry of d2f_pattern()");
    }
    base_->evaluate(t, z, mu, f, df, d2f);
}

void Functions::f(double t, std::span<const double> z, std::span<double> f) {
    check_size(*base_, "f", f.size(), n_equations(), "equation");
    evaluate(t, z, {}, f, {}, {});
}

void Functions::df(double t, std::span<const double> z, std::span<double> df) {
    check_size(*base_, "df", df.size(), df_pattern().n_entries(), "entry of df_pattern()");
    evaluate(t, z, {}, {}, df, {});
}

void Functions::d2f(double t, std::span<const double> z, std::span<const double> mu, std::span<double> d2f) {
    check_size(*base_, "d2f", d2f.size(), d2f_pattern().n_entries(), "entry of d2f_pattern()");
    evaluate(t, z, mu, {}, {}, d2f);
}

std::vector<double> Functions::f(double t, std::span<const double> z) {
    std::vector<double> out(static_cast<std::size_t>(n_equations()));
    f(t, z, out);
    return out;
}

std::vector<double> Functions::df(double t, std::span<const double> z) {
    std::vector<double> out(static_cast<std::size_t>(df_pattern().n_entries()));
    df(t, z, out);
    return out;
}

std::vector<double> Functions::d2f(double t, std::span<const double> z, std::span<const double> mu) {
    std::vector<double> out(static_cast<std::size_t>(d2f_pattern().n_entries()));
    d2f(t, z, mu, out);
    return out;
}

void Functions::set_parameter(const std::string& name, double value) {
    base_->set_parameter(name, {&value, 1});
}

void Functions::set_parameter(const std::string& name, std::span<const double> values) {
    base_->set_parameter(name, values);
}

std::vector<double> Functions::parameter(const std::string& name) const {
    return base_->parameter(name);
}

bool Functions::is_native() const {
    return base_->is_native();
}

void Functions::wait() const {
    base_->wait();
}

} // namespace vessiot
