// The work behind elaborate(): one object for one model. Its parts are in files of their own:
//   declarations.cpp      names, parameters, unknowns, lets      expressions.cpp  names and operators
//   index_forms.cpp       integers: indices, bounds, sizes       conditions.cpp   comparisons, if
//   reductions.cpp        sum, product                           functions.cpp    calls
//   derivatives.cpp       primes, der, diff                      vectors.cpp      arrays and products of them
//   vector_functions.cpp  dot, cross, inverse, …                 start.cpp        start, guess, hold
//   statements.cpp        equations, constraints, forces         run.cpp          solve, option, output, event
//   tables.cpp            tables, numbers from files             settings.cpp     what is said from outside
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "expr/graph/derivative.hpp"
#include "expr/graph/graph.hpp"
#include "lang/meaning/elaborate.hpp"
#include "lang/meaning/loop_nest.hpp"
#include "lang/meaning/names.hpp"
#include "lang/meaning/value.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/parser.hpp"

namespace vessiot {
struct PoissonStructure;
}

namespace vessiot::lang {

// An index that leaves its array: the one error that an `if` on parameters forgives in the branch that is not taken.
class IndexRangeError : public ModelError {
public:
    using ModelError::ModelError;
};

class Elaborator {
public:
    Elaborator(const Module& module, const Settings& settings);

    // In this order. What add_equations leaves in the system is complete for derive_motion; add_run takes the
    // statements that may name the multipliers made by it.
    void declare();
    void add_equations();
    void add_run();
    Elaborated finish();
    System& system() { return system_; }

private:
    using NodeId = expr::NodeId;
    using FormId = expr::FormId;
    using Forms = std::vector<FormId>;

    // Symbolic: parameters are read, so that they can be changed later. Constant: parameters are their values, loops
    // are run through, and the result is a number; for sizes, bounds, indices and the values of parameters.
    enum class Mode { symbolic, constant };

    // A loop index or a formal argument. Those of one scope are chained by `parent`: the body of a function sees its
    // arguments but not the indices around the call.
    struct Local {
        std::string_view name;
        int parent = -1;
        bool is_index = false;
        FormId form = 0; // of an index
        // of an argument: its value, and the expression with the scope it stands in, for use as an index
        Value value;
        ExprPtr argument = nullptr;
        int caller = -1;
        Mode mode = Mode::symbolic;
        const Source* source = nullptr;
    };

    // What an integer is needed for, for messages.
    struct Use {
        enum class Kind { size, bound, index, order, condition, decision, identity } kind;
        std::string_view name;
    };

    // x, x[i]', der(x, 2), a parameter, t: what can be given a value or differentiated by.
    struct Target {
        const Symbol* symbol = nullptr;
        expr::ArrayId array = expr::none;
        int order = 0;
        bool is_whole = false; // an array, or the slice of one that some indices leave
        Forms indices;

        Dims rest() const {
            return {symbol->dims.begin() + static_cast<std::ptrdiff_t>(indices.size()), symbol->dims.end()};
        }
        Forms with(const Forms& more) const {
            Forms all = indices;
            all.insert(all.end(), more.begin(), more.end());
            return all;
        }
    };

    // Goes back to the loops and names at the time of its making.
    class Scope;
    // Another mode, scope or text for a while.
    class Switch;

    // ---- failing ----
    [[noreturn]] void fail(Span span, const std::string& message) const { lang::fail(*source_, span, message); }
    [[noreturn]] void fail_unknown_name(std::string_view name, Span span);
    [[noreturn]] void fail_no_member(std::string_view name, std::string_view root, Span span);
    std::string habit_hint(std::string_view name);
    [[noreturn]] void fail_unknown_function(std::string_view name, Span span);
    // Fails where the stack comes to its end: the parser bounds the depth of one expression, but functions and lets put
    // expressions into each other.
    void check_depth(Span span) const;
    Location locate(Span span);
    std::string line_of(Span span) const { return module_.source->line_text(span.begin); } // "line 5"

