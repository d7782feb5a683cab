// The constraints on positions of a system as polynomials, ready for Singular.
//
// Taken are the equations without derivatives: the `constraint`s of a lagrangian or hamiltonian, or where there is
// neither, all equations without derivatives. In them
//   numbers and parameters     become exact: fractions, square roots of fractions (a variable r with r^2 = p each);
//   sin, cos, tan of angles    sums of unknowns with constant coefficients: cos(b x) and sin(b x) become variables c
//   and
//                              s with c^2 + s^2 = 1, b the largest step of which all coefficients of x are multiples;
//   quotients                  are multiplied out, and their denominators kept: what lies in a zero of one is no
//   solution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "system/system.hpp"

namespace vessiot::decompose {

// An element of an unknown, or t.
struct Position {
    expr::ArrayId array = expr::none;
    std::int64_t address = 0;
    std::string name{};
};

// A variable of the polynomials; Singular knows number k as x<k+1>.
struct Variable {
    enum class Kind { plain, cosine, sine, root };
    Kind kind = Kind::plain;
    std::string text{};       // in the language of models: y1, cos(2*theta), sqrt(3)
    std::size_t position = 0; // number in PolynomialSystem::positions; not for roots
    Quad factor = 1;          // b of cos(b x), sin(b x)
    std::int64_t prime = 0;   // of a root
};

struct PolynomialSystem {
    std::vector<Position> positions;
    std::vector<Variable> variables;       // roots last
    std::vector<std::string> definitions;  // poly n1=x1-x3; … in Singular's language, each of those before it
    std::vector<std::string> constraints;  // names of definitions: = 0
    std::vector<std::string> relations;    // c^2 + s^2 = 1, r^2 = p
    std::vector<std::string> denominators; // names of definitions: must not vanish
    std::vector<std::size_t> equations;    // numbers of the System::equations taken
    std::vector<std::size_t> parameters;   // numbers of the System::parameters that occur in them
    std::vector<std::string> notes;

    std::size_t n_roots() const;
};

// A term that is no polynomial.
class NotPolynomial : public InvalidInput {
public:
    NotPolynomial(Location where, const std::string& message) : InvalidInput(message), where_(where) {}
    Location where() const { return where_; } // of the equation

private:
    Location where_;
};

// Throws NotPolynomial, and InvalidInput where there are no such equations, or far too many.
PolynomialSystem make_polynomials(const System& system);

} // namespace vessiot::decompose
