// Numbers, text and lists as bytes, and back: the same function writes and reads what an object holds.
//
//     template <class Archive> void exchange(Archive& archive) { archive(h_, notes_); }
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "linalg/vector.hpp"
#include "vessiot/solution.hpp"

namespace vessiot {

// Bytes are those of this machine. What is read must have been written by the same calls; where the bytes end early,
// InvalidInput is thrown.
class Archive {
public:
    // Writes to the end of the text; `clear` it before.
    static Archive writer(std::string& bytes) { return Archive(&bytes, {}); }
    static Archive reader(std::string_view bytes) { return Archive(nullptr, bytes); }

    bool is_reading() const { return out_ == nullptr; }
    std::string_view rest() const { return in_; } // what was not read yet
    template <class... T> void operator()(T&... values) { (value(values), ...); }

private:
    Archive(std::string* out, std::string_view in) : out_(out), in_(in) {}

    void raw(void* data, std::size_t n) {
        if (out_) {
            out_->append(static_cast<const char*>(data), n);
            return;
        }
        if (in_.size() < n) throw InvalidInput("it ends early");
        if (n > 0) std::memcpy(data, in_.data(), n);
        in_.remove_prefix(n);
    }
    template <class T> void value(T& x) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        raw(&x, sizeof x);
    }
    std::size_t count(std::size_t n, std::size_t size) {
        std::uint64_t stored = n;
        value(stored);
        if (is_reading() && stored > in_.size() / std::max<std::size_t>(size, 1)) throw InvalidInput("it ends early");
        return static_cast<std::size_t>(stored);
    }
    void value(std::string& text) {
        text.resize(count(text.size(), 1));
        raw(text.data(), text.size());
    }
    template <class T> void value(std::vector<T>& list) {
        list.resize(count(list.size(), 1));
        if constexpr (std::is_trivially_copyable_v<T>)
            raw(list.data(), list.size() * sizeof(T));
        else
            for (T& x : list) value(x);
    }
    template <class S> void value(linalg::Vector<S>& list) {
        if (count(static_cast<std::size_t>(list.size()), sizeof(S)) != static_cast<std::size_t>(list.size()))
            throw InvalidInput("it has another number of coordinates");
        raw(list.data(), static_cast<std::size_t>(list.size()) * sizeof(S));
    }
    template <class A, class B> void value(std::pair<A, B>& both) {
        value(both.first);
        value(both.second);
    }
    void value(EventPoint& e) { (*this)(e.name, e.t, e.values, e.values_after); }

    std::string* out_;
    std::string_view in_;
};

} // namespace vessiot
