// The numbers in a report: the reported points, where there are few of them also points of the curve between, and of
// very many a choice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/report.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::io {

struct ReportTable {
    struct Column {
        std::string name;
        bool is_output = false; // with values at reported points only, one for each of them
        std::vector<double> values{};
    };
    std::vector<double> t;
    std::vector<double> s;                 // in arclength
    std::vector<std::uint8_t> is_reported; // of each row; else a point of the curve between
    std::vector<Column> columns;
    std::size_t n_points = 0;     // reported rows
    std::size_t n_all_points = 0; // of the solution
    std::size_t n_all_columns = 0;
};

// Of a section the points alone.
ReportTable report_table(const Solution& solution, const ReportLimits& limits, bool is_section = false);

// Numbers by their bytes, lowest first, in base64 (RFC 4648).
std::string base64(const std::vector<double>& values);
std::string base64(const std::vector<std::uint8_t>& bytes);

} // namespace vessiot::io
