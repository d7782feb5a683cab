// The file of --checkpoint: what a run must know to go on in another process.
//
//   vessiot checkpoint 4\n           the format, as text
//   size, hash                       of the rest, 8 bytes each; FNV-1a
//   named fields (archive.hpp)       version, build, model, options: as text, so that a message can say what differs;
//                                    state: fields again, of the run, Seams<S>::exchange()
//
// It is complete or not there (solution/output_file.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solve/options/settings.hpp"
#include "system/system.hpp"

namespace vessiot {

// What a run is, in words: equal for two runs that compute the same.
struct RunIdentity {
    std::string version, build;    // of the library (vessiot/version.hpp)
    std::string model;             // all that the model says, as written, and what its formulas are
    std::uint64_t fingerprint = 0; // of all that, to the last digit
    std::vector<std::pair<std::string, std::string>> options; // by name; where a run ends, and what it costs, left out
};

RunIdentity identity(const System& system, const Settings& options);

// What a stream says about a run: version, model_text, options; empty where no stream needs it.
std::vector<std::pair<std::string, std::string>> stream_attributes(const System& system, const Settings& options);

// All that a model says, with its values, as lines of text.
std::string model_text(const System& system);

// Throws OutputFailed where a file of that name cannot be made; an old one stays.
void check_writable(const std::string& path);

// Throws OutputFailed.
void write_checkpoint(const std::string& path, const RunIdentity& identity, const std::string& state);

// Throws InvalidInput: the file cannot be used, and why.
[[noreturn]] void fail_damaged(const std::string& path, const std::string& why);

// FNV-1a.
std::uint64_t checksum(std::string_view bytes);

// The state. Throws InvalidInput where the file cannot be read or was written by another run: what differs.
std::string read_checkpoint(const std::string& path, const RunIdentity& identity);

} // namespace vessiot
