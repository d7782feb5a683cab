// What is kept of a member: rows of the block that it belongs to, its status, what it said.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ensemble/team/work.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::ensemble {

class Records {
public:
    // `warnings` of the model are said once, elsewhere.
    Records(const EnsembleHead& head, const std::vector<std::string>& warnings) : head_(head), warnings_(warnings) {}

    // Which values of a solution are kept; found once.
    void choose(const Solution& solution);
    void make_room(Work& work) const;
    std::span<double> varied_of(Work& work, std::int64_t k) const;

    void keep(Work& work, std::int64_t k, const Solution& solution);
    // Of a member that ended at t, where its row is known.
    void keep_row(Work& work, std::int64_t k, std::int64_t steps, double t, std::span<const double> row) const;
    void fail(Work& work, std::int64_t k, MemberStatus status, std::string message);
    std::int64_t n_failed() const { return n_failed_; }

private:
    void add_notes(Work& work, std::int64_t k, const Solution& solution) const;
    void put_row(const Solution& solution, std::size_t point, double* out) const;
    // Why it cannot be: empty where it was.
    std::string record(Work& work, std::int64_t k, const Solution& solution) const;

    const EnsembleHead& head_;
    const std::vector<std::string>& warnings_;
    std::vector<std::size_t> columns_; // places in names, then outputs
    std::atomic<std::int64_t> n_failed_ = 0;
};

} // namespace vessiot::ensemble
