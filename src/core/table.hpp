// Things that are looked up by their names, in one list: what reads it finds what is added to it.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace vessiot {

// What an option is that leaves the choice to the program.
inline constexpr std::string_view automatic_word = "auto";

// An entry has a member `name`. Entries never move.
template <class Entry> class Table {
public:
    Table(std::initializer_list<Entry> entries) {
        for (const Entry& entry : entries) add(entry);
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    // Null where there is none.
    const Entry* find(std::string_view name) const {
        const auto found = std::ranges::find(entries_, name, &Entry::name);
        return found == entries_.end() ? nullptr : &*found;
    }

    // For programs that bring one of their own, before anything is solved. Throws InvalidInput where its name is taken.
    const Entry& add(const Entry& entry) {
        if (find(entry.name)) throw InvalidInput("the name '" + std::string(entry.name) + "' is there already");
        entries_.push_back(entry);
        words_.push_back(entry.name);
        return entries_.back();
    }

    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }
    std::size_t size() const { return entries_.size(); }
    // The names, in their order; as an option they may be `auto` too.
    std::span<const std::string_view> names() const { return std::span(words_).subspan(1); }
    std::span<const std::string_view> words() const { return words_; }

private:
    std::deque<Entry> entries_{};
    std::vector<std::string_view> words_{automatic_word};
};

} // namespace vessiot
