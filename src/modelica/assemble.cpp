#include "modelica/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "modelica/formulas.hpp"
#include "modelica/linear_form.hpp"
#include "modelica/meaning/logic.hpp"
#include "modelica/pattern.hpp"
#include "system/constants.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr std::size_t most_outputs = 300; // without being asked
constexpr std::size_t most_joined = 40;   // unknowns in a linear equation

class Assembler {
public:
    Assembler(FlatModel& flat, const Elimination& elimination, const Source& source)
        : flat_(flat), el_(elimination), source_(source), formulas_(flat, elimination, system_) {}

    System run(const std::vector<std::string>& outputs) {
        system_.name = flat_.name;
        system_.independent_name = "time";
        formulas_.begin();
        add_equations();
        add_start();
        add_initial();
        add_found();
        add_outputs(outputs);
        add_rules();
        add_requirements();
        add_parameters();
        add_held();
        drop_columns();
        place_unknowns();
        add_run();
        return std::move(system_);
    }

private:
    Graph& h() { return *system_.graph; }

    Location where(Span span) const {
        if (span == Span{}) return {};
        const lang::Position p = source_.place(span.begin);
        return {static_cast<int>(p.line), static_cast<int>(p.column)};
    }

    std::string text(Span span) const {
        std::string result(source_.text(span));
        if (result.size() > 200) result = result.substr(0, 200) + "…";
        return result;
    }

    void add_equation(NodeId residual, Span span) {
        Equation e;
        e.residual = e.lhs = residual;
        e.rhs = h().zero();
        e.where = where(span);
        system_.equations.push_back(std::move(e));
    }

    void add_equations() {
        for (const FlatEquation& e : el_.equations) {
            const NodeId residual = formulas_.now(e.lhs);
            check_determines(residual, e.span);
            add_equation(residual, e.span);
        }
        if (system_.unknowns.empty()) add_clock();
    }

    void check_determines(NodeId residual, Span span) {
        if (is_false(residual))
            lang::fail(source_, span, "this equation contains no variable that it could determine, and is not true");
        std::string set; // in a 'when'
        for (const ArrayId a : dependencies(h(), {residual})) {
            if (h().array(a).role == ArrayRole::unknown) return;
            if (a == formulas_.initial_flag()) set = "initial()";
            for (const std::size_t v : formulas_.held_variables())
                if (formulas_.held_array(v) == a) set = flat_.variables[v].name;
        }
        if (set.empty() && !h().node(residual).varies && !h().is_constant(residual))
            lang::fail(source_, span,
                       "this equation contains parameters only, and no variable that it could determine");
        if (!set.empty())
            lang::fail(source_, span,
                       fmt::format("this equation contains no variable that it could determine: '{}' changes where a "
                                   "'when' sets it",
                                   set));
    }

    // Numbers alone that are not 0.
    bool is_false(NodeId residual) {
        if (h().node(residual).varies || !dependencies(h(), {residual}).empty()) return false;
        return !(std::fabs(static_cast<double>(evaluate_constants(system_, {residual})[0])) < 1e-9);
    }

    Quad finite(NodeId constant, const std::string& what, Span span) {
        const Quad value = evaluate_constants(system_, {constant})[0];
        if (!std::isfinite(static_cast<double>(value)))
            lang::fail(source_, span, fmt::format("{} is not a finite number", what));
        return value;
    }

