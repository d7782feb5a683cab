// The files of a command: none is written over another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vessiot::cli {

struct CommandFile {
    std::string_view option; // "--out"; empty: the model
    std::string path;
    // What may be the same file: a checkpoint that is resumed goes on.
    enum class Use { read, written, checkpoint } use;
};

// Throws InvalidInput where writing one of them would destroy another one, whatever its name: links and hard links are
// followed. Before anything is computed or written.
void check_distinct(const std::vector<CommandFile>& files);

} // namespace vessiot::cli
