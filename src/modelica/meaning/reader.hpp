// From the syntax tree of a model to scalar variables and equations.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/meaning/elaborate.hpp"
#include "modelica/meaning/evaluator.hpp"

namespace vessiot::modelica {

class Reader {
public:
    Reader(Module& module, const Class& model, const lang::Settings& settings);

    FlatModel run();

private:
    // A declared scalar that has a value of its own.
    struct Declared {
        const Component* component = nullptr;
        std::vector<std::int64_t> subscripts{}; // of an array that was declared as one
        std::vector<NameId> fields{};           // of a record that was declared as one
        std::size_t variable = nothing;         // of the flat model
        Type type = Type::real;
        std::optional<Value> value{}; // of a parameter, once it is known
        bool is_open = false;         // its value is being computed
        bool is_used = false;
    };

    // declarations.cpp
    void collect_classes(const std::vector<Class>& classes);
    void declare(const Component& c);
    void declare_scalar(const std::string& name, const Component& c, NameId type,
                        const std::vector<std::int64_t>& subscripts, const std::vector<NameId>& fields);
    void declare_elements(const std::string& name, const Component& c, NameId type,
                          std::span<const std::int64_t> dimensions, std::vector<std::int64_t> subscripts,
                          const std::vector<NameId>& fields);
    Type type_of(NameId type, Span span) const;
    void make_variable(std::size_t declared, const std::string& name);
    void read_attributes(Declared& d, Variable& v);
    std::optional<Value> attribute(const Declared& d, std::string_view name);
    Value part_of(const Value& whole, const Declared& d, Span span);
    void take_settings();
    Value parameter_value(std::size_t declared);
    Value keep_parameter(std::size_t declared, const Value& value);

    // names.cpp
    std::optional<Value> lookup(NameId name);
    Value value_of(std::size_t declared);
    std::optional<Value> group(const std::string& name);
    std::optional<Quad> known(expr::NodeId node);

    // equations.cpp
    void add_bindings();
    void add_statements(const std::vector<StatementId>& statements, std::vector<FlatEquation>& into);
    void add_statement(const Statement& s, std::vector<FlatEquation>& into);
    void add_equation(const Value& lhs, const Value& rhs, Span span, std::vector<FlatEquation>& into);
    void add_choice(const Statement& s, std::vector<FlatEquation>& into);
    void add_loop(const Statement& s, std::vector<FlatEquation>& into);
    void add_call(const Statement& s, std::vector<FlatEquation>& into);
    void add_assertion(const Statement& s, std::optional<expr::NodeId> active);
    void add_when(const Statement& s);
    void add_when_body(const std::vector<StatementId>& body, expr::NodeId active,
                       std::map<std::size_t, expr::NodeId>& values);
    expr::NodeId becomes_true(ExprId condition);
    expr::NodeId becomes_true(expr::NodeId condition, Span span);
    void assign_in_when(const Value& target, const Value& value, expr::NodeId active, Span span,
                        std::map<std::size_t, expr::NodeId>& values);
    void add_algorithm(const std::vector<StatementId>& statements, std::vector<FlatEquation>& into);
    void collect_targets(const std::vector<StatementId>& statements, std::vector<NameId>& targets);
    void read_experiment();
    void take_initial_values();
    std::size_t variable_of(expr::NodeId node) const; // nothing: no variable

    Module& module_;
    const Class& model_;
    const lang::Settings& settings_;
    FlatModel flat_;
    Declarations declarations_;
    Evaluator evaluator_;
    std::vector<Declared> declared_;
    std::vector<std::string> declared_names_;
    std::vector<std::size_t> by_name_; // NameId to declared
    std::unordered_map<NameId, std::optional<Value>> groups_;
    std::vector<std::pair<std::string_view, std::size_t>> sorted_; // names, for groups
    std::unordered_map<std::size_t, double> set_;                  // by --set
    std::unordered_map<expr::ArrayId, Quad> parameter_values_;
    std::unordered_map<std::size_t, expr::NodeId> when_values_; // of variables: what they become
};

} // namespace vessiot::modelica
