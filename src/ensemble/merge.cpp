// The parts of an ensemble that shards wrote, read in the order of their members into one result.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "ensemble/block_log.hpp"
#include "ensemble/collector.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot {

namespace {

struct Part {
    std::string path;
    ensemble::LogContents log;
    std::int64_t n_blocks = 0;
};

std::int64_t blocks_of_shard(const EnsembleHead& head) {
    return ensemble::blocks_of(ensemble::members_of(head.n_members, head.shard, head.n_shards).second);
}

void check(const std::vector<Part>& parts) {
    const Part& first = parts.front();
    const auto needed = static_cast<std::size_t>(first.log.head.n_shards);
    for (const Part& part : parts) {
        if (part.log.identity != first.log.identity || part.log.head.n_shards != first.log.head.n_shards)
            throw InvalidInput(fmt::format("'{}' and '{}' are parts of different ensembles: model, options, what "
                                           "varies and the number of shards must be the same",
                                           first.path, part.path));
        if (part.n_blocks != blocks_of_shard(part.log.head))
            throw InvalidInput(fmt::format("'{}' is not complete: it has {} of {} blocks of members. Go on with it: "
                                           "the same command with --resume {}",
                                           part.path, part.n_blocks, blocks_of_shard(part.log.head), part.path));
    }
    for (std::size_t k = 0; k < needed; ++k) {
        const auto same = std::ranges::count_if(
            parts, [&](const Part& p) { return p.log.head.shard == static_cast<std::int64_t>(k); });
        if (same != 1)
            throw InvalidInput(
                fmt::format("shard {}/{} is {}", k, needed, same == 0 ? "missing" : "given more than once"));
    }
}

} // namespace

EnsembleResult merge_parts(const std::vector<std::string>& paths,
                           const std::vector<std::shared_ptr<MemberStream>>& streams, bool keeps_members) {
    if (paths.empty()) throw InvalidInput("there are no parts to merge");
    std::vector<Part> parts;
    for (const std::string& path : paths) {
        Part part{path, {}, 0};
        std::int64_t first = 0;
        part.log = ensemble::read_log(
            path,
            [&](const ensemble::LogContents& log) {
                first = ensemble::members_of(log.head.n_members, log.head.shard, log.head.n_shards).first;
            },
            [&](MemberBlock&& block) {
                if (block.first != (first + part.n_blocks) * ensemble::block_size)
                    throw InvalidInput("a block is missing");
                ++part.n_blocks;
            });
        parts.push_back(std::move(part));
    }
    check(parts);
    std::ranges::sort(parts, {}, [](const Part& p) { return p.log.head.shard; });
    EnsembleHead head = parts.front().log.head;
    head.shard = 0;
    head.n_shards = 1;
    ensemble::Collector collector(head, streams, keeps_members, 0);
    collector.begin();
    for (const Part& part : parts)
        ensemble::read_log(
            part.path, [](const auto&) {}, [&](MemberBlock&& block) { collector.add(std::move(block)); });
    return collector.finish(MemberStatus::success, 0);
}

} // namespace vessiot