    // ---- declarations.cpp ----
    void collect(const std::vector<Statement>& statements);
    void apply_settings();
    void check_function_bodies();
    Dims sizes(const std::vector<ExprPtr>& dims, std::string_view name);
    void evaluate_parameter(Symbol& symbol);
    std::vector<NodeId> formula(Symbol& symbol);
    void define_let(Symbol& symbol);
    void define_let_family(Symbol& symbol);
    std::vector<NodeId> evaluate_family(const Symbol& symbol, Dims& dims);
    void for_family(const std::vector<IndexRange>& family,
                    const std::function<void(const std::vector<std::string>&)>& visit);
    void reserve_multiplier_name();
    void warn_unused();

    // ---- settings.cpp ----
    void apply_setting(const std::string& written, const std::string& text);
    [[noreturn]] void fail_no_parameter(const std::string& written, const std::string& text, Symbol* symbol);
    void set_elements(Symbol& symbol);
    std::int64_t element_set(Symbol& symbol, const Symbol::Setting& setting);

    // ---- tables.cpp ----
    void make_table(Symbol& symbol);
    expr::TablePoints points_of(const TableStatement& table);
    expr::TablePoints points_from_file(const TableStatement& table, std::vector<std::string>& places);
    void evaluate_from_file(Symbol& symbol);
    Value call_table(const Symbol& symbol, const Call& call, Span span);
    Value evaluate_size(const Call& call, Span span);
    std::filesystem::path folder_of(Span span) const;

    // ---- expressions.cpp ----
    Value evaluate(ExprPtr expr);
    NodeId number(ExprPtr expr); // fails where it is an array
    Value evaluate_name(std::string_view name, Span span);
    Value evaluate_symbol(Symbol& symbol, Span span);
    Value evaluate_indexed(const Indexed& indexed, Span span);
    Value evaluate_element(const ElementOf& indexed, Span span);
    Value slice(const Dims& dims, const Forms& indices, std::function<NodeId(const Forms&)> element);
    Value evaluate_sum(const Sum& sum);
    Value evaluate_product(const Product& product);
    Value evaluate_power(const Power& power, Span span);
    NodeId read_element(Symbol& symbol, const Forms& indices);
    Value whole_array(expr::ArrayId array);
    Local* find_local(std::string_view name);
    Local& add_index(const Ident& index, FormId form);
    void check_index_name(const Ident& index);
    void check_is_allowed(const Symbol& symbol, Span span);
    NodeId product_of(std::vector<NodeId> factors);

    // ---- index_forms.cpp ----
    FormId form(ExprPtr expr, const Use& use);
    std::int64_t integer(ExprPtr expr, const Use& use);
    Quad constant(ExprPtr expr, const std::string& what);
    // Fewer indices than there are dimensions leave a slice.
    Forms index_forms(const std::vector<ExprPtr>& indices, std::string_view name, const Dims& first, const Dims& dims,
                      Span span, bool may_be_fewer = false);
    bool depends_on_index(ExprPtr expr);
    bool is_index_expression(ExprPtr expr);
    FormId floor_form(ExprPtr argument, const Use& use);
    FormId lookup_form(const Indexed& indexed, Span span);
    FormId power_form(const Power& power, Span span, const Use& use);
    FormId checked(FormId form, Span span, const Use& use);
    FormId multiply(FormId f, FormId g, Span span, const Use& use);
    expr::TableId table_of(Symbol& symbol, Span span);
    [[noreturn]] void fail_not_integer(ExprPtr expr, const Use& use, Quad value);

    // ---- conditions.cpp ----
    struct Condition {
        NodeId node = 0;
        std::optional<expr::CondId> index; // where only indices and integers decide
        expr::CondId when_true = 0;        // what is known of the indices where it holds
        bool is_decided = false;           // parameters alone decide a part of it, of which nothing is known then
    };
    enum class Decided { may_change, are_fixed }; // conditions that parameters alone decide
    bool is_index_condition(ExprPtr expr);
    expr::CondId index_condition(ExprPtr expr, Decided decided = Decided::are_fixed);
    NodeId condition_node(ExprPtr expr);
    Condition condition(ExprPtr expr, Decided decided);
    Value branches(const Call& call, const Condition& c, Span span);
    Value evaluate_if(const Call& call, Span span);
    Value select(NodeId condition, Value a, Value b, Span span);

