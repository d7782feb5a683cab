#include "ensemble/block_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"
#include "ensemble/members.hpp"
#include "ensemble/statistics.hpp"
#include "solution/output_file.hpp"
#include "solve/run/archive.hpp"
#include "solve/run/checkpoint.hpp"

namespace vessiot::ensemble {

namespace {

constexpr std::string_view magic = "vessiot ensemble part 3\n";

void exchange(Archive& archive, EnsembleHead& head, std::string& identity) {
    using Text = std::pair<std::string, std::string>;
    archive("identity", identity);
    archive("model", head.model);
    archive("independent", head.independent);
    archive("varied", head.varied);
    archive("varied_by", head.varied_by);
    archive("columns", head.columns);
    archive("record", head.record);
    archive("t", head.t);
    archive("members", head.n_members);
    archive("shard", head.shard);
    archive("shards", head.n_shards);
    archive.table("attributes", head.attributes, Archive::column("name", &Text::first),
                  Archive::column("text", &Text::second));
    archive.table("reduce", head.reduce, Archive::column("kind", &Reduction::kind),
                  Archive::column("levels", &Reduction::levels), Archive::column("name", &Reduction::name),
                  Archive::column("from", &Reduction::from), Archive::column("to", &Reduction::to),
                  Archive::column("bins", &Reduction::bins));
}

void exchange(Archive& archive, MemberBlock& block) {
    using Message = std::pair<std::int64_t, std::string>;
    archive("first", block.first);
    archive("status", block.status);
    archive("steps", block.steps);
    archive("t", block.t);
    archive("varied", block.varied);
    archive("values", block.values);
    archive("row_count", block.row_count);
    archive("row_t", block.row_t);
    archive("row_event", block.row_event);
    archive.table("messages", block.messages, Archive::column("member", &Message::first),
                  Archive::column("text", &Message::second));
}

void require(bool fits, const char* what) {
    if (!fits) throw InvalidInput(what);
}

// A length and a checksum that are right say nothing about what was written: all that is used as a place is looked at.
void check(const EnsembleHead& head) {
    require(head.record <= Record::events, "what is kept of the members is unknown");
    require(head.n_members >= 1 && head.n_members <= most_members, "the number of members is impossible");
    require(head.n_shards >= 1 && head.n_shards <= most_shards && head.shard >= 0 && head.shard < head.n_shards,
            "the number of the shard is impossible");
    require(head.varied_by.size() == head.varied.size(), "what varies and how it does are of different numbers");
    for (const Reduction& r : head.reduce) require(is_possible(r), "a statistic is unknown");
}

void check_members(const EnsembleHead& head, const MemberBlock& block) {
    const std::size_t n = block.status.size(), columns = head.columns.size();
    for (const MemberStatus status : block.status)
        require(status <= MemberStatus::stopped, "the status of a member is unknown");
    for (const auto& [k, message] : block.messages)
        require(k >= 0 && k < block.size(), "a message is of no member of its block");
    require(block.steps.size() == n && block.t.size() == n && block.varied.size() == n * head.varied.size(),
            "a block has members of another number of values");
    std::size_t rows = n * head.n_points();
    if (head.is_ragged()) {
        require(block.row_count.size() == n, "a block has rows of another number of members");
        rows = 0;
        for (const std::int64_t count : block.row_count) {
            require(count >= 0 && static_cast<std::size_t>(count) <= block.row_t.size(), "a block has impossible rows");
            rows += static_cast<std::size_t>(count);
        }
        require(block.row_t.size() == rows && block.row_event.size() == (head.record == Record::events ? rows : 0),
                "a block has another number of rows");
    }
    require(block.values.size() == rows * columns, "a block has another number of values");
}

void check(const EnsembleHead& head, const MemberBlock& block) {
    require(block.size() >= 1 && block.size() <= block_size, "a block has an impossible number of members");
    require(block.first >= 0 && block.first % block_size == 0 && block.first < head.n_members &&
                block.size() == std::min(block_size, head.n_members - block.first),
            "a block has impossible members");
    check_members(head, block);
}

} // namespace

BlockLog::BlockLog(std::string path, const EnsembleHead& head, const std::string& identity) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail(errno);
    if (const int error = write_all(file_, magic)) fail(error);
    std::string bytes, text = identity;
    EnsembleHead copy = head;
    Archive archive = Archive::writer(bytes);
    exchange(archive, copy, text);
    add_record(bytes);
}

