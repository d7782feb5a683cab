// Random choices, the same for the same seed on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace vessiot::differential {

class Choice {
public:
    explicit Choice(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}

    double between(double a, double b) { return a + (b - a) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(between(0, static_cast<double>(n))); }
    int integer(int from, int to) { return from + static_cast<int>(below(static_cast<std::size_t>(to - from + 1))); }
    bool chance(double p) { return between(0, 1) < p; }
    // With one digit after the point, and not 0: models stay readable.
    double decimal(double a, double b) {
        const double x = std::round(10 * between(a, b)) / 10;
        return x == 0 ? 0.1 : x;
    }
    template <class List> const auto& of(const List& list) {
        return *std::next(std::begin(list), below(std::size(list)));
    }

private:
    std::mt19937_64 engine_;
};

} // namespace vessiot::differential
