#include "reproduce/grid.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace vessiot::reproduce {

namespace {

std::string_view mark(Verdict verdict) {
    switch (verdict) {
    case Verdict::exact: return "=";
    case Verdict::fitted: return "≃";
    case Verdict::close: return "≈";
    case Verdict::differs: break;
    }
    return "≠";
}

// The place of a name in a list, to which it is added if it is new.
std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    names.push_back(name);
    return names.size() - 1;
}

} // namespace

Grid make_grid(const TableResult& result) {
    Grid grid;
    grid.columns = result.table->columns;
    for (const Entry& entry : result.entries) {
        place_in(grid.columns, entry.cell->column);
        place_in(grid.rows, entry.cell->row);
    }
    grid.cells.assign(grid.rows.size(), std::vector<GridCell>(grid.columns.size()));
    for (const Entry& entry : result.entries) {
        GridCell& cell = grid.cells[place_in(grid.rows, entry.cell->row)][place_in(grid.columns, entry.cell->column)];
        cell.published = entry.cell->published.text;
        cell.mark = mark(entry.verdict);
        cell.computed = computed_text(entry.cell->published, entry.computed);
        if (const Reading& r = entry.cell->reading; !r.text.empty())
            place_in(grid.readings, fmt::format("{} ({})", r.text, r.is_inferred ? "inferred" : "printed"));
        if (!entry.reason.empty()) cell.reason = static_cast<int>(place_in(grid.reasons, entry.reason)) + 1;
    }
    return grid;
}

} // namespace vessiot::reproduce
