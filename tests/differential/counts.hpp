// What came of all runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "differential/judge.hpp"

namespace vessiot::differential {

class Counts {
public:
    std::int64_t systems = 0;

    // `is_plain`: the run of a system without options, which a class must mostly survive.
    void add(const std::string& class_name, const Outcome& outcome, bool is_plain);
    void merge(const Counts& other);
    std::int64_t of(Verdict verdict) const;

    // For people.
    std::string table() const;
    // The classes of whose systems less than `share` are solved without options: a generator whose systems are refused
    // tests nothing. Empty: none.
    std::string weak_classes(double share) const;

    // Between processes.
    std::string serialised() const;
    static Counts read(const std::string& text);

private:
    std::map<std::string, std::int64_t>
        counts_; // "verdict <class> <verdict>", "plain <class> <verdict>", "reason <verdict> <text>"
};

} // namespace vessiot::differential
