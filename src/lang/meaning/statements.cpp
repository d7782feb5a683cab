// Equations, constraints, invariants, lagrangian and hamiltonian, forces, loops.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/overloaded.hpp"
#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "system/groups.hpp"

namespace vessiot::lang {

void Elaborator::elaborate_all(const std::vector<Statement>& statements, Phase phase) {
    for (const Statement& statement : statements) elaborate(statement, phase);
}

void Elaborator::elaborate(const Statement& statement, Phase phase) {
    const Span span = statement.span;
    if (const auto* loop = std::get_if<ForStatement>(&statement.node)) {
        const Scope scope(*this);
        open_loop(loop->range.index, loop->range.lo, loop->range.hi, loop->range.span);
        elaborate_all(loop->body, phase);
        return;
    }
    if (phase == Phase::equations) {
        std::visit(Overloaded{[&](const EquationStatement& s) {
                                  add_equation(EquationKind::written, s.lhs, s.rhs, span, system_.equations);
                              },
                              [&](const ConstraintStatement& s) {
                                  add_equation(said_.has_motion ? EquationKind::constraint : EquationKind::written,
                                               s.lhs, s.rhs, span, system_.equations);
                              },
                              [&](const InvariantStatement& s) { add_invariant(s, span); },
                              [&](const LagrangianStatement& s) { add_lagrangian(s, span); },
                              [&](const HamiltonianStatement& s) { add_hamiltonian(s, span); },
                              [&](const ForceStatement& s) { add_force(s, span); },
                              [&](const ContactStatement& s) { add_contact(s, span); },
                              [&](const MatrixStatement& s) {
                                  for (const MatrixItem& item : s.items) add_matrix(item);
                              },
                              [](const auto&) {}},
                   statement.node);
        return;
    }
    std::visit(Overloaded{[&](const StartStatement& s) {
                              for (const Assignment& item : s.items) add_start(item, false);
                          },
                          [&](const GuessStatement& s) {
                              for (const Assignment& item : s.items) add_start(item, true);
                          },
                          [&](const HoldStatement& s) {
                              for (ExprPtr target : s.targets) add_named(target, "hold", system_.holds);
                          },
                          [&](const InitiallyStatement& s) {
                              add_equation(EquationKind::written, s.lhs, s.rhs, span, system_.initially);
                          },
                          [&](const EndStatement& s) {
                              for (const Assignment& item : s.items) add_end(item);
                          },
                          [&](const PeriodicStatement& s) {
                              for (ExprPtr target : s.targets) add_named(target, "periodic", system_.periodic);
                          },
                          [&](const FreeStatement& s) {
                              for (ExprPtr target : s.targets) add_free(target);
                          },
                          [&](const SolveStatement& s) { add_solve(s, span); },
                          [&](const OptionStatement& s) {
                              for (const OptionItem& item : s.items) add_option(item);
                          },
                          [&](const OutputEveryStatement& s) { add_output_every(s, span); },
                          [&](const OutputAtStatement& s) {
                              for (ExprPtr time : s.times)
                                  system_.output_at.push_back(constant_number(time, "an output point"));
                          },
                          [&](const OutputSectionStatement& s) { add_output_section(s, span); },
                          [&](const OutputColumnStatement& s) { add_output_column(s, span); },
                          [&](const EventStatement& s) { add_event(s, span); }, [](const auto&) {}},
               statement.node);
}

void Elaborator::add_equations() {
    elaborate_all(module_.statements, Phase::equations);
    std::ranges::stable_partition(system_.equations, [](const Equation& e) { return e.kind == EquationKind::written; });
    for (const Statement& statement : module_.statements)
        if (const auto* poisson = std::get_if<PoissonStatement>(&statement.node)) add_poisson(*poisson, statement.span);
    if (system_.hamiltonian && system_.pairs.empty())
        fail(said_.once.find("hamiltonian")->second, "the pairs of positions and momenta are missing after the "
                                                     "Hamiltonian, as in: hamiltonian p^2/2 + q^2/2 with q: p");
    for (std::size_t k = 0; system_.hamiltonian && k < system_.forces.size(); ++k) {
        const Force& force = system_.forces[k];
        const bool is_position = std::ranges::any_of(
            system_.pairs, [&](const vessiot::ConjugatePair& pair) { return pair.position == force.unknown; });
        if (!is_position) {
            fail(said_.forces[k], fmt::format("a force acts on a position of the hamiltonian, but '{}' is none",
                                              graph_.array(force.unknown).name));
        }
    }
}

void Elaborator::note_once(std::string_view what, Span span) {
    const auto [first, is_new] = said_.once.try_emplace(std::string(what), span);
    if (!is_new) fail(span, fmt::format("'{}' is given twice; the first is in {}", what, line_of(first->second)));
}

// A piece of the model in one line, without comments.
std::string Elaborator::written(Span span) const {
    std::string text;
    bool is_comment = false;
    for (const char c : module_.source->text(span)) {
        if (c == '#') is_comment = true;
        if (c == '\n' || c == '\r') is_comment = false;
        if (is_comment) continue;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            if (!text.ends_with(' ')) text += ' ';
        } else {
            text += c;
        }
    }
    return text;
}

