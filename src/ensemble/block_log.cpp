#include "ensemble/block_log.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"
#include "solution/output_file.hpp"
#include "solve/run/archive.hpp"

namespace vessiot::ensemble {

namespace {

constexpr std::string_view magic = "vessiot ensemble part 1\n";

// FNV-1a.
std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

template <class List, class Each> void exchange_list(Archive& archive, List& list, const Each& each) {
    std::uint64_t n = list.size();
    archive(n);
    if (archive.is_reading()) {
        if (n > archive.rest().size()) throw InvalidInput("it ends early");
        list.resize(static_cast<std::size_t>(n));
    }
    for (auto& item : list) each(item);
}

void exchange(Archive& archive, EnsembleHead& head, std::string& identity) {
    archive(identity, head.model, head.independent, head.varied, head.columns, head.record, head.t, head.n_members,
            head.shard, head.n_shards, head.attributes);
    exchange_list(archive, head.reduce, [&](Reduction& r) { archive(r.kind, r.levels, r.name, r.from, r.to, r.bins); });
}

void exchange(Archive& archive, MemberBlock& block) {
    archive(block.first, block.status, block.steps, block.t, block.varied, block.values, block.row_count, block.row_t,
            block.row_event, block.messages);
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
    std::string bytes;
    Archive archive = Archive::writer(bytes);
    MemberBlock copy = block;
    exchange(archive, copy);
    add_record(bytes);
}

void BlockLog::sync() {
    if (::fdatasync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
}

LogContents read_log(const std::string& path, const std::function<void(const LogContents&, MemberBlock&&)>& take) {
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
        Archive archive = Archive::reader(bytes);
        try {
            if (is_first) {
                exchange(archive, contents.head, contents.identity);
            } else {
                MemberBlock block;
                exchange(archive, block);
                take(contents, std::move(block));
            }
        } catch (const InvalidInput& e) {
            throw InvalidInput(fmt::format("'{}' is damaged: {}", path, e.what()));
        }
        contents.length += static_cast<std::int64_t>(sizeof head + head[0]);
    }
}

} // namespace vessiot::ensemble
