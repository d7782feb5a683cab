// Native code that evaluators of equal kernels share: what is compiled for one workspace of a problem serves all.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace vessiot::expr {

class CodeCache {
public:
    // While it exists, evaluators that are made in this thread look here first, and leave here what they have compiled.
    class Scope {
    public:
        explicit Scope(std::shared_ptr<CodeCache> cache) : before_(std::exchange(current(), std::move(cache))) {}
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() { current() = std::move(before_); }

    private:
        std::shared_ptr<CodeCache> before_;
    };

    CodeCache();
    CodeCache(const CodeCache&) = delete;
    CodeCache& operator=(const CodeCache&) = delete;
    ~CodeCache(); // what waits to be compiled is not

    std::size_t size() const; // kernels

    struct Entries;
    Entries& entries() { return *entries_; }
    // Of this thread; null where there is none.
    static std::shared_ptr<CodeCache>& current();

private:
    std::unique_ptr<Entries> entries_;
};

} // namespace vessiot::expr
