#include "io/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vessiot::io {

namespace fs = std::filesystem;

namespace {

// What a new file gets: all that the user's mask allows; an old one keeps what it had.
mode_t permissions(const std::string& target) {
    struct stat old{};
    if (::stat(target.c_str(), &old) == 0) return old.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) fail(EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        file_ = std::fopen(path.c_str(), "w");
        if (!file_) fail(errno);
        return;
    }
    if (fs::exists(status)) target_ = fs::canonical(path, error).string();
    temporary_ = target_ + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary_.data());
    if (descriptor < 0) {
        const int cause = errno;
        temporary_.clear();
        fail(cause);
    }
    if (::fchmod(descriptor, permissions(target_)) != 0) errno = 0; // some file systems have none
    file_ = ::fdopen(descriptor, "w");
    if (!file_) fail(errno);
}

OutputFile::~OutputFile() {
    if (file_) std::fclose(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void OutputFile::finish() {
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail(errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

void OutputFile::fail(int error) {
    throw OutputFailed(fmt::format("{} cannot be written: {}", path_, std::strerror(error)));
}

} // namespace vessiot::io
