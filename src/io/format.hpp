// The formats of files, in one table: by the ending of a name, how a solution is written to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"
#include "io/report.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/stream.hpp"

namespace vessiot::io {

constexpr std::size_t most_axes = 8; // panels of one picture

// What a file says of a run beside the points, as far as its format has a place for it.
struct FileContext {
    const ReportContext* report = nullptr;
    std::string model_source{}, command{};        // as written
    std::vector<std::vector<std::string>> axes{}; // of a picture, a panel each; empty: chosen
};

struct Format {
    std::string_view name;   // the ending of its files: ".csv"
    std::string_view option; // of `vessiot solve` that writes them: "--out"
    std::string_view help;   // half a line
    // One of both: points go there as they are computed, or the whole solution at the end of a run. Both throw
    // OutputFailed where the file cannot be written.
    std::shared_ptr<PointStream> (*stream)(const std::string& path, const FileContext& context) = nullptr;
    void (*write)(const Solution& solution, const std::string& path, const FileContext& context) = nullptr;
    bool needs_all = false; // points, kept in memory
    bool has_curve = false; // what is between the points is shown too
};

// In the order of help.
vessiot::Table<Format>& format_table();

// That of a file which such an option names; null where it has none of this ending.
const Format* find_format(std::string_view option, std::string_view path);

// The endings that an option takes: ".csv, .h5 or .json".
std::string endings(std::string_view option, std::string_view last_word);

} // namespace vessiot::io
