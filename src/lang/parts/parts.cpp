#include "lang/parts/parts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/overloaded.hpp"
#include "core/text.hpp"
#include "lang/meaning/names.hpp"
#include "lang/parts/rename.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

namespace {

constexpr std::size_t most_statements = 200'000; // that parts are written out to

class PartExpander {
public:
    PartExpander(Module& module, Warnings& warnings) : module_(module), store_(module.store), warnings_(warnings) {}

    void run() {
        std::vector<Statement> given = std::move(module_.statements);
        for (const Statement& s : given)
            if (const auto* component = std::get_if<ComponentStatement>(&s.node)) add_component(*component);
        PartScope model;
        collect_members(given, model, "");
        globals_ = model.members;
        model.members.clear(); // the names of the model stay as they are
        for (Statement& s : given) {
            if (std::holds_alternative<ComponentStatement>(s.node)) continue;
            if (const auto* part = std::get_if<PartStatement>(&s.node))
                add_part(*part, model, s.span);
            else
                module_.statements.push_back(std::move(s));
        }
        warn_unused();
        if (module_.statements.empty())
            throw InvalidInput(fmt::format("{} has no statements but components", module_.source->name()));
    }

private:
    [[noreturn]] void fail(Span span, const std::string& message) const { lang::fail(*module_.source, span, message); }

    // ---- what there is ----

    void add_component(const ComponentStatement& component) {
        const auto [known, is_new] = components_.try_emplace(component.name.name, &component);
        if (!is_new)
            fail(component.name.span,
                 fmt::format("the component '{}' is declared twice; the first time in {}", component.name.name,
                             module_.source->line_text(known->second->name.span.begin)));
        std::set<std::string_view> names;
        for (const ComponentFormal& formal : component.formals)
            if (!names.insert(formal.name.name).second)
                fail(formal.name.span, fmt::format("the component '{}' has two arguments with the name '{}'",
                                                   component.name.name, formal.name.name));
    }

    void warn_unused() {
        for (const auto& [name, component] : components_) {
            if (used_.contains(name) || module_.source->is_included(component->name.span.begin)) continue;
            warn(warnings_, *module_.source, component->name.span,
                 fmt::format("no part uses the component '{}'", name));
        }
    }

    const ComponentStatement& component_of(const PartStatement& part) {
        const auto found = components_.find(part.component.name);
        if (found != components_.end()) return *found->second;
        std::vector<std::string_view> names;
        for (const auto& [name, component] : components_) names.push_back(name);
        const auto meant = nearest(part.component.name, names);
        fail(part.component.span,
             fmt::format("there is no component '{}'{}", part.component.name,
                         meant           ? fmt::format("; did you mean '{}'?", *meant)
                         : names.empty() ? "; a component is declared with: component Link(m = 1): and a block"
                                         : ". There are: " + first_names(names)));
    }

    // The names that statements declare; parts with all that they have.
    void collect_members(const std::vector<Statement>& statements, PartScope& scope, const std::string& prefix) {
        const auto add = [&](const Ident& name, MemberKind kind) {
            if (kind == MemberKind::part && scope.members.contains(name.name))
                fail(name.span, fmt::format("'{}' is declared twice", name.name));
            scope.members.try_emplace(name.name, kind);
        };
        for (const Statement& s : statements)
            std::visit(Overloaded{[&](const ParameterStatement& p) {
                                      for (const ParameterItem& i : p.items) add(i.name, MemberKind::parameter);
                                  },
                                  [&](const DiscreteStatement& p) {
                                      for (const ParameterItem& i : p.items) add(i.name, MemberKind::moving);
                                  },
                                  [&](const UnknownStatement& p) {
                                      for (const UnknownItem& i : p.items) add(i.name, MemberKind::moving);
                                  },
                                  [&](const MatrixStatement& p) {
                                      for (const MatrixItem& i : p.items) add(i.name, MemberKind::moving);
                                  },
                                  [&](const LetStatement& p) { add(p.name, MemberKind::moving); },
                                  [&](const ContactStatement& p) { add(p.name, MemberKind::moving); },
                                  [&](const FunctionStatement& p) { add(p.name, MemberKind::function); },
                                  [&](const TableStatement& p) { add(p.name, MemberKind::table); },
                                  [&](const PartStatement& p) {
                                      add(p.name, MemberKind::part);
                                      collect_part(p, prefix);
                                  },
                                  [](const auto&) {}},
                       s.node);
    }

