// The answer of Singular: components of the constraints, what is known of each, and where they meet.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "decompose/algebra/polynomial.hpp"

namespace vessiot::decompose {

// An irreducible set of points, such as one point.
struct Place {
    int dimension = 0;
    std::vector<Polynomial> equations{};
};

struct Component {
    int dimension = 0;
    std::vector<Polynomial> generators{};
    std::vector<Polynomial> links{};         // sin(x - y) where it is 0 all over the component
    bool is_minimal = false;                 // no generator follows from the others; else a standard basis
    std::optional<int> singular_dimension{}; // of its singular points, -1: none; nothing: not decided
    std::vector<Place> singular_places{};

    bool is_smooth() const { return singular_dimension == -1; }
};

struct Meeting {
    std::size_t first = 0, second = 0; // numbers of components
    std::vector<Place> places{};
};

struct Answer {
    std::vector<Component> components; // by dimension, largest first; of one dimension the simplest first
    std::vector<Meeting> meetings;
    std::optional<bool> is_radical;
    int n_excluded = 0;          // components on which a denominator vanishes
    bool has_components = false; // all of them; without it nothing else is known
    bool has_meetings = false;   // all of them
    bool is_complete = false;
};

class NotUnderstood : public std::runtime_error {
public:
    using std::runtime_error::runtime_error; // the line
};

// Reads what a script (script.hpp) printed, as far as it came. Lines without a mark are left out: warnings. Throws
// NotUnderstood.
Answer read_answer(std::string_view output, const PolynomialSystem& system);

} // namespace vessiot::decompose
