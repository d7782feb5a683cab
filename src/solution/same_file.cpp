#include "solution/same_file.hpp"

#include <filesystem>

namespace vessiot {

namespace fs = std::filesystem;

namespace {

// Where a file of this name would be made: links are followed, also where they lead to nothing yet.
fs::path resolved(fs::path path) {
    constexpr int most_links = 40; // as many as the system follows
    std::error_code error;
    for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(path, error)); ++k) {
        const fs::path next = fs::read_symlink(path, error);
        if (error) break;
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    const fs::path absolute = fs::absolute(path, error);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : canonical;
}

} // namespace

bool is_same_file(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    const fs::file_status first = fs::status(a, error), second = fs::status(b, error);
    if (fs::exists(first) && fs::exists(second))
        return fs::is_regular_file(first) && fs::is_regular_file(second) && fs::equivalent(a, b, error);
    if (fs::exists(first) != fs::exists(second)) return false;
    return resolved(a) == resolved(b);
}

} // namespace vessiot
