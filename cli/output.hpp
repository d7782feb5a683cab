// Standard output and standard error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace vessiot::cli {

enum ExitStatus : int { exit_success = 0, exit_failed = 1, exit_invalid = 2 };

// Standard output cannot be written: a full disk, a closed file.
class OutputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Writes all of it, and makes sure of it.
void write_output(std::string_view text);

// To standard error, with a line end.
void write_message(std::string_view text);

} // namespace vessiot::cli
