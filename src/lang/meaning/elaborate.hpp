// Syntax tree to System: names are looked up, loops become families, vectors components, primes derivatives.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "system/system.hpp"

namespace vessiot::lang {

// What is said about a model from outside of its text.
struct Settings {
    // Parameters and their values (`--set name=value`): a number, a vector literal for an array, or an expression of
    // constants and other parameters. Everything computed from the parameter follows.
    std::vector<std::pair<std::string, std::string>> set;
    // The largest number of instances of one loop nest, and of elements of one array. A slip such as 1e9 for 1e3 is
    // caught by it; raise it (`--max-instances`) for a model that is meant to be larger.
    std::int64_t max_instances = 100'000'000;
};

// The pieces of the text behind the locations of a System, to underline them in messages.
using Places = std::map<std::pair<int, int>, Span>; // by line and column

struct Elaborated {
    System system;
    Places places;
};

// Fills a System, the equations of motion of a lagrangian or hamiltonian included (derive_motion of
// system/mechanics.hpp is called in between, since outputs and start values may name the multipliers). Orders of the
// unknowns are not determined yet. Warnings name the parameters that are used nowhere. Throws ModelError.
//
// Start values: of several that give the same element, one for that element alone wins over one of a family, whatever
// their order; System::start has the families first, so that a later entry wins.
Elaborated elaborate(const Module& module, const Settings& settings);

} // namespace vessiot::lang