    static std::string name_of(const PartStatement& part, const std::string& prefix) {
        std::string name = prefix + std::string(part.name.name);
        for (std::size_t k = 0; k < part.indices.size(); ++k) name += k == 0 ? "[#" : ",#";
        return part.indices.empty() ? name : name + "]";
    }

    // NOTE: here components that contain themselves are found.
    void collect_part(const PartStatement& part, const std::string& prefix) {
        const ComponentStatement& component = component_of(part);
        if (std::ranges::find(path_, component.name.name) != path_.end()) {
            path_.push_back(component.name.name);
            fail(part.component.span, fmt::format("the component '{}' contains itself: {}", component.name.name,
                                                  fmt::join(path_, " has a part ")));
        }
        used_.insert(component.name.name);
        if (parts_.size() > most_statements) fail(part.name.span, "there are too many parts");
        parts_.insert(name_of(part, prefix));
        path_.push_back(component.name.name);
        PartScope inner;
        collect_members(component.body, inner, name_of(part, prefix) + ".");
        path_.pop_back();
    }

    // ---- one part ----

    struct Instance {
        const PartStatement* part;
        PartScope scope;
        std::vector<IndexRange> family; // of all families that it lies in, outermost first
    };

    void add_part(const PartStatement& part, const PartScope& outer, Span span, std::vector<IndexRange> family = {}) {
        const ComponentStatement& component = component_of(part);
        Instance instance{&part, {}, std::move(family)};
        const std::string prefix = outer.own.name.empty() ? "" : outer.own.name + ".";
        instance.scope.own = {name_of(part, prefix), outer.own.indices};
        PartScope with_index = outer; // what the arguments see
        for (const IndexRange& range : part.indices) add_index(instance, range, outer, with_index);
        collect_locals(component, instance.scope);
        bind_arguments(part, component, instance, with_index, span);
        for (const Statement& s : component.body) add_statement(s, instance, module_.statements);
    }

    // The index of a family is called b.i, which no name in a component can be.
    void add_index(Instance& instance, const IndexRange& range, const PartScope& outer, PartScope& with_index) {
        const Number* from = as<Number>(range.lo);
        if (!from || from->value != 1)
            fail(range.lo->span,
                 fmt::format("a family of parts is numbered from 1: write {} = 1..n", range.index.name));
        Renamer rename(store_, outer);
        const std::string_view part = instance.part->name.name;
        const Ident index{store_.intern(fmt::format("{}.{}", part, range.index.name)), range.index.span};
        instance.family.push_back({index, range.lo, rename(range.hi), range.span});
        const ExprPtr value = store_.make(range.index.span, Name{index.name});
        instance.scope.own.indices.push_back(value);
        with_index.substitutes[range.index.name] = value;
    }

    void collect_locals(const ComponentStatement& component, PartScope& scope) {
        PartScope found;
        std::vector<std::string_view> path = std::exchange(path_, {});
        collect_members(component.body, found, scope.own.name + ".");
        path_ = std::move(path);
        for (const auto& [name, kind] : found.members) scope.members[name] = kind;
        for (const ComponentFormal& formal : component.formals)
            if (found.members.contains(formal.name.name))
                fail(formal.name.span, fmt::format("'{}' is an argument of '{}' and declared in it as well",
                                                   formal.name.name, component.name.name));
    }

    // ---- arguments ----

    void bind_arguments(const PartStatement& part, const ComponentStatement& component, Instance& instance,
                        const PartScope& outer, Span span) {
        std::vector<ExprPtr> values(component.formals.size(), nullptr);
        for (std::size_t k = 0; k < part.arguments.size(); ++k)
            values[place_of(part.arguments[k], k, component)] = checked(part.arguments[k], k, component, values);
        for (std::size_t k = 0; k < values.size(); ++k) {
            const ComponentFormal& formal = component.formals[k];
            if (!values[k] && !formal.value)
                fail(span, fmt::format("'{}' is not given: the component '{}' needs it", formal.name.name,
                                       component.name.name));
            if (values[k])
                bind(formal, values[k], instance, outer);
            else
                bind(formal, formal.value, instance, instance.scope);
        }
    }

