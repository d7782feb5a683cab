// Whether two names are names of one file.
#pragma once

#include <string>

namespace vessiot {

// Through links, hard links, and other ways to write a path; also of files that are not there yet. What is no regular
// file (/dev/null, a pipe) keeps nothing and is never the same.
bool is_same_file(const std::string& a, const std::string& b);

} // namespace vessiot
