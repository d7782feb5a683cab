#include "core/printable.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/utf8.hpp"

namespace vessiot {

namespace {

bool is_shown(char32_t c) {
    if (c == U'\n' || c == U'\t') return true;
    const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    // right-to-left overrides and isolates: what follows would be shown in another order
    const bool turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return !is_control && !turns;
}

} // namespace

std::string printable(std::string_view text, EscapeStyle style) {
    const auto is_plain = [](char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; };
    if (std::ranges::all_of(text, is_plain)) return std::string(text);
    std::string result;
    std::size_t kept = 0; // up to here the text is in the result
    for (std::size_t i = 0; i < text.size();) {
        const auto point = decode_utf8(text, i);
        const std::size_t length = point ? point->length : 1;
        if (!point || !is_shown(point->value)) {
            result += text.substr(kept, i - kept);
            const std::uint32_t value = point ? point->value : static_cast<unsigned char>(text[i]);
            if (!point && style == EscapeStyle::json)
                result += "\\ufffd";
            else if (style == EscapeStyle::json || value > 0xFF)
                result += fmt::format("\\u{:04x}", value);
            else
                result += fmt::format("\\x{:02x}", value);
            kept = i + length;
        }
        i += length;
    }
    return result += text.substr(kept);
}

} // namespace vessiot
