#include "io/text_writer.hpp"

#include <charconv>
#include <cmath>

namespace vessiot::io {

void append_number(std::string& text, double value) {
    if (std::isnan(value)) { // without a sign
        text += "nan";
        return;
    }
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, result.ptr);
}

} // namespace vessiot::io
