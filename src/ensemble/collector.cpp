#include "ensemble/collector.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace vessiot::ensemble {

namespace {

// Messages that differ in numbers only are of one kind: each number becomes #.
std::string without_numbers(const std::string& text) {
    std::string result;
    bool is_number = false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        const bool is_digit = c >= '0' && c <= '9';
        const bool goes_on = is_number && (c == '.' || c == 'e' || ((c == '-' || c == '+') && text[k - 1] == 'e'));
        if (!is_digit && !goes_on) {
            is_number = false;
            result += c;
        } else if (!is_number) {
            is_number = true;
            result += '#';
        }
    }
    return result;
}

template <class T> void append(std::vector<T>& to, std::vector<T>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

Collector::Collector(EnsembleHead head, std::vector<std::shared_ptr<MemberStream>> streams, bool keeps_members,
                     std::int64_t max_failures)
    : streams_(std::move(streams)), keeps_members_(keeps_members), max_failures_(max_failures) {
    result_.head = std::move(head);
    statistics_ = std::make_unique<Statistics>(result_.head);
}

void Collector::begin() {
    for (const auto& stream : streams_) stream->begin(result_.head);
}

// Members after the last failure that is allowed count as not run: so it does not matter who had run them already.
bool Collector::limit(MemberBlock& block) {
    if (max_failures_ <= 0) return false;
    std::int64_t failed_so_far = failed();
    for (MemberStatus& status : block.status) {
        if (is_full_) status = MemberStatus::interrupted;
        if (status == MemberStatus::failed || status == MemberStatus::no_start) ++failed_so_far;
        is_full_ = is_full_ || failed_so_far >= max_failures_;
    }
    std::erase_if(block.messages, [&](const auto& m) {
        return block.status[static_cast<std::size_t>(m.first)] == MemberStatus::interrupted;
    });
    return is_full_;
}

void Collector::count(const MemberBlock& block) {
    for (const MemberStatus status : block.status) ++result_.counts[static_cast<std::size_t>(status)];
    for (const auto& [k, message] : block.messages) {
        const MemberStatus status = block.status[static_cast<std::size_t>(k)];
        const bool is_note = status == MemberStatus::success || status == MemberStatus::stopped;
        EnsembleFailure& failure = (is_note ? notes_ : failures_)[without_numbers(message)];
        if (failure.count++ == 0) {
            failure.message = message;
            failure.first = block.first + k;
            const std::size_t n = result_.head.varied.size();
            const auto values = block.varied.begin() + static_cast<std::ptrdiff_t>(n) * k;
            failure.values.assign(values, values + static_cast<std::ptrdiff_t>(n));
        }
    }
}

void Collector::keep(MemberBlock&& block) {
    MemberBlock& all = result_.members;
    if (all.status.empty()) all.first = block.first;
    for (auto& [k, message] : block.messages)
        all.messages.emplace_back(k + block.first - all.first, std::move(message));
    append(all.status, block.status);
    append(all.steps, block.steps);
    append(all.t, block.t);
    append(all.varied, block.varied);
    append(all.values, block.values);
    append(all.row_count, block.row_count);
    append(all.row_t, block.row_t);
    append(all.row_event, block.row_event);
}

void Collector::add(MemberBlock block, std::vector<Moments> sums) {
    if (is_full_) return;
    if (limit(block) || sums.empty()) sums = sums_of(result_.head, block);
    count(block);
    statistics_->add(block, sums);
    for (const auto& stream : streams_) stream->add(block);
    if (keeps_members_) keep(std::move(block));
}

EnsembleResult Collector::finish(MemberStatus status, double seconds) {
    result_.status = is_full_ ? MemberStatus::failed : status;
    result_.seconds = seconds;
    const EnsembleHead& head = result_.head;
    result_.counts[3] = members_of(head.n_members, head.shard, head.n_shards).second - result_.done();
    statistics_->write(result_);
    const auto by_count = [](const EnsembleFailure& a, const EnsembleFailure& b) { return a.count > b.count; };
    for (auto& [key, failure] : failures_) result_.failures.push_back(std::move(failure));
    std::ranges::stable_sort(result_.failures, by_count);
    std::vector<EnsembleFailure> notes;
    for (auto& [key, note] : notes_) notes.push_back(std::move(note));
    std::ranges::stable_sort(notes, by_count);
    for (const EnsembleFailure& note : notes)
        result_.notes.push_back(fmt::format("{} member{}, first member {}: {}", note.count, note.count == 1 ? "" : "s",
                                            note.first, note.message));
    for (const auto& stream : streams_) stream->end(result_);
    return std::move(result_);
}

} // namespace vessiot::ensemble

namespace vessiot {

std::size_t EnsembleResult::column_of(std::string_view wanted) const {
    const auto found = std::ranges::find(head.columns, wanted);
    if (found != head.columns.end()) return static_cast<std::size_t>(found - head.columns.begin());
    const auto meant = nearest(wanted, std::vector<std::string_view>(head.columns.begin(), head.columns.end()));
    throw InvalidInput(fmt::format("'{}' is not among what was kept of the members{}", wanted,
                                   meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
}

double EnsembleResult::value(std::int64_t member, std::string_view wanted, std::size_t point) const {
    const std::size_t column = column_of(wanted);
    if (head.is_ragged())
        throw InvalidInput(
            "members have other points each: their rows are in members.values, as many as members.row_count says");
    const std::int64_t k = member - members.first;
    if (k < 0 || k >= members.size() || point >= head.n_points())
        throw InvalidInput(
            fmt::format("there is no point {} of a member {}: members {} to {} were kept, with {} points", point,
                        member, members.first, members.first + members.size() - 1, head.n_points()));
    return members.values[(static_cast<std::size_t>(k) * head.n_points() + point) * head.columns.size() + column];
}

const ColumnStatistics& EnsembleResult::statistic(std::string_view wanted, std::size_t point) const {
    const std::size_t k = point * head.columns.size() + column_of(wanted);
    if (point >= head.n_points() || k >= statistics.size())
        throw InvalidInput(fmt::format("there are no statistics of point {}: ask for them with reduce", point));
    return statistics[k];
}

} // namespace vessiot
