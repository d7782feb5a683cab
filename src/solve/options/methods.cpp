// What there is to choose from, for programs: vessiot/methods.hpp.
#include "vessiot/methods.hpp"

#include <fmt/format.h>

#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "solve/sensitivity/sensitivity.hpp"

namespace vessiot {

namespace {

using method::Family;

bool is_implicit(const method::MethodInfo& m) {
    return m.family == Family::implicit_rk || m.family == Family::ida || m.family == Family::kahan ||
           m.family == Family::projected_midpoint || m.family == Family::lobatto_pair ||
           m.family == Family::implicit_mechanical || method::is_direct(m);
}

// Do its steps go along the curve, whatever they are measured in?
bool has_arclength(const method::MethodInfo& m) {
    if (m.chooses_steps || m.needs == method::View::one_constraint) return false;
    return m.family == Family::explicit_rk || m.family == Family::implicit_rk || m.family == Family::group_preserving;
}

MethodDescription described(const method::MethodInfo& m) {
    const std::string order = m.least_order > 0 ? fmt::format("orders {} to {}", m.least_order, m.order)
                              : m.max_order > 0 ? fmt::format("orders 1 to {}", m.max_order)
                                                : fmt::format("order {}", m.order);
    return {.name = std::string(m.name),
            .family = std::string(name(m.family)),
            .help = fmt::format("{}, {}{}", name(m.family), order,
                                method::is_direct(m) ? ", on the equations as they stand" : ""),
            .needs = m.needs == method::View::any ? "" : std::string(name(m.needs)),
            .projection = std::string(m.projection),
            .cite = std::string(m.cite),
            .order = m.order,
            .stages = static_cast<int>(m.n_stages),
            .least_order = m.least_order,
            .max_order = m.max_order,
            .embedded_order = m.embedded_order,
            .dense_order = dense_order(m),
            .max_index = m.max_index,
            .is_adaptive = m.is_adaptive,
            .is_implicit = is_implicit(m),
            .is_direct = method::is_direct(m),
            .has_arclength = has_arclength(m),
            .has_sensitivities = carries_sensitivities(m),
            .has_quad = m.family != Family::ida};
}

} // namespace

const std::vector<MethodDescription>& methods() {
    static const std::vector<MethodDescription> all = [] {
        std::vector<MethodDescription> made;
        for (const method::MethodInfo& m : method::methods()) made.push_back(described(m));
        return made;
    }();
    return all;
}

const std::vector<ChoiceDescription>& projections() {
    static const std::vector<ChoiceDescription> all = {
        {"auto", "that of the method"},
        {"simplified", "Newton's method with the derivatives of the constraints at one point of the step"},
        {"newton", "the nearest point, by Newton's method"},
        {"chord", "the nearest point, with a matrix that is kept for several steps"},
        {"inexact", "the nearest point, with linear systems solved as exactly as it takes"},
        {"ray", "along rays from the origin of sets of unknowns"},
        {"gradient-ray", "along the gradient of the constraint"},
        {"post", "one step towards the constraints after each step"},
        {"group", "matrices onto their groups"},
        {"partition", "local coordinates: some of the unknowns"},
        {"tangent", "local coordinates: the tangent space at a point"},
        {"none", "nothing is projected"},
    };
    return all;
}

const std::vector<ChoiceDescription>& distributions() {
    static const std::vector<ChoiceDescription> all = {
        {"auto", "what suits the structure of the equations"},
        {"explicit", "formulas for the highest derivatives"},
        {"submatrix", "the part of the linear system that gives the derivatives"},
        {"solve", "the linear system for the highest derivatives"},
        {"kkt", "masses and constraints of mechanics, as one symmetric system"},
        {"kkt-cg", "the same by conjugate gradients"},
        {"kernel-qr", "the kernel of the derivatives of all equations, by QR"},
        {"kernel-svd", "the same by singular values"},
        {"kernel-rcg", "the same by conjugate gradients of Rayleigh's quotient"},
    };
    return all;
}

} // namespace vessiot
