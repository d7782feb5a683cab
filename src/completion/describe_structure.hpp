// What `vessiot inspect` says about the structure of a system: as plain data, as text for people, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "completion/structure.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

struct EquationOffset {
    StatementText equation{};
    OffsetRange c{};
};

struct UnknownOffset {
    std::string name{};
    OffsetRange d{};
};

// A part of a singular system: how many of which family, and the unknowns by name.
struct PartOfFamily {
    StatementText equation{};
    std::int64_t count = 0;
};
struct SubSystemText {
    std::vector<PartOfFamily> equations{};
    std::vector<std::int64_t> numbers{}; // of the equations, from 1
    std::vector<std::string> unknowns{};
};

struct StructureText {
    std::int64_t n_equations = 0, n_unknowns = 0;
    bool is_square = false, is_regular = false;
    SubSystemText overdetermined{}, underdetermined{}; // where it is not regular; nothing below then

    int index = 0;
    std::int64_t degrees_of_freedom = 0; // see below
    std::int64_t manifold_dimension = 0; // t included
    std::int64_t hidden_constraints = 0;
    std::vector<EquationOffset> equations{};
    std::vector<UnknownOffset> unknowns{};
    std::int64_t n_blocks = 0, largest_block = 0;
};

// Of a motion (all that has derivatives is of second order, or the pairs of a hamiltonian), written as equations or
// derived: how many velocities can be chosen freely, which with k constraints of velocities is (phase_dimension - k)/2.
// Of other systems, and where that does not come out even: how many numbers can be chosen freely, phase_dimension.
std::int64_t degrees_of_freedom(const System& system, std::int64_t phase_dimension);

StructureText describe(const System& system, const Structure& structure);

std::string to_text(const StructureText& s, const TextOptions& options = {});
nlohmann::ordered_json to_json(const StructureText& s);

} // namespace vessiot
