// The list of papers.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/papers/hairer.hpp"
#include "reproduce/papers/liu.hpp"
#include "reproduce/papers/tuomela_arponen.hpp"
#include "reproduce/papers/tuomela_normi.hpp"

namespace vessiot::reproduce {

std::string_view name(Standing standing) {
    switch (standing) {
    case Standing::holds: return "holds";
    case Standing::does_not_hold: return "does not hold";
    case Standing::not_computed: break;
    }
    return "could not be computed";
}

std::string_view name(Source source) {
    return source == Source::reference ? "reference" : "published";
}

namespace {

std::string proposal(std::string_view word, const std::vector<std::string>& names) {
    const auto near = nearest(word, names);
    return near ? fmt::format("; did you mean '{}'?", *near) : ".";
}

} // namespace

Cell& Table::add(std::string row, std::string column, Printed published, std::function<Computed(Runner&)> compute,
                 std::string_view reason) {
    Cell& cell = cells.emplace_back();
    cell.row = std::move(row);
    cell.column = std::move(column);
    cell.published = std::move(published);
    cell.compute = std::move(compute);
    cell.reason = reason;
    return cell;
}

std::span<const Paper> papers() {
    static const std::vector<Paper> all{tuomela_normi(), tuomela_arponen(), liu(), hairer()};
    return all;
}

const Paper& find_paper(std::string_view name) {
    const auto found = std::ranges::find(papers(), name, &Paper::name);
    if (found != papers().end()) return *found;
    std::vector<std::string> names;
    for (const Paper& p : papers()) names.push_back(p.name);
    throw InvalidInput(
        fmt::format("there is no paper '{}'{} 'vessiot reproduce' lists them.", name, proposal(name, names)));
}

const Table& find_table(const Paper& paper, std::string_view name) {
    const auto found = std::ranges::find(paper.tables, name, &Table::name);
    if (found != paper.tables.end()) return *found;
    std::vector<std::string> names;
    for (const Table& t : paper.tables) names.push_back(t.name);
    throw InvalidInput(
        fmt::format("{} has no table '{}'{} 'vessiot reproduce' lists them.", paper.name, name, proposal(name, names)));
}

} // namespace vessiot::reproduce
