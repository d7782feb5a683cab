// A CSV file that grows while a run goes on.
//
// Lines are gathered and written some sixty thousand characters at a time, and at least every second, so that a person
// can look at them. Where the disk is full, the line that does not fit is taken back: all that is there can be read.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/csv_row.hpp"
#include "solution/output_file.hpp"

namespace vessiot {

namespace {

constexpr std::size_t flush_size = std::size_t{1} << 16;
constexpr int rows_between_looks = 64; // at the clock

class CsvStream final : public PointStream {
public:
    explicit CsvStream(std::string path) : path_(std::move(path)) { buffer_.reserve(2 * flush_size); }
    ~CsvStream() override {
        if (file_ >= 0) ::close(file_);
    }

    std::string name() const override { return path_; }

    void begin(const StreamHead& head) override {
        open(O_WRONLY | O_CREAT | O_TRUNC);
        has_s_ = head.has_s;
        offset_ = 0;
        buffer_ = io::csv_header(head);
        flush();
    }

    void add(const StreamPoint& point) override {
        io::append_csv_row(buffer_, point, has_s_);
        if (buffer_.size() >= flush_size || (++n_since_look_ >= rows_between_looks && is_late())) flush();
    }

    void end(const Solution&) override {
        if (file_ < 0) return;
        flush();
        const int file = std::exchange(file_, -1);
        if (::close(file) != 0) fail(errno);
    }

    std::vector<std::int64_t> position() const override {
        return {offset_ + static_cast<std::int64_t>(buffer_.size())};
    }

    void sync() override {
        flush();
        if (is_regular_ && ::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
    }

    void resume(const StreamHead& head, std::span<const std::int64_t> position) override {
        const std::int64_t wanted = position.empty() ? -1 : position[0];
        struct stat now{};
        if (::stat(path_.c_str(), &now) != 0) refuse(std::strerror(errno));
        if (!S_ISREG(now.st_mode)) refuse("it is no file that could be continued");
        if (wanted < 0 || now.st_size < wanted)
            refuse(fmt::format("it has {} bytes, and had {} when the checkpoint was written", now.st_size, wanted));
        open(O_RDWR);
        const std::string header = io::csv_header(head);
        std::string found(header.size(), '\0');
        if (::pread(file_, found.data(), found.size(), 0) != static_cast<ssize_t>(found.size()) || found != header)
            refuse("its first line is not that of this run");
        char last = 0;
        if (::pread(file_, &last, 1, wanted - 1) != 1 || last != '\n') refuse("its lines are not those of this run");
        if (::ftruncate(file_, wanted) != 0 || ::lseek(file_, wanted, SEEK_SET) != wanted) fail(errno);
        has_s_ = head.has_s;
        offset_ = wanted;
        buffer_.clear();
    }

private:
    using Clock = std::chrono::steady_clock;

    void open(int flags) {
        if (file_ >= 0) ::close(file_);
        file_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
        if (file_ < 0) fail(errno);
        struct stat now{};
        is_regular_ = ::fstat(file_, &now) == 0 && S_ISREG(now.st_mode);
        last_flush_ = Clock::now();
    }

    bool is_late() {
        n_since_look_ = 0;
        return Clock::now() - last_flush_ > std::chrono::seconds(1);
    }

    void flush() {
        std::size_t n_written = 0;
        if (const int error = write_all(file_, buffer_, &n_written); error != 0) {
            take_back(n_written);
            fail(error);
        }
        offset_ += static_cast<std::int64_t>(buffer_.size());
        buffer_.clear();
        last_flush_ = Clock::now();
    }

    // Of the buffer so much was written: the last line of that is not complete.
    void take_back(std::size_t n_written) {
        const std::size_t end = buffer_.rfind('\n', n_written == 0 ? 0 : n_written - 1);
        const std::size_t complete = n_written == 0 || end == std::string::npos ? 0 : end + 1;
        if (is_regular_ && ::ftruncate(file_, offset_ + static_cast<std::int64_t>(complete)) != 0) errno = 0;
        ::close(file_);
        file_ = -1;
        buffer_.clear();
    }

    [[noreturn]] void fail(int error) const {
        throw OutputFailed(fmt::format("{} cannot be written: {}", path_, std::strerror(error)));
    }
    [[noreturn]] void refuse(const std::string& why) const {
        throw InvalidInput(fmt::format("the output {} cannot be continued: {}. Resume with the file as the run left "
                                       "it, or start anew without --resume",
                                       path_, why));
    }

    std::string path_;
    int file_ = -1;
    bool is_regular_ = false, has_s_ = false;
    std::int64_t offset_ = 0; // bytes written
    std::string buffer_;      // after them
    int n_since_look_ = 0;
    Clock::time_point last_flush_;
};

} // namespace

std::shared_ptr<PointStream> csv_stream(const std::string& path) {
    return std::make_shared<CsvStream>(path);
}

} // namespace vessiot