BlockLog::BlockLog(std::string path, std::int64_t length) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0 || ::ftruncate(file_, length) != 0 || ::lseek(file_, length, SEEK_SET) != length) fail(errno);
}

BlockLog::~BlockLog() {
    if (file_ >= 0) ::close(file_);
}

void BlockLog::fail(int error) const {
    throw OutputFailed(fmt::format("'{}' cannot be written: {}", path_, std::strerror(error)));
}

void BlockLog::add_record(const std::string& bytes) {
    const std::uint64_t head[] = {bytes.size(), checksum(bytes)};
    std::string record(reinterpret_cast<const char*>(head), sizeof head);
    record += bytes;
    if (const int error = write_all(file_, record)) fail(error);
}

void BlockLog::add(const MemberBlock& block) {
    add_record(write_part(block));
}

std::string write_part(const MemberBlock& block) {
    std::string bytes;
    Archive archive = Archive::writer(bytes);
    MemberBlock copy = block;
    exchange(archive, copy);
    return bytes;
}

MemberBlock read_part(const std::string& bytes, const EnsembleHead& head, std::int64_t first, std::int64_t count) {
    Archive archive = Archive::reader(bytes);
    MemberBlock block;
    exchange(archive, block);
    archive.finish();
    require(block.first == first && block.size() == count, "members are not those that were asked for");
    check_members(head, block);
    return block;
}

void BlockLog::sync() {
    if (::fdatasync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
}

LogContents read_log(const std::string& path, const std::function<void(const LogContents&)>& begin,
                     const std::function<void(MemberBlock&&)>& take) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InvalidInput(fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)));
    std::string bytes(magic.size(), '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (bytes != magic)
        throw InvalidInput(fmt::format("'{}' is no part of an ensemble: those are written by 'vessiot ensemble' with "
                                       "--checkpoint FILE, or --shard and --out FILE.part",
                                       path));
    file.seekg(0, std::ios::end);
    const std::int64_t size = file.tellg();
    LogContents contents;
    contents.length = static_cast<std::int64_t>(magic.size());
    for (bool is_first = true;; is_first = false) {
        std::uint64_t head[2] = {};
        file.seekg(contents.length);
        file.read(reinterpret_cast<char*>(head), sizeof head);
        const auto room = static_cast<std::uint64_t>(size - contents.length) - sizeof head;
        bool is_whole = file && contents.length + static_cast<std::int64_t>(sizeof head) <= size && head[0] <= room;
        if (is_whole) {
            bytes.resize(head[0]);
            file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            is_whole = file && checksum(bytes) == head[1];
        }
        if (!is_whole && is_first)
            throw InvalidInput(fmt::format("'{}' is damaged: its first lines are not whole", path));
        if (!is_whole) return contents;
        try {
            Archive archive = Archive::reader(bytes);
            if (is_first) {
                exchange(archive, contents.head, contents.identity);
                check(contents.head);
            } else {
                MemberBlock block;
                exchange(archive, block);
                check(contents.head, block);
                take(std::move(block));
            }
            archive.finish();
        } catch (const InvalidInput& e) {
            throw InvalidInput(fmt::format("'{}' is damaged: {}", path, e.what()));
        }
        if (is_first) begin(contents);
        contents.length += static_cast<std::int64_t>(sizeof head + head[0]);
    }
}

} // namespace vessiot::ensemble
