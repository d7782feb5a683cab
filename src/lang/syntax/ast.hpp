// The syntax tree of a model: what its author wrote, with the place of everything, before any name is looked up.
//
// Expressions live in an ExprStore and refer to each other by plain pointers, so that they can be shared freely (an
// expanded `let`), moving the owner keeps them valid and destruction is flat. Chains of one precedence level are one
// node (Sum, Product, Logical), so that a sum of a million terms has depth 1; the depth of every tree is bounded by the
// limits of the parser (limits.hpp), so that later passes may recurse.
//
// Names are normalised: a Greek letter is replaced by its spelled name (`λ` is "lambda"). How the author wrote one is
// `source.text(span)`. Brackets leave no node of their own; a span never includes brackets around the whole
// expression, those of an operand do lie within the span of the operation.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/quad.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::lang {

struct Expr;
using ExprPtr = const Expr*; // owned by an ExprStore; null only where a member says so

// A name where it is declared or stands for itself.
struct Ident {
    std::string_view name; // normalised; owned by the ExprStore
    Span span;
};

// ---- expressions ----

struct Number {
    Quad value;            // finite
    std::string_view text; // the literal as written; owned by the ExprStore
};

// A name alone: of an unknown, parameter, let, index, whole array, `pi`, `e`.
struct Name {
    std::string_view name;
};

// x[i+1, 2]. Of parts: b[2].r[1] has the name "b[#].r" and the indices 2, 1 (names.hpp).
struct Indexed {
    Ident name;
    std::vector<ExprPtr> indices; // one at least
};

// [cos(a), sin(a)][k]
struct ElementOf {
    ExprPtr of;
    std::vector<ExprPtr> indices; // one at least
};

// x', x[i]'', (x*y)', f(x)'
struct Prime {
    ExprPtr operand;
    int order;   // 1 … limits::derivative_order
    Span primes; // the primes alone
};

struct Negate {
    ExprPtr operand;
};

// One operand of a chain with the operator before it.
struct Operand {
    char op; // '+' or '-' in a Sum, '*' or '/' in a Product; the first of a chain has '+' or '*' and an empty op_span
    ExprPtr expr;
    Span op_span;
};

// a + b - c, from left to right; two operands at least
struct Sum {
    std::vector<Operand> operands;
};

// a*b/c, from left to right; two operands at least
struct Product {
    std::vector<Operand> operands;
};

// base^exponent; a^b^c is a^(b^c)
struct Power {
    ExprPtr base;
    ExprPtr exponent;
    Span op_span;
};

enum class ComparisonOp { less, less_equal, greater, greater_equal, equal, not_equal };

struct Comparison {
    ComparisonOp op;
    ExprPtr lhs;
    ExprPtr rhs;
    Span op_span;
};

enum class LogicalOp { conjunction, disjunction };

// a and b and c, or the same with `or`; two operands at least
struct Logical {
    LogicalOp op;
    std::vector<ExprPtr> operands;
};

struct Not {
    ExprPtr operand;
};

// f(a, b): a function of the language or of the model (or a mistake: a name that is no function). `der(x, k)`,
// `diff(E, x)` and `if(c, a, b)` are calls as well. The arguments are not counted by the parser.
struct Call {
    Ident function;
    std::vector<ExprPtr> arguments;
};

// [a, b, c]; a matrix is a vector of its rows
struct Vector {
    std::vector<ExprPtr> elements; // one at least
};

enum class ReductionKind { sum, product };

// sum(i = lo..hi, condition, body). Several indices are nested, the first one outermost, the condition innermost.
struct Reduction {
    ReductionKind kind;
    Ident index;
    ExprPtr lo;
    ExprPtr hi;
    ExprPtr condition; // null: none
    ExprPtr body;
};

struct Expr {
    Span span;
    std::variant<Number, Name, Indexed, ElementOf, Prime, Negate, Sum, Product, Power, Comparison, Logical, Not, Call,
                 Vector, Reduction>
        node;
};

// The node as a T, or null where it is something else.
template <class T> const T* as(ExprPtr expr) {
    return std::get_if<T>(&expr->node);
}

// Owns expressions and the characters of their names. Moving it keeps all pointers and views valid.
class ExprStore {
public:
    ExprStore() = default;
    ExprStore(ExprStore&&) noexcept = default;
    ExprStore& operator=(ExprStore&&) noexcept = default;
    ExprStore(const ExprStore&) = delete;
    ExprStore& operator=(const ExprStore&) = delete;

