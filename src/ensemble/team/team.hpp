// An ensemble on several processes (vessiot/ranks.hpp): who tells whom what.
//
//   hello    k to 0   identity of the ensemble
//   want     k to 0   how many members
//   members  0 to k   number of the grant, first member, how many; several of these
//   results  k to 0   number of the grant; a block
//   failed   k to 0   why this rank cannot go on: the ensemble ends
//   gone     k to 0   it was told to stop: others do what it had
//   alive    both     every second
//   ping     0 to k   after the last member, and back at once
//   end      0 to k   whether all are there
//
// A rank that is silent is gone: what it had is given to others. What it sends after all is what the others have
// computed as well, and is left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ensemble/team/open_blocks.hpp"
#include "vessiot/ranks.hpp"

namespace vessiot::ensemble {

class Team {
public:
    using Clock = std::chrono::steady_clock;

    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    // At what has come, again and again, by one thread.
    virtual void look() = 0;
    // After the last member, or where this process ends before.
    virtual void end() = 0;
    // What happened, for people.
    virtual std::vector<std::string> notes() const { return {}; }
};

// Rank 0.
class Giver final : public Team {
public:
    Giver(Ranks& ranks, OpenBlocks& blocks, const EnsembleHead& head, std::string identity);

    // Throws InvalidInput where a rank failed, or runs something else.
    void look() override;
    void end() override;
    std::vector<std::string> notes() const override { return notes_; }

private:
    struct Other {
        Clock::time_point heard{};
        bool has_come = false, is_gone = false;
        std::int64_t wants = 0;
    };
    struct Grant {
        int rank = 0;
        MemberRange range{};
    };

    void take(int from, const std::string& bytes);
    void take_results(std::int64_t number, const std::string& bytes);
    void serve(int rank);
    void lose(int rank, const char* how);
    void wait_for_those_to_come();
    void wait_for_answers();
    Other& other(int rank) { return others_[static_cast<std::size_t>(rank)]; }

    Ranks& ranks_;
    OpenBlocks& blocks_;
    const EnsembleHead& head_;
    std::string identity_;
    std::vector<Other> others_;
    std::map<std::int64_t, Grant> grants_;
    std::int64_t next_grant_ = 0;
    Clock::time_point said_{};
    std::vector<std::string> notes_;
};

// The others.
class Asker final : public Team {
public:
    // Runs so many members at a time.
    Asker(Ranks& ranks, OpenBlocks& blocks, std::string identity, std::int64_t n_seats);

    // Throws std::runtime_error where rank 0 is gone.
    void look() override;
    void end() override;
    void send(Work& work);                         // a block that is done, by any thread
    bool is_told_to_end() const { return ended_; } // by rank 0

private:
    void take(const std::string& bytes);
    void send_results();
    void ask();

    Ranks& ranks_;
    OpenBlocks& blocks_;
    std::int64_t n_seats_;
    std::mutex mutex_;
    std::vector<std::string> outbox_; // results
    Clock::time_point heard_ = Clock::now(), said_{}, began_{};
    bool is_asking_ = false, has_heard_ = false, ended_ = false;
};

} // namespace vessiot::ensemble
