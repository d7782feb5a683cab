// A solution as one HTML page that needs nothing else: no network, no other file.
//
// The page is made of the files in src/io/report/, which the build puts into the library, and of one JSON object with
// all there is to show; its script draws what the reader chooses. docs/report.md shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "system/system.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::io {

// What a solution does not know about its run.
struct ReportContext {
    const System& system;
    const SolveOptions& options;
    std::string model_text{};   // as written; empty: not shown
    std::string command_line{}; // that makes this report; empty: not shown
    bool is_section = false;    // the points are crossings, and not joined by lines
};

// How much of a large solution is in the page.
struct ReportLimits {
    std::size_t bytes = 20'000'000; // of all numbers, as text
    std::size_t rows = 50'000;      // points; with many unknowns fewer, but
    std::size_t least_rows = 500;   // before these get fewer, unknowns are left out
    std::size_t entries = 2'000;    // of a list: equations, events, start values
};

// .html or .htm
bool is_report_name(std::string_view path);

std::string report_page(const Solution& solution, const ReportContext& context, const ReportLimits& limits = {});

// Throws OutputFailed where the file cannot be written.
void write_report(const Solution& solution, const ReportContext& context, const std::string& path);

} // namespace vessiot::io
