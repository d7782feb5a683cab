#include "reproduce/grid.hpp"

#include <algorithm>

namespace vessiot::reproduce {

namespace {

std::string_view mark(Verdict verdict) {
    return verdict == Verdict::exact ? "=" : verdict == Verdict::close ? "≈" : "≠";
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
        if (!entry.reason.empty()) cell.reason = static_cast<int>(place_in(grid.reasons, entry.reason)) + 1;
    }
    return grid;
}

} // namespace vessiot::reproduce
