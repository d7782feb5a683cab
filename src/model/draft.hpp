// The formulas of a C++ model as they were written: what Expr, Index, Condition and Array of vessiot/expression.hpp
// stand for.
//
// In the expression graph a loop variable is known by its nesting level, and whether an index is in range depends on
// the loops and conditions around it. C++ makes formulas from the inside out, when none of this is known yet. They are
// therefore noted here first and put into the graph by the statement that uses them (elaboration.hpp). A note is made
// once and never changed; making one takes constant time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/table/table.hpp"
#include "vessiot/expression.hpp"
#include "vessiot/external.hpp"
#include "vessiot/table.hpp"

namespace vessiot {

enum class DraftKind : std::uint8_t {
    number,      // a = number in `numbers`
    read,        // element of array a; its indices are `indices[b]` to `indices[b + c - 1]`
    index_value, // a = index formula
    operation,   // op on a, b, c
    comparison,  // op (less or equal) of the index formulas a, b
    choice,      // a ? b : c where loop indices have a part in the condition a
    der,         // of a, order b
    diff,        // of a by b
    sum,         // over loop index a, condition b (or none), of c
    product,     // the same
    call,        // of the external function a with the arguments `lists[b]`; its result number c
    look_up,     // of the table a with the arguments `lists[b]`
};

struct DraftNode {
    DraftKind kind = DraftKind::number;
    expr::Op op = expr::Op::constant;
    bool is_index_condition = false;  // a condition that loop indices alone decide
    bool has_index_condition = false; // one of these is below
    bool has_multiplier = false;
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint32_t free = 0;   // set of the loop indices that no sum or product in it binds
    std::uint32_t n_uses = 0; // as an operand
};

struct DraftIndex {
    enum class Kind : std::uint8_t { constant, variable, add, subtract, multiply, modulo, quotient, lookup };
    Kind kind = Kind::constant;
    std::uint16_t depth = 0;
    std::uint32_t a = 0, b = 0; // variable: number in `loops`; lookup: a read; others: operands
    std::int64_t value = 0;     // of a constant
    std::uint32_t free = 0;
};

struct DraftLoop {
    std::string name;
    std::uint32_t from = 0, to = 0; // index formulas
};

enum class DraftArrayKind : std::uint8_t { independent, unknown, parameter, discrete, let, multipliers };

struct DraftArray {
    DraftArrayKind kind = DraftArrayKind::unknown;
    std::string name;
    expr::ArrayId array = expr::none; // multipliers: none until the equations of motion are there
    std::vector<std::int64_t> first{}, extent{};
    std::vector<Quad> values{}; // of a parameter; of what is discrete, at the start
};

// Sets of loop indices, interned; 0 is the empty one.
class IndexSets {
public:
    std::uint32_t single(std::uint32_t index) { return intern({index}); }
    std::uint32_t join(std::uint32_t a, std::uint32_t b);
    std::uint32_t without(std::uint32_t set, std::uint32_t index);
    std::uint32_t intern(std::vector<std::uint32_t> set);
    const std::vector<std::uint32_t>& elements(std::uint32_t set) const { return sets_[set]; }
    std::size_t size() const { return sets_.size(); }

private:
    std::vector<std::vector<std::uint32_t>> sets_{{}};
    std::map<std::vector<std::uint32_t>, std::uint32_t> ids_{{{}, 0}};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined_;
};

class Draft : public std::enable_shared_from_this<Draft> {
public:
    static constexpr std::uint32_t none = 0xffffffffU;

    explicit Draft(std::string name) : model_name_(std::move(name)) {}

    const std::string& model_name() const { return model_name_; }

    // ---- formulas from formulas. Constants alone need no model and are worked out at once ----
    static Expr apply(expr::Op op, const Expr& a);
    static Expr apply(expr::Op op, const Expr& a, const Expr& b);
    static Expr mod(const Expr& a, const Expr& b);
    static Expr value_of(const Index& index);
    static Expr der(const Expr& e, int order);
    static Expr diff(const Expr& e, const Expr& x);
    static Expr reduce(DraftKind kind, const Index& index, const Condition* condition, const Expr& body);
    static Expr choose(const Condition& condition, const Expr& a, const Expr& b);
    static Index combine(DraftIndex::Kind kind, const Index& a, const Index& b);
    static Index integer(const Expr& element);
    static Condition compare(expr::Op op, const Expr& a, const Expr& b);
    static Condition compare(expr::Op op, const Index& a, const Index& b);
    static Condition join(expr::Op op, const Condition& a, const Condition& b);
    static Condition complement(const Condition& a);
    static Expr element(const Array& array, const std::vector<Index>& indices);
    static std::vector<Expr> call(const External& function, const std::vector<Expr>& arguments);
    static Expr look_up(const TableFunction& table, const std::vector<Expr>& arguments);

