// Expressions of a flat model in terms of what remains of it, in the graph of the System that is made.
//
// What changes at events is read in two ways: in equations and results it is what it was set to last (held); at an
// event it is what it becomes (at_event).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "expr/graph/derivative.hpp"
#include "modelica/eliminate.hpp"
#include "system/system.hpp"

namespace vessiot::modelica {

class Formulas {
public:
    // A derivative, or an unknown itself, that a variable stands for: variable = ±array + offset.
    struct RemainingJet {
        expr::ArrayId array = expr::none;
        bool is_negative = false;
        expr::NodeId offset = 0;
    };

    Formulas(FlatModel& flat, const Elimination& elimination, System& system);
    void begin(); // formulas of what is defined

    expr::NodeId now(expr::NodeId old) { return in(now_, old); }
    expr::NodeId at_event(expr::NodeId old) { return in(event_, old); }
    expr::NodeId value(std::size_t variable) { return now(flat_.variables[variable].node); }
    expr::NodeId derivative(std::size_t variable) { return total_(value(variable)); }
    bool is_constant(expr::NodeId old) const { return !flat_.graph->node(old).varies; }
    bool is_used(std::size_t variable) const { return unknowns_[variable] != expr::none; }
    // Has it a column of its own: an unknown that remained, or what is held?
    bool is_column(std::size_t variable) const;
    expr::ArrayId unknown(std::size_t variable);
    expr::ArrayId parameter(expr::ArrayId old) const; // none: not used
    // In terms of the new system: the jet that an old one became, if it is one.
    std::optional<RemainingJet> remaining_jet(expr::ArrayId old);
    std::optional<RemainingJet> jet_of(std::size_t variable);
    // What formulas read as it was before an event, or was set to there, in the order in which it was met; and its
    // array. It grows while formulas are made.
    const std::vector<std::size_t>& held_variables() const { return open_; }
    expr::ArrayId held_array(std::size_t variable) const { return held_[variable]; }
    expr::ArrayId initial_flag() const { return flag_; } // initial(); none: nobody reads it

private:
    struct Context {
        bool is_event = false;
        std::vector<expr::NodeId> image{};   // of old nodes
        std::vector<expr::NodeId> formula{}; // of defined variables, and at events of those that are set there
        std::vector<char> is_open{};
    };
    expr::NodeId in(Context& c, expr::NodeId old);
    expr::NodeId read(Context& c, expr::ArrayId old);
    expr::NodeId variable(Context& c, std::size_t v, int order);
    expr::NodeId held(std::size_t v);
    expr::NodeId before(std::size_t v);
    expr::NodeId raised(expr::NodeId node, int order);
    std::pair<std::size_t, int> jet(expr::ArrayId old) const;

    FlatModel& flat_;
    const Elimination& el_;
    System& system_;
    expr::Graph& h_;
    expr::Direction total_;
    Context now_, event_;
    std::vector<expr::ArrayId> unknowns_, held_; // by variable
    std::map<expr::ArrayId, std::size_t> pre_;   // old array to variable
    std::map<expr::ArrayId, std::pair<std::size_t, int>> jets_;
    std::map<expr::ArrayId, expr::ArrayId> parameters_;
    std::map<std::size_t, expr::NodeId> updates_; // old nodes
    expr::ArrayId flag_ = expr::none;             // initial()
    std::vector<std::size_t> open_;               // held
};

} // namespace vessiot::modelica
