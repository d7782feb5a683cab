// Tables of the Modelica Standard Library (CombiTimeTable, CombiTable1D, CombiTable2D) with their data in the text.
#include <cmath>

#include <fmt/format.h>

#include "core/csv_file.hpp"
#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr std::size_t time_columns = 4, time_smoothness = 5, time_extrapolation = 6; // arguments of its constructor
constexpr std::size_t line_columns = 3, line_smoothness = 4, line_extrapolation = 5;
constexpr double never = 1e60;

} // namespace

// A table is kept as the record of its constructor's arguments.
Value Builtins::table(const std::string& name, const Args& args, Span span) {
    const bool is_table = name.find("ExternalCombi") != name.npos;
    if (!is_table) ev_.fail(span, fmt::format("the external object '{}' is not supported", name));
    const std::size_t matrix = 2;
    if (args.size() <= matrix || !args[matrix].is_array()) ev_.fail(span, "a table has a matrix of numbers");
    const std::string file = args.size() > 1 ? ev_.text_of(args[1]) : "NoName";
    if (!file.empty() && file != "NoName")
        ev_.fail(span, fmt::format("tables in files ('{}') are not supported: put the numbers into the model", file));
    Value result = Value::record(std::make_shared<std::vector<NameId>>(), args);
    result.node = name.find("TimeTable") != name.npos ? 0 : name.find("2D") != name.npos ? 2 : 1;
    return result;
}

// The rows of its matrix, as numbers.
std::vector<std::vector<Quad>> Builtins::rows_of(const Value& table, Span span) {
    std::vector<std::vector<Quad>> rows;
    for (const Value& row : *table[2].items) {
        std::vector<Quad>& numbers = rows.emplace_back();
        for (std::size_t k = 0; k < row.size(); ++k) {
            const auto known = ev_.known(scalar(row[k], span));
            if (!known) ev_.fail(span, "the numbers of a table must be known when the model is read");
            numbers.push_back(*known);
        }
        if (numbers.size() != rows[0].size() || numbers.empty()) ev_.fail(span, "the rows of a table differ in length");
    }
    if (rows.empty()) ev_.fail(span, "a table has at least one row");
    return rows;
}

Between Builtins::between(std::int64_t smoothness, Span span) {
    switch (smoothness) {
    case 1: return Between::linear;
    case 3: return Between::step;
    case 4: return Between::monotone;
    default: break;
    }
    ev_.fail(span, "of the kinds of smoothness of a table linear, constant and the first monotone one are supported");
}

Outside Builtins::outside(std::int64_t extrapolation) {
    return extrapolation == 1   ? Outside::hold
           : extrapolation == 2 ? Outside::extend
           : extrapolation == 3 ? Outside::periodic
                                : Outside::error;
}

// One column over the first one. Where an abscissa stands twice the table jumps: pieces, chosen by the argument.
NodeId Builtins::interpolated(const std::vector<std::vector<Quad>>& rows, std::size_t column, std::int64_t smoothness,
                              std::int64_t extrapolation, NodeId x, Span span) {
    if (rows.size() == 1) return g_.constant(rows[0][column]);
    const Outside ends = outside(extrapolation);
    if (ends == Outside::periodic) {
        const Quad from = rows.front()[0], length = rows.back()[0] - from;
        x = g_.add(g_.constant(from), g_.mod(g_.sub(x, g_.constant(from)), g_.constant(length)));
    }
    struct Piece {
        std::size_t first, last; // rows
    };
    std::vector<Piece> pieces{{0, 0}};
    for (std::size_t k = 1; k < rows.size(); ++k) {
        if (rows[k][0] < rows[k - 1][0]) ev_.fail(span, "the first column of a table must not decrease");
        if (rows[k][0] > rows[k - 1][0])
            pieces.back().last = k;
        else
            pieces.push_back({k, k});
    }
    NodeId result = none;
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        NodeId value = g_.constant(rows[piece->first][column]);
        if (piece->last > piece->first) {
            TablePoints points{.name = "table",
                               .grid = {{}},
                               .values = {},
                               .between = between(smoothness, span),
                               .outside = pieces.size() > 1 || ends == Outside::periodic ? Outside::extend : ends};
            const bool is_end = &*piece == &pieces.back() || &*piece == &pieces.front();
            if (pieces.size() > 1 && is_end && ends == Outside::hold) points.outside = Outside::hold;
            for (std::size_t k = piece->first; k <= piece->last; ++k) {
                points.grid[0].push_back(rows[k][0]);
                points.values.push_back(rows[k][column]);
            }
            if (const auto problem = Table::check(points)) ev_.fail(span, problem->text);
            value = Table(points)(g_, {x});
        }
        if (result == none)
            result = value;
        else
            result = choose(g_, compare(g_, Op::less, x, g_.constant(rows[(piece - 1)->first][0])), value, result);
    }
    return result;
}