    // ---- reductions.cpp ----
    Value evaluate_reduction(const Reduction& reduction, Span span);
    Value evaluate_sum_family(const Reduction& reduction, Span span);
    Value evaluate_product_family(const Reduction& reduction);
    Value expand(const Reduction& reduction, std::int64_t lo, std::int64_t hi);
    bool is_unrolled(const Reduction& reduction) const;
    void open_loop(const Ident& index, ExprPtr lo, ExprPtr hi, Span span);
    expr::VarId open_variable(std::string_view name, FormId lo, FormId hi, Span span);
    NodeId sum_over(std::int64_t n, Span span, const std::function<NodeId(FormId)>& term);

    // ---- functions.cpp ----
    Value evaluate_call(const Call& call, Span span);
    Value call_function(const Symbol& symbol, const Call& call, Span span);
    Value call_builtin(const Call& call, Span span);
    Value evaluate_extremum(expr::Op op, const Call& call);
    void check_argument_count(const Call& call, Span span, int least, int most);

    // ---- derivatives.cpp ----
    Value evaluate_prime(const Prime& prime);
    Value evaluate_der(const Call& call);
    Value evaluate_diff(const Call& call, Span span);
    NodeId differentiate(NodeId node, int order, Span span);
    Value differentiate(const Value& value, int order, Span span);
    std::optional<Target> find_target(ExprPtr expr);

    // ---- vectors.cpp ----
    Value evaluate_vector(const Vector& vector, Span span);
    NodeId element(const Value& value, const Forms& indices, Span span);
    Value listed(const Value& value);
    Value family(Dims dims, Element element);
    Value map(const Value& value, std::function<NodeId(NodeId)> f);
    Value zip(const Value& a, const Value& b, std::function<NodeId(NodeId, NodeId)> f);
    void widen_zero(Value& zero, const Value& array);
    Value multiply(const Value& a, const Value& b, Span span);
    void add_matrix(const MatrixItem& item);
    Value matrix_product(const Value& a, const Value& b, Span span);
    NodeId dot(const Value& a, const Value& b, Span span);
    Forms open_components(const Dims& dims, Span span);
    // Calls visit(indices) for each element of an array of this shape: one by one where it is listed, else once, with
    // fresh loops open.
    void for_components(const Dims& dims, bool is_listed, Span span, const std::function<void(const Forms&)>& visit);

    // ---- vector_functions.cpp ----
    Value call_vector_function(const Call& call, Span span);
    Value cross(const Call& call);
    Value skew(const Call& call, Span span);
    Value inverse(const Value& matrix);
    NodeId determinant(const std::vector<NodeId>& entries, std::size_t n);
    NodeId trace(const Value& matrix, Span span);
    Value identity(ExprPtr size);
    void check_square(const Value& matrix, std::string_view function, Span span, std::int64_t largest);

    // ---- statements.cpp ----
    enum class Phase { equations, run };
    void elaborate_all(const std::vector<Statement>& statements, Phase phase);
    void elaborate(const Statement& statement, Phase phase);
    void add_equation(EquationKind kind, ExprPtr lhs, ExprPtr rhs, Span span, std::vector<Equation>& into);
    void check_defines_nothing_discrete(NodeId residual, Span span);
    void add_invariant(const InvariantStatement& statement, Span span);
    void add_lagrangian(const LagrangianStatement& statement, Span span);
    void add_hamiltonian(const HamiltonianStatement& statement, Span span);
    Symbol& resolve_pair_member(ExprPtr expr, std::vector<std::string_view>& indices);
    void add_poisson(const PoissonStatement& statement, Span span); // poisson.cpp, after all equations
    void add_poisson_coordinates(ExprPtr expr, PoissonStructure& poisson);
    void add_force(const ForceStatement& statement, Span span);
    void add_contact(const ContactStatement& statement, Span span);
    void declare_multipliers();
    void match_sides(Value& lhs, Value& rhs, Span span);
    void note_once(std::string_view what, Span span);
    std::string written(Span span) const;

