// Threads that share graphics processors: how an ensemble sees them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ensemble/team/work.hpp"
#include "solve/problem/problem.hpp"

namespace vessiot::ensemble {

class DeviceThreads {
public:
    static constexpr std::int64_t most_runs = std::int64_t{1} << 20; // at a time

    DeviceThreads() = default;
    DeviceThreads(const DeviceThreads&) = delete;
    DeviceThreads& operator=(const DeviceThreads&) = delete;
    virtual ~DeviceThreads() = default;

    // Before the threads: how many there are, and how many members at a time are wanted. Returns how many there is
    // memory for; throws InvalidInput where that is too little.
    virtual std::int64_t begin(std::int64_t n_threads, std::int64_t n_runs) = 0;
    virtual void do_without(std::int64_t n_threads) = 0;                // those that could not be started
    virtual void work(ProblemCore& core, const MemberCalls& calls) = 0; // of one thread
    virtual std::string name() const = 0;
    virtual double seconds() const = 0; // of the processor that took longest
};

std::string name_of_devices(const std::string& first, std::size_t n);
// Of how many processors, and runs of each, so many runs make use.
std::pair<std::size_t, std::size_t> shares_of(std::int64_t n_runs, std::size_t n_devices);
// Smaller blocks, where there is no memory for them: throws InvalidInput where they are too small already.
std::size_t halved(std::size_t part_size);
// Those of this machine that belong to a process: `here` says which of the processes on it this is, and how many there
// are. Throws GpuFailure.
std::vector<int> devices_of(std::pair<int, int> here);

} // namespace vessiot::ensemble
