#include "ensemble/team/work.hpp"

#include <algorithm>

namespace vessiot::ensemble {

namespace {

// Rows of as many numbers for each member, at their places in all of them.
template <class T> void put_rows(std::vector<T>& all, std::size_t place, std::size_t n_members, std::vector<T>& part) {
    const std::size_t width = n_members == 0 ? 0 : part.size() / n_members;
    std::ranges::move(part, all.begin() + static_cast<std::ptrdiff_t>(place * width));
}

} // namespace

void put(Work& work, std::int64_t place, MemberBlock part) {
    MemberBlock& all = work.block;
    const auto first = static_cast<std::size_t>(place), n = part.status.size();
    put_rows(all.status, first, n, part.status);
    put_rows(all.steps, first, n, part.steps);
    put_rows(all.t, first, n, part.t);
    put_rows(all.varied, first, n, part.varied);
    for (auto& [k, text] : part.messages) work.add_message(place + k, std::move(text));
    if (work.rows.empty()) return put_rows(all.values, first, n, part.values);
    const std::size_t columns = part.row_t.empty() ? 0 : part.values.size() / part.row_t.size();
    auto value = part.values.begin();
    std::size_t row = 0;
    for (std::size_t k = 0; k < n; ++k) {
        for (std::int64_t r = 0; r < part.row_count[k]; ++r, ++row) {
            work.row_t[first + k].push_back(part.row_t[row]);
            if (!part.row_event.empty()) work.row_event[first + k].push_back(std::move(part.row_event[row]));
            const auto end = value + static_cast<std::ptrdiff_t>(columns);
            work.rows[first + k].insert(work.rows[first + k].end(), value, end);
            value = end;
        }
    }
}

void close(Work& work) {
    MemberBlock& b = work.block;
    std::ranges::sort(b.messages);
    for (std::size_t k = 0; k < work.rows.size(); ++k) {
        b.row_count.push_back(static_cast<std::int64_t>(work.row_t[k].size()));
        b.row_t.insert(b.row_t.end(), work.row_t[k].begin(), work.row_t[k].end());
        b.values.insert(b.values.end(), work.rows[k].begin(), work.rows[k].end());
        b.row_event.insert(b.row_event.end(), work.row_event[k].begin(), work.row_event[k].end());
    }
}

} // namespace vessiot::ensemble
