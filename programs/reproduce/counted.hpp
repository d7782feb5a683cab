// The projections of the tables of Tuomela, Arponen and Normi, which say how many iterations each step took: entries
// that this program adds to the table of projections.
//
//   counted-newton    as newton
//   counted-inexact   as inexact
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace vessiot::reproduce {

// Iterations from one beginning of a step to the next: attempts of Runge-Kutta methods, three of them where a step of
// Euler's method is compared with two of half the size.
struct CountedSteps {
    struct Part {
        double tau = 0; // where it began
        std::int64_t iterations = 0;
    };
    std::vector<Part> parts{};

    // Of each accepted step, where so many parts make an attempt. One is accepted where the next does not begin at the
    // same place.
    std::vector<std::int64_t> accepted(std::size_t parts_per_attempt) const;
};

// While it lives, counted projections that are made in this thread write there.
class Counting {
public:
    Counting();
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

    // Of the projection that took part in most steps: others are those of reports.
    const CountedSteps& steps() const;

private:
    std::vector<std::shared_ptr<CountedSteps>> lists_;
};

// Adds the entries, once.
void add_counted_projections();

} // namespace vessiot::reproduce
