#include "solution/output_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vessiot {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t flush_size = std::size_t{1} << 16;

// What a new file gets: all that the user's mask allows; an old one keeps what it had.
mode_t permissions(const std::string& target) {
    struct stat old{};
    if (::stat(target.c_str(), &old) == 0) return old.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

// Some file systems cannot.
bool sync(int file) {
    return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

// So that the name of a file survives the end of the machine, too.
void sync_folder(const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

} // namespace

int write_all(int file, std::string_view text, std::size_t* n_written) {
    if (n_written) *n_written = 0;
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        text.remove_prefix(static_cast<std::size_t>(n));
        if (n_written) *n_written += static_cast<std::size_t>(n);
    }
    return 0;
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) fail(EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file_ < 0) fail(errno);
        return;
    }
    if (fs::exists(status)) target_ = fs::canonical(path, error).string();
    temporary_ = target_ + ".XXXXXX";
    file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (file_ < 0) {
        const int cause = errno;
        temporary_.clear();
        fail(cause);
    }
    if (::fchmod(file_, permissions(target_)) != 0) errno = 0; // some file systems have none
}

OutputFile::~OutputFile() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= flush_size) flush();
}

void OutputFile::flush() {
    if (const int error = write_all(file_, buffer_); error != 0) fail(error);
    buffer_.clear();
}

void OutputFile::finish() {
    flush();
    if (!temporary_.empty() && !sync(file_)) fail(errno);
    if (::close(std::exchange(file_, -1)) != 0) fail(errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    sync_folder(target_);
}

void OutputFile::fail(int error) {
    throw OutputFailed(fmt::format("{} cannot be written: {}", path_, std::strerror(error)));
}

} // namespace vessiot
