#include "io/format.hpp"

#include <fmt/format.h>

#include "io/pictures/bars.hpp"
#include "io/plot.hpp"

namespace vessiot::io {

namespace {

void write_picture(const Solution& solution, const std::string& path, const FileContext& context) {
    write_plot(solution, path, context.axes,
               context.report ? find_bars(solution, context.report->system) : std::vector<Bar>());
}

void write_page(const Solution& solution, const std::string& path, const FileContext& context) {
    write_report(solution, *context.report, path);
}

} // namespace

vessiot::Table<Format>& format_table() {
    static vessiot::Table<Format> table{
        {.name = ".csv",
         .option = "--out",
         .help = "a table, one line a point",
         .stream = [](const std::string& path, const FileContext&) { return csv_stream(path); }},
        {.name = ".h5",
         .option = "--out",
         .help = "HDF5: tables of all that is reported, and what made them",
         .stream =
             [](const std::string& path, const FileContext& context) {
                 return hdf5_stream(path, {{"model_source", context.model_source}, {"command", context.command}});
             }},
        {.name = ".json",
         .option = "--out",
         .help = "one object, as with --json",
         .write = [](const Solution& solution, const std::string& path,
                     const FileContext&) { solution.write_json(path); },
         .needs_all = true},
        {.name = ".svg",
         .option = "--plot",
         .help = "a picture of the solution and the run, to enlarge",
         .write = write_picture,
         .has_curve = true},
        {.name = ".png", .option = "--plot", .help = "the same in pixels", .write = write_picture, .has_curve = true},
        {.name = ".html",
         .option = "--report",
         .help = "a page for the browser",
         .write = write_page,
         .has_curve = true},
        {.name = ".htm", .option = "--report", .help = "the same", .write = write_page, .has_curve = true},
    };
    return table;
}

const Format* find_format(std::string_view option, std::string_view path) {
    for (const Format& format : format_table())
        if (format.option == option && path.ends_with(format.name)) return &format;
    return nullptr;
}

std::string endings(std::string_view option, std::string_view last_word) {
    std::vector<std::string_view> all;
    for (const Format& format : format_table())
        if (format.option == option) all.push_back(format.name);
    std::string text;
    for (std::size_t k = 0; k < all.size(); ++k)
        text += fmt::format("{}{}", k == 0 ? "" : k + 1 < all.size() ? ", " : fmt::format(" {} ", last_word), all[k]);
    return text;
}

} // namespace vessiot::io
