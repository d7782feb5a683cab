// vessiot inspect MODEL: what a model is, without solving it.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "completion/describe_structure.hpp"
#include "completion/structure.hpp"
#include "lang/syntax/source.hpp"
#include "solve/inspect/inspection.hpp"
#include "solve/options/options.hpp"
#include "system/describe/describe.hpp"

namespace vessiot::cli {

int run_inspect(const Arguments& arguments) {
    const lang::Source source = lang::Source::load(resolve_model(arguments.positional[0]));
    const System system = read_system(source, arguments);
    for (const std::string& warning : system.warnings) write_message(warning);
    const Description description = describe(system, {.compile = arguments.has("--compile")});
    const StructureText structure = describe(system, analyse(system));
    const Inspection inspection = inspect(system, with_model_options(system, {}));
    if (arguments.has("--json")) {
        nlohmann::ordered_json json = to_json(description);
        json.update(to_json(structure));
        if (inspection.is_checked) json["index"] = inspection.system.index;
        json["numbers"] = to_json(inspection);
        write_json(json);
    } else {
        const TextOptions options{.full = arguments.has("--full")};
        write_output(to_text(description, options) + "\n" + to_text(structure, options) + "\n" +
                     to_text(inspection, options));
    }
    return exit_success;
}

} // namespace vessiot::cli