std::optional<Value> Builtins::of_tables(const std::string& name, const Args& args, Span span) {
    const bool is_time = name.starts_with("getTimeTableValue"), is_line = name.starts_with("getTable1DValue"),
               is_plane = name.starts_with("getTable2DValue");
    if (name.starts_with("getNextTimeEvent")) return number(never);
    const bool is_bound = name == "getTimeTableTmin" || name == "getTimeTableTmax" ||
                          name == "getTable1DAbscissaUmin" || name == "getTable1DAbscissaUmax";
    if (!is_time && !is_line && !is_plane && !is_bound) return {};
    if (args.empty() || !args[0].is_record() || args[0].size() < 3) ev_.fail(span, "the first argument is no table");
    const Value& table = args[0];
    const std::vector<std::vector<Quad>> rows = rows_of(table, span);
    if (is_bound) return Value::number(g_.constant(name.ends_with("min") ? rows.front()[0] : rows.back()[0]));
    const auto whole = [&](const Value& value) {
        const auto known = ev_.known(scalar(value, span));
        if (!known) ev_.fail(span, "this argument of a table must be known when the model is read");
        return static_cast<std::int64_t>(*known);
    };
    if (is_plane) {
        need(args, 3, 3, name, span);
        return plane(rows, table, scalar(args[1], span), scalar(args[2], span), span);
    }
    need(args, 3, 9, name, span);
    const Value& columns = table[is_time ? time_columns : line_columns];
    const std::int64_t chosen = whole(args[1]);
    if (chosen < 1 || static_cast<std::size_t>(chosen) > columns.size()) ev_.fail(span, "the table has no such column");
    const std::int64_t column = whole(columns[static_cast<std::size_t>(chosen) - 1]);
    if (column < 1 || static_cast<std::size_t>(column) > rows[0].size()) ev_.fail(span, "the table has no such column");
    const std::int64_t smoothness = whole(table[is_time ? time_smoothness : line_smoothness]);
    const std::size_t extrapolation = is_time ? time_extrapolation : line_extrapolation;
    const std::int64_t ends = table.size() > extrapolation ? whole(table[extrapolation]) : 2;
    NodeId x = scalar(args[2], span);
    if (is_time && table.size() > 7) x = g_.sub(x, scalar(table[7], span)); // shiftTime
    NodeId value = interpolated(rows, static_cast<std::size_t>(column) - 1, smoothness, ends, x, span);
    if (is_time) // before startTime there is nothing
        value = choose(g_, compare(g_, Op::less, scalar(args[2], span), scalar(table[3], span)), g_.zero(), value);
    return Value::number(value);
}

// The first row and column are the grid.
Value Builtins::plane(const std::vector<std::vector<Quad>>& rows, const Value& table, NodeId x, NodeId y, Span span) {
    const auto smoothness = ev_.known(scalar(table[3], span)).value_or(1);
    const auto ends = table.size() > 4 ? ev_.known(scalar(table[4], span)).value_or(2) : Quad(2);
    TablePoints points{.name = "table",
                       .grid = {{}, {}},
                       .values = {},
                       .between = between(static_cast<std::int64_t>(smoothness), span),
                       .outside = outside(static_cast<std::int64_t>(ends))};
    for (std::size_t j = 1; j < rows[0].size(); ++j) points.grid[1].push_back(rows[0][j]);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        points.grid[0].push_back(rows[i][0]);
        points.values.insert(points.values.end(), rows[i].begin() + 1, rows[i].end());
    }
    if (const auto problem = Table::check(points)) ev_.fail(span, problem->text);
    return Value::number(Table(points)(g_, {x, y}));
}

} // namespace vessiot::modelica
