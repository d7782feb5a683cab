// What is computed over the members of an ensemble, as they finish: for every column at every recorded point number,
// mean, deviation, least, greatest, quantiles; histograms.
//
// Members are taken in their order, 1024 at a time: sums of such a block by themselves, then all blocks in their order.
// So nothing depends on who computed what.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ensemble/quantiles.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

inline constexpr std::int64_t block_size = 1024;

inline std::int64_t blocks_of(std::int64_t n_members) {
    return (n_members + block_size - 1) / block_size;
}
// The members of a shard, which has whole blocks: its first block, and how many members it has.
inline std::pair<std::int64_t, std::int64_t> members_of(std::int64_t n_members, std::int64_t shard,
                                                        std::int64_t n_shards) {
    const std::int64_t n = blocks_of(n_members), first = n * shard / n_shards, end = n * (shard + 1) / n_shards;
    return {first, std::min(n_members, end * block_size) - std::min(n_members, first * block_size)};
}

// Is it one that can be computed?
bool is_possible(const Reduction& reduction);

// Mean and sum of squared deviations m2; two of them are put together by
//   n = a.n + b.n,  d = b.mean - a.mean,  mean = a.mean + d b.n / n,  m2 = a.m2 + b.m2 + d^2 a.n b.n / n    [CGL83]
struct Moments {
    std::int64_t n = 0;
    double mean = 0, m2 = 0, least = 0, greatest = 0;

    void add(double x);
    void add(const Moments& other);
};

// Does this member count? Members that failed count at the points that they came to; at the last point they do not.
bool counts(const EnsembleHead& head, MemberStatus status);
// Of a block: for every column at every recorded point. Empty where there are no statistics.
std::vector<Moments> sums_of(const EnsembleHead& head, const MemberBlock& block);

class Statistics {
public:
    // Throws InvalidInput where a histogram is of a name that is not kept, and where quantiles would need too much
    // memory.
    explicit Statistics(const EnsembleHead& head);

    // The next block, and its sums.
    void add(const MemberBlock& block, const std::vector<Moments>& sums);
    void write(EnsembleResult& result) const;

private:
    struct Counter {
        Histogram histogram;
        std::size_t column = 0, point = 0;
    };

    void make_histograms();
    void count(Counter& counter, double x);

    const EnsembleHead& head_;
    std::vector<Moments> all_;         // a row of columns for each point
    std::vector<Quantiles> quantiles_; // the same, or empty
    std::vector<Counter> histograms_;
    std::vector<double> levels_;
};

} // namespace vessiot::ensemble
