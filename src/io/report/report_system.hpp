// What a report says about the system and the run, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/report.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::io {

// Name, text and words of the language; the equations, the hidden constraints found, the start point.
nlohmann::ordered_json report_model(const ReportContext& context);
nlohmann::ordered_json report_equations(const Solution& solution, const ReportContext& context,
                                        const ReportLimits& limits);

// Class and sizes, method, options other than the defaults, statistics, notes.
nlohmann::ordered_json report_run(const Solution& solution, const ReportContext& context);

} // namespace vessiot::io
