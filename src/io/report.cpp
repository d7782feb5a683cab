#include "io/report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "io/report/report_system.hpp"
#include "io/report/report_table.hpp"
#include "io/report_assets.hpp"
#include "io/sampling.hpp"
#include "io/summary.hpp"
#include "model/builder.hpp"
#include "solution/output_file.hpp"
#include "solve/options/options.hpp"
#include "vessiot/report.hpp"
#include "vessiot/version.hpp"

namespace vessiot::io {

using Json = nlohmann::ordered_json;

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else
            result += c;
    }
    return result;
}

// For a script element, which "</script>" would end; what is not UTF-8 is replaced, what is not finite is null.
std::string script_text(const Json& json) {
    std::string result;
    for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (c == '<')
            result += "\\u003c";
        else
            result += c;
    }
    return result;
}

Json points(const Solution& sol, const ReportLimits& limits, bool is_section) {
    const ReportTable table = report_table(sol, limits, is_section);
    Json columns = Json::array();
    for (const ReportTable::Column& c : table.columns)
        columns.push_back({{"name", c.name}, {"output", c.is_output}, {"values", base64(c.values)}});
    return {{"rows", table.t.size()},
            {"points", table.n_points},
            {"all_points", table.n_all_points},
            {"all_columns", table.n_all_columns},
            {"t", base64(table.t)},
            {"s", base64(table.s)},
            {"reported", table.n_points == table.t.size() ? "" : base64(table.is_reported)},
            {"columns", std::move(columns)}};
}

// Residual or step size of every step, thinned out so that no peak gets lost.
Json over_steps(const Solution& sol, double StepTrace::* member, bool is_upper_only) {
    std::vector<double> x, y;
    for (const StepTrace& step : sol.trace) {
        x.push_back(step.t);
        y.push_back(std::abs(step.*member));
    }
    thin_out_peaks(x, y, is_upper_only);
    return {{"t", base64(x)}, {"values", base64(y)}};
}

Json events(const Solution& sol, const ReportLimits& limits) {
    // the values of many unknowns would make each event long
    constexpr std::size_t most_values = 200;
    Json entries = Json::array();
    const std::size_t n = std::min(sol.events.size(), limits.entries);
    for (std::size_t k = 0; k < n; ++k) {
        const EventPoint& e = sol.events[k];
        Json values = Json::object();
        for (std::size_t j = 0; j < std::min({e.values.size(), sol.names.size(), most_values}); ++j)
            values[sol.names[j]] = e.values[j];
        entries.push_back({{"name", e.name}, {"t", e.t}, {"values", std::move(values)}});
    }
    return {{"entries", std::move(entries)}, {"left_out", sol.events.size() - n}};
}

Json data(const Solution& sol, const ReportContext& context, const ReportLimits& limits) {
    Json result = report_run(sol, context);
    result["version"] = version();
    result["made"] = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::now()));
    result["independent"] = sol.independent;
    result["section"] = context.is_section;
    result["model"] = report_model(context);
    result["equations"] = report_equations(sol, context, limits);
    result["points"] = points(sol, limits, context.is_section);
    result["trace"] = {{"steps", sol.trace.size()},
                       {"residual", over_steps(sol, &StepTrace::residual, true)},
                       {"step", over_steps(sol, &StepTrace::h, false)}};
    result["events"] = events(sol, limits);
    return result;
}

} // namespace

bool is_report_name(std::string_view path) {
    return path.ends_with(".html") || path.ends_with(".htm");
}

std::string report_page(const Solution& sol, const ReportContext& context, const ReportLimits& limits) {
    const auto part = [&](std::string_view name) -> std::string {
        if (name == "title") return escaped(sol.model);
        if (name == "style") return std::string(report_assets::style);
        if (name == "script") return std::string(report_assets::script);
        if (name == "summary") return escaped(summary_text(sol, true));
        return script_text(data(sol, context, limits));
    };
    // The page with each {{name}} replaced.
    std::string page;
    std::string_view rest = report_assets::page;
    for (std::size_t open = rest.find("{{"); open != rest.npos; open = rest.find("{{")) {
        const std::size_t close = rest.find("}}", open);
        page += rest.substr(0, open);
        page += part(rest.substr(open + 2, close - open - 2));
        rest.remove_prefix(close + 2);
    }
    return page += rest;
}

void write_report(const Solution& sol, const ReportContext& context, const std::string& path) {
    OutputFile file(path);
    file.write(report_page(sol, context));
    file.finish();
}

} // namespace vessiot::io

namespace vessiot {

void write_report(const Solution& solution, const Model& model, const std::string& path, const SolveOptions& options) {
    const System system = ModelAccess::system(model);
    const SolveOptions all = with_model_options(system, options);
    io::write_report(solution, {.system = system, .options = all}, path);
}

} // namespace vessiot
