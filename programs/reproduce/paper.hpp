// A paper as data: its tables, of which each cell knows the printed number and how to compute it; its claims in words;
// its figures.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/figure.hpp"
#include "reproduce/runner.hpp"
#include "reproduce/verdict.hpp"

namespace vessiot::reproduce {

struct Computed {
    double value = 0;      // NaN where it cannot be had
    std::string problem{}; // why
};

// How what a text leaves open is read in a cell, and whether the text prints it or it was inferred from its numbers.
struct Reading {
    std::string text{};
    bool is_inferred = false;
};

struct Cell {
    std::string row, column;
    Printed published{};
    std::function<Computed(Runner&)> compute;
    std::string reason{}; // known one, if it differs
    Reading reading{};
};

// Where the numbers beside ours come from.
enum class Source {
    published,
    reference, // programs of our own, or a theorem; no reproduction
    times,     // ratios of published times, on another machine
};
std::string_view name(Source source);

struct Table {
    std::string name; // "2"; of a figure "fig4"
    std::string title;
    std::string note{};                 // how it is computed, what is wrong with it
    std::vector<std::string> columns{}; // their order, where it is not that of the cells
    std::vector<Cell> cells{};
    Source source = Source::published;

    Cell& add(std::string row, std::string column, Printed published, std::function<Computed(Runner&)> compute,
              std::string_view reason);
};

// A run of ours that fails says nothing about a paper.
enum class Standing { holds, does_not_hold, not_computed };
inline Standing holds_if(bool is_true) {
    return is_true ? Standing::holds : Standing::does_not_hold;
}
std::string_view name(Standing standing);

struct Finding {
    Standing standing = Standing::not_computed;
    std::string text; // with the right values, or why there are none
};

// What a paper says in words.
struct Claim {
    std::string where;
    std::string text;
    std::function<Finding(Runner&)> check;
};

struct Drawing {
    std::string name; // "fig4"
    std::string title;
    std::function<io::Figure(Runner&)> draw;
};

struct Paper {
    std::string name;
    std::string title;
    std::string note{};
    std::vector<Table> tables{};
    std::vector<Claim> claims{};
    std::vector<Drawing> drawings{};
};

// All papers, made once.
std::span<const Paper> papers();
// Throws InvalidInput, with the nearest name.
const Paper& find_paper(std::string_view name);
const Table& find_table(const Paper& paper, std::string_view name);

} // namespace vessiot::reproduce
