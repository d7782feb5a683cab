// Tables, and numbers from files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/csv_file.hpp"
#include "core/text.hpp"
#include "expr/table/table.hpp"
#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

namespace {

expr::Between between(TableKind kind) {
    switch (kind) {
    case TableKind::step: return expr::Between::step;
    case TableKind::linear: return expr::Between::linear;
    case TableKind::cubic: return expr::Between::cubic;
    case TableKind::monotone: return expr::Between::monotone;
    }
    return expr::Between::linear;
}

expr::Outside outside(TableEnds ends) {
    switch (ends) {
    case TableEnds::error: return expr::Outside::error;
    case TableEnds::hold: return expr::Outside::hold;
    case TableEnds::extend: return expr::Outside::extend;
    case TableEnds::periodic: return expr::Outside::periodic;
    }
    return expr::Outside::error;
}

} // namespace

// Files are found from the folder of the text that names them.
std::filesystem::path Elaborator::folder_of(Span span) const {
    return std::filesystem::path(module_.source->name_at(span.begin)).parent_path();
}

// ---- array parameters ----

void Elaborator::evaluate_from_file(Symbol& symbol) {
    const std::string_view name = symbol.ident.name;
    const FileReference& file = *symbol.file;
    const bool is_of_model = file.path_span != Span{};
    const Span span = is_of_model ? file.path_span : symbol.ident.span;
    const auto fail_here = [&](Span where, const std::string& text) {
        if (!is_of_model) throw InvalidInput(fmt::format("--set {}: {}", name, text));
        fail(where, text);
    };
    if (file.columns.size() > 1) fail_here(file.columns[1].span, "an array is one column of the file");
    try {
        const CsvFile csv = CsvFile::load(symbol.folder / file.path);
        if (file.columns.empty() && csv.n_columns() > 1)
            throw InvalidInput(fmt::format("'{}' has {}: say which one, as in: column {}", file.path,
                                           plural(csv.n_columns(), "column"),
                                           csv.has_names() ? csv.names().front() : "1"));
        symbol.values = csv.numbers(file.columns.empty() ? 0 : csv.column(file.columns[0].name));
    } catch (const ModelError&) {
        throw;
    } catch (const InvalidInput& e) {
        fail_here(file.columns.empty() ? span : file.columns[0].span, e.what());
    }
    const auto n = static_cast<std::int64_t>(symbol.values.size());
    if (n == 0) fail_here(span, fmt::format("the file '{}' has no numbers", file.path));
    const bool is_free =
        symbol.parameter->dims.empty() && (symbol.parameter->file || symbol.parameter->is_sized_by_value);
    if (symbol.dims.empty() && !is_free)
        fail_here(span,
                  fmt::format("'{0}' is a single parameter, but the file has {1}; an array is declared as {0}[{2}]",
                              name, plural(symbol.values.size(), "number"), n));
    if (!symbol.dims.empty() && symbol.dims != Dims{n})
        fail_here(span, describe_mismatch(fmt::format("'{}'", name), symbol.dims, "the column", {n}));
    symbol.dims = {n};
    symbol.first = {1};
}

// size(load), size(K, 2)
Value Elaborator::evaluate_size(const Call& call, Span span) {
    check_argument_count(call, span, 1, 2);
    Dims dims;
    const Name* name = as<Name>(call.arguments[0]);
    Symbol* symbol = name && !find_local(name->name) ? table_.find(name->name) : nullptr;
    const bool has_size = symbol && (symbol->kind == SymbolKind::parameter || symbol->kind == SymbolKind::discrete ||
                                     (symbol->kind == SymbolKind::unknown && symbol->array != expr::none));
    if (has_size) {
        symbol->is_used |= symbol->kind == SymbolKind::parameter;
        dims = symbol->dims;
    } else {
        dims = evaluate(call.arguments[0]).dims();
    }
    if (dims.empty()) fail(call.arguments[0]->span, "a number has no size: 'size' is the length of an array");
    std::int64_t k = 1;
    if (call.arguments.size() == 2)
        k = integer(call.arguments[1], {Use::Kind::index, "size"});
    else if (dims.size() > 1)
        fail(span, fmt::format("this has {} indices: write size(…, 1) for the range of the first one", dims.size()));
    if (k < 1 || k > static_cast<std::int64_t>(dims.size()))
        fail(call.arguments[1]->span,
             fmt::format("this array has {}, but index {} is asked for",
                         dims.size() == 1 ? "1 index" : fmt::format("{} indices", dims.size()), k));
    return graph_.integer(dims[static_cast<std::size_t>(k - 1)]);
}

