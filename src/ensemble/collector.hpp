// What becomes of finished blocks, in the order of their members: statistics, streams, the members that are kept,
// reasons of failures.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ensemble/statistics.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

class Collector {
public:
    // `max_failures`: after so many failed members the rest is not wanted; 0: no limit.
    Collector(EnsembleHead head, std::vector<std::shared_ptr<MemberStream>> streams, bool keeps_members,
              std::int64_t max_failures);

    const EnsembleHead& head() const { return result_.head; }
    void begin();
    // `sums`: of the block as it is; empty where nobody has them.
    void add(MemberBlock block, std::vector<Moments> sums = {});
    // Were there too many failures?
    bool is_full() const { return is_full_; }
    std::int64_t failed() const { return result_.counts[1] + result_.counts[2]; }
    EnsembleResult finish(MemberStatus status, double seconds);

private:
    bool limit(MemberBlock& block); // true where members that were run do not count
    void count(const MemberBlock& block);
    void keep(MemberBlock&& block);

    EnsembleResult result_;
    std::vector<std::shared_ptr<MemberStream>> streams_;
    bool keeps_members_, is_full_ = false;
    std::int64_t max_failures_;
    std::unique_ptr<Statistics> statistics_;
    std::map<std::string, EnsembleFailure> failures_, notes_; // by message, numbers left out
};

} // namespace vessiot::ensemble
