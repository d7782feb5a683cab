#include "lang/syntax/diagnostic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/utf8.hpp"

namespace vessiot::lang {

namespace {

constexpr std::size_t margin = 4;        // spaces before the shown line
constexpr std::size_t window_width = 96; // columns of a line that are shown at most
constexpr std::size_t window_lead = 32;  // columns kept before the caret where the line is cut on the left

// One code point of the shown line.
struct Cell {
    std::string_view text;
    std::size_t width;
    std::uint32_t offset;
};

// The part of a line around an offset that is wide enough for any window: a line may be as long as the text.
Span surroundings(const Source& source, Span line, std::uint32_t offset) {
    constexpr std::uint32_t reach = 4 * window_width; // bytes; a code point has four at most
    const std::string_view text = source.text();
    const auto is_inside = [&](std::uint32_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
    Span part = line;
    if (offset - line.begin > reach) part.begin = offset - reach;
    if (line.end > offset && line.end - offset > reach) part.end = offset + reach;
    while (part.begin < part.end && is_inside(part.begin)) ++part.begin;
    while (part.end < line.end && is_inside(part.end)) ++part.end;
    return part;
}

// A part of a line as it is printed: a tab or control character as one space, so that the carets align.
std::vector<Cell> cells_of(const Source& source, Span part) {
    const std::string_view text = source.text();
    std::vector<Cell> cells;
    for (std::uint32_t i = part.begin; i < part.end;) {
        const auto point = decode_utf8(text, i).value_or(CodePoint{U'?', 1});
        const bool is_control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
        if (is_control) {
            cells.push_back({" ", 1, i});
        } else {
            cells.push_back({text.substr(i, point.length), static_cast<std::size_t>(display_width(point.value)), i});
        }
        i += static_cast<std::uint32_t>(point.length);
    }
    return cells;
}

} // namespace

std::string format_diagnostic(const Source& source, Span span, std::string_view message) {
    const Position position = source.position(span.begin);
    Span line = source.line_at(span.begin);
    while (line.begin < line.end && (source.text()[line.begin] == ' ' || source.text()[line.begin] == '\t'))
        ++line.begin;
    const Span part = surroundings(source, line, std::max(span.begin, line.begin));
    const std::vector<Cell> cells = cells_of(source, part);
    const auto index_of = [&](std::uint32_t offset) {
        const auto cell = std::ranges::lower_bound(cells, offset, {}, &Cell::offset);
        return static_cast<std::size_t>(cell - cells.begin());
    };
    const std::size_t caret = index_of(span.begin);
    const std::size_t caret_end = std::max(index_of(span.end), caret);

    std::size_t first = 0;
    std::size_t last = cells.size();
    const bool is_cut_before = part.begin > line.begin;
    const bool is_cut_after = part.end < line.end;
    if (is_cut_before || is_cut_after || cells.size() > window_width) {
        first = is_cut_before || caret > window_width - window_lead ? caret - window_lead : 0;
        last = std::min(first + window_width, cells.size());
    }

    const bool has_left_mark = first > 0 || is_cut_before;
    std::string shown = has_left_mark ? "…" : "";
    std::string below(has_left_mark ? 1 : 0, ' ');
    std::size_t underlined = 0;
    for (std::size_t i = first; i < last; ++i) {
        shown += cells[i].text;
        if (i < caret) below.append(cells[i].width, ' ');
        if (i >= caret && i < caret_end) underlined += cells[i].width;
    }
    if (last < cells.size() || is_cut_after) shown += "…";
    below += '^';
    if (underlined > 1) below.append(underlined - 1, '~');

    return fmt::format("{}:{}:{}: {}\n{:{}}{}\n{:{}}{}", source.name_at(span.begin), position.line, position.column,
                       message, "", margin, shown, "", margin, below);
}

ModelError::ModelError(const Source& source, Span span, const std::string& message)
    : InvalidInput(format_diagnostic(source, span, message)), position_(source.position(span.begin)),
      message_(message) {}

void fail(const Source& source, Span span, const std::string& message) {
    throw ModelError(source, span, message);
}

void warn(Warnings& warnings, const Source& source, Span span, const std::string& message) {
    warnings.push_back(format_diagnostic(source, span, "warning: " + message));
}

} // namespace vessiot::lang