// ---- tables ----

expr::TablePoints Elaborator::points_of(const TableStatement& table) {
    expr::TablePoints points{.name = std::string(table.name.name), .grid = {{}}};
    const Switch back(*this);
    is_structural_ = true;
    const std::string what = fmt::format("a point of '{}'", table.name.name);
    for (const TableStatement::Point& point : table.points) {
        points.grid[0].push_back(constant(point.at, what));
        points.values.push_back(constant(point.value, what));
    }
    return points;
}

// `places`: of the points of the first and then of the second argument, in the file.
expr::TablePoints Elaborator::points_from_file(const TableStatement& table, std::vector<std::string>& places) {
    const FileReference& file = *table.file;
    const CsvFile csv = CsvFile::load(folder_of(file.path_span) / file.path);
    expr::TablePoints points{.name = std::string(table.name.name)};
    if (table.formals.size() == 2) {
        points.grid.resize(2);
        for (std::size_t row = 1; row < csv.n_rows(); ++row) {
            points.grid[0].push_back(csv.number(row, 0));
            places.push_back(csv.place(row, 0));
            for (std::size_t column = 1; column < csv.n_columns(); ++column)
                points.values.push_back(csv.number(row, column));
        }
        for (std::size_t column = 1; column < csv.n_columns(); ++column) {
            points.grid[1].push_back(csv.number(0, column));
            places.push_back(csv.place(0, column));
        }
        return points;
    }
    if (csv.n_columns() < 2)
        throw InvalidInput(
            fmt::format("'{}' has one column; a table needs two, for its points and its values", file.path));
    if (file.columns.empty() && csv.n_columns() > 2)
        throw InvalidInput(fmt::format("'{}' has {}: say which ones, as in: columns {}, {}", file.path,
                                       plural(csv.n_columns(), "column"), csv.has_names() ? csv.names()[0] : "1",
                                       csv.has_names() ? csv.names()[1] : "2"));
    const std::size_t x = file.columns.empty() ? 0 : csv.column(file.columns[0].name);
    points.grid = {csv.numbers(x)};
    points.values = csv.numbers(file.columns.empty() ? 1 : csv.column(file.columns[1].name));
    for (std::size_t k = 0; k < points.values.size(); ++k) places.push_back(csv.place(csv.row_of(k), x));
    return points;
}

void Elaborator::make_table(Symbol& symbol) {
    const TableStatement& table = *symbol.table;
    if (table.file && table.formals.size() == 1 && !table.file->columns.empty() && table.file->columns.size() != 2)
        fail(table.file->columns.back().span,
             "a table needs two columns, for its points and its values: columns time, speed");
    expr::TablePoints points;
    std::vector<std::string> places;
    try {
        points = table.file ? points_from_file(table, places) : points_of(table);
    } catch (const ModelError&) {
        throw;
    } catch (const InvalidInput& e) {
        fail(table.file->path_span, e.what());
    }
    points.between = between(table.kind);
    points.outside = outside(table.ends);
    if (const auto problem = expr::Table::check(points)) {
        const auto at = static_cast<std::size_t>(problem->at);
        if (problem->at < 0) fail(table.file ? table.file->path_span : table.name.span, problem->text);
        if (!table.file) fail(table.points[at].at->span, problem->text);
        const std::size_t before = problem->argument == 0 ? 0 : points.grid[0].size();
        fail(table.file->path_span, fmt::format("{}: {}", places[before + at], problem->text));
    }
    symbol.points = std::make_shared<const expr::Table>(points);
}

Value Elaborator::call_table(const Symbol& symbol, const Call& call, Span span) {
    const auto n = static_cast<int>(symbol.table->formals.size());
    check_argument_count(call, span, n, n);
    std::vector<NodeId> arguments;
    for (ExprPtr argument : call.arguments) arguments.push_back(number(argument));
    return (*symbol.points)(graph_, arguments);
}

} // namespace vessiot::lang