    // ---- names of the model ----
    std::uint32_t add_array(DraftArray array);
    Expr scalar(std::uint32_t array); // an array without indices
    Array array_handle(std::uint32_t array) { return {shared_from_this(), array}; }
    External add_external(std::shared_ptr<const expr::External> function);
    TableFunction add_table(std::shared_ptr<const expr::Table> table);
    Index add_loop(const std::string& name, const Index& from, const Index& to);

    // ---- reading. The numbers of what a handle stands for; throws InvalidInput where it is of another model ----
    std::uint32_t id(const Expr& e);
    std::uint32_t id(const Index& index);
    std::uint32_t id(const Array& a);
    // The loop of an index that is one (and not a formula of indices).
    std::uint32_t loop(const Index& index);

    const DraftNode& node(std::uint32_t n) const { return nodes_[n]; }
    std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
    const DraftIndex& index(std::uint32_t n) const { return index_nodes_[n]; }
    const DraftLoop& loop(std::uint32_t n) const { return loops_[n]; }
    DraftArray& array(std::uint32_t n) { return arrays_[n]; }
    const DraftArray& array(std::uint32_t n) const { return arrays_[n]; }
    double number(const DraftNode& n) const { return numbers_[n.a]; }
    std::uint32_t element_index(const DraftNode& read, std::uint32_t k) const { return element_indices_[read.b + k]; }
    const std::shared_ptr<const expr::External>& external(const DraftNode& call) const { return externals_[call.a]; }
    const std::vector<std::uint32_t>& arguments(const DraftNode& call) const { return lists_[call.b]; }
    const expr::Table& table(const DraftNode& look_up) const { return *tables_[look_up.a]; }
    const std::vector<std::uint32_t>& free_indices(const DraftNode& n) const { return sets_.elements(n.free); }

    // ---- kept and made again (draft_notes.cpp): all formulas and loops by their numbers. Arrays, functions and tables
    // come back with the statements that declare them, in the same order ----
    std::string notes() const;
    void take_notes(std::string_view notes); // before any statement; throws InvalidInput
    Expr formula(std::uint32_t n);
    Index index_formula(std::uint32_t n);
    std::uint32_t n_arrays() const { return static_cast<std::uint32_t>(arrays_.size()); }

private:
    static std::shared_ptr<Draft> common(const std::shared_ptr<Draft>& a, const std::shared_ptr<Draft>& b);

    std::uint32_t add(DraftNode node);
    std::uint32_t add_index(DraftIndex node);
    std::uint32_t number_node(double value);
    std::uint32_t constant_index(std::int64_t value);
    // A node of a function with these arguments.
    DraftNode with_arguments(DraftKind kind, std::uint32_t function, const std::vector<Expr>& arguments);
    std::uint32_t id(const Condition& condition);
    std::uint32_t operation(expr::Op op, std::uint32_t a, std::uint32_t b = none, std::uint32_t c = none);

    std::string model_name_;
    std::vector<DraftNode> nodes_;
    std::vector<DraftIndex> index_nodes_;
    std::vector<DraftLoop> loops_;
    std::vector<DraftArray> arrays_;
    std::vector<double> numbers_;
    std::vector<std::uint32_t> element_indices_;
    std::vector<std::shared_ptr<const expr::External>> externals_;
    std::vector<std::shared_ptr<const expr::Table>> tables_;
    std::vector<std::vector<std::uint32_t>> lists_;               // of arguments
    std::unordered_map<std::uint64_t, std::uint32_t> number_ids_; // by bits
    std::unordered_map<std::int64_t, std::uint32_t> constant_ids_;
    IndexSets sets_;
};

} // namespace vessiot