    std::size_t place_of(const PartArgument& argument, std::size_t k, const ComponentStatement& component) {
        std::vector<std::string_view> names;
        for (const ComponentFormal& f : component.formals) names.push_back(f.name.name);
        const std::string has = names.empty() ? "it has none" : "it has: " + first_names(names);
        if (!argument.name) {
            if (k < names.size()) return k;
            fail(argument.value->span, fmt::format("this is argument number {}, but '{}' has {}; {}", k + 1,
                                                   component.name.name, names.size(), has));
        }
        const auto found = std::ranges::find(names, argument.name->name);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        const auto meant = nearest(argument.name->name, names);
        fail(argument.name->span,
             fmt::format("'{}' is no argument of the component '{}'{} {}", argument.name->name, component.name.name,
                         meant ? fmt::format("; did you mean '{}'?", *meant) : ";", has));
    }

    ExprPtr checked(const PartArgument& argument, std::size_t k, const ComponentStatement& component,
                    const std::vector<ExprPtr>& values) {
        const std::size_t at = place_of(argument, k, component);
        if (values[at]) fail(argument.value->span, fmt::format("'{}' is given twice", component.formals[at].name.name));
        return argument.value;
    }

    // A part; else a parameter where the value is made of numbers and parameters, else a name for an expression.
    void bind(const ComponentFormal& formal, ExprPtr value, Instance& instance, const PartScope& from) {
        Renamer rename(store_, from);
        if (const auto part = part_at(value, rename)) {
            instance.scope.aliases[formal.name.name] = *part;
            return;
        }
        const bool is_parameter = is_constant(value, from);
        instance.scope.members[formal.name.name] = is_parameter ? MemberKind::parameter : MemberKind::moving;
        const Ident name = Renamer(store_, instance.scope).declared(formal.name);
        if (is_parameter) {
            ParameterItem item{name, {}, rename(value), value->span};
            item.family = instance.family;
            item.is_sized_by_value = true;
            push({value->span, ParameterStatement{{item}}}, module_.statements);
        } else {
            push({value->span, LetStatement{name, instance.family, rename(value)}}, module_.statements);
        }
    }

    // Where an expression names a part, or a whole family of parts.
    std::optional<PartPath> part_at(ExprPtr value, Renamer& rename) {
        const Name* name = as<Name>(value);
        const Indexed* indexed = as<Indexed>(value);
        if (!name && !indexed) return std::nullopt;
        PartPath path = rename.path(name ? name->name : indexed->name.name,
                                    indexed ? rename(indexed->indices) : std::vector<ExprPtr>());
        const auto n = static_cast<std::size_t>(std::ranges::count(path.name, '#'));
        if (path.indices.size() < n) return std::nullopt;
        const std::string without = path.name;
        for (std::size_t k = n; k < path.indices.size(); ++k) path.name += k == n ? "[#" : ",#";
        if (path.indices.size() > n) path.name += ']';
        if (parts_.contains(path.name)) return path;
        const auto family = parts_.lower_bound(without + "[#");
        const bool is_family = family != parts_.end() && family->starts_with(without + "[#") && path.name == without;
        return is_family ? std::optional(path) : std::nullopt;
    }

    bool is_constant(ExprPtr value, const PartScope& scope) const {
        bool is_constant = true;
        visit_names(value, [&](std::string_view name, Span, bool is_call) {
            if (is_call) {
                const bool is_free = name == "der" || name == "diff" || !find_builtin_function(name);
                if (is_free && name != "size") is_constant = false;
                return;
            }
            if (scope.substitutes.contains(name) || name == "pi") return;
            const auto own = scope.members.find(name);
            const auto global = globals_.find(name);
            if (own != scope.members.end())
                is_constant &= own->second == MemberKind::parameter;
            else if (global != globals_.end())
                is_constant &= global->second == MemberKind::parameter;
            else
                is_constant &= name == "e"; // t, paths of other parts, names that do not exist
        });
        return is_constant;
    }

    // ---- statements ----

    void push(Statement statement, std::vector<Statement>& out) {
        if (++n_statements_ > most_statements)
            fail(statement.span, fmt::format("the parts of this model have more than {} statements", most_statements));
        out.push_back(std::move(statement));
    }

    // In a loop over the family, which a part alone does not have.
    void push_in_loops(Statement statement, const Instance& instance, std::vector<Statement>& out) {
        for (std::size_t k = instance.family.size(); k-- > 0;) {
            std::vector<Statement> body;
            body.push_back(std::move(statement));
            statement = {body.front().span, ForStatement{instance.family[k], std::move(body)}};
        }
        push(std::move(statement), out);
    }

