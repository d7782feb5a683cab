// Native code for the recurrences of a plan, made by the plug-in (native.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/series/jit_taylor_abi.h"
#include "expr/series/taylor_plan.hpp"

namespace vessiot::expr {

// How the values of a loop lie in memory.
struct TaylorLayout {
    bool is_single = true;
    std::size_t lane = 1, length = 1, block = 0;
};

class NativeTaylor {
public:
    // Null and a text in `error` if it fails. `rule` does steps that native code leaves to the library.
    static std::unique_ptr<NativeTaylor> compile(const TaylorPlan& plan, const std::vector<TaylorLayout>& layout,
                                                 vessiot_jit_taylor_rule rule, std::string& error);
    NativeTaylor(const NativeTaylor&) = delete;
    NativeTaylor& operator=(const NativeTaylor&) = delete;
    ~NativeTaylor();

    vessiot_jit_taylor_entry entry(std::size_t loop, bool is_late) const {
        return entries_[2 * loop + (is_late ? 1 : 0)];
    }
    std::size_t code_size() const { return code_size_; } // bytes

private:
    explicit NativeTaylor(const vessiot_jit_taylor_api& api) : api_(api) {}

    const vessiot_jit_taylor_api& api_;
    std::vector<vessiot_jit_taylor_entry> entries_;
    void* handle_ = nullptr;
    std::uint64_t code_size_ = 0;
};

} // namespace vessiot::expr
