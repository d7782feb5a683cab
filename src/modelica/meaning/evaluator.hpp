// Expressions to values: names are looked up, functions are executed with expressions, loops are unrolled.
//
// A function that a text defines runs statement by statement; where a condition is no number, both branches run and
// every variable becomes if(condition, one, other). Results are kept by function and arguments, so that nine elements
// of f(x) are one execution.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "modelica/flat.hpp"
#include "modelica/meaning/value.hpp"
#include "modelica/syntax/ast.hpp"

namespace vessiot::modelica {

// What a text declares, by name.
struct Declarations {
    std::unordered_map<NameId, const Class*> classes;
    std::unordered_map<NameId, std::pair<const Class*, int>> literals_of; // of enumerations: by their types
};

class Evaluator {
public:
    // The value of a name that is no local one; nothing: there is none.
    using Lookup = std::function<std::optional<Value>(NameId)>;
    // An expression of parameters, as a number.
    using Number = std::function<std::optional<Quad>(expr::NodeId)>;

    Evaluator(Module& module, FlatModel& flat, const Declarations& declarations, Lookup lookup, Number number);

    Value evaluate(ExprId e);
    expr::NodeId number(ExprId e); // of a scalar
    // Of what has to be known while the model is read: sizes, ranges, conditions of structure.
    Quad constant(ExprId e, std::string_view what);
    std::int64_t whole_number(ExprId e, std::string_view what);
    std::optional<Quad> known(expr::NodeId node) { return number_(node); }
    std::vector<Value> range(ExprId e);

    Value call(NameId function, const std::vector<Value>& args, Span span);
    Value field(const Value& record, NameId name, Span span);
    Value index(const Value& array, const std::vector<Value>& subscripts, Span span);
    // a[subscripts] = value
    void assign(Value& into, std::span<const Value> subscripts, const Value& value, Span span);

    // For statements of the model: an iterator while a loop is unrolled.
    void push_iterator(NameId name, Value value) { iterators_.emplace_back(name, std::move(value)); }
    void pop_iterator() { iterators_.pop_back(); }

    // An algorithm of a model: the names that it assigns, and their values behind it.
    using Locals = std::vector<std::pair<NameId, Value>>;
    Locals run_algorithm(const std::vector<StatementId>& statements, Locals locals);

    // Called for assert(…) in a function and in an algorithm.
    std::function<void(const Statement&)> on_assert;

    expr::Graph& graph() { return g_; }
    Names& names() { return module_.names; }
    const Module& module() const { return module_; }
    Value multiply(const Value& a, const Value& b, Span span) { return product(a, b, span); }
    const std::set<std::string>& used_prelude() const { return used_prelude_; }
    [[noreturn]] void fail(Span span, const std::string& message) const;
    std::string text_of(const Value& value) const; // of a text: without its quotes
    Value map(const Value& a, const std::function<expr::NodeId(expr::NodeId)>& f) const;
    Value map(const Value& a, const Value& b, Span span,
              const std::function<expr::NodeId(expr::NodeId, expr::NodeId)>& f) const;
    // if(c, a, b), element by element
    Value choose_value(expr::NodeId c, const Value& a, const Value& b, Span span);
    Value default_value(NameId type, const std::vector<std::int64_t>& dimensions, Span span);

private:
    friend class Builtins;
    struct Frame {
        Locals locals;
        bool has_returned = false, has_broken = false;
    };
    struct Depth {
        Depth(Evaluator& evaluator, Span span);
        ~Depth() { --evaluator_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        Evaluator& evaluator_;
    };

    // expressions
    Value name_value(const Expr& e);
    std::optional<Value> local(NameId name);
    Value indexed_name(const std::string& name, Span span);
    Value field_of(const Expr& e);
    Value index_of(const Expr& e);
    Value binary(const Expr& e);
    Value binary(BinaryOp op, const Value& a, const Value& b, Span span);
    Value product(const Value& a, const Value& b, Span span);
    Value power(const Value& a, const Value& b, Span span);
    Value texts(BinaryOp op, const Value& a, const Value& b, Span span);
    Value choice(const Expr& e);
    Value array(const Expr& e);
    Value matrix(const Expr& e);
    Value loop_values(const Expr& e);
    Value call(const Expr& e);
    Value one_of(const Value& array, expr::NodeId subscript, Span span);

