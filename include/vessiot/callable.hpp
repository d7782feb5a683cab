// A system that is not written in formulas: its residual is a function of C++, a table, another program.
//
//     vessiot::CallableSystem s;
//     s.name = "pendulum";
//     s.unknowns = {{"phi", 2}};                                        // phi, phi', phi''
//     s.f = [](double t, std::span<const double> z, std::span<double> f) { f[0] = z[2] + std::sin(z[0]); };
//     vessiot::Functions F(s);
//
// Derivatives that are not given are formed by differences. With the pattern of df, coordinates that no equation has in
// common are moved together, so that the number of evaluations does not grow with the size of a sparse system.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vessiot/functions.hpp"

namespace vessiot {

struct CallableUnknown {
    std::string name;
    int order = 1; // the highest derivative in the equations, 0 to 64; 0: algebraic
};

struct CallableSystem {
    // f(t, z, out): out is the residual of each equation. z has for each unknown, one after the other, the unknown and
    // its derivatives up to the order: x, x', x'', y, y', ...
    using Residual = std::function<void(double t, std::span<const double> z, std::span<double> out)>;
    // df(t, z, out): out is the derivative of each equation by each coordinate, in the order of the pattern; without a
    // pattern the full matrix, column by column.
    using Jacobian = std::function<void(double t, std::span<const double> z, std::span<double> out)>;

    std::string name = "callable"; // in messages
    std::vector<CallableUnknown> unknowns{};
    Residual f{};
    Jacobian df{};                          // empty: differences of f
    std::optional<SparsePattern> pattern{}; // where df may have entries; not given: everywhere
    std::int64_t n_equations = 0;           // >= 1; 0: as many as unknowns
    // How large each coordinate typically is, > 0: differences move it by a small part of that, or of its value where
    // that is larger. Not given: 1.
    std::vector<double> scale{};
    // Exceptions of f and df pass through. A result that is not finite, or that was never set, throws EvaluationFailed,
    // which names the equation; false lets it pass.
    bool check_finite = true;
};

} // namespace vessiot
