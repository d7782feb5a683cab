// Processes, on one machine or on many, that run one ensemble together (EnsembleOptions::ranks). Rank 0 gives out
// members as the others ask for them, runs some itself, and has the result; that of the others is empty.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace vessiot {

// How they talk to each other. All functions are called by one thread, and none waits.
class Ranks {
public:
    struct Message {
        int from = 0;
        std::string bytes;
    };

    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Those on this machine: which of them this one is, and how many there are.
    virtual std::pair<int, int> here() const = 0;
    // Messages of one rank to another arrive in their order; to a rank that is gone they are lost.
    virtual void send(int to, std::string bytes) = 0;
    virtual std::optional<Message> receive() = 0;
    // Seconds without a word after which a rank counts as gone; each says something every second.
    virtual double patience() const { return 20; }
    // A rank is gone: what needs all of them, at the end of the process too, must not be waited for.
    virtual void give_up() = 0;
    virtual bool is_whole() const = 0; // nobody was given up
};

// Those that mpirun, or another launcher of MPI, started with this process; null where there are no others. Throws
// InvalidInput where there are, but this build has no plug-in for MPI, or one of another MPI. To be called by the
// first thread of the process; what it returns must end with it.
std::shared_ptr<Ranks> mpi_ranks();

// This process has ended its part, or cannot run it: rank 0 tells all others to end, those tell rank 0 why they failed.
void leave(Ranks& ranks, const std::string& why);

} // namespace vessiot
