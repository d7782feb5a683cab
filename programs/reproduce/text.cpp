// Results for the terminal.
#include <algorithm>

#include <fmt/format.h>

#include "reproduce/grid.hpp"
#include "reproduce/report.hpp"

namespace vessiot::reproduce {

namespace {

constexpr std::size_t line_width = 100;

// Words in lines, all but the first behind an indent.
std::string wrapped(std::string_view text, std::size_t indent) {
    std::string result;
    std::size_t column = indent;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        const bool is_first = column == indent;
        if (!is_first && column + 1 + word.size() > line_width) {
            result += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + '\n';
}

struct Widths {
    std::size_t published = 0, computed = 0, reason = 0, all = 0;
};

std::string reason_mark(const GridCell& cell) {
    return cell.reason > 0 ? fmt::format(" [{}]", cell.reason) : "";
}

std::vector<Widths> widths(const Grid& grid) {
    std::vector<Widths> result(grid.columns.size());
    for (std::size_t j = 0; j < result.size(); ++j) {
        Widths& w = result[j];
        for (const auto& row : grid.cells) {
            w.published = std::max(w.published, row[j].published.size());
            w.computed = std::max(w.computed, row[j].computed.size());
            w.reason = std::max(w.reason, reason_mark(row[j]).size());
        }
        w.all = std::max(w.published + 3 + w.computed + w.reason, grid.columns[j].size());
    }
    return result;
}

std::string cell_text(const GridCell& cell, const Widths& w) {
    std::string text(w.all, ' ');
    if (cell.published.empty()) return text;
    text = fmt::format("{:>{}} {} {:<{}}{:<{}}", cell.published, w.published, cell.mark, cell.computed, w.computed,
                       reason_mark(cell), w.reason);
    const std::size_t shown = w.published + 3 + w.computed + w.reason; // the mark is one column wide
    return text + std::string(w.all - shown, ' ');
}

std::string without_blanks_at_end(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

} // namespace

std::string list_text() {
    std::string text;
    for (const Paper& paper : papers()) {
        text += fmt::format("{}\n  {}", paper.name, wrapped(paper.title, 2));
        std::size_t width = 0;
        for (const Table& table : paper.tables) width = std::max(width, table.name.size());
        for (const Table& table : paper.tables) text += fmt::format("    {:{}}   {}\n", table.name, width, table.title);
        text += '\n';
    }
    return text + "vessiot reproduce PAPER [TABLE] recomputes them.\n";
}

std::string table_text(const TableResult& result) {
    const Grid grid = make_grid(result);
    const std::vector<Widths> w = widths(grid);
    std::string text =
        fmt::format("{}, {}: {}\n", result.paper->name,
                    result.table->name.starts_with("fig") ? result.table->name : "table " + result.table->name,
                    result.table->title);
    if (!result.table->note.empty()) text += "  " + wrapped(result.table->note, 2);
    std::size_t first = 0;
    for (const std::string& row : grid.rows) first = std::max(first, row.size());
    std::string header = std::string(first + 2, ' ');
    for (std::size_t j = 0; j < grid.columns.size(); ++j) header += fmt::format("  {:<{}}", grid.columns[j], w[j].all);
    text += without_blanks_at_end(header);
    for (std::size_t i = 0; i < grid.rows.size(); ++i) {
        std::string line = fmt::format("  {:<{}}", grid.rows[i], first);
        for (std::size_t j = 0; j < grid.columns.size(); ++j) line += "  " + cell_text(grid.cells[i][j], w[j]);
        text += without_blanks_at_end(line);
    }
    for (std::size_t k = 0; k < grid.reasons.size(); ++k)
        text += fmt::format("  [{}] {}", k + 1, wrapped(grid.reasons[k], 6));
    for (const std::string& reading : grid.readings) text += "  Reading: " + wrapped(reading, 4);
    return text;
}

std::string claims_text(const std::vector<ClaimResult>& claims) {
    std::string text;
    for (const ClaimResult& c : claims) {
        const std::string_view verdict = name(c.finding.standing);
        text += "  " + wrapped(fmt::format("{}: \"{}\"", c.claim->where, c.claim->text), 4);
        text += "    " + wrapped(fmt::format("{}. {}", verdict, c.finding.text), 4);
    }
    return text;
}

} // namespace vessiot::reproduce
