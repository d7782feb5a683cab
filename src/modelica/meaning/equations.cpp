// Equations of a model: arrays and records element by element, choices by parameters made, loops unrolled.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "modelica/meaning/logic.hpp"
#include "modelica/meaning/reader.hpp"

namespace vessiot::modelica {

using namespace expr;

FlatModel Reader::run() {
    for (const Class& c : module_.classes) // so that types are known where constants are declared
        declarations_.classes.emplace(c.name, &c);
    collect_classes(module_.classes);
    collect_classes(model_.classes);
    for (const Component& c : model_.components) declare(c);
    take_settings();
    read_experiment();
    for (std::size_t k = 0; k < declared_.size(); ++k) {
        const Component& c = *declared_[k].component;
        if (declared_[k].type == Type::text || declared_[k].type == Type::object) continue;
        bool is_variable = c.variability == Variability::continuous || c.variability == Variability::discrete;
        if (c.variability == Variability::parameter)
            if (const auto fixed = attribute(declared_[k], "fixed"); fixed && fixed->is_number())
                is_variable = known(fixed->node).value_or(1) == 0 && !set_.contains(k);
        if (is_variable) make_variable(k, declared_names_[k]);
    }
    evaluator_.on_assert = [this](const Statement& s) { add_assertion(s, {}); };
    for (Declared& d : declared_)
        if (d.variable != nothing) read_attributes(d, flat_.variables[d.variable]);
    add_bindings();
    add_statements(model_.equations, flat_.equations);
    if (!model_.algorithm.empty()) add_algorithm(model_.algorithm, flat_.equations);
    flat_.n_equations = flat_.equations.size();
    add_statements(model_.initial_equations, flat_.initial);
    if (!model_.initial_algorithm.empty()) add_algorithm(model_.initial_algorithm, flat_.initial);
    for (const auto& [variable, value] : when_values_) {
        flat_.variables[variable].is_assigned_in_when = true;
        flat_.updates.push_back({variable, value});
    }
    take_initial_values();
    for (const auto& [at, value] : set_)
        if (!declared_[at].is_used)
            throw InvalidInput(
                fmt::format("--set {}: the text has no equation with this parameter any more: the "
                            "program that exported it has put its value in "
                            "(-d=evaluateAllParameters). Export without that option, or change the value "
                            "in the source",
                            declared_names_[at]));
    for (const std::string& name : evaluator_.used_prelude())
        flat_.notes.push_back(fmt::format("{} is not defined in the text: the function of that name that comes with "
                                          "the program is taken",
                                          name));
    return std::move(flat_);
}

// d = e in an initial equation or algorithm, for what is discrete, or pre(d) = e: in the first iteration it is e.
void Reader::take_initial_values() {
    Graph& g = *flat_.graph;
    std::unordered_map<ArrayId, std::size_t> of_pre;
    for (const auto& [variable, array] : flat_.pre) of_pre[array] = variable;
    const auto discrete = [&](NodeId node) -> std::size_t {
        const Node n = g.node(node);
        if (n.op != Op::read) return nothing;
        if (const auto it = of_pre.find(n.a); it != of_pre.end()) return it->second;
        const std::size_t v = variable_of(node);
        return v != nothing && (flat_.variables[v].is_discrete() || flat_.variables[v].is_assigned_in_when) ? v
                                                                                                            : nothing;
    };
    std::erase_if(flat_.initial, [&](const FlatEquation& e) {
        std::size_t v = discrete(e.lhs);
        const NodeId value = v != nothing ? e.rhs : e.lhs;
        if (v == nothing) v = discrete(e.rhs);
        if (v == nothing) return false;
        Variable& x = flat_.variables[v];
        if (g.is_constant(value)) {
            x.start = value;
            x.is_fixed = true;
        }
        const auto update = std::ranges::find(flat_.updates, v, &FlatUpdate::variable);
        const bool is_defined = update == flat_.updates.end() && x.variability != Variability::parameter;
        if (is_defined) return true; // by an equation, which agrees with it
        const auto [before, is_new] = flat_.pre.emplace(v, none);
        if (is_new) before->second = g.add_array({.name = "pre(" + x.name + ")", .role = ArrayRole::auxiliary});
        const NodeId later = update == flat_.updates.end() ? g.read(before->second) : update->value;
        const NodeId made = choose(g, g.read(flat_.initial_flag), value, later);
        x.is_assigned_in_when = true;
        if (update == flat_.updates.end())
            flat_.updates.push_back({v, made});
        else
            update->value = made;
        return true;
    });
}

void Reader::read_experiment() {
    const auto number = [&](const char* name) -> std::optional<double> {
        const auto it = model_.experiment.find(name);
        if (it == model_.experiment.end()) return {};
        return static_cast<double>(evaluator_.constant(it->second, name));
    };
    flat_.start_time = number("StartTime").value_or(0);
    flat_.stop_time = number("StopTime").value_or(flat_.start_time + 1);
    flat_.tolerance = number("Tolerance");
    flat_.interval = number("Interval");
}

// Real x = e, where bindings were not moved
void Reader::add_bindings() {
    for (std::size_t k = 0; k < declared_.size(); ++k) {
        const Declared& d = declared_[k];
        if (d.variable == nothing || d.component->value == nothing) continue;
        if (flat_.variables[d.variable].is_found_at_start) continue; // a guess
        const Value value = part_of(evaluator_.evaluate(d.component->value), d, d.component->span);
        add_equation(Value::number(flat_.variables[d.variable].node), value, d.component->span, flat_.equations);
    }
}

void Reader::add_statements(const std::vector<StatementId>& statements, std::vector<FlatEquation>& into) {
    for (const StatementId s : statements) {
        const Statement statement = module_.statements[s];
        add_statement(statement, into);
    }
}

void Reader::add_statement(const Statement& s, std::vector<FlatEquation>& into) {
    switch (s.kind) {
    case StatementKind::equation: {
        const Expr lhs = module_.expressions[s.lhs];
        if (lhs.kind == ExprKind::tuple) {
            const Value value = evaluator_.evaluate(s.rhs);
            const std::vector<ExprId> targets = module_.args(lhs);
            if (!value.is_array() || value.size() < targets.size())
                evaluator_.fail(s.span, "a function with several results is needed on the right side");
            for (std::size_t k = 0; k < targets.size(); ++k)
                if (targets[k] != nothing) add_equation(evaluator_.evaluate(targets[k]), value[k], s.span, into);
            return;
        }
        const Value left = evaluator_.evaluate(s.lhs);
        return add_equation(left, evaluator_.evaluate(s.rhs), s.span, into);
    }
    case StatementKind::choice: return add_choice(s, into);
    case StatementKind::loop: return add_loop(s, into);
    case StatementKind::when: return add_when(s);
    case StatementKind::call: return add_call(s, into);
    default: break;
    }
    evaluator_.fail(s.span, "this statement belongs to algorithms");
}

void Reader::add_equation(const Value& lhs, const Value& rhs, Span span, std::vector<FlatEquation>& into) {
    if (lhs.kind == Value::Kind::text || rhs.kind == Value::Kind::text) return; // texts only choose
    if (rhs.is_array() && rhs.node == 1 && rhs.size() == 0) evaluator_.fail(span, "this function has no result");
    if (rhs.is_array() && rhs.node == 1 && !lhs.is_array()) return add_equation(lhs, rhs[0], span, into);
    std::vector<NodeId> left, right;
    add_numbers(lhs, left);
    add_numbers(rhs, right);
    if (left.size() != right.size())
        evaluator_.fail(span,
                        fmt::format("the sides of this equation differ in size: {} and {}", left.size(), right.size()));
    for (std::size_t k = 0; k < left.size(); ++k) into.push_back({left[k], right[k], span});
}

// Equations of the branches are put together in their order: if(c, lhs - rhs, lhs - rhs) = 0.
void Reader::add_choice(const Statement& s, std::vector<FlatEquation>& into) {
    std::vector<std::pair<NodeId, std::vector<FlatEquation>>> branches;
    std::vector<FlatEquation> last;
    bool has_last = false;
    for (const Branch& branch : s.branches) {
        if (branch.condition != nothing) {
            const NodeId condition = evaluator_.number(branch.condition);
            if (const auto value = known(condition)) {
                if (*value == 0) continue;
            } else {
                branches.emplace_back(condition, std::vector<FlatEquation>{});
                add_statements(branch.body, branches.back().second);
                continue;
            }
        }
        add_statements(branch.body, last);
        has_last = true;
        break;
    }
    if (branches.empty()) {
        into.insert(into.end(), last.begin(), last.end());
        return;
    }
    if (!has_last) {
        if (std::ranges::all_of(branches, [](const auto& b) { return b.second.empty(); })) return;
        evaluator_.fail(s.span, "an if-equation whose condition can change has an else, with as many equations");
    }
    Graph& g = *flat_.graph;
    for (const auto& [condition, equations] : branches)
        if (equations.size() != last.size())
            evaluator_.fail(s.span, fmt::format("the branches of this if differ in the number of their equations: {} "
                                                "and {}",
                                                equations.size(), last.size()));
    // where all branches give one variable, it is that one that is chosen for
    for (std::size_t k = 0; k < last.size(); ++k) {
        bool is_plain = variable_of(last[k].lhs) != nothing;
        for (const auto& [condition, equations] : branches) is_plain &= equations[k].lhs == last[k].lhs;
        NodeId value = is_plain ? last[k].rhs : g.sub(last[k].lhs, last[k].rhs);
        for (auto it = branches.rbegin(); it != branches.rend(); ++it) {
            const FlatEquation& e = it->second[k];
            value = choose(g, it->first, is_plain ? e.rhs : g.sub(e.lhs, e.rhs), value);
        }
        into.push_back({is_plain ? last[k].lhs : g.zero(), value, last[k].span});
    }
}

void Reader::add_loop(const Statement& s, std::vector<FlatEquation>& into) {
    for (Value& item : evaluator_.range(s.rhs)) {
        evaluator_.push_iterator(s.name, std::move(item));
        add_statements(s.branches[0].body, into);
        evaluator_.pop_iterator();
    }
}

void Reader::add_call(const Statement& s, std::vector<FlatEquation>&) {
    const Expr call = module_.expressions[s.lhs];
    const std::string& name = module_.names[call.name];
    if (name == "assert") return add_assertion(s, {});
    if (name == "terminate") evaluator_.fail(s.span, "'terminate' stands in a 'when'");
    if (name == "reinit") evaluator_.fail(s.span, "'reinit' stands in a 'when'");
    if (name == "connect") evaluator_.fail(s.span, "'connect' belongs to Modelica that is not flat");
    if (name.starts_with("Connections.")) return;
    evaluator_.evaluate(s.lhs); // for its place, should it be wrong
}

// assert(condition, message, level)
void Reader::add_assertion(const Statement& s, std::optional<NodeId> active) {
    const Expr call = module_.expressions[s.lhs];
    if (call.count < 2) evaluator_.fail(s.span, "'assert' takes a condition and a text");
    Graph& g = *flat_.graph;
    Assertion a;
    a.span = s.span;
    for (std::size_t k = 0; k < call.count; ++k) {
        const Expr arg = module_.expressions[module_.arg(call, k)];
        const bool is_named = arg.kind == ExprKind::assignment;
        const Value value = evaluator_.evaluate(is_named ? module_.arg(arg, 0) : module_.arg(call, k));
        const std::string which = is_named ? module_.names[arg.name]
                                  : k == 0 ? "condition"
                                  : k == 1 ? "message"
                                           : "level";
        if (which == "condition" && value.is_number()) a.condition = value.node;
        if (which == "message") a.message = evaluator_.text_of(value);
        if (which == "level" && value.is_number()) a.is_error = known(value.node).value_or(2) != 1;
    }
    if (active) a.condition = either(g, negation(g, *active), a.condition);
    if (const auto value = known(a.condition)) {
        if (*value != 0) return;
        if (a.is_error) evaluator_.fail(s.span, fmt::format("an assertion of the model fails: {}", a.message));
        flat_.notes.push_back(fmt::format("an assertion of the model fails: {}", a.message));
        return;
    }
    flat_.assertions.push_back(std::move(a));
}

std::size_t Reader::variable_of(NodeId node) const {
    const Node n = flat_.graph->node(node);
    if (n.op != Op::read) return nothing;
    const auto it = flat_.variable_of.find(n.a);
    return it == flat_.variable_of.end() ? nothing : it->second;
}

// ---- when ----

// c and not pre(c); initial() where the condition contains it
NodeId Reader::becomes_true(NodeId condition, Span span) {
    Graph& g = *flat_.graph;
    const NodeId initial = g.read(flat_.initial_flag);
    if (condition == initial) return initial;
    if (const auto value = known(condition)) return g.zero();
    Variable v;
    v.name = fmt::format("$when{}", flat_.variables.size());
    v.type = Type::boolean;
    v.is_protected = true;
    v.span = span;
    v.is_assigned_in_when = true;
    v.array = g.add_array({.name = v.name, .role = ArrayRole::unknown});
    v.node = g.read(v.array);
    const std::size_t at = flat_.variables.size();
    flat_.variable_of[v.array] = at;
    const ArrayId before = g.add_array({.name = "pre(" + v.name + ")", .role = ArrayRole::auxiliary});
    flat_.pre[at] = before;
    flat_.updates.push_back({at, condition});
    flat_.variables.push_back(std::move(v));
    return both(g, both(g, condition, negation(g, g.read(before))), negation(g, initial));
}

NodeId Reader::becomes_true(ExprId condition) {
    const Value value = evaluator_.evaluate(condition);
    std::vector<NodeId> conditions;
    add_numbers(value, conditions);
    Graph& g = *flat_.graph;
    NodeId result = g.zero();
    for (const NodeId c : conditions) result = either(g, result, becomes_true(c, module_.expressions[condition].span));
    return result;
}

void Reader::add_when(const Statement& s) {
    Graph& g = *flat_.graph;
    NodeId earlier = g.zero();
    std::map<std::size_t, NodeId> values;
    for (const Branch& branch : s.branches) {
        const NodeId now = becomes_true(branch.condition);
        add_when_body(branch.body, both(g, now, negation(g, earlier)), values);
        earlier = either(g, earlier, now);
    }
    for (const auto& [variable, value] : values) {
        if (when_values_.contains(variable))
            evaluator_.fail(
                s.span, fmt::format("'{}' is set by two when-equations", printable(flat_.variables[variable].name)));
        when_values_[variable] = value;
    }
}

void Reader::add_when_body(const std::vector<StatementId>& body, NodeId active, std::map<std::size_t, NodeId>& values) {
    for (const StatementId id : body) {
        const Statement s = module_.statements[id];
        if (s.kind == StatementKind::equation) {
            const Expr lhs = module_.expressions[s.lhs];
            const Value value = evaluator_.evaluate(s.rhs);
            if (lhs.kind == ExprKind::tuple) {
                const std::vector<ExprId> targets = module_.args(lhs);
                if (!value.is_array() || value.size() < targets.size())
                    evaluator_.fail(s.span, "a function with several results is needed on the right side");
                for (std::size_t k = 0; k < targets.size(); ++k)
                    if (targets[k] != nothing)
                        assign_in_when(evaluator_.evaluate(targets[k]), value[k], active, s.span, values);
            } else {
                assign_in_when(evaluator_.evaluate(s.lhs), value, active, s.span, values);
            }
        } else if (s.kind == StatementKind::choice) {
            Graph& g = *flat_.graph;
            NodeId earlier = g.zero();
            for (const Branch& branch : s.branches) {
                const NodeId c = branch.condition == nothing ? g.one() : evaluator_.number(branch.condition);
                add_when_body(branch.body, both(g, active, both(g, c, negation(g, earlier))), values);
                earlier = either(g, earlier, c);
            }
        } else if (s.kind == StatementKind::loop) {
            for (Value& item : evaluator_.range(s.rhs)) {
                evaluator_.push_iterator(s.name, std::move(item));
                add_when_body(s.branches[0].body, active, values);
                evaluator_.pop_iterator();
            }
        } else if (s.kind == StatementKind::call) {
            const Expr call = module_.expressions[s.lhs];
            const std::string& name = module_.names[call.name];
            if (name == "reinit" && call.count == 2) {
                const std::size_t variable = variable_of(evaluator_.number(module_.arg(call, 0)));
                if (variable == nothing) evaluator_.fail(s.span, "'reinit' sets a variable");
                flat_.reinits.push_back({variable, active, evaluator_.number(module_.arg(call, 1)), s.span});
            } else if (name == "assert") {
                add_assertion(s, active);
            } else if (name == "terminate") {
                const Value text = call.count > 0 ? evaluator_.evaluate(module_.arg(call, 0)) : Value{};
                flat_.terminations.push_back({active, evaluator_.text_of(text), s.span});
            } else {
                evaluator_.evaluate(s.lhs);
            }
        } else {
            evaluator_.fail(s.span, "this statement in a 'when' is not supported");
        }
    }
}

void Reader::assign_in_when(const Value& target, const Value& value, NodeId active, Span span,
                            std::map<std::size_t, NodeId>& values) {
    std::vector<NodeId> targets, numbers;
    add_numbers(target, targets);
    add_numbers(value, numbers);
    if (targets.size() != numbers.size()) evaluator_.fail(span, "the sides of this equation differ in size");
    Graph& g = *flat_.graph;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const std::size_t variable = variable_of(targets[k]);
        if (variable == nothing) evaluator_.fail(span, "in a 'when' the left side is a variable");
        const auto [before, is_new] = flat_.pre.emplace(variable, none);
        if (is_new)
            before->second =
                g.add_array({.name = "pre(" + flat_.variables[variable].name + ")", .role = ArrayRole::auxiliary});
        const auto it = values.find(variable);
        values[variable] = choose(g, active, numbers[k], it == values.end() ? g.read(before->second) : it->second);
    }
}