// Both sides of an equation, with equal shapes.
void Elaborator::match_sides(Value& lhs, Value& rhs, Span span) {
    widen_zero(lhs, rhs);
    widen_zero(rhs, lhs);
    if (lhs.dims() != rhs.dims()) {
        fail(span, describe_mismatch("the left side", lhs.dims(), "the right side", rhs.dims()));
    }
}

void Elaborator::add_equation(EquationKind kind, ExprPtr left, ExprPtr right, Span span, std::vector<Equation>& into) {
    Value lhs = evaluate(left), rhs = evaluate(right);
    match_sides(lhs, rhs, span);
    const Location where = locate(span);
    const std::string text = written(span);
    const auto add = [&](NodeId a, NodeId b) {
        if (nest_.is_empty()) return;
        const NodeId residual = graph_.sub(a, b);
        if (!graph_.node(residual).varies && !graph_.is_constant(residual, 0)) {
            fail(span, "this equation contains no unknown");
        }
        check_defines_nothing_discrete(residual, span);
        into.push_back({.kind = kind,
                        .domain = nest_.domain(),
                        .residual = residual,
                        .lhs = a,
                        .rhs = b,
                        .text = text,
                        .where = where});
    };
    if (lhs.is_number()) {
        add(lhs.number(), rhs.number());
    } else {
        for_components(lhs.dims(), lhs.is_listed() || rhs.is_listed(), span, [&](const Forms& at) {
            const NodeId a = element(lhs, at, span);
            add(a, element(rhs, at, span));
        });
    }
}

// What is discrete changes at events, not by equations.
void Elaborator::check_defines_nothing_discrete(NodeId residual, Span span) {
    if (system_.held.empty()) return;
    const Held* discrete = nullptr;
    for (const expr::ArrayId a : expr::dependencies(graph_, {residual})) {
        if (graph_.array(a).role == expr::ArrayRole::unknown) return;
        if (!discrete) discrete = system_.find_held(a);
    }
    if (!discrete) return;
    fail(span,
         fmt::format("this equation contains no unknown, and '{0}' is discrete: it changes at events only, as in: "
                     "event e: … = 0 then {0} = 1",
                     discrete->name));
}

