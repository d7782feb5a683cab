#include "expr/table/number_list.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace vessiot::expr {

namespace {

constexpr std::size_t block_size = 1024;
using Block = std::array<std::atomic<const NumberList*>, block_size>;

// All lists by their number. Reading takes no lock: places never move, and a list is in its place before its handle is
// known to anybody.
// NOTE: never destroyed, since code may ask until the program ends.
struct Registry {
    const NumberList* find(double handle) const {
        if (!(handle >= 0 && handle < static_cast<double>(block_size * blocks.size()))) return nullptr;
        const auto number = static_cast<std::uint32_t>(handle);
        if (static_cast<double>(number) != handle) return nullptr;
        const Block* block = blocks[number / block_size].load(std::memory_order_acquire);
        return block ? (*block)[number % block_size].load(std::memory_order_acquire) : nullptr;
    }

    void put(std::uint32_t number, const NumberList* list) {
        std::atomic<Block*>& block = blocks[number / block_size];
        if (!block.load(std::memory_order_acquire)) block.store(new Block{}, std::memory_order_release);
        (*block.load(std::memory_order_acquire))[number % block_size].store(list, std::memory_order_release);
    }

    std::array<std::atomic<Block*>, 4096> blocks{};
    std::mutex mutex;
    std::uint32_t n = 0;
    std::unordered_multimap<std::uint64_t, std::unique_ptr<const NumberList>> by_hash;
};

Registry& registry() {
    static Registry& the_registry = *new Registry;
    return the_registry;
}

bool is_same(const std::vector<Quad>& a, const std::vector<Quad>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Quad)) == 0);
}

std::uint64_t hash_of(const std::vector<Quad>& numbers) {
    std::uint64_t h = numbers.size();
    for (const Quad x : numbers) {
        std::array<std::uint64_t, 2> bits{};
        std::memcpy(bits.data(), &x, sizeof x);
        for (const std::uint64_t b : bits) h = (std::rotl(h, 23) ^ b) * 0x9e3779b97f4a7c15ULL;
    }
    return h;
}

// How many of the places, in rising order, are not above x; b_0 <= x < b_last. Places of measurements are nearly
// equally far apart: from where x would then be, steps that double find the neighbours, and halves the place.
template <class S> std::size_t not_above(const std::vector<S>& b, S x) {
    const std::size_t last = b.size() - 1;
    const S part = (x - b.front()) / (b.back() - b.front());
    std::size_t lo = std::min(static_cast<std::size_t>(part * static_cast<S>(last)), last - 1), hi = lo + 1;
    for (std::size_t way = 1; b[lo] > x; way *= 2) { // then b[hi] > x
        hi = lo;
        lo = lo > way ? lo - way : 0;
    }
    for (std::size_t way = 1; b[hi] <= x; way *= 2) {
        lo = hi;
        hi = std::min(hi + way, last);
    }
    while (hi - lo > 1) {
        const std::size_t middle = lo + (hi - lo) / 2;
        (b[middle] <= x ? lo : hi) = middle;
    }
    return hi;
}

} // namespace

NumberList::NumberList(std::vector<Quad> numbers, Text text, bool is_last_open, std::uint32_t number)
    : exact_(std::move(numbers)), text_(std::move(text)), is_last_open_(is_last_open), hash_(hash_of(exact_)),
      number_(number) {
    rounded_.reserve(exact_.size());
    for (const Quad x : exact_) rounded_.push_back(static_cast<double>(x));
}

const NumberList& NumberList::make(std::vector<Quad> numbers, Text text, bool is_last_open) {
    Registry& all = registry();
    const std::uint64_t hash = hash_of(numbers);
    const std::scoped_lock lock(all.mutex);
    const auto [first, last] = all.by_hash.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const NumberList& other = *it->second;
        if (other.is_last_open_ == is_last_open && other.text_ == text && is_same(other.exact_, numbers)) return other;
    }
    if (all.n == block_size * all.blocks.size()) throw std::length_error("too many tables");
    std::unique_ptr<const NumberList> list(new NumberList(std::move(numbers), std::move(text), is_last_open, all.n));
    const NumberList& made = *list;
    all.put(all.n++, &made);
    all.by_hash.emplace(hash, std::move(list));
    return made;
}

const NumberList* NumberList::find(double handle) {
    return registry().find(handle);
}

template <> const std::vector<double>& NumberList::numbers() const {
    return rounded_;
}
template <> const std::vector<Quad>& NumberList::numbers() const {
    return exact_;
}

template <class S> std::size_t NumberList::locate(S x) const {
    const std::vector<S>& b = numbers<S>();
    if (b.empty() || x < b.front()) return 0;
    if (x == b.back() && is_last_open_) return b.size() - 1;
    if (x >= b.back()) return b.size();
    return not_above(b, x);
}

NodeId locate(Graph& g, const NumberList& list, NodeId a) {
    return g.apply(Op::locate, a, g.constant(static_cast<Quad>(list.handle())));
}

NodeId pick(Graph& g, const NumberList& list, NodeId place) {
    return g.apply(Op::pick, place, g.constant(static_cast<Quad>(list.handle())));
}

const NumberList& list_of(const Graph& g, NodeId n) {
    return *NumberList::find(static_cast<double>(g.value(g.node(n).b)));
}

template <class S> S locate(S x, S handle) {
    const NumberList* list = NumberList::find(static_cast<double>(handle));
    if (!list || x != x) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<S>(list->locate(x));
}

template <class S> S pick(S place, S handle) {
    const NumberList* list = NumberList::find(static_cast<double>(handle));
    if (!list || !(place >= S(0) && place < static_cast<S>(list->size())))
        return std::numeric_limits<double>::quiet_NaN();
    return list->numbers<S>()[static_cast<std::size_t>(place)];
}

template std::size_t NumberList::locate(double) const;
template std::size_t NumberList::locate(Quad) const;
template double locate(double, double);
template Quad locate(Quad, Quad);
template double pick(double, double);
template Quad pick(Quad, Quad);

} // namespace vessiot::expr
