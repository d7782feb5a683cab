// Puts the formulas of a C++ model (draft.hpp) into its expression graph, inside of the loops of a statement.
//
// What does not depend on loop indices is put there once for all statements; the rest once for each scope: a statement,
// a sum, a branch of if_. Long chains of operations, which a loop of C++ makes, are walked through without recursion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/graph/derivative.hpp"
#include "expr/graph/graph.hpp"
#include "lang/meaning/loop_nest.hpp"
#include "model/draft.hpp"

namespace vessiot {

class Elaboration {
public:
    Elaboration(const Draft& draft, expr::Graph& graph)
        : draft_(draft), graph_(graph), index_(graph.index()), total_(expr::total_derivative(graph)) {}
    Elaboration(const Elaboration&) = delete;
    Elaboration& operator=(const Elaboration&) = delete;

    // The loops of a statement, open as long as this lives.
    class Statement {
    public:
        // Opens the loops (numbers in Draft::loop) from the outermost on.
        Statement(Elaboration& owner, std::span<const std::uint32_t> loops);
        ~Statement();
        Statement(const Statement&) = delete;
        Statement& operator=(const Statement&) = delete;

        bool is_empty() { return frame_.nest.is_empty(); } // there is no instance
        expr::DomainId domain() { return frame_.nest.domain(); }
        const std::vector<expr::VarId>& vars() const { return frame_.nest.vars(); }

    private:
        friend class Elaboration;
        Elaboration& owner_;
        struct Frame {
            explicit Frame(expr::IndexSpace& index) : nest(index, max_instances) {}
            lang::LoopNest nest;
            std::vector<std::unordered_map<std::uint32_t, expr::NodeId>> scopes; // formulas that are in the graph
            std::map<std::uint32_t, expr::VarId> open;                           // loops and their variables
        } frame_;
        Frame* outer_;
    };

    // A formula; throws InvalidInput where it makes no sense inside of these loops.
    expr::NodeId operator()(std::uint32_t formula) { return evaluate(formula); }

    // Parameters (numbers in Draft::array) that occur in formulas; those whose values decide indices.
    const std::set<std::uint32_t>& used_parameters() const { return used_; }
    const std::set<std::uint32_t>& structural_parameters() const { return structural_; }

    static constexpr std::int64_t max_instances = 100'000'000;

private:
    using Frame = Statement::Frame;
    class Scope; // one more map of formulas, and the loops and conditions opened since

    expr::NodeId evaluate(std::uint32_t formula);
    const expr::NodeId* find(std::uint32_t formula) const;
    void store(std::uint32_t formula, expr::NodeId node);
    void operands(std::uint32_t formula, std::vector<std::uint32_t>& out) const;
    expr::NodeId combine(std::uint32_t formula, const std::vector<std::uint32_t>& chain);
    bool is_whole(const DraftNode& n) const;
    expr::NodeId evaluate_whole(std::uint32_t formula);

    expr::NodeId read(const DraftNode& n);
    expr::NodeId derivative(expr::NodeId node, std::uint32_t order);
    expr::NodeId partial(expr::NodeId of, expr::NodeId by);
    expr::NodeId sum(const DraftNode& n);
    expr::NodeId product(const DraftNode& n);
    expr::NodeId choice(const DraftNode& n);
    expr::NodeId product_of(std::vector<expr::NodeId> factors);

    void open_loop(std::uint32_t loop);
    expr::FormId form(std::uint32_t index);
    expr::FormId lookup(const DraftNode& read);
    expr::FormId checked(expr::FormId form);
    std::vector<expr::FormId> element_forms(const DraftNode& read);
    expr::TableId table(std::uint32_t array);
    expr::CondId index_condition(std::uint32_t condition);
    expr::CondId known_where_true(std::uint32_t condition);

    const Draft& draft_;
    expr::Graph& graph_;
    expr::IndexSpace& index_;
    expr::Direction total_;
    Frame* frame_ = nullptr;
    std::vector<expr::NodeId> closed_; // by formula: those without free indices
    std::map<std::uint32_t, expr::TableId> tables_;
    std::set<std::uint32_t> used_, structural_;
    int depth_ = 0;
    std::int64_t work_ = 0;
};

} // namespace vessiot
