#include "method/user/coefficient.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

namespace {

constexpr int exact_digits = 14; // of a decimal that is meant as it stands

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

// digits[.digits][e[+|-]digits]
bool is_decimal(std::string_view text) {
    const std::size_t e = std::min(text.find('e'), text.find('E'));
    if (e != std::string_view::npos) {
        std::string_view exponent = text.substr(e + 1);
        if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
        if (!is_digits(exponent) || exponent.size() > 4) return false;
        text = text.substr(0, e);
    }
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos) return is_digits(text);
    return is_digits(text.substr(0, point)) && is_digits(text.substr(point + 1));
}

int significant_digits(std::string_view text) {
    int n = 0;
    for (const char c : text.substr(0, std::min(text.find('e'), text.find('E'))))
        n += std::isdigit(static_cast<unsigned char>(c)) != 0 && (n > 0 || c != '0');
    return n;
}

std::optional<ReadCoefficient> read_unsigned(std::string_view text) {
    if (!is_decimal(text)) return std::nullopt;
    const int digits = significant_digits(text);
    const bool is_rounded = digits > exact_digits && text.find('.') != std::string_view::npos;
    return ReadCoefficient{to_quad(text), is_rounded ? std::pow(10.0, 1 - digits) : 0.0};
}

} // namespace

std::optional<ReadCoefficient> read_coefficient(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
    std::string_view rest = text;
    const bool is_negative = rest.starts_with('-');
    if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
    const std::size_t slash = rest.find('/');
    std::optional<ReadCoefficient> result = read_unsigned(rest.substr(0, slash));
    if (result && slash != std::string_view::npos) {
        const auto divisor = read_unsigned(rest.substr(slash + 1));
        if (!divisor || divisor->value == 0) return std::nullopt;
        result->value /= divisor->value;
        result->uncertainty += divisor->uncertainty;
    }
    if (!result || !linalg::is_finite(result->value)) return std::nullopt;
    if (is_negative) result->value = -result->value;
    return result;
}

void check_user_name(const std::string& name, const std::string& source) {
    const auto is_good = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    };
    if (name.empty() || !std::ranges::all_of(name, is_good))
        throw InvalidInput(fmt::format(
            "{}: the name of a method is of letters, digits, '_', '-' and '.', but found '{}'", source, name));
    if (name == "auto" || std::ranges::find(methods(), name, &MethodInfo::name) != methods().end())
        throw InvalidInput(
            fmt::format("{}: the name '{}' is that of a method of the program: give another one", source, name));
}

} // namespace vessiot::method
