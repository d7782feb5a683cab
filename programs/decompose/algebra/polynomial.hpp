// A polynomial as Singular writes it: read, shown in the model's words, evaluated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decompose/algebra/polynomial_system.hpp"

namespace vessiot::decompose {

struct Term {
    std::string coefficient; // a whole number without sign, of any length
    bool is_negative = false;
    std::vector<std::pair<std::size_t, int>> factors{}; // numbers of variables and their powers
};

struct Polynomial {
    std::vector<Term> terms; // none: 0

    int degree() const;
    // "y3^2 + y4^2 - 4*y3 + 3"
    std::string text(const std::vector<Variable>& variables) const;
};

// "4*x2*x3-3*x2+3*x4^2"; nothing where it is something else, or has variables beyond x<n>.
std::optional<Polynomial> read_polynomial(std::string_view text, std::size_t n_variables);

// d p / d (variable) at a point: values of all variables.
Quad partial(const Polynomial& p, const std::vector<Quad>& values, std::size_t variable);

// How far a point is off p = 0: |p| relative to the largest term. So that noise around 0 counts for what it is, that
// term is taken at a point where no coordinate is smaller than a thousandth of the largest one.
double residual(const Polynomial& p, const std::vector<Quad>& values);
// The same of the derivative of p for variables that move with these rates.
double rate_residual(const Polynomial& p, const std::vector<Quad>& values, const std::vector<Quad>& rates);

} // namespace vessiot::decompose
