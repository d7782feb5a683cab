#include "ensemble/team/records.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace vessiot::ensemble {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

} // namespace

void Records::choose(const Solution& solution) {
    for (const std::string& name : head_.columns) {
        const auto output = std::ranges::find(solution.output_names, name);
        const auto place = static_cast<std::size_t>(output - solution.output_names.begin());
        const bool is_output = output != solution.output_names.end();
        columns_.push_back(is_output ? solution.names.size() + place : solution.column_of(name));
    }
}

// The row of a point.
void Records::put_row(const Solution& s, std::size_t point, double* out) const {
    const std::size_t n = s.names.size(), n_outputs = s.output_names.size();
    for (std::size_t j = 0; j < columns_.size(); ++j)
        out[j] = columns_[j] < n ? s.numbers[point * n + columns_[j]]
                                 : s.output_numbers[point * n_outputs + columns_[j] - n];
}

void Records::make_room(Work& work) const {
    MemberBlock& b = work.block;
    const std::size_t n = b.status.size();
    b.steps.assign(n, 0);
    b.t.assign(n, nothing);
    b.varied.assign(n * head_.varied.size(), nothing);
    if (head_.is_ragged()) {
        work.rows.resize(n);
        work.row_t.resize(n);
        work.row_event.resize(n);
    } else {
        b.values.assign(n * head_.n_points() * head_.columns.size(), nothing);
    }
}

std::span<double> Records::varied_of(Work& work, std::int64_t k) const {
    return std::span(work.block.varied).subspan(static_cast<std::size_t>(k) * head_.varied.size(), head_.varied.size());
}

void Records::keep(Work& work, std::int64_t k, const Solution& solution) {
    const std::string other = record(work, k, solution);
    if (!other.empty() || solution.status == Status::failed)
        return fail(work, k, MemberStatus::failed, other.empty() ? solution.message : other);
    add_notes(work, k, solution);
    work.block.status[static_cast<std::size_t>(k)] =
        solution.status == Status::stopped ? MemberStatus::stopped : MemberStatus::success;
}

void Records::keep_row(Work& work, std::int64_t k, std::int64_t steps, double t, std::span<const double> row) const {
    const auto place = static_cast<std::size_t>(k);
    work.block.status[place] = MemberStatus::success;
    work.block.steps[place] = steps;
    work.block.t[place] = t;
    std::ranges::copy(row, work.block.values.begin() + static_cast<std::ptrdiff_t>(place * row.size()));
}

void Records::fail(Work& work, std::int64_t k, MemberStatus status, std::string message) {
    work.block.status[static_cast<std::size_t>(k)] = status;
    ++n_failed_;
    work.add_message(k, std::move(message));
}

// What a run that reached its end says beside; warnings about the model are said once, elsewhere.
void Records::add_notes(Work& work, std::int64_t k, const Solution& solution) const {
    const auto is_warning = [&](const std::string& note) {
        return std::ranges::any_of(warnings_, [&](const std::string& w) { return w.starts_with(note); });
    };
    for (const std::string& note : solution.notes)
        if (!is_warning(note)) work.add_message(k, note);
}

std::string Records::record(Work& work, std::int64_t k, const Solution& s) const {
    MemberBlock& b = work.block;
    const auto place = static_cast<std::size_t>(k);
    const std::size_t columns = head_.columns.size();
    b.steps[place] = s.stats.steps;
    b.t[place] = s.t.empty() ? nothing : s.t.back();
    if (head_.record == Record::events) {
        for (const EventPoint& e : s.events) {
            work.row_t[place].push_back(e.t);
            work.row_event[place].push_back(e.name);
            for (const std::string& name : head_.columns) work.rows[place].push_back(e.values[s.column_of(name)]);
        }
        return {};
    }
    if (head_.record == Record::all) {
        work.row_t[place] = s.t;
        work.rows[place].resize(s.t.size() * columns);
        for (std::size_t p = 0; p < s.t.size(); ++p) put_row(s, p, work.rows[place].data() + p * columns);
        return {};
    }
    double* const rows = b.values.data() + place * head_.n_points() * columns;
    if (head_.record == Record::last) {
        if (!s.t.empty()) put_row(s, s.t.size() - 1, rows);
        return {};
    }
    for (std::size_t p = 0, q = 0; p < s.t.size(); ++p) { // both ascend, or both descend
        while (q < head_.t.size() && head_.t[q] != s.t[p]) ++q;
        if (q == head_.t.size() && s.status == Status::success)
            return fmt::format("the points of members differ: one has {} = {}, which the first one has not. Where the "
                               "interval depends on what varies, record all points",
                               head_.independent, s.t[p]);
        if (q == head_.t.size()) break; // where it failed
        put_row(s, p, rows + q * columns);
    }
    return {};
}

} // namespace vessiot::ensemble