    // ---- start.cpp ----
    void add_start(const Assignment& item, bool is_guess);
    void add_named(ExprPtr target, std::string_view statement, std::vector<Hold>& list); // hold, periodic
    void add_end(const Assignment& item);
    void add_free(ExprPtr target);
    Target resolve_unknown(ExprPtr expr, std::string_view statement);
    void spread(const Target& target, const Value& value, Span span,
                const std::function<void(const Forms&, NodeId)>& add);
    void check_is_constant(NodeId node, ExprPtr expr, const std::string& what, const std::string& advice);

    // ---- run.cpp ----
    void add_solve(const SolveStatement& statement, Span span);
    void add_option(const OptionItem& item);
    void add_output_every(const OutputEveryStatement& statement, Span span);
    void add_output_column(const OutputColumnStatement& statement, Span span);
    void add_output_column(const OutputColumnStatement& statement, Span span, const std::string& name);
    void add_event(const EventStatement& statement, Span span);
    void add_event(const EventStatement& statement, Span span, const std::string& name);
    void add_event_at_times(const EventStatement& statement, Span span, const std::string& name);
    void add_rule(const EventStatement& statement, Span span, const std::string& name); // always then …
    void add_output_section(const OutputSectionStatement& statement, Span span);
    void add_reset(const Assignment& item, std::vector<Reset>& resets);
    NodeId constant_number(ExprPtr expr, const std::string& what);

    const Module& module_;
    const Settings& settings_;
    System system_;
    expr::Graph& graph_;
    expr::IndexSpace& index_;
    LoopNest nest_;
    expr::Direction total_;
    SymbolTable table_;
    std::deque<Local> locals_;
    int scope_ = -1;
    Mode mode_ = Mode::symbolic;
    bool is_structural_ = false; // a size, a bound or an index is evaluated
    std::string constant_for_;   // what needs a constant, in constant mode
    const Source* source_;       // of the expression at hand
    std::uintptr_t stack_begin_;
    Span last_span_; // of the expression entered last
    std::int64_t work_ = 0;
    Symbol* independent_ = nullptr;
    Places places_;
    struct {
        bool has_motion = false;                       // a lagrangian or hamiltonian
        bool has_constraint = false;                   // a `constraint` statement
        std::map<std::string, Span, std::less<>> once; // statements that a model has once
        std::map<std::string, Span> options, output_names, event_names;
        std::vector<Span> forces;
        std::deque<std::string> multipliers;                                           // their names
    } said_;                                                                           // what was met so far
    std::deque<UnknownItem> matrix_items_;                                             // matrices as unknowns
    std::map<std::tuple<expr::ArrayId, expr::DomainId, expr::ListId>, Span> given_[2]; // start values, guesses
    std::map<std::string_view, expr::TableId> tables_;
    std::map<std::vector<NodeId>, expr::ArrayId> listed_arrays_; // vectors with a loop index
    struct {
        std::deque<Source> sources;
        std::deque<ParsedAssignment> values;
        std::deque<FileReference> files;
    } set_; // values of parameters from outside of the model
};

class Elaborator::Scope {
public:
    explicit Scope(Elaborator& owner)
        : owner_(owner), mark_(owner.nest_.mark()), scope_(owner.scope_), n_locals_(owner.locals_.size()) {}
    ~Scope() {
        owner_.nest_.reset(mark_);
        owner_.scope_ = scope_;
        owner_.locals_.resize(n_locals_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    const LoopNest::Mark& mark() const { return mark_; }

private:
    Elaborator& owner_;
    LoopNest::Mark mark_;
    int scope_;
    std::size_t n_locals_;
};

class Elaborator::Switch {
public:
    explicit Switch(Elaborator& owner)
        : owner_(owner), mode_(owner.mode_), scope_(owner.scope_), source_(owner.source_),
          constant_for_(owner.constant_for_), is_structural_(owner.is_structural_) {}
    ~Switch() {
        owner_.is_structural_ = is_structural_;
        owner_.mode_ = mode_;
        owner_.scope_ = scope_;
        owner_.source_ = source_;
        owner_.constant_for_ = std::move(constant_for_);
    }
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

private:
    Elaborator& owner_;
    Mode mode_;
    int scope_;
    const Source* source_;
    std::string constant_for_;
    bool is_structural_;
};

} // namespace vessiot::lang