void Elaborator::add_invariant(const InvariantStatement& statement, Span span) {
    Value value = evaluate(statement.expr);
    std::optional<Value> kept;
    if (statement.value) {
        kept = evaluate(statement.value);
        match_sides(value, *kept, span);
    }
    const Location where = locate(span);
    const std::string text = written(span);
    const auto add = [&](NodeId node, std::optional<NodeId> constant) {
        if (nest_.is_empty()) return;
        // E = c, where c moves as well: E - c = 0
        if (constant && graph_.node(*constant).varies) {
            node = graph_.sub(node, *constant);
            constant = graph_.zero();
        }
        if (!graph_.node(node).varies) fail(span, "this invariant contains no unknown");
        system_.invariants.push_back({nest_.domain(), node, constant, text, where});
    };
    if (value.is_number()) {
        add(value.number(), kept ? std::optional(kept->number()) : std::nullopt);
    } else {
        const bool is_listed = value.is_listed() || (kept && kept->is_listed());
        for_components(value.dims(), is_listed, span, [&](const Forms& at) {
            const NodeId node = element(value, at, span);
            add(node, kept ? std::optional(element(*kept, at, span)) : std::nullopt);
        });
    }
}

// ---- matrices ----

void Elaborator::add_matrix(const MatrixItem& item) {
    const Symbol& symbol = *table_.find(item.name.name);
    const std::size_t n = symbol.dims.size();
    MatrixUnknown matrix{std::string(item.name.name), symbol.array,      symbol.dims[n - 2],
                         symbol.dims[n - 1],          MatrixGroup::none, locate(item.span)};
    if (item.group) {
        const auto found = std::ranges::find(group_words(), item.group->name, &GroupWord::word);
        if (found == group_words().end()) {
            std::vector<std::string_view> names;
            for (const GroupWord& w : group_words()) names.push_back(w.word);
            const auto meant = nearest(item.group->name, names);
            fail(item.group->span,
                 fmt::format("'{}' is no group{} There are: {}", item.group->name,
                             meant ? fmt::format("; did you mean '{}'?", *meant) : ".", fmt::join(names, ", ")));
        }
        if (std::ssize(item.group_arguments) != found->n_sizes)
            fail(item.group->span, fmt::format("write {}({}) with {}", found->word, found->n_sizes == 1 ? "n" : "n,k",
                                               found->n_sizes == 1 ? "the number of rows" : "rows and columns"));
        std::vector<std::int64_t> sizes;
        for (ExprPtr argument : item.group_arguments)
            sizes.push_back(integer(argument, {Use::Kind::size, item.group->name}));
        matrix.group = found->group;
        if (const std::string why = group_mismatch(matrix.group, sizes, matrix.rows, matrix.columns); !why.empty())
            fail(item.span, why);
    }
    add_group(system_, matrix);
}

// ---- mechanics ----

void Elaborator::add_lagrangian(const LagrangianStatement& statement, Span span) {
    if (const auto other = said_.once.find("hamiltonian"); other != said_.once.end()) {
        fail(span, fmt::format("a model has a lagrangian or a hamiltonian, not both; the hamiltonian is in {}",
                               line_of(other->second)));
    }
    said_.once.try_emplace("lagrangian", span);
    const NodeId value = number(statement.expr);
    system_.lagrangian = system_.lagrangian ? graph_.add(*system_.lagrangian, value) : value; // several add up
}

// One side of `q[i]: p[i]`: an unknown, as a whole, with the names of its indices.
Symbol& Elaborator::resolve_pair_member(ExprPtr expr, std::vector<std::string_view>& indices) {
    const Name* name = as<Name>(expr);
    const Indexed* indexed = as<Indexed>(expr);
    if (!name && !indexed) fail(expr->span, "positions and momenta are paired as x: px or q[i]: p[i]");
    const std::string_view word = name ? name->name : indexed->name.name;
    Symbol* symbol = table_.find(word);
    if (!symbol) fail_unknown_name(word, name ? expr->span : indexed->name.span);
    if (symbol->kind != SymbolKind::unknown) {
        fail(expr->span, fmt::format("a hamiltonian pairs unknowns, but '{}' is {} {}", word,
                                     symbol->kind == SymbolKind::independent ? "the" : "a", kind_text(symbol->kind)));
    }
    if (!indexed) return *symbol;
    if (indexed->indices.size() != symbol->dims.size()) {
        fail(expr->span, fmt::format("'{}' has {} {}, but {} {} given", word, symbol->dims.size(),
                                     symbol->dims.size() == 1 ? "index" : "indices", indexed->indices.size(),
                                     indexed->indices.size() == 1 ? "is" : "are"));
    }
    for (ExprPtr index : indexed->indices) {
        const Name* letter = as<Name>(index);
        if (!letter || table_.find(letter->name) || std::ranges::find(indices, letter->name) != indices.end()) {
            fail(expr->span,
                 fmt::format("a pair holds for whole arrays: write {0}[i]: …[i], or {0}: … without index", word));
        }
        indices.push_back(letter->name);
    }
    return *symbol;
}

