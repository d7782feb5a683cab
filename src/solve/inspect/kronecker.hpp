// The form of Weierstrass and Kronecker of a linear system with constant coefficients,
//
//   B u' + A u = d(t),   u = (y, z)Q:   y' + C y = P d above,   N z' + z = P d below          (linalg/dense/pencil.hpp)
//
// u are the unknowns and their derivatives below the highest, y^(k)' = y^(k+1) equations of their own. [Hai11, IV.1]
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "linalg/dense/pencil.hpp"
#include "system/system.hpp"

namespace vessiot {

struct KroneckerForm {
    std::vector<std::string> names{};                // of u
    std::optional<linalg::PencilForm> form{};        // nothing: A + lambda B is singular for every lambda
    std::vector<std::complex<double>> eigenvalues{}; // of -C: exp(lambda t) solves y' + C y = 0
    // Ranks, inverses and chains can be trusted.
    bool is_sound() const { return form && form->residual < 1e-12; }
};

// Nothing where the system is not linear with constant coefficients, has not as many equations as unknowns, or more
// than 30 coordinates u.
std::optional<KroneckerForm> kronecker_form(const System& system);

} // namespace vessiot
