// Results as a page.
#include <fmt/format.h>

#include "reproduce/grid.hpp"
#include "reproduce/report.hpp"

namespace vessiot::reproduce {

namespace {

std::string table_markdown(const TableResult& result) {
    const Grid grid = make_grid(result);
    const bool is_figure = result.table->name.starts_with("fig");
    std::string text = fmt::format("### {} {}: {}\n\n", is_figure ? "Figure" : "Table",
                                   is_figure ? result.table->name.substr(3) : result.table->name, result.table->title);
    if (!result.table->note.empty()) text += result.table->note + "\n\n";
    std::string header = "| |", line = "| --- |";
    for (const std::string& column : grid.columns) {
        header += fmt::format(" {} |", column);
        line += " --- |";
    }
    text += header + "\n" + line + "\n";
    for (std::size_t i = 0; i < grid.rows.size(); ++i) {
        text += fmt::format("| {} |", grid.rows[i]);
        for (const GridCell& cell : grid.cells[i]) {
            if (cell.published.empty())
                text += " |";
            else
                text += fmt::format(" {} {} {}{} |", cell.published, cell.mark, cell.computed,
                                    cell.reason > 0 ? fmt::format(" [{}]", cell.reason) : "");
        }
        text += "\n";
    }
    text += "\n";
    for (const std::string& reading : grid.readings) text += "- Reading: " + reading + "\n";
    if (!grid.readings.empty()) text += "\n";
    for (std::size_t k = 0; k < grid.reasons.size(); ++k) text += fmt::format("[{}] {}\n\n", k + 1, grid.reasons[k]);
    return text;
}

} // namespace

std::string markdown(const std::vector<PaperResult>& papers) {
    std::string text =
        "# Published tables, recomputed\n\n"
        "This page is made by `vessiot reproduce all --markdown docs/reproduction.md`; only the printed numbers are\n"
        "typed in. A cell shows the printed number, the verdict and the computed number:\n\n"
        "- `=` exact: the computed number rounds to the printed digits (a printed 0: below 1e-12)\n"
        "- `≃` fitted: the same, with a reading of what the text leaves open that was inferred from its numbers\n"
        "- `≈` close: within 10 %\n"
        "- `≠` differs; a number in brackets leads to what is known about it\n\n"
        "Numbers that stand beside ours as a reference, not as published, come from a theorem or from programs of our "
        "own;\n"
        "they are not counted as reproduced.\n\n";
    for (const PaperResult& result : papers) {
        text += fmt::format("## {}\n\n{}.\n\n", result.paper->name, result.paper->title);
        if (!result.paper->note.empty()) text += result.paper->note + "\n\n";
        text += counts_text(result.tables) + ".\n\n";
        if (!result.claims.empty()) text += "### Claims\n\n";
        for (const ClaimResult& c : result.claims)
            text += fmt::format("- {}, \"{}\": **{}**. {}\n", c.claim->where, c.claim->text, name(c.finding.standing),
                                c.finding.text);
        if (!result.claims.empty()) text += "\n";
        for (const TableResult& table : result.tables) text += table_markdown(table);
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

} // namespace vessiot::reproduce
