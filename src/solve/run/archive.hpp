// What an object holds as named fields, and back: the same function writes and reads.
//
//     template <class Archive> void exchange(Archive& archive) { archive("h", h_); }
//
// A field is a name, a kind and its bytes; names of parts stand before it: "events.watch.sign". Fields are found by
// their names, so that their order means nothing. Each part has a version, to be raised where a field gets another
// meaning under its old name. Kinds are numbers, text, and lists of them; a record is stored as its members, a list of
// records as a table of columns. Nothing is stored as it lies in memory but single numbers.
//
//   name   length (8 bytes), characters
//   kind   one character: b w i integers of 1, 4, 8 bytes; d double, q quad; t text, s texts; B W I D lists of lists
//   bytes  length (8 bytes), bytes: numbers side by side; of texts and lists of lists each after its length
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/quad.hpp"
#include "linalg/vector.hpp"

namespace vessiot {

// What is wrong with bytes that are read: "it has no field 'sizes.h'". Who reads them knows what `it` is.
class BadArchive : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

// What is read must have the fields that are asked for, of their kinds, and no others; else BadArchive is thrown.
class Archive {
public:
    // Appends to the text.
    static Archive writer(std::string& bytes);
    // The bytes must stay.
    static Archive reader(std::string_view bytes);

    bool is_reading() const { return out_ == nullptr; }
    // A value by its name within the part.
    template <class T> void operator()(std::string_view name, T& value) { exchange(name, value); }
    // The same of a list that has its length already.
    template <class T> void fixed(std::string_view name, std::vector<T>& list) {
        numbers(name, kind_of<T>(), list.data(), list.size(), sizeof(T));
    }
    // What `body` exchanges belongs to a part of that name.
    template <class Body> void part(std::string_view name, int version, const Body& body) {
        const std::size_t before = prefix_.size();
        prefix_ += name;
        check_version(version);
        prefix_ += '.';
        body();
        prefix_.resize(before);
    }
    // Records, by columns: table("trace", trace, column("t", &StepTrace::t), column("h", &StepTrace::h)).
    template <class Row, class... Columns>
    void table(std::string_view name, std::vector<Row>& rows, const Columns&... columns) {
        part(name, 1, [&] {
            auto n = static_cast<std::int64_t>(rows.size());
            (*this)("rows", n);
            if (is_reading()) rows.resize(possible_size(n));
            (exchange_column(rows, columns), ...);
        });
    }
    template <class Row, class T> static auto column(std::string_view name, T Row::* member) {
        return std::pair(name, member);
    }
    // At the end of reading: there is nothing else.
    void finish() const;

private:
    struct Field {
        char kind = 0;
        std::string_view bytes;
    };

    explicit Archive(std::string* out) : out_(out) {}

    template <class T> static constexpr char kind_of() {
        if constexpr (std::is_same_v<T, Quad>)
            return 'q';
        else if constexpr (std::is_same_v<T, double>)
            return 'd';
        else {
            static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
            static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8);
            return sizeof(T) == 1 ? 'b' : sizeof(T) == 4 ? 'w' : 'i';
        }
    }

    // Numbers: one, as many as there are, or as many as are stored.
    template <class T> void exchange(std::string_view name, T& number) {
        numbers(name, kind_of<T>(), &number, 1, sizeof(T));
    }
    template <class T, std::size_t N> void exchange(std::string_view name, std::array<T, N>& list) {
        numbers(name, kind_of<T>(), list.data(), N, sizeof(T));
    }
    template <class T> void exchange(std::string_view name, linalg::Vector<T>& list) {
        numbers(name, kind_of<T>(), list.data(), static_cast<std::size_t>(list.size()), sizeof(T));
    }
    template <class T> void exchange(std::string_view name, std::vector<T>& list) {
        if (is_reading()) list.resize(count(name, kind_of<T>(), sizeof(T)));
        numbers(name, kind_of<T>(), list.data(), list.size(), sizeof(T));
    }
    template <class T> void exchange(std::string_view name, std::vector<std::vector<T>>& lists) {
        constexpr char kind = static_cast<char>(kind_of<T>() - 'a' + 'A');
        if (is_reading()) {
            std::vector<std::string_view> parts = pieces(name, kind, sizeof(T));
            lists.resize(parts.size());
            for (std::size_t k = 0; k < parts.size(); ++k) {
                lists[k].resize(parts[k].size() / sizeof(T));
                copy(parts[k], lists[k].data());
            }
            return;
        }
        std::vector<std::string_view> parts;
        for (const std::vector<T>& list : lists)
            parts.emplace_back(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
        add_pieces(name, kind, parts);
    }
    void exchange(std::string_view name, bool& is_so) {
        char byte = is_so ? 1 : 0;
        exchange(name, byte);
        is_so = byte != 0;
    }
    void exchange(std::string_view name, std::string& text);
    void exchange(std::string_view name, std::vector<std::string>& texts);

    template <class Row, class T>
    void exchange_column(std::vector<Row>& rows, const std::pair<std::string_view, T Row::*>& column) {
        std::vector<T> values;
        if (!is_reading())
            for (const Row& row : rows) values.push_back(row.*column.second);
        exchange(column.first, values);
        if (!is_reading()) return;
        if (values.size() != rows.size()) fail(column.first, "has another number of rows than the others of its table");
        for (std::size_t k = 0; k < rows.size(); ++k) rows[k].*column.second = std::move(values[k]);
    }

    void numbers(std::string_view name, char kind, void* data, std::size_t n, std::size_t size);
    std::size_t count(std::string_view name, char kind, std::size_t size);
    std::size_t possible_size(std::int64_t n) const; // of a table
    std::vector<std::string_view> pieces(std::string_view name, char kind, std::size_t size);
    static void copy(std::string_view bytes, void* to);
    void add(std::string_view name, char kind, std::string_view bytes);
    void add_pieces(std::string_view name, char kind, const std::vector<std::string_view>& pieces);
    std::string_view find(std::string_view name, char kind);
    void check_version(int version);
    [[noreturn]] void fail(std::string_view name, const std::string& what) const;

    std::string* out_ = nullptr;
    std::string prefix_; // of the part
    std::size_t n_bytes_ = 0;
    std::map<std::string, Field, std::less<>> fields_; // what is read from
    std::set<std::string, std::less<>> known_;         // of them, those that were asked for
};

} // namespace vessiot
