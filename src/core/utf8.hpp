// Reading UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vessiot {

struct CodePoint {
    char32_t value;
    std::size_t length; // bytes
};

// The code point that begins at an offset inside of the text; nothing where the bytes are not UTF-8.
std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t offset);

// The offset of the first byte that is not UTF-8; nothing where all is well.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

std::size_t count_code_points(std::string_view utf8);

// Columns that a code point takes on a terminal: 0 for combining marks, 2 for wide (East Asian) ones, else 1.
int display_width(char32_t code_point);

} // namespace vessiot
