#include "reproduce/verdict.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot::reproduce {

namespace {

constexpr double zero_tolerance = 1e-12;
constexpr double close_tolerance = 0.1;

// The power of ten of the last digit of "0.135", "18049", "1.2e-3": -3, 0, -4.
int last_place(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    int exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view power = text.substr(e + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        std::from_chars(power.data(), power.data() + power.size(), exponent);
    }
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = mantissa.find('.');
    if (point == std::string_view::npos) return exponent;
    return exponent - static_cast<int>(mantissa.size() - point - 1);
}

bool is_whole(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15;
}

} // namespace

std::string_view name(Verdict verdict) {
    switch (verdict) {
    case Verdict::exact: return "exact";
    case Verdict::fitted: return "fitted";
    case Verdict::close: return "close";
    case Verdict::differs: break;
    }
    return "differs";
}

double Printed::value() const {
    double result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc{} || end != text.data() + text.size())
        throw InvalidInput(fmt::format("'{}' is printed as a number, but is none", text));
    return result;
}

double Printed::rounding() const {
    int place = last_place(text);
    const double v = std::abs(value());
    if (digits > 0 && v > 0) place = std::min(place, static_cast<int>(std::floor(std::log10(v))) + 1 - digits);
    return 0.5 * std::pow(10.0, place);
}

Verdict compare(const Printed& published, double computed) {
    const double p = published.value();
    if (!std::isfinite(computed)) return Verdict::differs;
    if (p == 0) return std::abs(computed) < zero_tolerance ? Verdict::exact : Verdict::differs;
    // NOTE: 0.1345 is no double; what rounds to the printed digits up to round-off is exact.
    const double distance = std::abs(computed - p);
    if (distance <= published.rounding() * (1 + 1e-9)) return Verdict::exact;
    return distance <= close_tolerance * std::abs(p) ? Verdict::close : Verdict::differs;
}

std::string computed_text(const Printed& published, double computed) {
    if (!std::isfinite(computed)) return "-";
    const double p = std::abs(published.value());
    if (p == 0) return computed == 0 ? "0" : fmt::format("{:.0e}", computed);
    if (is_whole(computed) && is_whole(p) && 2 * published.rounding() >= 1) return fmt::format("{:.0f}", computed);
    const int printed =
        static_cast<int>(std::floor(std::log10(p)) - std::round(std::log10(2 * published.rounding()))) + 1;
    if (compare(published, computed) != Verdict::exact)
        return fmt::format("{:.{}g}", computed, std::clamp(printed, 3, 6));
    std::string text = fmt::format("{:#.{}g}", computed, std::max(printed, 1));
    if (text.ends_with('.')) text.pop_back();
    return text;
}

} // namespace vessiot::reproduce