    // What is constant, and not known before the start.
    void add_found() {
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            const Variable& x = flat_.variables[v];
            if (x.is_found_at_start && formulas_.is_used(v))
                add_equation(h().read(h().derivative(formulas_.unknown(v))), x.span);
        }
    }

    // Of a model whose variables are all formulas of time: something that the run can follow.
    void add_clock() {
        Unknown clock;
        clock.name = "$clock";
        clock.array = h().add_array({.name = clock.name, .role = ArrayRole::unknown});
        add_equation(h().sub(h().read(h().derivative(clock.array)), h().one()), {});
        system_.unknowns.push_back(std::move(clock));
    }

    // In the order of the text, which formulas know as that of the variables.
    void place_unknowns() {
        std::ranges::sort(system_.unknowns, {}, [](const Unknown& u) { return u.where.line; });
        for (Unknown& u : system_.unknowns)
            if (u.where.line > 0) u.where = where(flat_.variables[static_cast<std::size_t>(u.where.line) - 1].span);
    }

    // ---- the start point ----

    void add_start() {
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            const Variable& x = flat_.variables[v];
            if (el_.alias[v] || x.is_discrete() || x.is_assigned_in_when) continue;
            if (el_.defined[v]) {
                if (x.start) add_derivative_start(v);
                continue;
            }
            if (!formulas_.is_used(v)) continue;
            const ArrayId array = formulas_.unknown(v);
            if (x.start && formulas_.is_constant(*x.start)) {
                const bool is_state = h().array(array).derivative != none && x.select >= StateSelect::normal;
                give(array, *x.start, x.is_fixed || (is_state && !x.is_found_at_start),
                     x.is_fixed && !x.is_found_at_start, x.span);
            } else if (is_rotation(x.name)) {
                give(array, flat_.graph->one(), false, false, x.span);
            }
        }
    }

    // w = ±phi' with a start value: it is phi' that begins so
    void add_derivative_start(std::size_t v) {
        const Variable& x = flat_.variables[v];
        Node n = flat_.graph->node(*el_.defined[v]);
        const bool is_negative = n.op == Op::neg;
        if (is_negative) n = flat_.graph->node(n.a);
        if (n.op != Op::read || !formulas_.is_constant(*x.start)) return;
        const auto jet = formulas_.remaining_jet(n.a);
        if (!jet) return;
        const NodeId value = is_negative != jet->is_negative ? flat_.graph->neg(*x.start) : *x.start;
        give(jet->array, value, x.is_fixed || x.select >= StateSelect::normal, x.is_fixed, x.span);
    }

    // Several variables may be names of one jet: what is fixed stays, then start values, then guesses.
    void give(ArrayId array, NodeId value, bool is_start, bool is_held, Span span) {
        const ListId at = h().index().list({});
        const StartValue s{array, h().index().scalar_domain(), at, formulas_.now(value), where(span)};
        const auto is_same = [&](const auto& given) { return given.jet == array; };
        if (std::ranges::any_of(system_.holds, is_same)) {
            // fixed twice: that they agree is for the start point to see
            if (is_held) add_initially(h().sub(h().read(array), s.value), span);
            return;
        }
        if (is_held) std::erase_if(system_.start, is_same);
        if (is_start)
            std::erase_if(system_.guesses, is_same);
        else if (std::ranges::any_of(system_.start, is_same))
            return;
        (is_start ? system_.start : system_.guesses).push_back(s);
        if (is_held) system_.holds.push_back({array, s.domain, at, s.where});
    }

    // R.T[k,k] of an orientation: the identity
    static bool is_rotation(const std::string& name) {
        const std::size_t at = name.rfind("R.T[");
        if (at == name.npos || at + 8 != name.size()) return false;
        return name[at + 4] == name[at + 6];
    }

    void add_initially(NodeId residual, Span span) {
        Equation equation;
        equation.residual = equation.lhs = residual;
        equation.rhs = h().zero();
        equation.text = "initially " + text(span);
        equation.where = where(span);
        system_.initially.push_back(std::move(equation));
    }

    // Equations of the start point. x = number, for a state or its derivative, is a start value that is kept.
    void add_initial() {
        for (const FlatEquation& e : flat_.initial) {
            const NodeId residual = h().sub(formulas_.now(e.lhs), formulas_.now(e.rhs));
            if (h().is_constant(residual, 0)) continue;
            if (is_false(residual))
                lang::fail(source_, e.span, "this equation of the start contains no variable, and is not true");
            if (h().is_constant(residual)) continue;
            LinearForm form;
            const bool is_plain = LinearForm::make(h(), residual, 1, form) && form.terms.size() == 1;
            const Node atom = is_plain ? h().node(form.terms[0].first) : Node{};
            const bool is_state = is_plain && atom.op == Op::read && h().array(atom.a).role == ArrayRole::unknown &&
                                  h().array(atom.a).derivative != none;
            if (!is_state) {
                check_determines(residual, e.span);
                add_initially(residual, e.span);
                continue;
            }
            const ListId at = h().index().list({});
            const NodeId value = h().neg(h().div(form.constant, h().constant(form.terms[0].second)));
            const auto is_same = [&](const auto& given) { return given.jet == atom.a; };
            const bool is_held = std::ranges::any_of(system_.holds, is_same);
            if (is_held) { // said twice: that they agree is for the start point to see
                add_initially(residual, e.span);
                continue;
            }
            std::erase_if(system_.start, is_same);
            std::erase_if(system_.guesses, is_same);
            system_.start.push_back({atom.a, h().index().scalar_domain(), at, value, where(e.span)});
            system_.holds.push_back({atom.a, h().index().scalar_domain(), at, where(e.span)});
        }
    }

    // ---- results ----

    static bool is_shown(const Variable& v) {
        if (v.is_protected || v.name.starts_with('$')) return false;
        for (const std::string_view part : {".R.T[", ".R.w[", "ylinder", "shape", "Shape", "visual", "Visual", "arrow",
                                            "Arrow", "Line.", "Label", "Head.", "sphere.", "color", "Color"})
            if (v.name.find(part) != v.name.npos) return false;
        return true;
    }

    void add_outputs(const std::vector<std::string>& patterns) {
        std::vector<std::size_t> wanted;
        std::vector<char> is_met(patterns.size(), 0);
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            const Variable& x = flat_.variables[v];
            bool is_wanted = patterns.empty() && is_shown(x);
            for (std::size_t k = 0; k < patterns.size(); ++k)
                if (matches(patterns[k], x.name)) {
                    is_met[k] = 1;
                    is_wanted = true;
                }
            if (is_wanted && !formulas_.is_column(v)) wanted.push_back(v);
        }
        for (std::size_t k = 0; k < patterns.size(); ++k)
            if (!is_met[k] && !add_derivative_output(patterns[k]))
                throw InvalidInput(fmt::format("--variables: no variable of {} has the name or pattern '{}'",
                                               flat_.name, patterns[k]));
        if (patterns.empty() && wanted.size() > most_outputs) {
            system_.warnings.push_back(fmt::format("note: {} variables were eliminated and are not in the results; "
                                                   "--variables 'NAME,NAME*' shows those that "
                                                   "are of interest",
                                                   wanted.size()));
            return;
        }
        for (const std::size_t v : wanted)
            system_.outputs.push_back({flat_.variables[v].name, formulas_.value(v), where(flat_.variables[v].span)});
    }

    // NOTE: what events read has a column of its own, which is not known before.
    void drop_columns() {
        std::set<std::string_view> columns;
        for (const Held& held : system_.held)
            if (!held.is_hidden) columns.insert(held.name);
        std::erase_if(system_.outputs, [&](const Output& output) { return columns.contains(output.name); });
    }

    // der(x)
    bool add_derivative_output(const std::string& name) {
        if (!name.starts_with("der(") || !name.ends_with(')')) return false;
        const std::string inner = name.substr(4, name.size() - 5);
        for (std::size_t v = 0; v < flat_.variables.size(); ++v)
            if (flat_.variables[v].name == inner) {
                system_.outputs.push_back({name, formulas_.derivative(v), where(flat_.variables[v].span)});
                return true;
            }
        return false;
    }

    // ---- what changes at events ----

    // By unknown: how much it is meant to be a state. What has no derivative is none.
    int preference(ArrayId array) {
        if (h().array(array).derivative == none) return -1;
        int best = 0;
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            if (flat_.variables[v].is_discrete()) continue;
            const std::size_t root = el_.alias[v] ? el_.alias[v]->to : v;
            if (root != nothing && !el_.defined[root] && formulas_.is_used(root) && formulas_.unknown(root) == array)
                best = std::max(best, static_cast<int>(flat_.variables[v].select));
        }
        return best;
    }

    // What linear equations between unknowns, without derivatives, say about those that are least meant to be states:
    // by each of these, the factors of others.
    std::map<ArrayId, std::map<ArrayId, Quad>> dependent_unknowns(const std::map<ArrayId, int>& preferences) {
        std::vector<std::map<ArrayId, Quad>> rows;
        for (const Equation& e : system_.equations) {
            LinearForm form;
            if (!LinearForm::make(h(), e.residual, most_joined, form) || form.terms.empty()) continue;
            std::map<ArrayId, Quad> row;
            for (const auto& [atom, factor] : form.terms) {
                const Node n = h().node(atom);
                if (n.op != Op::read || !preferences.contains(n.a)) break;
                row[n.a] += factor;
            }
            if (row.size() == form.terms.size()) rows.push_back(std::move(row));
        }
        std::map<ArrayId, std::map<ArrayId, Quad>> solved;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            std::erase_if(rows[k], [](const auto& term) { return term.second == 0; });
            if (rows[k].empty()) continue;
            const ArrayId pivot = std::ranges::min_element(rows[k], {}, [&](const auto& term) {
                                      return preferences.at(term.first);
                                  })->first;
            const auto take_away = [&](std::map<ArrayId, Quad>& from) {
                const auto it = from.find(pivot);
                if (it == from.end()) return;
                const Quad ratio = it->second / rows[k].at(pivot);
                for (const auto& [array, factor] : rows[k]) from[array] -= ratio * factor;
                from.erase(pivot);
            };
            for (std::size_t j = 0; j < rows.size(); ++j)
                if (j != k) take_away(rows[j]);
        }
        for (const auto& row : rows) {
            if (row.empty()) continue;
            const auto pivot =
                std::ranges::min_element(row, {}, [&](const auto& term) { return preferences.at(term.first); });
            for (const auto& [array, factor] : row)
                if (array != pivot->first) solved[pivot->first][array] = -factor / pivot->second;
        }
        return solved;
    }

    // What reinit does not set stays as it is, of what is meant to be a state; the rest follows from linear equations.
    void add_followers(std::map<ArrayId, NodeId>& set) {
        if (set.empty()) return;
        std::map<ArrayId, int> preferences;
        for (const Unknown& u : system_.unknowns) preferences[u.array] = preference(u.array);
        for (const Unknown& u : system_.unknowns)
            for (ArrayId jet = u.array; jet != none; jet = h().array(jet).derivative)
                if (set.contains(jet)) preferences[u.array] = 1000;
        const std::map<ArrayId, NodeId> by_reinit = set;
        for (const auto& [dependent, others] : dependent_unknowns(preferences)) {
            if (preferences.at(dependent) < 0 || preferences.at(dependent) == 1000) continue;
            for (const auto& [other, factor] : others) {
                ArrayId jet = dependent, of = other;
                while (jet != none && of != none && h().array(jet).derivative != none) {
                    if (const auto it = by_reinit.find(of); it != by_reinit.end()) {
                        const NodeId change = h().mul(h().constant(factor), h().sub(it->second, h().read(of)));
                        const auto [known, is_new] = set.emplace(jet, h().read(jet));
                        known->second = h().add(known->second, change);
                    }
                    jet = h().array(jet).derivative;
                    of = h().array(of).derivative;
                }
            }
        }
    }

    // One event that is looked at always: what every discrete variable becomes, and reinit.
    void add_rules() {
        for (const Termination& t : flat_.terminations)
            system_.warnings.push_back(fmt::format("note: 'terminate' in line {} is not obeyed: the run goes on to the "
                                                   "end of its interval",
                                                   where(t.span).line));
        Event rules{.name = "rules", .value = h().one(), .is_always = true};
        const DomainId once = h().index().scalar_domain();
        const ListId at = h().index().list({});
        std::map<ArrayId, NodeId> set; // by reinit
        for (const Reinit& r : flat_.reinits) {
            const auto jet = formulas_.jet_of(r.variable);
            if (!jet)
                lang::fail(source_, r.span,
                           fmt::format("'reinit' of '{}', which follows from other variables, is not "
                                       "supported",
                                       flat_.variables[r.variable].name));
            const NodeId value = h().sub(formulas_.at_event(r.value), jet->offset);
            const auto [known, is_new] = set.emplace(jet->array, h().read(jet->array));
            known->second =
                choose(h(), formulas_.at_event(r.active), jet->is_negative ? h().neg(value) : value, known->second);
        }
        add_followers(set);
        for (const auto& [array, value] : set) rules.then.push_back({array, once, at, value, {}});
        // NOTE: what they are set to may read more of them
        for (std::size_t k = 0; k < formulas_.held_variables().size(); ++k) {
            const std::size_t v = formulas_.held_variables()[k];
            const NodeId value = formulas_.at_event(flat_.variables[v].node);
            if (value != h().read(formulas_.held_array(v)))
                rules.then.push_back({formulas_.held_array(v), once, at, value, where(flat_.variables[v].span)});
        }
        if (formulas_.initial_flag() != none)
            rules.then.push_back({formulas_.initial_flag(), once, at, h().zero(), {}});
        if (!rules.then.empty()) system_.events.push_back(std::move(rules));
    }

    // Of active = pre(next), where active has a fixed value at the start: the value that next begins with.
    std::map<ArrayId, NodeId> implied_starts() {
        std::map<ArrayId, NodeId> result;
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            const Variable& x = flat_.variables[v];
            const bool follows = el_.defined[v] || (el_.alias[v] && el_.alias[v]->to != nothing);
            if (!follows || !x.is_discrete() || !x.is_fixed || !x.start || !formulas_.is_constant(*x.start)) continue;
            Node n = h().node(formulas_.value(v));
            const bool is_negated = n.op == Op::logical_not;
            if (is_negated) n = h().node(n.a);
            if (n.op != Op::read) continue;
            const NodeId start = formulas_.now(*x.start);
            result.emplace(n.a, is_negated ? negation(h(), start) : start);
        }
        return result;
    }

    // What is discrete, with its values at the start; names of our own last.
    void add_held() {
        const std::map<ArrayId, NodeId> implied = implied_starts();
        std::vector<Held> hidden;
        const auto add = [&](const std::string& name, ArrayId array, NodeId start, Span span) {
            Held held{.name = name, .array = array, .where = where(span), .is_hidden = name.starts_with('$')};
            held.values = {finite(start, fmt::format("the start value of '{}'", name), span)};
            if (!h().is_constant(start)) held.formula = {start};
            (held.is_hidden ? hidden : system_.held).push_back(std::move(held));
        };
        for (const std::size_t v : formulas_.held_variables()) {
            const Variable& x = flat_.variables[v];
            const bool has_start = x.start && formulas_.is_constant(*x.start);
            const auto follows = implied.find(formulas_.held_array(v));
            const NodeId start = has_start && x.is_fixed       ? formulas_.now(*x.start)
                                 : follows != implied.end()    ? follows->second
                                 : has_start                   ? formulas_.now(*x.start)
                                 : x.type == Type::enumeration ? h().one()
                                                               : h().zero();
            add(x.name, formulas_.held_array(v), start, x.span);
        }
        if (formulas_.initial_flag() != none) add("$initial", formulas_.initial_flag(), h().one(), {});
        for (Held& held : hidden) system_.held.push_back(std::move(held));
    }

    void add_requirements() {
        for (const Assertion& a : flat_.assertions)
            system_.requirements.push_back({formulas_.now(a.condition), a.message, a.is_error, where(a.span)});
    }

    void add_parameters() {
        for (const FlatParameter& p : flat_.parameters) {
            const ArrayId array = formulas_.parameter(p.array);
            if (array == none) continue;
            if (!std::isfinite(static_cast<double>(p.value)))
                lang::fail(source_, p.span, fmt::format("the value of '{}' is not a finite number", p.name));
            Parameter parameter;
            parameter.name = p.name;
            parameter.array = array;
            parameter.values = {p.value};
            parameter.is_used = true;
            parameter.where = where(p.span);
            system_.parameters.push_back(std::move(parameter));
        }
    }

    void add_run() {
        system_.from = h().constant(flat_.start_time);
        system_.to = h().constant(flat_.stop_time);
        if (flat_.interval && *flat_.interval > 0) system_.output_every = h().constant(*flat_.interval);
        if (flat_.tolerance && *flat_.tolerance > 0)
            system_.options.push_back({"rtol", fmt::format("{}", *flat_.tolerance), {}});
        for (const std::string& note : flat_.notes) system_.warnings.push_back("note: " + note);
    }

    FlatModel& flat_;
    const Elimination& el_;
    const Source& source_;
    System system_;
    Formulas formulas_;
};

} // namespace

System assemble(FlatModel& flat, const Elimination& elimination, const Source& source,
                const std::vector<std::string>& outputs) {
    return Assembler(flat, elimination, source).run(outputs);
}

} // namespace vessiot::modelica
