#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "io/members/members.hpp"

namespace vessiot::io {

namespace {

std::string members_text(std::int64_t n) {
    return plural(static_cast<std::size_t>(n), "member");
}

std::string statistics_text(const EnsembleResult& result) {
    const EnsembleHead& head = result.head;
    std::string text;
    constexpr std::size_t most_lines = 12;
    const std::size_t columns = head.columns.size(), last = (head.n_points() - 1) * columns;
    if (head.record == Record::points && !head.t.empty())
        text += fmt::format("  at {} = {:.9g}\n", head.independent, head.t.back());
    text += fmt::format("               {:14} {:>14} {:>14} {:>14} {:>14}\n", "", "mean", "std", "min", "max");
    for (std::size_t j = 0; j < std::min(columns, most_lines); ++j) {
        const ColumnStatistics& s = result.statistics[last + j];
        text += fmt::format("               {:14} {:>14.7g} {:>14.7g} {:>14.7g} {:>14.7g}\n", head.columns[j], s.mean,
                            s.deviation, s.least, s.greatest);
        if (!s.quantiles.empty()) {
            std::string line;
            for (std::size_t q = 0; q < s.quantiles.size(); ++q)
                line += fmt::format("{}{:g}: {:.7g}", q ? ", " : "", result.quantile_levels[q], s.quantiles[q]);
            text += fmt::format("               {:14} quantiles {}\n", "", line);
        }
    }
    if (columns > most_lines)
        text += fmt::format("               … and {} more: --out, --json or --outputs\n", columns - most_lines);
    if (!result.are_quantiles_exact) text += "               quantiles by a sketch: ranks right to 0.001\n";
    return text;
}

} // namespace

std::string members_summary(const EnsembleResult& result, const std::string& repeat) {
    const EnsembleHead& head = result.head;
    std::string text =
        fmt::format("{}: {}, {} varied\n", head.model, members_text(head.n_members), fmt::join(head.varied, ", "));
    if (head.n_shards > 1) text += fmt::format("  shard        {}/{}\n", head.shard, head.n_shards);
    text += fmt::format("  reached      {}\n", members_text(result.counts[0]));
    if (result.counts[4] > 0)
        text += fmt::format("  stopped      {}, by an observer\n", members_text(result.counts[4]));
    if (const std::int64_t n = result.counts[1] + result.counts[2]; n > 0) {
        text += fmt::format("  ended early  {}\n", members_text(n));
        for (const EnsembleFailure& f : result.failures)
            text += fmt::format("               {}, first member {}: {}\n", f.count, f.first, f.message);
        if (!repeat.empty()) text += fmt::format("               again: {}\n", repeat);
    }
    constexpr std::size_t most_notes = 6;
    for (std::size_t k = 0; k < std::min(result.notes.size(), most_notes); ++k)
        text += fmt::format("  {:12} {}\n", k == 0 ? "notes" : "", result.notes[k]);
    if (result.notes.size() > most_notes)
        text += fmt::format("               … {} more notes; --json has all\n", result.notes.size() - most_notes);
    if (result.counts[3] > 0) text += fmt::format("  not run      {}\n", members_text(result.counts[3]));
    if (!result.statistics.empty()) text += statistics_text(result);
    if (result.seconds > 0)
        text += fmt::format("  time         {:.3g} s, {:.3g} members a second\n", result.seconds,
                            static_cast<double>(result.done()) / result.seconds);
    const auto end = [&] {
        if (result.status == MemberStatus::interrupted) return std::string("interrupted");
        if (result.status == MemberStatus::failed)
            return std::string("ended: as many members failed as --max-failures allows");
        return result.counts[0] == result.done()
                   ? std::string("all members reached the end")
                   : fmt::format("{} of {} members reached the end", result.counts[0], result.done());
    };
    return text + fmt::format("  result       {}\n", end());
}

} // namespace vessiot::io