    template <class Node> ExprPtr make(Span span, Node node) {
        return &exprs_.emplace_back(Expr{span, std::move(node)});
    }
    std::string_view intern(std::string_view text) {
        const auto known = texts_.find(text);
        return known != texts_.end() ? *known : *texts_.emplace(text).first;
    }

private:
    // Lets a view be looked up without making a string of it.
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    std::deque<Expr> exprs_;
    std::unordered_set<std::string, TextHash, std::equal_to<>> texts_;
};

// ---- parts of statements ----

// i = lo..hi
struct IndexRange {
    Ident index;
    ExprPtr lo;
    ExprPtr hi;
    Span span;
};

// target = value. The target is x, x[…], a derivative x[…]'' of these, or der(…).
struct Assignment {
    ExprPtr target;
    ExprPtr value;
    Span span;
};

// file "wind.csv" columns time, speed
struct FileReference {
    std::string_view path; // as written; owned by the ExprStore
    Span path_span;
    std::vector<Ident> columns; // names or numbers; empty: not said
};

struct ParameterItem {
    Ident name;
    std::vector<ExprPtr> dims; // empty: a scalar
    ExprPtr value;             // null: none was given (`--set` must), or from a file
    Span span;
    std::optional<FileReference> file{};
    // Of parts: the indices of their family, one element a part, and whether the value says the size.
    std::vector<IndexRange> family{};
    bool is_sized_by_value = false;
};

struct UnknownItem {
    Ident name;
    std::vector<ExprPtr> dims; // empty: a scalar
    Span span;
};

struct MatrixItem {
    Ident name;
    std::vector<ExprPtr> dims;  // rows and columns, of a family after the ranges of its indices
    std::optional<Ident> group; // SO, O, SL, Sp, GL, Stiefel, or what else was written
    std::vector<ExprPtr> group_arguments;
    Span span;
};

// A position and its momentum: x: px, q[i]: p[i], or whole arrays q: p. Both are Name or Indexed.
struct ConjugatePair {
    ExprPtr position;
    ExprPtr momentum;
    Span span;
};

// What stands after `option name =`.
struct OptionValue {
    enum class Kind {
        word,       // dopri54, kernel-svd, solve
        expression, // 1e-8, -0.5, 2*pi
        list        // [[x, y], [z]]
    };
    Kind kind;
    std::string_view text;          // as written, empty for a list; owned by the ExprStore
    ExprPtr expr;                   // of a word: null where it cannot be read as an expression; of a list: null
    std::vector<OptionValue> items; // of a list
    Span span;
};

struct OptionItem {
    Ident name;
    OptionValue value;
    Span span;
};

// ---- statements ----

struct Statement;

struct ParameterStatement {
    std::vector<ParameterItem> items;
};

// discrete mode = 0, s[n] = 1
struct DiscreteStatement {
    std::vector<ParameterItem> items;
};

struct UnknownStatement {
    std::vector<UnknownItem> items;
};

struct MatrixStatement {
    std::vector<MatrixItem> items;
};

struct IndependentStatement {
    Ident name;
};

// let r = …, or the family let v[i = 1..n, j = 1..m] = …. A list `let a = …, b = …` gives one statement each.
struct LetStatement {
    Ident name;
    std::vector<IndexRange> indices; // empty: no family
    ExprPtr value;
};

enum class TableKind { step, linear, cubic, monotone };
enum class TableEnds { error, hold, extend, periodic };

// table torque(s) = [0: 0, 1: 10] cubic outside hold, or of a file.
struct TableStatement {
    struct Point {
        ExprPtr at, value;
    };
    Ident name;
    std::vector<Ident> formals; // one or two
    std::vector<Point> points;  // empty: from the file
    std::optional<FileReference> file;
    TableKind kind = TableKind::linear;
    TableEnds ends = TableEnds::error;
};

// include "parts/motor.ves"
struct IncludeStatement {
    std::string_view path; // as written; owned by the ExprStore
    Span path_span;
};

// component Link(m = 1, l = 1): and an indented block
struct ComponentFormal {
    Ident name;
    ExprPtr value; // null: it must be given
};
struct ComponentStatement {
    Ident name;
    std::vector<ComponentFormal> formals;
    std::vector<Statement> body; // one at least
};

// part b[i = 1..n] = Link(m = i)
struct PartArgument {
    std::optional<Ident> name; // none: by its place
    ExprPtr value;
};
struct PartStatement {
    Ident name;
    std::vector<IndexRange> indices; // empty: no family
    Ident component;
    std::vector<PartArgument> arguments;
};

