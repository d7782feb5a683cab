// Quantiles of numbers that come one after another: exact up to a million of them, then by a sketch whose ranks are
// wrong by at most one in a thousand, in memory that hardly grows. The same numbers in the same order give the same
// sketch.
#pragma once

#include <cstdint>
#include <vector>

namespace vessiot::ensemble {

// Beyond `most_exact` numbers: levels of sorted lists, in which a number of level l stands for 2^l. A full level is
// sorted, every second number moves one level up (odd and even ones in turn), the others are dropped: that moves a rank
// by at most 2^l, and happens n / (k 2^l) times, so that all ranks are right to n L / k with L = log2(n / k) levels:
// 4e-4 n for 10^8 numbers. [MRL98]
class Quantiles {
public:
    static constexpr std::size_t most_exact = 1'000'000;
    static constexpr std::size_t level_size = 32'768; // k

    void add(double x);
    std::int64_t count() const { return count_; }
    bool is_exact() const { return levels_.empty(); }
    // The number with rank p (n - 1), between two of them the linear interpolation; of a sketch the number nearest to
    // that rank. NaN of none.
    std::vector<double> at(const std::vector<double>& p) const;

private:
    void give_up_exactness();
    void push(std::size_t level, double x);

    struct Level {
        std::vector<double> numbers;
        bool takes_odd = false;
    };
    std::int64_t count_ = 0;
    std::vector<double> exact_;
    std::vector<Level> levels_;
};

} // namespace vessiot::ensemble
