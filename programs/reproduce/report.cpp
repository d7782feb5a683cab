#include "reproduce/report.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vessiot::reproduce {

namespace {

using Json = nlohmann::ordered_json;

Entry compute(const Cell& cell, Runner& runner) {
    Computed computed = cell.compute(runner);
    Entry entry{&cell, computed.value, compare(cell.published, computed.value), ""};
    if (entry.verdict == Verdict::differs) entry.reason = computed.problem.empty() ? cell.reason : computed.problem;
    return entry;
}

} // namespace

TableResult compute(const Paper& paper, const Table& table, Runner& runner) {
    TableResult result{&paper, &table, {}};
    for (const Cell& cell : table.cells) result.entries.push_back(compute(cell, runner));
    return result;
}

PaperResult compute(const Paper& paper, Runner& runner, const std::function<void(const std::string&)>& begin) {
    PaperResult result{&paper, {}, {}};
    for (const Table& table : paper.tables) {
        begin(fmt::format("{} {}", paper.name, table.name));
        result.tables.push_back(compute(paper, table, runner));
    }
    for (const Claim& claim : paper.claims) {
        begin(fmt::format("{} {}", paper.name, claim.where));
        result.claims.push_back({&claim, claim.check(runner)});
    }
    return result;
}

std::string counts_text(const std::vector<TableResult>& tables) {
    int counts[3] = {0, 0, 0}, n = 0;
    for (const TableResult& table : tables)
        for (const Entry& entry : table.entries) {
            ++counts[static_cast<int>(entry.verdict)];
            ++n;
        }
    return fmt::format("{} exact, {} close, {} differ of {}", counts[0], counts[1], counts[2], n);
}

std::string list_json() {
    Json list = Json::array();
    for (const Paper& paper : papers()) {
        Json tables = Json::array();
        for (const Table& table : paper.tables) tables.push_back({{"table", table.name}, {"title", table.title}});
        list.push_back({{"paper", paper.name}, {"title", paper.title}, {"tables", std::move(tables)}});
    }
    return list.dump(2) + "\n";
}

std::string json_text(const std::vector<TableResult>& tables) {
    Json list = Json::array();
    for (const TableResult& table : tables)
        for (const Entry& entry : table.entries) {
            const double published = entry.cell->published.value();
            // whole numbers without a point
            const auto number = [](double v) {
                if (!std::isfinite(v)) return Json(nullptr);
                return v == std::floor(v) && std::abs(v) < 1e15 ? Json(static_cast<std::int64_t>(v)) : Json(v);
            };
            Json object{{"paper", table.paper->name},     {"table", table.table->name},
                        {"row", entry.cell->row},         {"column", entry.cell->column},
                        {"published", number(published)}, {"computed", number(entry.computed)},
                        {"verdict", name(entry.verdict)}};
            if (!entry.reason.empty()) object["reason"] = entry.reason;
            list.push_back(std::move(object));
        }
    return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace vessiot::reproduce
