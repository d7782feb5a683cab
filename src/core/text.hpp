// Small helpers for messages.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

namespace vessiot {

// How far apart two words are, in quarters of an edit. An edit is a letter put in, left out, replaced, or exchanged
// with its neighbour (Damerau-Levenshtein, optimal string alignment); a letter in the other case is a quarter.
// Ends early, with some value above the limit, where the distance exceeds it.
int word_distance(std::string_view a, std::string_view b, int limit);

// The distance up to which a word of this length is taken for a misspelling: none in very short words, where any two
// are close, up to three edits in long ones. A difference in case only is always one.
int misspelling_limit(std::size_t length);

// The name that was probably meant, for "did you mean 'theta'?"; the first of several equally near ones.
template <std::ranges::input_range Names>
std::optional<std::string> nearest(std::string_view word, const Names& names) {
    std::optional<std::string> best;
    int limit = misspelling_limit(word.size());
    for (const std::string_view name : names) {
        const int distance = word_distance(word, name, limit);
        if (distance > limit || distance == 0) continue;
        best = std::string(name);
        limit = distance - 1;
    }
    return best;
}

// "a, b, c": the first twenty names, and "…" where there are more.
template <std::ranges::sized_range Names> std::string first_names(const Names& names) {
    constexpr std::size_t most = 20;
    std::string list;
    for (const std::string_view name : names | std::views::take(most)) {
        if (!list.empty()) list += ", ";
        list += name;
    }
    if (names.size() > most) list += ", …";
    return list;
}

// "projection must be one of newton, none, but found 'nweton'; did you mean 'newton'?"
std::string unknown_word_text(std::string_view name, std::span<const std::string_view> words, std::string_view found);

// The text, or its first letters and "...", at most `length` of both.
std::string shortened(const std::string& text, std::size_t length);

// "1 unknown", "3 unknowns"
std::string plural(std::size_t count, std::string_view noun);

} // namespace vessiot
