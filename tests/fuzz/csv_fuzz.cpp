// Files with numbers: the first byte says what they are read as, the rest is the file. 0..15 a table of one argument,
// 16..31 one of two, of each kind and with each continuation; else all columns. Each is read or refused with a message,
// and what was read is finite; of one in 64 the table is made.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/csv_file.hpp"
#include "core/error.hpp"
#include "expr/table/table.hpp"
#include "fuzz/mutate_model.hpp"

namespace {

using namespace vessiot;

void read_columns(const CsvFile& csv) {
    for (std::size_t column = 0; column < csv.n_columns(); ++column) {
        if (csv.has_names() && csv.column(csv.names()[column]) > column) __builtin_trap(); // the first of its name
        for (const Quad x : csv.numbers(csv.column(std::to_string(column + 1))))
            if (!std::isfinite(static_cast<double>(x))) __builtin_trap();
    }
}

expr::TablePoints points_of(const CsvFile& csv, bool has_two) {
    expr::TablePoints points{.name = "f"};
    if (!has_two) {
        if (csv.n_columns() < 2) throw InvalidInput("one column");
        points.grid = {csv.numbers(0)};
        points.values = csv.numbers(1);
        return points;
    }
    points.grid.resize(2);
    for (std::size_t column = 1; column < csv.n_columns(); ++column) points.grid[1].push_back(csv.number(0, column));
    for (std::size_t row = 1; row < csv.n_rows(); ++row) {
        points.grid[0].push_back(csv.number(row, 0));
        for (std::size_t column = 1; column < csv.n_columns(); ++column)
            points.values.push_back(csv.number(row, column));
    }
    return points;
}

void make_table(const CsvFile& csv, std::uint8_t kind, bool is_made) {
    expr::TablePoints points = points_of(csv, kind >= 16);
    points.between = static_cast<expr::Between>(kind % 4);
    points.outside = static_cast<expr::Outside>(kind / 4 % 4);
    if (const auto problem = expr::Table::check(points)) {
        if (problem->text.empty()) __builtin_trap();
        return;
    }
    // NOTE: numbers of tables are kept until the program ends
    if (is_made && expr::Table(points).n_arguments() != points.grid.size()) __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    try {
        const CsvFile csv("fuzz.csv", std::string(data + 1, data + size));
        if (data[0] < 32)
            make_table(csv, data[0], fuzz::is_one_in(64, data, size));
        else
            read_columns(csv);
    } catch (const InvalidInput& e) {
        if (*e.what() == '\0') __builtin_trap();
    }
    return 0;
}
