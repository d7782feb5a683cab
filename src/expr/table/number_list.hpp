// Lists of numbers that formulas look up: what a table is made of (decision 30).
//
// Two operations know them, Op::locate and Op::pick, as functions of a number and of the *handle* of a list, a constant
// of the graph. All tiers call the same code, and how long a list is appears in no code at all. Lists are kept until
// the program ends, equal ones once: whoever has a handle has the list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::expr {

// Never changes.
class NumberList {
public:
    struct Text {
        std::string name;      // of the table: "torque"
        std::string limits;    // where it has values: "from 0 to 4"
        int order = 0;         // primes behind the name, for numbers that are coefficients
        double lo = 0, hi = 0; // the same limits

        bool operator==(const Text&) const = default;
    };

    // `is_last_open`: of places in rising order, the last one belongs to the piece before it, and nothing comes after.
    static const NumberList& make(std::vector<Quad> numbers, Text text, bool is_last_open = false);
    NumberList(const NumberList&) = delete;
    NumberList& operator=(const NumberList&) = delete;

    // A number that stands for the list; no other list has it.
    double handle() const { return static_cast<double>(number_); }
    // Null where no list has this handle.
    static const NumberList* find(double handle);

    std::size_t size() const { return exact_.size(); }
    const Text& text() const { return text_; }
    bool is_last_open() const { return is_last_open_; }
    std::uint64_t hash() const { return hash_; } // of the numbers
    template <class S> const std::vector<S>& numbers() const;

    // Of places in rising order: how many are not above x (the last one, where it is open: below x). In this way pieces
    // are numbered: 0 before the first place, size() behind the last one.
    template <class S> std::size_t locate(S x) const;

private:
    NumberList(std::vector<Quad> numbers, Text text, bool is_last_open, std::uint32_t number);

    std::vector<Quad> exact_;
    std::vector<double> rounded_;
    Text text_;
    bool is_last_open_;
    std::uint64_t hash_ = 0;
    std::uint32_t number_ = 0;
};

template <> const std::vector<double>& NumberList::numbers() const;
template <> const std::vector<Quad>& NumberList::numbers() const;

// Of a list: the number of the piece that a number lies in; the number at a place.
NodeId locate(Graph& g, const NumberList& list, NodeId a);
NodeId pick(Graph& g, const NumberList& list, NodeId place);
// The list of a node of these two kinds.
const NumberList& list_of(const Graph& g, NodeId n);

// Op::locate: the number of the piece that x lies in; NaN where x is none.
template <class S> S locate(S x, S handle);
// Op::pick: the number at this place of the list, counted from 0; NaN where there is none.
template <class S> S pick(S place, S handle);

} // namespace vessiot::expr
