// A system together with the derivatives of its solution by some variables p_1 .. p_m, made in the graph.
//
// To every unknown y there is s_j = dy/dp_j at a fixed t, of the same shape and order, and to every row F(t, y, y', ..,
// p) = 0 of the completed system (equation, hidden constraint, equation for the tops, invariant, output)
//
//     dF/dy s_j + dF/dy' s_j' + .. + dF/dp_j = 0
//
// a directional derivative of the graph, so that families stay families. D/dt and d/dp_j commute: the derivative of a
// hidden constraint is the hidden constraint of the derivative, and the offsets of the system hold for each block. So
// nothing is analysed again; coordinates, tops and rows come in blocks 0 .. m, block 0 the system itself:
//
//     u, s_1, .., s_m      w, s_1^(d), .., s_m^(d)      F_i^(0 .. c_i) and its derivatives
//
// The matrix of the equations for the tops is block triangular, with the same A = dF/dw in every diagonal block; so is
// df of the constraints. [HNW93, I.14; MP96]
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "completion/prolongation.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "expr/graph/derivative.hpp"
#include "sensitivity/variables.hpp"
#include "system/system.hpp"

namespace vessiot {

class Augmentation {
public:
    Augmentation(const System& system, const Prolongation& p, std::vector<SensitivityVariable> by);
    Augmentation(const Augmentation&) = delete;
    Augmentation& operator=(const Augmentation&) = delete;

    const std::vector<SensitivityVariable>& by() const { return by_; }
    // Unknowns, equations, invariants and outputs are those of the system, then those of each variable in turn.
    const System& system() const { return system_; }
    const Prolongation& prolongation() const { return prolongation_; }

    // d/dp_j of an expression, at a fixed t.
    expr::NodeId derivative(std::size_t j, expr::NodeId node) { return (*directions_[j])(node); }
    // The elements 0 .. size-1 of an array, followed by their derivatives by each variable.
    std::vector<expr::Contribution> with_derivatives(const std::vector<expr::Contribution>& elements,
                                                     std::int64_t size);
    ExplicitTops with_derivatives(const ExplicitTops& tops);
    // The system with its start values and guesses replaced by their derivatives.
    System start_derivatives(std::size_t j);

private:
    std::uint32_t tangent(std::size_t j, expr::ArrayId a);
    std::uint32_t parameter_tangent(std::size_t j, expr::ArrayId a);
    void add_unknowns(std::size_t j);
    void follow_jets(std::size_t j);
    void add_rows(std::size_t j);
    void add_coordinates();
    void add_row_set(std::size_t j, const RowSet& from, RowSet& to);

    System base_, system_;
    Prolongation from_, prolongation_;
    std::vector<SensitivityVariable> by_;
    std::vector<std::map<expr::ArrayId, expr::ArrayId>> jets_; // by variable: y^(k) -> s^(k)
    std::vector<std::unique_ptr<expr::Direction>> directions_;
};

} // namespace vessiot
