// Text in columns for terminals: sections, wrapped lines, shortened lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vessiot {

class TextLayout {
public:
    // Without `full`, long lists and long lines are cut, with a word on how to see the rest.
    explicit TextLayout(bool full) : full_(full) {}

    void heading(std::string_view text); // an empty line before it, unless it is the first
    void blank();
    // A line, broken before operators where it is too long; what follows is indented deeper.
    void line(std::string_view text) { wrapped("", text, ""); }
    // The label in a column of its own.
    void labelled(std::string_view label, std::size_t label_width, std::string_view text);
    // Each text a line, up to a number of lines; rows of a table (`verbatim`) are never broken.
    void lines(const std::vector<std::string>& texts);
    void verbatim(const std::vector<std::string>& table);
    // Short texts one after the other with commas between, broken between them only. The prefix stands before the
    // first.
    void items(std::string_view prefix, const std::vector<std::string>& texts);

    std::string finish() { return std::move(out_); }

private:
    void wrapped(std::string_view label, std::string_view text, std::string_view more);
    std::string cut(std::string_view text) const;
    // How many of a list of lines are shown; says so where it is not all.
    template <class Show> void limited(std::size_t n, const Show& show);

    bool full_;
    std::string out_;
};

std::string joined(const std::vector<std::string>& texts, std::string_view separator);

// Columns of a text on a terminal, and spaces that fill it up to a width.
std::size_t text_width(std::string_view text);
std::string padded(std::string_view text, std::size_t width);

} // namespace vessiot
