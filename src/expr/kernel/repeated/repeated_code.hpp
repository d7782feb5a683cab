// Native code of a list that is executed again and again in one call, by the plug-in `vessiot_jit.so`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/background.hpp"
#include "expr/kernel/repeated/jit_rounds_abi.h"
#include "expr/kernel/repeated/repeated_list.hpp"

namespace vessiot::expr {

// A list, and what is written down of each round that counts.
struct RepeatedProgram {
    std::shared_ptr<const Kernel> kernel;
    RepeatedList list;
    std::uint32_t counts = 0; // number of the state: 1 where the round counts
    struct Stream {
        std::vector<std::uint32_t> numbers; // of the state
        std::uint64_t stride = 0;
    };
    std::vector<Stream> streams;
};

class RepeatedCode final : public BackgroundJob {
public:
    explicit RepeatedCode(RepeatedProgram program) : program_(std::move(program)) {}
    ~RepeatedCode() override;

    // That of an equal list, where the problem of this thread has it (CodeCache); else a new one, which is compiled at
    // once or in the background.
    static std::shared_ptr<RepeatedCode> find(RepeatedProgram program, bool is_at_once);

    // Is there code? It may come later, or never.
    bool is_ready() const { return entry_.load(std::memory_order_acquire) != nullptr; }
    // As jit_rounds_abi.h says.
    void operator()(double* state, const double* fixed, double* const* streams) const {
        entry_.load(std::memory_order_relaxed)(state, fixed, streams);
    }

    void run() override;
    void refuse(const std::string& /*why*/) override {} // the caller has other means
    void give_up() { is_given_up_.store(true); }        // what is not compiled yet

private:
    RepeatedProgram program_;
    std::atomic<vessiot_jit_rounds_entry> entry_ = nullptr;
    std::atomic<bool> is_given_up_ = false;
    void* handle_ = nullptr;
};

} // namespace vessiot::expr