struct FunctionStatement {
    Ident name;
    std::vector<Ident> formals; // one at least
    ExprPtr body;
};

struct EquationStatement {
    ExprPtr lhs;
    ExprPtr rhs;
};

struct InvariantStatement {
    ExprPtr expr;
    ExprPtr value; // null: taken from the start point
};

struct ConstraintStatement {
    ExprPtr lhs;
    ExprPtr rhs;
};

struct LagrangianStatement {
    ExprPtr expr;
};

struct HamiltonianStatement {
    ExprPtr expr;
    std::vector<ConjugatePair> pairs; // one at least, unless there is a Poisson structure
    Span keyword;
};

// poisson B for y1, y2, y3
struct PoissonStatement {
    ExprPtr matrix;
    std::vector<ExprPtr> targets; // Name or Indexed
};

struct ForceStatement {
    ExprPtr target; // Name or Indexed
    ExprPtr value;
};

// Several indices `for i = …, j = …:` are nested, the first one outermost. The body has equations, constraints,
// invariants, forces, contacts, start, guess, hold, initially, end and periodic statements and further loops only. The
// span is that of the head.
struct ForStatement {
    IndexRange range;
    std::vector<Statement> body; // one at least
};

struct StartStatement {
    std::vector<Assignment> items;
};

struct GuessStatement {
    std::vector<Assignment> items;
};

struct HoldStatement {
    std::vector<ExprPtr> targets; // as in Assignment
};

// initially x' = 0: an equation of the start point
struct InitiallyStatement {
    ExprPtr lhs;
    ExprPtr rhs;
};

// end v = 0: values at the end of the interval
struct EndStatement {
    std::vector<Assignment> items;
};

// periodic x, x'
struct PeriodicStatement {
    std::vector<ExprPtr> targets; // as in Assignment
};

// free T, m[2]
struct FreeStatement {
    std::vector<ExprPtr> targets; // Name or Indexed
};

struct SolveStatement {
    Ident variable;
    ExprPtr from;
    ExprPtr to;
};

struct OptionStatement {
    std::vector<OptionItem> items;
};

struct OutputEveryStatement {
    ExprPtr interval;
};

struct OutputAtStatement {
    std::vector<ExprPtr> times;
};

// output section crossing
struct OutputSectionStatement {
    Ident event;
};

// output E = …. A list gives one statement each.
struct OutputColumnStatement {
    Ident name;
    ExprPtr value;
    std::vector<IndexRange> family{}; // of the parts that have it
};

enum class EventDirection { both, rising, falling };

struct EventStatement {
    Ident name;
    ExprPtr lhs;
    ExprPtr rhs;
    EventDirection direction;
    bool is_stop;
    std::vector<Assignment> then{}; // empty where it changes nothing
    std::vector<Assignment> guesses{};
    ExprPtr every = nullptr;          // event tick: every 0.01; then there is no lhs, rhs and direction
    bool is_always = false;           // event rule: always then …; likewise
    std::vector<IndexRange> family{}; // of the parts that have it
};

// contact floor: y >= 0, restitution 0.8, friction 0.3 along x'
struct ContactStatement {
    Ident name;
    ExprPtr lhs, rhs;                                  // lhs >= rhs
    ExprPtr restitution = nullptr, friction = nullptr; // null: not said
    std::vector<ExprPtr> sliding{};                    // one or two with friction
};

struct Statement {
    Span span; // from its first to its last character
    std::variant<ParameterStatement, DiscreteStatement, UnknownStatement, MatrixStatement, IndependentStatement,
                 LetStatement, FunctionStatement, EquationStatement, InvariantStatement, ConstraintStatement,
                 LagrangianStatement, HamiltonianStatement, PoissonStatement, ForceStatement, ForStatement,
                 StartStatement, GuessStatement, HoldStatement, InitiallyStatement, EndStatement, PeriodicStatement,
                 FreeStatement, SolveStatement, OptionStatement, OutputEveryStatement, OutputAtStatement,
                 OutputSectionStatement, OutputColumnStatement, EventStatement, TableStatement, IncludeStatement,
                 ComponentStatement, PartStatement, ContactStatement>
        node;
};

// A whole model file. The source must outlive it: spans refer to it.
struct Module {
    const Source* source;
    ExprStore store;
    std::vector<Statement> statements;             // in the order of the text; one at least
    std::shared_ptr<const Source> with_included{}; // then this is the source
};

} // namespace vessiot::lang
