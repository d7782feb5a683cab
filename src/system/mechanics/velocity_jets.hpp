// Constraints of a lagrangian or hamiltonian that contain velocities.
//
// Velocities are the derivatives of all unknowns of a lagrangian, and of the positions of a hamiltonian. Such a
// constraint g(t, q, q') = 0 acts by forces that do no work in the directions it leaves open (d'Alembert):
// (dg/dq')^T lambda. That makes sense for g affine in q'.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "system/check.hpp"
#include "system/system.hpp"

namespace vessiot {

class VelocityJets {
public:
    explicit VelocityJets(const System& system);

    // Velocities, each with its position.
    const std::map<expr::ArrayId, expr::ArrayId>& positions() const { return position_; }
    bool contains(expr::ArrayId a) const { return position_.contains(a); }
    bool are_in(expr::NodeId residual) const;
    bool are_constrained() const;             // some constraint contains them
    bool is_affine(expr::NodeId value) const; // in velocities

    // The first constraint that no forces belong to: not affine in velocities, of momenta or of second derivatives.
    std::optional<Mistake> check_constraints() const;

private:
    std::string misfit(const Equation& e) const; // to go on from "the constraint contains "
    bool is_momentum(expr::ArrayId a) const;

    const System& system_;
    expr::Graph& graph_;
    std::map<expr::ArrayId, expr::ArrayId> position_;
};

} // namespace vessiot