// ---- algorithms ----

void Reader::collect_targets(const std::vector<StatementId>& statements, std::vector<NameId>& targets) {
    for (const StatementId id : statements) {
        const Statement& s = module_.statements[id];
        const auto add = [&](ExprId target) {
            if (target == nothing) return;
            Expr e = module_.expressions[target];
            while (e.kind == ExprKind::index || e.kind == ExprKind::field) e = module_.expressions[module_.arg(e, 0)];
            if (e.kind == ExprKind::name && std::ranges::find(targets, e.name) == targets.end())
                targets.push_back(e.name);
        };
        if (s.kind == StatementKind::assignment) {
            const Expr lhs = module_.expressions[s.lhs];
            if (lhs.kind == ExprKind::tuple)
                for (const ExprId target : module_.args(lhs)) add(target);
            else
                add(s.lhs);
        }
        for (const Branch& branch : s.branches) collect_targets(branch.body, targets);
    }
}

// What an algorithm assigns equals what it has become behind it; before it, it is the value before the event.
void Reader::add_algorithm(const std::vector<StatementId>& statements, std::vector<FlatEquation>& into) {
    std::vector<NameId> targets;
    collect_targets(statements, targets);
    Evaluator::Locals locals;
    for (const NameId target : targets) {
        const auto value = lookup(target);
        if (!value)
            evaluator_.fail(model_.span, fmt::format("'{}', which an algorithm sets, is declared nowhere",
                                                     printable(module_.names[target])));
        Value before = evaluator_.map(*value, [&](NodeId n) {
            const std::size_t variable = variable_of(n);
            if (variable == nothing || &into == &flat_.initial) return n;
            const Variable& v = flat_.variables[variable];
            if (!v.is_discrete()) return v.start.value_or(flat_.graph->zero());
            const auto [place, is_new] = flat_.pre.emplace(variable, none);
            if (is_new)
                place->second = flat_.graph->add_array({.name = "pre(" + v.name + ")", .role = ArrayRole::auxiliary});
            return flat_.graph->read(place->second);
        });
        locals.emplace_back(target, std::move(before));
    }
    const Evaluator::Locals after = evaluator_.run_algorithm(statements, std::move(locals));
    for (const auto& [target, value] : after) {
        const auto variable = lookup(target);
        if (&into != &flat_.initial) {
            add_equation(*variable, value, model_.span, into);
            continue;
        }
        std::vector<NodeId> left, right;
        add_numbers(*variable, left);
        add_numbers(value, right);
        for (std::size_t k = 0; k < left.size() && k < right.size(); ++k)
            if (left[k] != right[k]) into.push_back({left[k], right[k], model_.span});
    }
}

} // namespace vessiot::modelica
