// Files that are either complete or not there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "vessiot/solution.hpp"

namespace vessiot::io {

// A file under a temporary name in the same folder, which takes its own name with finish(); without that nothing is
// left of it. What is no regular file (/dev/stdout, a pipe) is written in place. All functions throw OutputFailed.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(std::string_view text);
    void finish();

private:
    [[noreturn]] void fail(int error);

    std::string path_;      // as given, for messages
    std::string target_;    // links followed
    std::string temporary_; // empty: in place
    std::FILE* file_ = nullptr;
};

} // namespace vessiot::io
