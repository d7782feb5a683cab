// Files that are either complete or not there.
#pragma once

#include <string>
#include <string_view>

#include "vessiot/solution.hpp"

namespace vessiot {

// A file under a temporary name in the same folder, which nobody can guess; finish() brings it to the disk and gives it
// its own name, without that nothing is left of it. A link stays a link: the file that it names is replaced. What is no
// regular file (/dev/stdout, a pipe) is written in place. All functions throw OutputFailed.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(std::string_view text);
    void finish();

private:
    void flush();
    [[noreturn]] void fail(int error);

    std::string path_;      // as given, for messages
    std::string target_;    // links followed
    std::string temporary_; // empty: in place
    std::string buffer_;
    int file_ = -1;
};

// Writes all of it, whatever signals come; 0, or the number of the error. `n_written`: how much it was.
int write_all(int file, std::string_view text, std::size_t* n_written = nullptr);

} // namespace vessiot
