// What a CodeCache has: for those who look for their code in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "expr/kernel/code_cache.hpp"
#include "expr/kernel/kernel.hpp"
#include "expr/kernel/native.hpp"

namespace vessiot::expr {

class RepeatedCode;

struct CodeCache::Entries {
    struct Entry {
        std::shared_ptr<const Kernel> kernel;
        NativeOptions options;
        std::shared_ptr<void> compilation; // Evaluator::Compilation
        std::function<void()> give_up;
    };
    mutable std::mutex mutex;
    std::unordered_multimap<std::uint64_t, Entry> by_hash;
    std::vector<std::shared_ptr<RepeatedCode>> repeated;
};

} // namespace vessiot::expr
