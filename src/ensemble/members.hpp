// The members of an ensemble: how many there are, and the values of each, made when they are asked for.
//
// Member i = (point of the grids) * samples + sample: of several grids the last varies fastest, samples fastest of all.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

inline constexpr std::int64_t most_members = std::int64_t{1} << 53;
inline constexpr std::int64_t most_shards = 1'000'000;

class Members {
public:
    // Throws InvalidInput where what is asked for contradicts itself. The options must outlive this.
    explicit Members(const EnsembleOptions& options);

    std::int64_t size() const { return size_; }
    const std::vector<std::string>& names() const { return names_; }
    // How each of them varies, as text.
    std::vector<std::string> varied_by() const;
    // One number for each name.
    void values(std::int64_t member, std::span<double> out) const;
    // What a run is told for these values: parameters and start values beside those that all members have.
    RunOptions run(std::span<const double> values) const;
    // All that members are made of, as text: the same text, the same members.
    std::string identity() const;

private:
    void count_grids();
    double sample(std::size_t variable, std::uint64_t dimension, std::int64_t point, std::int64_t k,
                  std::int64_t member) const;

    const EnsembleOptions& options_;
    std::vector<std::string> names_;
    std::int64_t size_ = 0, n_points_ = 1, n_samples_ = 1;
};

// Numbers of these distributions are as they must be; throws InvalidInput.
void check(const Vary& vary);
// vessiot::read_members of a table that is open; `path` is its name in messages.
void read_members(std::istream& file, const std::string& path, EnsembleOptions& options);

} // namespace vessiot::ensemble
