// The files of src/io/report/ as text; made by src/io/report/embed.cmake.
#pragma once

#include <string_view>

namespace vessiot::io::report_assets {

extern const std::string_view page, style, script;

} // namespace vessiot::io::report_assets
