// The formulas of a model as bytes, and made from them again: what pickling a model of Python keeps beside its
// statements. Everything is known by its number, so that the statements find what they named before.
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "model/draft.hpp"

namespace vessiot {

namespace {

class NoteWriter {
public:
    template <class T> void put(const T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(const std::string& text) {
        put(static_cast<std::uint64_t>(text.size()));
        bytes_ += text;
    }
    template <class T, class Put> void list(const std::vector<T>& all, const Put& put_one) {
        put(static_cast<std::uint64_t>(all.size()));
        for (const T& one : all) put_one(one);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class NoteReader {
public:
    explicit NoteReader(std::string_view bytes) : rest_(bytes) {}

    template <class T> void get(T& value) {
        need(sizeof value);
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
    }
    void get(std::string& text) {
        const std::size_t n = length();
        need(n);
        text = rest_.substr(0, n);
        rest_.remove_prefix(n);
    }
    template <class T, class Get> void list(std::vector<T>& all, const Get& get_one) {
        all.assign(length(), T{});
        for (T& one : all) get_one(one);
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    [[noreturn]] static void fail() { throw InvalidInput("these are no notes of a model, or they are damaged"); }
    void need(std::size_t n) const {
        if (rest_.size() < n) fail();
    }
    std::size_t length() {
        std::uint64_t n = 0;
        get(n);
        if (n > rest_.size()) fail(); // an element takes a byte at least
        return n;
    }

    std::string_view rest_;
};

// What both do, member by member.
template <class Node, class Each>
void each_member(Node& n, const Each& each)
    requires requires { n.n_uses; }
{
    each(n.kind), each(n.op), each(n.is_index_condition), each(n.has_index_condition), each(n.has_multiplier);
    each(n.a), each(n.b), each(n.c), each(n.free), each(n.n_uses);
}
template <class Node, class Each>
void each_member(Node& n, const Each& each)
    requires requires { n.depth; }
{
    each(n.kind), each(n.depth), each(n.a), each(n.b), each(n.value), each(n.free);
}
template <class Loop, class Each>
void each_member(Loop& l, const Each& each)
    requires requires { l.from; }
{
    each(l.name), each(l.from), each(l.to);
}

} // namespace

std::string Draft::notes() const {
    NoteWriter out;
    const auto put = [&](const auto& value) { out.put(value); };
    const auto members = [&](const auto& node) { each_member(node, put); };
    const auto numbers = [&](const std::vector<std::uint32_t>& all) { out.list(all, put); };
    out.list(nodes_, members);
    out.list(index_nodes_, members);
    out.list(loops_, members);
    out.list(numbers_, put);
    numbers(element_indices_);
    out.list(lists_, numbers);
    std::vector<std::vector<std::uint32_t>> sets;
    for (std::uint32_t k = 0; k < sets_.size(); ++k) sets.push_back(sets_.elements(k));
    out.list(sets, numbers);
    return out.take();
}

void Draft::take_notes(std::string_view notes) {
    NoteReader in(notes);
    const auto get = [&](auto& value) { in.get(value); };
    const auto members = [&](auto& node) { each_member(node, get); };
    const auto numbers = [&](std::vector<std::uint32_t>& all) { in.list(all, get); };
    in.list(nodes_, members);
    in.list(index_nodes_, members);
    in.list(loops_, members);
    in.list(numbers_, get);
    numbers(element_indices_);
    in.list(lists_, numbers);
    std::vector<std::vector<std::uint32_t>> sets;
    in.list(sets, numbers);
    for (std::vector<std::uint32_t>& set : sets) sets_.intern(std::move(set));
    if (!in.is_at_end()) throw InvalidInput("the notes of a model are longer than they should be");
    number_ids_.clear();
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
        if (nodes_[n].kind == DraftKind::number)
            number_ids_.emplace(std::bit_cast<std::uint64_t>(number(nodes_[n])), n);
    constant_ids_.clear();
    for (std::uint32_t n = 0; n < index_nodes_.size(); ++n)
        if (index_nodes_[n].kind == DraftIndex::Kind::constant) constant_ids_.emplace(index_nodes_[n].value, n);
}

Expr Draft::formula(std::uint32_t n) {
    if (n >= nodes_.size()) throw InvalidInput("a statement names a formula that the notes of the model do not have");
    return {shared_from_this(), n};
}

Index Draft::index_formula(std::uint32_t n) {
    if (n >= index_nodes_.size())
        throw InvalidInput("a statement names an index that the notes of the model do not have");
    return {shared_from_this(), n};
}

} // namespace vessiot