void Elaborator::add_hamiltonian(const HamiltonianStatement& statement, Span span) {
    if (const auto other = said_.once.find("lagrangian"); other != said_.once.end()) {
        fail(span, fmt::format("a model has a lagrangian or a hamiltonian, not both; the lagrangian is in {}",
                               line_of(other->second)));
    }
    note_once("hamiltonian", statement.pairs.empty() ? statement.keyword : span);
    system_.hamiltonian = number(statement.expr);
    std::vector<const Symbol*> paired;
    for (const ConjugatePair& pair : statement.pairs) {
        std::vector<std::string_view> indices[2];
        const Symbol& position = resolve_pair_member(pair.position, indices[0]);
        const Symbol& momentum = resolve_pair_member(pair.momentum, indices[1]);
        if (position.dims != momentum.dims) {
            fail(pair.span, "a position and its momentum must have the same shape: " +
                                describe_mismatch(fmt::format("'{}'", position.ident.name), position.dims,
                                                  fmt::format("'{}'", momentum.ident.name), momentum.dims));
        }
        if (indices[0] != indices[1]) {
            fail(pair.span, fmt::format("both sides of a pair have the same index: write {0}[i]: {1}[i], or {0}: {1}",
                                        position.ident.name, momentum.ident.name));
        }
        for (const auto& [symbol, expr] : {std::pair{&position, pair.position}, std::pair{&momentum, pair.momentum}}) {
            if (std::ranges::find(paired, symbol) != paired.end()) {
                fail(expr->span, fmt::format("'{}' stands in the pairs of the hamiltonian twice", symbol->ident.name));
            }
            paired.push_back(symbol);
        }
        system_.pairs.push_back({position.array, momentum.array});
    }
}

void Elaborator::add_force(const ForceStatement& statement, Span span) {
    if (!said_.has_motion) {
        fail(span,
             "a force belongs to a lagrangian or hamiltonian, and this model has neither; write it into the equations");
    }
    const Target target = resolve_unknown(statement.target, "force");
    if (target.order > 0) {
        fail(statement.target->span,
             fmt::format("a force acts on the equation of an unknown: write force {} = …", target.symbol->ident.name));
    }
    Value value = evaluate(statement.value);
    const Location where = locate(span);
    const auto add = [&](const Forms& indices, NodeId node) {
        if (nest_.is_empty() || graph_.is_constant(node, 0)) return;
        system_.forces.push_back({target.array, nest_.domain(), index_.list(indices), node, where});
        said_.forces.push_back(statement.target->span);
    };
    if (!target.is_whole) {
        if (!value.is_number()) {
            fail(span, describe_mismatch("the unknown", {}, "the force", value.dims()));
        }
        add(target.indices, value.number());
        return;
    }
    Value whole = slice(target.symbol->dims, target.indices,
                        [this, &target](const Forms& at) { return graph_.read(target.array, index_.list(at)); });
    match_sides(whole, value, span);
    for_components(value.dims(), value.is_listed(), span,
                   [&](const Forms& at) { add(target.with(at), element(value, at, span)); });
}

} // namespace vessiot::lang
