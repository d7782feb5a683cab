#include "support/count_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t n = 0; // a compiler at work in the background does not count

void* allocate(std::size_t size) noexcept {
    ++n;
    return std::malloc(size ? size : 1);
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    ++n;
    const auto a = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(a, (size / a + 1) * a);
}

void* or_throw(void* p) {
    if (!p) throw std::bad_alloc();
    return p;
}

} // namespace

// NOTE: the arrays' operators call these; those that do not throw would not under the address sanitizer.
void* operator new(std::size_t size) {
    return or_throw(allocate(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t a) {
    return or_throw(allocate(size, a));
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(size, a);
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(p);
}

namespace vessiot::test {

std::size_t n_allocations() {
    return n;
}

} // namespace vessiot::test
