#include "cli/files.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "solution/same_file.hpp"

namespace vessiot::cli {

namespace {

using Use = CommandFile::Use;

[[noreturn]] void refuse(const CommandFile& a, const CommandFile& b) {
    if (a.option.empty())
        throw InvalidInput(fmt::format("{} {} is the model itself{}, which would be lost: give another name", b.option,
                                       b.path, a.path == b.path ? "" : fmt::format(" ({})", a.path)));
    throw InvalidInput(fmt::format("{} {} and {} {} are one file, and one would be lost: give each a name of its own",
                                   a.option, a.path, b.option, b.path));
}

} // namespace

void check_distinct(const std::vector<CommandFile>& files) {
    for (std::size_t j = 0; j < files.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const CommandFile &a = files[i], &b = files[j];
            const bool are_checkpoints = a.use == Use::checkpoint && b.use == Use::checkpoint;
            const bool is_harmless = (a.use == Use::read && b.use == Use::read) || are_checkpoints;
            if (!is_harmless && is_same_file(a.path, b.path)) refuse(a, b);
        }
}

} // namespace vessiot::cli
