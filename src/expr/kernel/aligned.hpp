// Arrays that start on a cache line, as wide vectors like it.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace vessiot::expr {

template <class T> struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    CacheLineAllocator() = default;
    template <class U> CacheLineAllocator(const CacheLineAllocator<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
    friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T> using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

} // namespace vessiot::expr
