// Blocks of members in a file, one after another, as they were finished: what a shard leaves for `merge`, and what a
// run that was killed goes on from. A record that was not written to its end is left out.
//
//   "vessiot ensemble part 1\n", then records: length, checksum, bytes. The first one is the head with the identity of
//   the ensemble.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

// All functions throw OutputFailed.
class BlockLog {
public:
    // A new file; what was there under this name is replaced when the first record is written.
    BlockLog(std::string path, const EnsembleHead& head, const std::string& identity);
    // One that is there, to go on after so many bytes.
    BlockLog(std::string path, std::int64_t length);
    BlockLog(const BlockLog&) = delete;
    BlockLog& operator=(const BlockLog&) = delete;
    ~BlockLog();

    void add(const MemberBlock& block);
    void sync();

private:
    void add_record(const std::string& bytes);
    [[noreturn]] void fail(int error) const;

    std::string path_;
    int file_ = -1;
};

// Members as bytes, and back: these members of an ensemble; throws InvalidInput where they are not.
std::string write_part(const MemberBlock& block);
MemberBlock read_part(const std::string& bytes, const EnsembleHead& head, std::int64_t first, std::int64_t count);

struct LogContents {
    EnsembleHead head;
    std::string identity;
    std::int64_t length = 0; // of what is whole
};

// Calls begin(contents) where the head was read, and take(block) for each whole record behind it, which fits the head.
// Throws InvalidInput where the file cannot be read or is no such file; what take throws of it is said of the file.
LogContents read_log(const std::string& path, const std::function<void(const LogContents&)>& begin,
                     const std::function<void(MemberBlock&&)>& take);

} // namespace vessiot::ensemble