    // functions
    Value execute(const Class& function, const std::vector<Value>& args,
                  const std::vector<std::pair<NameId, Value>>& named, Span span);
    Value construct(const Class& record, const std::vector<Value>& args,
                    const std::vector<std::pair<NameId, Value>>& named, Span span);
    Value partial(const Expr& e);
    void declare_locals(const Class& function, Frame& frame);
    void run(const std::vector<StatementId>& statements, Frame& frame, bool is_top);
    void run(const Statement& s, Frame& frame);
    bool run_choice(const Statement& s, Frame& frame, std::span<const StatementId> rest);
    void run_loop(const Statement& s, Frame& frame);
    void run_while(const Statement& s, Frame& frame);
    void assign_to(ExprId target, const Value& value, Frame& frame);
    Value result_of(const Class& function, const Frame& frame);
    void count_work(Span span);

    Module& module_;
    FlatModel& flat_;
    expr::Graph& g_;
    const Declarations& declarations_;
    Lookup lookup_;
    Number number_;
    std::vector<Frame*> frames_;
    std::vector<std::pair<NameId, Value>> iterators_;
    std::vector<std::int64_t> ends_; // of the subscripts around
    std::map<std::vector<std::uint32_t>, Value> results_;
    std::set<std::string> used_prelude_;
    int depth_ = 0;
    std::int64_t work_ = 0;
};

// Functions of the language, and those of the standard library that a text may call without defining them.
class Builtins {
public:
    Builtins(Evaluator& evaluator, FlatModel& flat) : ev_(evaluator), flat_(flat), g_(evaluator.graph()) {}

    // Nothing where there is no such function.
    std::optional<Value> call(const std::string& name, const Expr& e);
    // Of the library, by the last word of its name.
    std::optional<Value> library(const std::string& name, const std::vector<Value>& args, Span span);
    Value table(const std::string& name, const std::vector<Value>& args, Span span);

private:
    using Args = std::vector<Value>;
    std::optional<Value> elementary(const std::string& name, const Args& args, Span span);
    std::optional<Value> of_arrays(const std::string& name, const Args& args, const Expr& e);
    std::optional<Value> of_events(const std::string& name, const Expr& e);
    std::optional<Value> of_tables(const std::string& name, const Args& args, Span span);
    std::optional<Value> of_vectors(const std::string& name, const Args& args, Span span);
    std::optional<Value> of_frames(const std::string& name, const Args& args, Span span);
    std::optional<Value> conversion(const std::string& name, const Args& args);
    Value reduce(const std::string& name, const Value& value, Span span);
    Value derivative(const Value& value);
    Value previous(const Value& value, Span span);
    Value sample(expr::NodeId start, expr::NodeId interval, Span span);
    expr::NodeId trigonometric(expr::Op op, expr::NodeId a);
    std::vector<std::vector<Quad>> rows_of(const Value& table, Span span);
    expr::Between between(std::int64_t smoothness, Span span);
    static expr::Outside outside(std::int64_t extrapolation);
    expr::NodeId interpolated(const std::vector<std::vector<Quad>>& rows, std::size_t column, std::int64_t smoothness,
                              std::int64_t extrapolation, expr::NodeId x, Span span);
    Value plane(const std::vector<std::vector<Quad>>& rows, const Value& table, expr::NodeId x, expr::NodeId y,
                Span span);
    Value fill(const Value& value, std::span<const std::int64_t> dimensions);
    std::vector<std::int64_t> sizes(const Args& args, std::size_t from, Span span);
    Value number(double value) { return Value::number(g_.constant(value)); }
    expr::NodeId scalar(const Value& value, Span span);
    void need(const Args& args, std::size_t least, std::size_t most, const std::string& name, Span span);

    Evaluator& ev_;
    FlatModel& flat_;
    expr::Graph& g_;
};

} // namespace vessiot::modelica
