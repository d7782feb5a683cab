#include "lang/syntax/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

// NOTE: declared here because <quadmath.h> lies in a folder that only g++ searches; the function is in libquadmath.
extern "C" int quadmath_snprintf(char*, std::size_t, const char*, ...);

namespace vessiot::lang {

namespace {

// NOTE: not std::stod, which throws for numbers below 2.2e-308 and reads "0,5" where the locale says so.
bool reads_back(const std::string& text, double value) {
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return read == value;
}

} // namespace

std::string number_text(double value) {
    if (std::abs(value) < 1e6 && value == std::floor(value)) return fmt::format("{:.0f}", value);
    std::string text = fmt::format("{:.6g}", value);
    if (!reads_back(text, value)) text = fmt::format("{}", value);
    // 1e+08 as 1e8, 1e-05 as 1e-5
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    std::string exponent = text.substr(e + 1);
    const bool is_negative = exponent[0] == '-';
    exponent.erase(0, exponent.find_first_not_of("+-0"));
    return text.substr(0, e) + (is_negative ? "e-" : "e") + exponent;
}

std::string exact_text(Quad value) {
    const auto rounded = static_cast<double>(value);
    if (static_cast<Quad>(rounded) == value) return number_text(rounded);
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.36Qg", value);
    return text;
}

} // namespace vessiot::lang
