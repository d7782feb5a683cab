// A model as numbers: variables, each a scalar, and scalar equations among them, over one expression graph. Functions,
// arrays, records, loops and choices by parameters are gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/table/table.hpp"
#include "modelica/syntax/ast.hpp"

namespace vessiot::modelica {

enum class Type : std::uint8_t { real, integer, boolean, text, enumeration, object };
enum class StateSelect : std::uint8_t { never = 1, avoid, normal, prefer, always };

struct Variable {
    std::string name;
    Type type = Type::real;
    Variability variability = Variability::continuous;
    expr::ArrayId array = expr::none; // an unknown of the graph; `none`: a parameter
    expr::NodeId node = 0;            // what reads it
    std::optional<expr::NodeId> start{};
    bool is_fixed = false;
    bool is_found_at_start = false; // a parameter with fixed = false
    bool is_assigned_in_when = false;
    bool is_protected = false;
    StateSelect select = StateSelect::normal;
    Span span{};

    // Constant between events?
    bool is_discrete() const { return type != Type::real || variability == Variability::discrete; }
};

struct FlatEquation {
    expr::NodeId lhs = 0, rhs = 0;
    Span span{};
};

// What a variable that is set at events becomes there; between them it keeps its value.
struct FlatUpdate {
    std::size_t variable = 0;
    expr::NodeId value = 0;
};

// A parameter whose value may be changed from outside.
struct FlatParameter {
    std::string name;
    expr::ArrayId array = expr::none;
    Quad value = 0;
    Span span{};
};

struct Assertion {
    expr::NodeId condition = 0;
    std::string message;
    bool is_error = true;
    Span span{};
};

// reinit(x, value) where `condition` becomes true.
struct Reinit {
    std::size_t variable = 0;
    expr::NodeId active = 0, value = 0;
    Span span{};
};

struct Termination {
    expr::NodeId active = 0;
    std::string message;
    Span span{};
};

struct FlatModel {
    std::string name;
    std::shared_ptr<expr::Graph> graph = std::make_shared<expr::Graph>();
    expr::ArrayId time = expr::none;
    std::vector<Variable> variables;
    std::unordered_map<expr::ArrayId, std::size_t> variable_of; // its jets of order 0
    std::vector<FlatParameter> parameters;
    std::vector<FlatEquation> equations, initial;
    std::vector<FlatUpdate> updates;                    // of variables that `when` sets
    std::unordered_map<std::size_t, expr::ArrayId> pre; // of a variable: what reads its value before
    expr::ArrayId initial_flag = expr::none;            // 1 in the first iteration of the start
    std::vector<Assertion> assertions;
    std::vector<Reinit> reinits;
    std::vector<Termination> terminations;
    std::vector<std::string> notes;
    double start_time = 0, stop_time = 1;
    std::optional<double> tolerance, interval;
    std::size_t n_equations = 0; // as written, scalar ones
};

} // namespace vessiot::modelica
