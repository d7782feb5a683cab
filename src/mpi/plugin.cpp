// What the library finds in vessiot_mpi.so (ensemble/mpi_ranks.cpp): the processes that mpirun started together.
//
// Nothing here waits for another process but the end of MPI, which is left out where one is gone.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <list>
#include <stdexcept>
#include <thread>
#include <vector>

#include <mpi.h>

#include "vessiot/ranks.hpp"
#include "vessiot/version.hpp"

namespace vessiot::mpi {

namespace {

class MpiRanks final : public Ranks {
public:
    MpiRanks() {
        int provided = 0;
        if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
            throw std::runtime_error("MPI cannot begin");
        MPI_Comm_dup(MPI_COMM_WORLD, &all_);
        MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN); // of a rank that is gone
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &size_);
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &here_.first);
        MPI_Comm_size(machine, &here_.second);
        MPI_Comm_free(&machine);
    }
    ~MpiRanks() override {
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + std::chrono::seconds(is_broken_ ? 1 : 60);
        while (!outbox_.empty() && Clock::now() < end) {
            forget_sent();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (is_broken_) return; // NOTE: MPI_Finalize waits for all of them
        MPI_Comm_free(&all_);
        MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::pair<int, int> here() const override { return here_; }

    void send(int to, std::string bytes) override {
        forget_sent();
        Letter& letter = outbox_.emplace_back(rank_, std::move(bytes));
        const int sent = MPI_Isend(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE, to, tag, all_,
                                   &letter.request);
        if (sent != MPI_SUCCESS) outbox_.pop_back();
    }

    std::optional<Message> receive() override {
        while (begin_to_receive()) {
        }
        std::vector<int> waited_for; // what comes after a letter of the same rank waits as well
        for (auto at = inbox_.begin(); at != inbox_.end();) {
            int has_come = 0;
            if (std::ranges::find(waited_for, at->from) != waited_for.end()) {
                ++at;
            } else if (MPI_Test(&at->request, &has_come, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
                at = inbox_.erase(at); // its sender is gone
            } else if (has_come) {
                Message message{at->from, std::move(at->bytes)};
                inbox_.erase(at);
                return message;
            } else {
                waited_for.push_back((at++)->from);
            }
        }
        return std::nullopt;
    }

    // The environment variable VESSIOT_MPI_PATIENCE says otherwise.
    double patience() const override {
        const char* const text = std::getenv("VESSIOT_MPI_PATIENCE");
        const double seconds = text ? std::atof(text) : 0;
        return seconds > 0 ? seconds : Ranks::patience();
    }
    void give_up() override { is_broken_ = true; }
    bool is_whole() const override { return !is_broken_; }

private:
    static constexpr int tag = 18;
    struct Letter {
        int from = 0; // of the inbox
        std::string bytes{};
        MPI_Request request = MPI_REQUEST_NULL;
    };

    // NOTE: a long letter comes in pieces, for which MPI_Recv would wait for ever where its sender died in between.
    bool begin_to_receive() {
        int is_there = 0, n = 0;
        MPI_Message found = MPI_MESSAGE_NULL;
        MPI_Status status{};
        if (MPI_Improbe(MPI_ANY_SOURCE, tag, all_, &is_there, &found, &status) != MPI_SUCCESS || !is_there)
            return false;
        MPI_Get_count(&status, MPI_BYTE, &n);
        Letter& letter = inbox_.emplace_back(status.MPI_SOURCE, std::string(static_cast<std::size_t>(n), '\0'));
        if (MPI_Imrecv(letter.bytes.data(), n, MPI_BYTE, &found, &letter.request) == MPI_SUCCESS) return true;
        inbox_.pop_back();
        return false;
    }

    void forget_sent() {
        outbox_.remove_if([](Letter& letter) {
            int is_sent = 0;
            return MPI_Test(&letter.request, &is_sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_sent;
        });
    }

    MPI_Comm all_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::pair<int, int> here_{0, 1};
    std::list<Letter> outbox_, inbox_; // on their way
    bool is_broken_ = false;
};

} // namespace

} // namespace vessiot::mpi

extern "C" {

// Both sides must have been built from the same headers.
__attribute__((visibility("default"))) const char* vessiot_mpi_version() {
    return vessiot::header_version;
}

__attribute__((visibility("default"))) vessiot::Ranks* vessiot_mpi_ranks() {
    return new vessiot::mpi::MpiRanks;
}
}
