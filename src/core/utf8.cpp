#include "core/utf8.hpp"

#include <algorithm>
#include <array>

namespace vessiot {

std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(offset);
    if (first < 0x80) return CodePoint{first, 1};
    std::size_t length = 0;
    char32_t value = 0;
    char32_t smallest = 0; // anything below is an overlong form
    if ((first & 0xE0) == 0xC0) {
        length = 2, value = first & 0x1Fu, smallest = 0x80;
    } else if ((first & 0xF0) == 0xE0) {
        length = 3, value = first & 0x0Fu, smallest = 0x800;
    } else if ((first & 0xF8) == 0xF0) {
        length = 4, value = first & 0x07u, smallest = 0x10000;
    } else {
        return std::nullopt;
    }
    if (text.size() - offset < length) return std::nullopt;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(offset + i) & 0xC0) != 0x80) return std::nullopt;
        value = (value << 6) | (byte(offset + i) & 0x3Fu);
    }
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest || value > 0x10FFFF || is_surrogate) return std::nullopt;
    return CodePoint{value, length};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto point = decode_utf8(text, i);
        if (!point) return i;
        i += point->length;
    }
    return std::nullopt;
}

std::size_t count_code_points(std::string_view utf8) {
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(utf8, is_start));
}

int display_width(char32_t code_point) {
    struct Range {
        char32_t first, last;
    };
    constexpr std::array zero{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x200B, 0x200F},
                              Range{0x202A, 0x202E}, Range{0x2060, 0x2064}, Range{0x20D0, 0x20F0},
                              Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}};
    constexpr std::array wide{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},  Range{0x3041, 0xA4CF},
                              Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE6F},
                              Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},  Range{0x1F300, 0x1F64F},
                              Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
    const auto is_in = [&](const Range& r) { return code_point >= r.first && code_point <= r.last; };
    if (std::ranges::any_of(zero, is_in)) return 0;
    return std::ranges::any_of(wide, is_in) ? 2 : 1;
}

} // namespace vessiot
