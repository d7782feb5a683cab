#include "system/describe/text_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/utf8.hpp"

namespace vessiot {

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t most_lines = 20; // of a list; a longer one shows `shown_lines`
constexpr std::size_t shown_lines = 16;
constexpr std::size_t most_items = 60;
constexpr std::size_t shown_items = 40;
constexpr std::size_t most_characters = 480; // of one text
constexpr std::string_view indent = "  ";
constexpr std::string_view deeper = "      ";
constexpr std::string_view rest_mark = "… ("; // and how much is left out

// A piece of a line: what stands between two places where it may be broken. An operator begins a piece.
struct TextPiece {
    std::string_view text;
    std::size_t width = 0;
    int depth = 0; // brackets that are open where it begins
};

std::vector<TextPiece> pieces_of(std::string_view text) {
    std::vector<TextPiece> pieces;
    std::size_t begin = 0;
    int depth = 0;
    while (begin < text.size()) {
        std::size_t end = text.substr(begin).starts_with(rest_mark) ? text.size() : text.find(' ', begin);
        const std::size_t length = std::min(end, text.size()) - begin;
        const std::string_view word = text.substr(begin, length);
        const bool is_operator =
            word == "+=" || (length == 1 && std::string_view("+-*/=<>^").find(word[0]) != std::string_view::npos);
        if (is_operator && end != std::string_view::npos) end = text.find(' ', end + 1);
        end = std::min(end, text.size());
        const std::string_view piece = text.substr(begin, end - begin);
        const bool is_end_of_equation = piece == "= 0" && end == text.size() && !pieces.empty();
        if (is_end_of_equation) { // never alone on a line
            TextPiece& last = pieces.back();
            last.text = text.substr(end - piece.size() - 1 - last.text.size()); // both, and the space between
            last.width += 1 + piece.size();
        } else {
            pieces.push_back({piece, text_width(piece), depth});
        }
        for (const char c : piece) depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        begin = end + 1;
    }
    return pieces;
}

// Where to break a line that has room for the pieces first .. last-1: as late as possible, but rather outside of
// brackets, as long as a third of the line is used.
std::size_t break_before(const std::vector<TextPiece>& pieces, std::size_t first, std::size_t last) {
    if (last == pieces.size()) return last;
    std::size_t used = 0, best = last;
    for (std::size_t k = first; k <= last; ++k) {
        const bool is_late = k > first && used >= width / 3;
        if (is_late && (pieces[k].depth <= pieces[best].depth)) best = k;
        if (k < last) used += pieces[k].width + 1;
    }
    return best;
}

} // namespace

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string result;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        if (k > 0) result += separator;
        result += texts[k];
    }
    return result;
}

std::size_t text_width(std::string_view text) {
    return count_code_points(text);
}

std::string padded(std::string_view text, std::size_t columns) {
    const std::size_t own = text_width(text);
    return std::string(text) + std::string(columns > own ? columns - own : 0, ' ');
}

void TextLayout::heading(std::string_view text) {
    if (!out_.empty()) out_ += '\n';
    out_ += text;
    out_ += '\n';
}

void TextLayout::blank() {
    out_ += '\n';
}

std::string TextLayout::cut(std::string_view text) const {
    if (full_ || text.size() <= most_characters) return std::string(text);
    std::size_t end = text.rfind(' ', most_characters);
    if (end == std::string_view::npos || end < most_characters / 2) end = most_characters;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // not inside of a letter
    return fmt::format("{} {}{} more characters; --full shows all)", text.substr(0, end), rest_mark,
                       count_code_points(text.substr(end)));
}

void TextLayout::wrapped(std::string_view label, std::string_view text, std::string_view more) {
    const std::vector<TextPiece> pieces = pieces_of(text);
    const std::string_view margin = more.empty() ? deeper : more;
    out_ += indent;
    out_ += label;
    std::size_t column = indent.size() + text_width(label);
    for (std::size_t first = 0; first < pieces.size();) {
        std::size_t last = first;
        std::size_t end = column;
        for (; last < pieces.size() && (last == first || end + 1 + pieces[last].width <= width); ++last)
            end += pieces[last].width + (last == first ? 0 : 1);
        last = break_before(pieces, first, last);
        if (first > 0) {
            out_ += '\n';
            out_ += margin;
        }
        for (std::size_t k = first; k < last; ++k) {
            if (k > first) out_ += ' ';
            out_ += pieces[k].text;
        }
        first = last;
        column = margin.size();
    }
    out_ += '\n';
}

void TextLayout::labelled(std::string_view label, std::size_t label_width, std::string_view text) {
    wrapped(padded(label, label_width), cut(text), std::string(indent.size() + label_width, ' '));
}

template <class Show> void TextLayout::limited(std::size_t n, const Show& show) {
    const bool is_cut = !full_ && n > most_lines;
    const std::size_t n_shown = is_cut ? shown_lines : n;
    for (std::size_t k = 0; k < n_shown; ++k) show(k);
    if (is_cut) line(fmt::format("… {} more; --full shows all", n - n_shown));
}

void TextLayout::lines(const std::vector<std::string>& texts) {
    limited(texts.size(), [&](std::size_t k) { wrapped("", cut(texts[k]), ""); });
}

void TextLayout::verbatim(const std::vector<std::string>& table) {
    limited(table.size(), [&](std::size_t k) { out_ += fmt::format("{}{}\n", indent, table[k]); });
}

void TextLayout::items(std::string_view prefix, const std::vector<std::string>& texts) {
    const bool is_cut = !full_ && texts.size() > most_items;
    const std::size_t n = is_cut ? shown_items : texts.size();
    const bool has_long = std::ranges::any_of(texts, [](const std::string& t) { return text_width(t) > width - 12; });
    if (has_long && !is_cut) {
        wrapped("", cut(std::string(prefix) + joined(texts, ", ")), "");
        return;
    }
    std::string shown = std::string(indent) + std::string(prefix);
    std::size_t column = text_width(shown);
    const std::string margin(prefix.empty() ? indent : deeper);
    const auto add = [&](const std::string& text, bool is_first) {
        const std::size_t own = text_width(text);
        if (!is_first && column + 1 + own > width) {
            shown += '\n' + margin;
            column = text_width(margin);
            is_first = true;
        }
        shown += (is_first ? "" : " ") + text;
        column += own + (is_first ? 0 : 1);
    };
    for (std::size_t k = 0; k < n; ++k) add(cut(texts[k]) + (k + 1 < texts.size() ? "," : ""), k == 0);
    if (is_cut) add(fmt::format("… {} more; --full shows all", texts.size() - n), false);
    out_ += shown;
    out_ += '\n';
}

} // namespace vessiot