    // Sizes cannot differ in a family: those of its first part are meant.
    std::vector<ExprPtr> sizes(const std::vector<ExprPtr>& dims, const Instance& instance, bool with_family) {
        PartScope first = instance.scope;
        for (ExprPtr& index : first.own.indices) index = store_.make(index->span, Number{1, store_.intern("1")});
        std::vector<ExprPtr> result;
        for (const IndexRange& range : instance.family)
            if (with_family) result.push_back(range.hi);
        for (ExprPtr dim : Renamer(store_, first)(dims)) result.push_back(dim);
        return result;
    }

    void add_statement(const Statement& s, const Instance& instance, std::vector<Statement>& out) {
        Renamer rename(store_, instance.scope);
        const Span span = s.span;
        const auto refuse = [&](std::string_view what) {
            fail(span, fmt::format("'{}' belongs to a model, not to a component", what));
        };
        std::visit(
            Overloaded{
                [&](const ParameterStatement& p) {
                    push({span, ParameterStatement{items(p.items, instance, rename)}}, out);
                },
                [&](const DiscreteStatement& p) {
                    push({span, DiscreteStatement{items(p.items, instance, rename)}}, out);
                },
                [&](const UnknownStatement& p) {
                    UnknownStatement made;
                    for (const UnknownItem& i : p.items)
                        made.items.push_back({rename.declared(i.name), sizes(i.dims, instance, true), i.span});
                    push({span, std::move(made)}, out);
                },
                [&](const MatrixStatement& p) { add_matrices(p, instance, rename, span, out); },
                [&](const LetStatement& p) { push({span, let(p, instance, rename)}, out); },
                [&](const FunctionStatement& p) { push({span, function(p, instance, rename)}, out); },
                [&](const TableStatement& p) { add_table(p, instance, rename, span, out); },
                [&](const LagrangianStatement& p) {
                    ExprPtr sum = rename(p.expr);
                    for (std::size_t k = instance.family.size(); k-- > 0;) {
                        const IndexRange& r = instance.family[k];
                        sum = store_.make(sum->span, Reduction{ReductionKind::sum, r.index, r.lo, r.hi, nullptr, sum});
                    }
                    push({span, LagrangianStatement{sum}}, out);
                },
                [&](const OutputColumnStatement& p) {
                    push({span, OutputColumnStatement{rename.declared(p.name), rename(p.value), instance.family}}, out);
                },
                [&](const EventStatement& p) { push({span, event(p, instance, rename)}, out); },
                [&](const PartStatement& p) { add_part(p, instance.scope, span, instance.family); },
                [&](const HamiltonianStatement&) { refuse("hamiltonian"); },
                [&](const PoissonStatement&) { refuse("poisson"); },
                [&](const IndependentStatement&) { refuse("independent"); },
                [&](const SolveStatement&) { refuse("solve"); },
                [&](const OptionStatement&) { refuse("option"); },
                [&](const OutputEveryStatement&) { refuse("output every"); },
                [&](const OutputAtStatement&) { refuse("output at"); },
                [&](const OutputSectionStatement&) { refuse("output section"); },
                [&](const IncludeStatement&) { refuse("include"); },
                [&](const ComponentStatement&) { refuse("component"); },
                [&](const auto&) { push_in_loops(looped(s, rename), instance, out); }},
            s.node);
    }

    // Statements that may stand in loops.
    Statement looped(const Statement& s, Renamer& rename) {
        const auto assignments = [&](const std::vector<Assignment>& all) {
            std::vector<Assignment> made = all;
            for (Assignment& a : made) a = {rename(a.target), rename(a.value), a.span};
            return made;
        };
        Statement made{s.span, s.node};
        std::visit(Overloaded{[&](EquationStatement& p) { p = {rename(p.lhs), rename(p.rhs)}; },
                              [&](ConstraintStatement& p) { p = {rename(p.lhs), rename(p.rhs)}; },
                              [&](InitiallyStatement& p) { p = {rename(p.lhs), rename(p.rhs)}; },
                              [&](InvariantStatement& p) { p = {rename(p.expr), rename(p.value)}; },
                              [&](ForceStatement& p) { p = {rename(p.target), rename(p.value)}; },
                              [&](StartStatement& p) { p.items = assignments(p.items); },
                              [&](GuessStatement& p) { p.items = assignments(p.items); },
                              [&](HoldStatement& p) { p.targets = rename(p.targets); },
                              [&](ContactStatement& p) {
                                  p = {rename.declared(p.name), rename(p.lhs),      rename(p.rhs),
                                       rename(p.restitution),   rename(p.friction), rename(p.sliding)};
                              },
                              [&](ForStatement& p) {
                                  p.range.lo = rename(p.range.lo);
                                  p.range.hi = rename(p.range.hi);
                                  rename.bind(p.range.index.name);
                                  for (Statement& inner : p.body) inner = looped(inner, rename);
                                  rename.release(1);
                              },
                              [](auto&) {}},
                   made.node);
        return made;
    }

