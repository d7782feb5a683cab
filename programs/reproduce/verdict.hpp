// How a computed number compares with a printed one.
//
//     exact     it rounds to the printed digits; a printed 0 is met below 1e-12
//     fitted    the same, but what the text does not say was chosen so that it does (Reading)
//     close     |computed - published| <= |published| / 10
//     differs   all else, and what could not be computed (NaN)
#pragma once

#include <string>
#include <string_view>

namespace vessiot::reproduce {

enum class Verdict { exact, fitted, close, differs };
std::string_view name(Verdict verdict);

// A number as it is printed in a paper: "18049", "0.135", "5e-5".
struct Printed {
    std::string text{};
    int digits = 0; // significant ones that it stands for; 0: those that are printed. "2" among averages is 2.00

    // Throws InvalidInput where the text is no number.
    double value() const;
    // Half a unit of the last digit.
    double rounding() const;
};

Verdict compare(const Printed& published, double computed);

// The computed number, with as many digits as the printed one has, and three at least where they differ.
std::string computed_text(const Printed& published, double computed);

} // namespace vessiot::reproduce
