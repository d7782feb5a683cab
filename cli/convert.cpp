// vessiot convert MODEL: a Base Modelica text as a model of this language.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "core/error.hpp"
#include "lang/syntax/source.hpp"
#include "modelica/convert.hpp"
#include "modelica/model.hpp"
#include "solution/output_file.hpp"

namespace vessiot::cli {

int run_convert(const Arguments& arguments) {
    const std::string path = resolve_model(arguments.positional[0]).string();
    const lang::Source source = lang::Source::load(path);
    if (!modelica::is_modelica(source))
        throw InvalidInput(
            fmt::format("{}: what is converted is a Base Modelica text (.bmo, .mo), and this is none", source.name()));
    const System system = read_system(source, arguments);
    for (const std::string& warning : system.warnings) write_message(warning);
    const std::string text = modelica::to_ves(system);
    const std::vector<std::string> out = arguments.values("--out");
    if (out.empty()) {
        write_output(text);
        return exit_success;
    }
    check_distinct({{"", path, CommandFile::Use::read}, {"--out", out.back(), CommandFile::Use::written}});
    OutputFile file(out.back());
    file.write(text);
    file.finish();
    return exit_success;
}

} // namespace vessiot::cli