    std::vector<ParameterItem> items(const std::vector<ParameterItem>& all, const Instance& instance, Renamer& rename) {
        std::vector<ParameterItem> made;
        for (const ParameterItem& i : all) {
            ParameterItem item = i;
            item.name = rename.declared(i.name);
            item.dims = sizes(i.dims, instance, false);
            item.value = rename(i.value);
            item.family = instance.family;
            if (i.file && !instance.family.empty())
                fail(i.span, "an array from a file cannot stand in a family of parts: declare it outside");
            made.push_back(std::move(item));
        }
        return made;
    }

    void add_matrices(const MatrixStatement& p, const Instance& instance, Renamer& rename, Span span,
                      std::vector<Statement>& out) {
        MatrixStatement made = p;
        for (MatrixItem& i : made.items) {
            i.name = rename.declared(i.name);
            i.dims = sizes(i.dims, instance, true);
            i.group_arguments = sizes(i.group_arguments, instance, false);
        }
        push({span, std::move(made)}, out);
    }

    LetStatement let(const LetStatement& p, const Instance& instance, Renamer& rename) {
        LetStatement made{rename.declared(p.name), instance.family, nullptr};
        for (const IndexRange& r : p.indices) {
            made.indices.push_back({r.index, rename(r.lo), rename(r.hi), r.span});
        }
        for (const IndexRange& r : p.indices) rename.bind(r.index.name);
        made.value = rename(p.value);
        rename.release(p.indices.size());
        return made;
    }

    // The indices of the family come before its own arguments.
    FunctionStatement function(const FunctionStatement& p, const Instance& instance, Renamer& rename) {
        FunctionStatement made{rename.declared(p.name), {}, nullptr};
        for (const IndexRange& r : instance.family) made.formals.push_back(r.index);
        for (const Ident& formal : p.formals) {
            made.formals.push_back(formal);
            rename.bind(formal.name);
        }
        made.body = rename(p.body);
        rename.release(p.formals.size());
        return made;
    }

    void add_table(const TableStatement& p, const Instance& instance, Renamer& rename, Span span,
                   std::vector<Statement>& out) {
        TableStatement made = p;
        made.name = rename.declared(p.name);
        for (TableStatement::Point& point : made.points) {
            if (!instance.family.empty() && (!as<Number>(point.at) || !as<Number>(point.value)))
                fail(point.at->span, "in a family of parts the points of a table are numbers: all parts share it");
            point = {rename(point.at), rename(point.value)};
        }
        push({span, std::move(made)}, out);
    }

    EventStatement event(const EventStatement& p, const Instance& instance, Renamer& rename) {
        EventStatement made = p;
        made.name = rename.declared(p.name);
        made.family = instance.family;
        made.lhs = rename(p.lhs);
        made.rhs = rename(p.rhs);
        made.every = rename(p.every);
        for (auto* list : {&made.then, &made.guesses})
            for (Assignment& a : *list) a = {rename(a.target), rename(a.value), a.span};
        return made;
    }

    Module& module_;
    ExprStore& store_;
    Warnings& warnings_;
    std::map<std::string_view, const ComponentStatement*> components_;
    std::map<std::string_view, MemberKind> globals_;
    std::set<std::string_view> used_;
    std::set<std::string> parts_;        // all of them: "a", "b[#]", "b[#].joint"
    std::vector<std::string_view> path_; // components that are being looked through
    std::size_t n_statements_ = 0;
};

} // namespace

void expand_parts(Module& module, Warnings& warnings) {
    const bool has_parts = std::ranges::any_of(module.statements, [](const Statement& s) {
        return std::holds_alternative<ComponentStatement>(s.node) || std::holds_alternative<PartStatement>(s.node);
    });
    if (has_parts) PartExpander(module, warnings).run();
}

} // namespace vessiot::lang
