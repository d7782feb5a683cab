#include "core/text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace vessiot {

namespace {

constexpr int edit = 4; // quarters

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

int replacement_cost(char a, char b) {
    if (a == b) return 0;
    return lower(a) == lower(b) ? 1 : edit;
}

} // namespace

int word_distance(std::string_view a, std::string_view b, int limit) {
    const std::size_t longer = std::max(a.size(), b.size());
    const std::size_t shorter = std::min(a.size(), b.size());
    if (edit * (longer - shorter) > static_cast<std::size_t>(std::max(limit, 0))) return limit + 1;
    // Rows i-2, i-1, i of the table: the cost of turning the first i letters of a into the first j of b.
    std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = edit * static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = edit * static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + edit, row[j - 1] + edit, last[j - 1] + replacement_cost(a[i - 1], b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + edit);
            }
        }
        // NOTE: two rows, since an exchange of neighbours skips one.
        if (*std::ranges::min_element(row) > limit && *std::ranges::min_element(last) > limit) return limit + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

int misspelling_limit(std::size_t length) {
    constexpr std::size_t longest = 100; // nobody misspells a longer one by hand, and the table would be large
    if (length > longest) return -1;
    if (length <= 2) return edit - 1; // case only
    if (length <= 4) return edit + 1;
    if (length <= 8) return 2 * edit;
    return 3 * edit;
}

std::string unknown_word_text(std::string_view name, std::span<const std::string_view> words, std::string_view found) {
    std::string listed;
    for (const std::string_view w : words) listed += fmt::format("{}{}", listed.empty() ? "" : ", ", w);
    const auto near = nearest(found, words);
    return fmt::format("{} must be {}{}, but found '{}'{}", name, words.size() == 1 ? "" : "one of ", listed, found,
                       near ? fmt::format("; did you mean '{}'?", *near) : "");
}

std::string shortened(const std::string& text, std::size_t length) {
    if (text.size() <= length) return text;
    std::size_t end = length - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end; // not within a letter
    return text.substr(0, end) + "...";
}

std::string plural(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace vessiot
