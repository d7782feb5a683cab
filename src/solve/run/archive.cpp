#include "solve/run/archive.hpp"

#include <cstring>

#include <fmt/format.h>

#include "core/text.hpp"

namespace vessiot {

namespace {

constexpr std::size_t longest_name = 200; // of a field, for messages

std::string kind_text(char kind) {
    switch (kind) {
    case 'b':
    case 'w':
    case 'i': return "integers";
    case 'd': return "numbers";
    case 'q': return "numbers of quadruple precision";
    case 't': return "text";
    case 's': return "a list of texts";
    case 'B':
    case 'W':
    case 'I':
    case 'D':
    case 'Q': return "lists of numbers";
    default: return "something unknown";
    }
}

void append_length(std::string& to, std::size_t n) {
    const std::uint64_t length = n;
    to.append(reinterpret_cast<const char*>(&length), sizeof length);
}

// A length, and as many bytes.
std::string_view take(std::string_view& bytes) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) throw BadArchive("it ends early");
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (length > bytes.size()) throw BadArchive("it ends early");
    const std::string_view taken = bytes.substr(0, static_cast<std::size_t>(length));
    bytes.remove_prefix(taken.size());
    return taken;
}

} // namespace

Archive Archive::writer(std::string& bytes) {
    return Archive(&bytes);
}

Archive Archive::reader(std::string_view bytes) {
    Archive archive(nullptr);
    archive.n_bytes_ = bytes.size();
    while (!bytes.empty()) {
        const std::string name(take(bytes));
        if (bytes.empty()) throw BadArchive("it ends early");
        const char kind = bytes.front();
        bytes.remove_prefix(1);
        if (!archive.fields_.try_emplace(name, Field{kind, take(bytes)}).second)
            throw BadArchive(fmt::format("it has two fields '{}'", shortened(name, longest_name)));
    }
    return archive;
}

void Archive::finish() const {
    for (const auto& [name, field] : fields_)
        if (!known_.contains(name))
            throw BadArchive(fmt::format("it has a field '{}' that is not known here", shortened(name, longest_name)));
}

void Archive::fail(std::string_view name, const std::string& what) const {
    throw BadArchive(fmt::format("its field '{}{}' {}", prefix_, name, what));
}

void Archive::check_version(int version) {
    std::int64_t stored = version;
    (*this)("", stored);
    if (stored != version)
        throw BadArchive(fmt::format("its part '{}' has version {}, and {} is needed", prefix_, stored, version));
}

// ---- writing ----

void Archive::add(std::string_view name, char kind, std::string_view bytes) {
    append_length(*out_, prefix_.size() + name.size());
    *out_ += prefix_;
    *out_ += name;
    *out_ += kind;
    append_length(*out_, bytes.size());
    *out_ += bytes;
}

void Archive::add_pieces(std::string_view name, char kind, const std::vector<std::string_view>& pieces) {
    std::string bytes;
    for (const std::string_view piece : pieces) {
        append_length(bytes, piece.size());
        bytes += piece;
    }
    add(name, kind, bytes);
}

// ---- reading ----

std::string_view Archive::find(std::string_view name, char kind) {
    const std::string full = prefix_ + std::string(name);
    const auto found = fields_.find(full);
    if (found == fields_.end()) throw BadArchive(fmt::format("it has no field '{}'", full));
    if (found->second.kind != kind)
        fail(name, fmt::format("holds {}, and {} are needed", kind_text(found->second.kind), kind_text(kind)));
    known_.insert(full);
    return found->second.bytes;
}

void Archive::copy(std::string_view bytes, void* to) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

std::size_t Archive::count(std::string_view name, char kind, std::size_t size) {
    const std::string_view bytes = find(name, kind);
    if (bytes.size() % size != 0) fail(name, "has a part of a number");
    return bytes.size() / size;
}

// NOTE: each row has bytes of its own in some column: a number that is larger is damaged, and must not take memory.
std::size_t Archive::possible_size(std::int64_t n) const {
    if (n < 0 || static_cast<std::uint64_t>(n) > n_bytes_) fail("rows", "is no number of rows");
    return static_cast<std::size_t>(n);
}

std::vector<std::string_view> Archive::pieces(std::string_view name, char kind, std::size_t size) {
    std::vector<std::string_view> result;
    for (std::string_view bytes = find(name, kind); !bytes.empty();) {
        result.push_back(take(bytes));
        if (result.back().size() % size != 0) fail(name, "has a part of a number");
    }
    return result;
}

// ---- both ----

void Archive::numbers(std::string_view name, char kind, void* data, std::size_t n, std::size_t size) {
    if (!is_reading()) return add(name, kind, {static_cast<const char*>(data), n * size});
    if (const std::size_t stored = count(name, kind, size); stored != n)
        fail(name, fmt::format("has {} values, and {} are needed", stored, n));
    copy(find(name, kind), data);
}

void Archive::exchange(std::string_view name, std::string& text) {
    if (is_reading())
        text = find(name, 't');
    else
        add(name, 't', text);
}

void Archive::exchange(std::string_view name, std::vector<std::string>& texts) {
    if (!is_reading()) return add_pieces(name, 's', {texts.begin(), texts.end()});
    const std::vector<std::string_view> all = pieces(name, 's', 1);
    texts.assign(all.begin(), all.end());
}

} // namespace vessiot
