// The lines of a CSV file (RFC 4180).
#pragma once

#include <string>

#include "vessiot/stream.hpp"

namespace vessiot::io {

// A name in a cell: p[2,3] has a comma and stands in quotes; a quote in it is doubled.
std::string csv_cell(const std::string& name);

// t, s, names, outputs; with a line end.
std::string csv_header(const StreamHead& head);

// A point, with a line end; numbers read back exactly.
void append_csv_row(std::string& text, const StreamPoint& point, bool has_s);

} // namespace vessiot::io
