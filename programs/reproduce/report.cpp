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
    if (entry.verdict == Verdict::exact && cell.reading.is_inferred) entry.verdict = Verdict::fitted;
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
    const auto text_of = [&](Source source, std::string_view what) {
        int counts[4] = {0, 0, 0, 0}, n = 0;
        for (const TableResult& table : tables)
            for (const Entry& entry : table.entries)
                if (table.table->source == source) {
                    ++counts[static_cast<int>(entry.verdict)];
                    ++n;
                }
        if (n == 0) return std::string();
        const auto [exact, fitted, close, differs] = counts;
        return fmt::format("{} exact{}, {} close, {} differ of {} {}", exact + fitted,
                           fitted > 0 ? fmt::format(" ({} of them fitted)", fitted) : "", close, differs, n, what);
    };
    const std::string published = text_of(Source::published, "published numbers"),
                      reference = text_of(Source::reference, "reference values"),
                      times = text_of(Source::times, "ratios of times");
    std::string all;
    for (const std::string& part : {published, reference, times})
        if (!part.empty()) all += (all.empty() ? "" : "; ") + part;
    return all;
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
            Json object{{"paper", table.paper->name},
                        {"table", table.table->name},
                        {"row", entry.cell->row},
                        {"column", entry.cell->column},
                        {name(table.table->source), number(published)},
                        {"computed", number(entry.computed)},
                        {"verdict", name(entry.verdict)}};
            if (const Reading& r = entry.cell->reading; !r.text.empty()) {
                object["reading"] = r.text;
                object["inferred"] = r.is_inferred;
            }
            if (!entry.reason.empty()) object["reason"] = entry.reason;
            list.push_back(std::move(object));
        }
    return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace vessiot::reproduce
