#include "modelica/assemble.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "modelica/formulas.hpp"
#include "modelica/linear_form.hpp"
#include "modelica/pattern.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr std::size_t most_outputs = 300; // without being asked

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
        add_outputs(outputs);
        check_discrete();
        add_parameters();
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
        for (const FlatEquation& e : el_.equations) add_equation(formulas_.now(e.lhs), e.span);
        for (std::size_t v = 0; v < flat_.variables.size(); ++v) {
            const Variable& x = flat_.variables[v];
            if (x.is_found_at_start && formulas_.is_used(v)) // constant, and not known before the start
                add_equation(h().read(h().derivative(formulas_.unknown(v))), x.span);
        }
        if (system_.unknowns.empty()) add_clock();
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
            check_can_be_held(x, array);
            if (x.start && formulas_.is_constant(*x.start)) {
                const bool is_state = h().array(array).derivative != none && x.select >= StateSelect::normal;
                give(array, *x.start, x.is_fixed || (is_state && !x.is_found_at_start),
                     x.is_fixed && !x.is_found_at_start, x.span);
            } else if (is_rotation(x.name)) {
                give(array, flat_.graph->one(), false, false, x.span);
            }
        }
    }

    // NOTE: without a word the run would begin somewhere else.
    void check_can_be_held(const Variable& x, ArrayId array) {
        if (x.is_found_at_start)
            lang::fail(source_, x.span, "a parameter that is found at the start (fixed = false) is not supported yet");
        if (x.is_fixed && h().array(array).derivative == none)
            lang::fail(source_, x.span, "a fixed start value of a variable without a derivative is not supported yet");
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

    void give(ArrayId array, NodeId value, bool is_start, bool is_held, Span span) {
        const ListId at = h().index().list({});
        StartValue s{array, h().index().scalar_domain(), at, formulas_.now(value), where(span)};
        (is_start ? system_.start : system_.guesses).push_back(s);
        if (is_held) system_.holds.push_back({array, s.domain, at, s.where});
    }

    // R.T[k,k] of an orientation: the identity
    static bool is_rotation(const std::string& name) {
        const std::size_t at = name.rfind("R.T[");
        if (at == name.npos || at + 8 != name.size()) return false;
        return name[at + 4] == name[at + 6];
    }

    // x = number, for a state or its derivative: a start value that is kept.
    void add_initial() {
        for (const FlatEquation& e : flat_.initial) {
            const NodeId residual = h().sub(formulas_.now(e.lhs), formulas_.now(e.rhs));
            if (h().is_constant(residual, 0)) continue;
            LinearForm form;
            const bool is_plain = LinearForm::make(h(), residual, 1, form) && form.terms.size() == 1;
            const Node atom = is_plain ? h().node(form.terms[0].first) : Node{};
            const bool is_state = is_plain && atom.op == Op::read && h().array(atom.a).role == ArrayRole::unknown &&
                                  h().array(atom.a).derivative != none;
            if (!is_state)
                lang::fail(source_, e.span,
                           "equations of the start point that give no state a number are not supported yet");
            const ListId at = h().index().list({});
            const NodeId value = h().neg(h().div(form.constant, h().constant(form.terms[0].second)));
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

    // NOTE: nothing of it may be left out without a word: results would be wrong.
    void check_discrete() {
        const auto refuse = [&](Span span, const std::string& what) {
            lang::fail(source_, span, fmt::format("{} is not supported yet: it needs the iteration of events", what));
        };
        if (const auto v = formulas_.first_held())
            refuse(flat_.variables[*v].span, flat_.variables[*v].name.starts_with('$')
                                                 ? "'when', 'sample' or 'initial()'"
                                                 : "'pre', or a variable that 'when' sets,");
        if (formulas_.reads_initial()) refuse({}, "'initial()'");
        if (!flat_.reinits.empty()) refuse(flat_.reinits.front().span, "'reinit'");
        if (!flat_.terminations.empty()) refuse(flat_.terminations.front().span, "'terminate'");
        if (!flat_.assertions.empty())
            system_.warnings.push_back(fmt::format("note: {} of the model {} not checked along the run",
                                                   plural(flat_.assertions.size(), "assertion"),
                                                   flat_.assertions.size() == 1 ? "is" : "are"));
    }

    void add_parameters() {
        for (const FlatParameter& p : flat_.parameters) {
            const ArrayId array = formulas_.parameter(p.array);
            if (array == none) continue;
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
