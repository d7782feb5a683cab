// The syntax tree of a Base Modelica text. Expressions and statements lie in two lists of one module and are known by
// their numbers there, so that texts of 10^6 nodes are read without an allocation each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/syntax/source.hpp"

namespace vessiot::modelica {

using lang::Source;
using lang::Span;

using NameId = std::uint32_t;
using ExprId = std::uint32_t;
using StatementId = std::uint32_t;
inline constexpr std::uint32_t nothing = 0xffffffffU;

// The words of a text, each once. Quoted names stand there without their quotes.
class Names {
public:
    NameId add(std::string_view text);
    NameId find(std::string_view text) const; // nothing: not there
    const std::string& operator[](NameId name) const { return texts_[name]; }
    std::size_t size() const { return texts_.size(); }

private:
    std::deque<std::string> texts_; // which never move
    std::unordered_map<std::string_view, NameId> ids_;
};

enum class ExprKind : std::uint8_t {
    number,     // numbers[name]
    text,       // a string: its words are a name
    boolean,    // name 0 or 1
    name,       // a component or a type
    field,      // args[0].name
    index,      // args[0][args[1], …]
    call,       // name(args…), and named arguments; op 1: a function with some of its arguments, as an argument
    unary,      // op: '-', '+', 'n' (not)
    binary,     // op
    choice,     // if args[0] then args[1] elseif args[2] then args[3] … else args.back()
    array,      // {args…}
    matrix,     // [rows; …], each of them an `array`
    range,      // args[0]:args[1] or args[0]:args[1]:args[2]
    tuple,      // (args…); an argument may be left out (nothing)
    loop,       // args[0] for name in args[1]; several: nested, the last one inside
    whole,      // ':' as a subscript
    end,        // the last subscript
    assignment, // of a named argument: name = args[0]
};

enum class BinaryOp : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    power,
    element_add,
    element_subtract,
    element_multiply,
    element_divide,
    element_power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    unequal,
    both,
    either,
};

struct Expr {
    ExprKind kind = ExprKind::number;
    std::uint8_t op = 0; // of a binary one: BinaryOp; of a unary one: the letter
    std::uint32_t name = 0;
    std::uint32_t first = 0, count = 0; // arguments: Module::arguments
    Span span{};
};

enum class StatementKind : std::uint8_t {
    equation,   // lhs = rhs
    assignment, // lhs := rhs
    call,       // lhs: the call
    choice,     // if: branches; a condition that is missing is that of else
    loop,       // for name in rhs: branches[0]
    repeat,     // while: branches[0]
    when,       // branches: when, elsewhen, …
    leave,      // return
    stop,       // break
};

struct Branch {
    ExprId condition = nothing;
    std::vector<StatementId> body{};
};

struct Statement {
    StatementKind kind = StatementKind::equation;
    ExprId lhs = nothing, rhs = nothing;
    NameId name = 0;
    std::vector<Branch> branches{};
    Span span{};
};

// name(nested…) = value
struct Modification {
    NameId name = 0;
    ExprId value = nothing;
    std::vector<Modification> nested{};
    Span span{};
};

enum class Variability : std::uint8_t { continuous, discrete, parameter, constant };
enum class Causality : std::uint8_t { none, input, output };

struct Component {
    NameId type = 0, name = 0;
    Variability variability = Variability::continuous;
    Causality direction = Causality::none;
    bool is_final = false, is_protected = false;
    std::vector<ExprId> dimensions{}; // ':' is `whole`
    std::vector<Modification> modifications{};
    ExprId value = nothing;
    Span span{};
};

enum class ClassKind : std::uint8_t { model, record, function, type, external_object, package };

struct Class {
    ClassKind kind = ClassKind::model;
    NameId name = 0;
    bool is_partial = false;
    NameId base = nothing;          // type X = base
    std::vector<NameId> literals{}; // of an enumeration
    std::vector<Component> components{};
    std::vector<StatementId> equations{}, initial_equations{}, algorithm{}, initial_algorithm{};
    std::string external{}; // the language of an external function; empty: none
    ExprId external_call = nothing, external_result = nothing;
    std::map<std::string, ExprId> experiment{}; // of its annotation
    std::vector<Class> classes{};
    Span span{};
};

struct Module {
    const Source* source = nullptr;
    Names names;
    std::vector<Expr> expressions;
    std::vector<ExprId> arguments;
    std::vector<double> numbers;
    std::vector<Statement> statements;
    std::vector<Class> classes;
    bool is_marked = false;    // begins with "//! base"
    bool is_by_rumoca = false; // has one of the marks of its template

    std::vector<ExprId> args(const Expr& e) const {
        return {arguments.begin() + e.first, arguments.begin() + e.first + e.count};
    }
    ExprId arg(const Expr& e, std::size_t k) const { return arguments[e.first + k]; }
};

// Throws lang::ModelError with the place. The source must outlive the module.
Module parse(const Source& source);

} // namespace vessiot::modelica
