#include <cmath>

#include <nlohmann/json.hpp>

#include "io/members/members.hpp"

namespace vessiot::io {

namespace {

using Json = nlohmann::ordered_json;

Json number(double x) {
    return std::isfinite(x) ? Json(x) : Json();
}

Json statistics(const EnsembleResult& result) {
    Json all = Json::object();
    const std::size_t columns = result.head.columns.size();
    for (std::size_t j = 0; j < columns && !result.statistics.empty(); ++j) {
        Json one{{"count", Json::array()},
                 {"mean", Json::array()},
                 {"std", Json::array()},
                 {"min", Json::array()},
                 {"max", Json::array()}};
        Json quantiles = Json::array();
        for (std::size_t p = 0; p < result.head.n_points(); ++p) {
            const ColumnStatistics& s = result.statistics[p * columns + j];
            one["count"].push_back(s.count);
            one["mean"].push_back(number(s.mean));
            one["std"].push_back(number(s.deviation));
            one["min"].push_back(number(s.least));
            one["max"].push_back(number(s.greatest));
            Json row = Json::array();
            for (const double q : s.quantiles) row.push_back(number(q));
            quantiles.push_back(row);
        }
        if (!result.quantile_levels.empty()) one["quantiles"] = quantiles;
        all[result.head.columns[j]] = one;
    }
    return all;
}

Json histograms(const EnsembleResult& result) {
    Json all = Json::array();
    for (const Histogram& h : result.histograms)
        all.push_back({{"name", h.name},
                       {"from", h.from},
                       {"to", h.to},
                       {"below", h.below},
                       {"above", h.above},
                       {"counts", h.counts}});
    return all;
}

} // namespace

std::string members_json(const EnsembleResult& result) {
    Json status = Json::object();
    for (std::size_t k = 0; k < n_member_statuses; ++k)
        status[std::string(name(static_cast<MemberStatus>(k)))] = result.counts[k];
    Json failures = Json::array();
    for (const EnsembleFailure& f : result.failures)
        failures.push_back({{"message", f.message}, {"count", f.count}, {"first", f.first}});
    Json varied = Json::object();
    for (std::size_t k = 0; k < result.head.varied.size(); ++k)
        varied[result.head.varied[k]] = result.head.varied_by[k];
    Json object{{"model", result.head.model},
                {"result", std::string(name(result.status))},
                {"members", result.head.n_members},
                {"status", status},
                {"varied", varied},
                {"columns", result.head.columns}};
    if (result.head.record == Record::points) object["t"] = result.head.t;
    object["failures"] = failures;
    object["notes"] = result.notes;
    object["statistics"] = statistics(result);
    if (!result.quantile_levels.empty()) {
        object["quantile_levels"] = result.quantile_levels;
        object["quantiles_exact"] = result.are_quantiles_exact;
    }
    if (!result.histograms.empty()) object["histograms"] = histograms(result);
    object["seconds"] = {{"total", result.seconds}};
    if (result.device_seconds > 0) object["seconds"]["device"] = result.device_seconds;
    object["rate"] = result.seconds > 0 ? Json(static_cast<double>(result.done()) / result.seconds) : Json();
    object["device"] = result.device;
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace vessiot::io
