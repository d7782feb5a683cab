#include "expr/kernel/same_kernel.hpp"

#include <algorithm>
#include <cstring>

namespace vessiot::expr {

namespace {

// NOTE: by their bits: 0 and -0 are equal, but not the same.
bool are_same_numbers(const std::vector<Quad>& a, const std::vector<Quad>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Quad)) == 0);
}

bool are_same_loops(const Loop& a, const Loop& b) {
    return a.lengths == b.lengths && a.starts == b.starts && a.tables == b.tables &&
           std::ranges::equal(a.addresses, b.addresses,
                              [](const Address& x, const Address& y) {
                                  return x.buffer == y.buffer && x.table == y.table && x.stride == y.stride;
                              }) &&
           std::ranges::equal(a.body, b.body,
                              [](const Instruction& x, const Instruction& y) {
                                  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c;
                              }) &&
           std::ranges::equal(a.stores, b.stores, [](const Store& x, const Store& y) {
               return x.value == y.value && x.address == y.address && x.mode == y.mode;
           });
}

} // namespace

bool are_same(const Kernel& a, const Kernel& b) {
    const auto are_same_buffers = [](const Buffer& x, const Buffer& y) {
        return x.role == y.role && x.size == y.size && x.literal == y.literal;
    };
    return std::ranges::equal(a.buffers, b.buffers, are_same_buffers) && are_same_numbers(a.constants, b.constants) &&
           std::ranges::equal(a.literals, b.literals, are_same_numbers) &&
           std::ranges::equal(a.loops, b.loops, are_same_loops);
}

} // namespace vessiot::expr
