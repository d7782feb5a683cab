#include "decompose/model_text.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/model.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::decompose {

using namespace lang;

namespace {

struct Edit {
    std::uint32_t begin, end;
    std::string text;
};

std::string apply(std::string_view text, std::vector<Edit> edits) {
    std::ranges::stable_sort(edits, {}, &Edit::begin);
    std::string result;
    std::uint32_t at = 0;
    for (const Edit& e : edits) {
        result += text.substr(at, e.begin - at);
        result += e.text;
        at = e.end;
    }
    return result + std::string(text.substr(at));
}

bool is_before(const Location& a, const lang::Position& b) {
    return std::pair<std::size_t, std::size_t>(a.line, a.column) < std::pair(b.line, b.column);
}

// Whether the equations that a statement wrote are among those that go.
bool is_replaced(const Source& source, const System& system, const Statement& s,
                 const std::vector<std::size_t>& equations) {
    const lang::Position begin = source.position(s.span.begin), end = source.position(s.span.end);
    bool goes = false, stays = false;
    for (std::size_t k = 0; k < system.equations.size(); ++k) {
        const Equation& e = system.equations[k];
        if (e.where.line == 0 || is_before(e.where, begin) || !is_before(e.where, end)) continue;
        (std::ranges::find(equations, k) != equations.end() ? goes : stays) = true;
    }
    if (goes && stays)
        fail(source, s.span,
             "only some components of this equation are free of derivatives: write these on a line of their own, so "
             "that they can be replaced");
    return goes;
}

void check(const Source& source, const System& system, const std::vector<Statement>& statements,
           const std::vector<std::size_t>& equations) {
    for (const Statement& s : statements) {
        if (const auto* loop = std::get_if<ForStatement>(&s.node))
            check(source, system, loop->body, equations);
        else
            is_replaced(source, system, s, equations);
    }
}

class Rewriter {
public:
    Rewriter(const Source& source, const Module& module, const System& system, const Replacement& replacement)
        : source_(source), module_(module), system_(system), replacement_(replacement) {}

    std::string operator()(std::vector<Edit> edits) {
        edits_ = std::move(edits);
        const Statement* last = nullptr;
        for (const Statement& s : module_.statements)
            if (mark(s)) last = &s;
        if (last) insert_after(end_of(*last));
        return apply(source_.text(), std::move(edits_));
    }

private:
    // Comments out what is replaced; true where there was something.
    bool mark(const Statement& s) {
        const auto* loop = std::get_if<ForStatement>(&s.node);
        if (!loop) {
            const bool is_equation = std::holds_alternative<EquationStatement>(s.node);
            const bool is_constraint = std::holds_alternative<ConstraintStatement>(s.node);
            if (!(is_equation || is_constraint) || !is_replaced(source_, system_, s, replacement_.equations))
                return false;
            if (is_constraint) keyword_ = "constraint ";
            comment_out(s.span);
            return true;
        }
        bool has_some = false;
        for (const Statement& inner : loop->body) has_some = mark(inner) || has_some;
        if (is_all_gone(*loop)) comment_out(s.span);
        return has_some;
    }
    bool is_all_gone(const ForStatement& loop) const {
        return std::ranges::all_of(loop.body, [&](const Statement& s) {
            const auto* inner = std::get_if<ForStatement>(&s.node);
            return inner ? is_all_gone(*inner) : gone_.contains(source_.position(s.span.begin).line);
        });
    }

    void comment_out(Span span) {
        const std::size_t last = source_.position(span.end).line;
        for (std::size_t line = source_.position(span.begin).line; line <= last; ++line) {
            if (!gone_.insert(line).second) continue; // the head of a loop with its statement
            const std::uint32_t begin = source_.line(line).begin;
            edits_.push_back({begin, begin, "# "});
        }
    }

    std::uint32_t end_of(const Statement& s) const {
        const auto* loop = std::get_if<ForStatement>(&s.node);
        return loop ? end_of(loop->body.back()) : s.span.end;
    }

    void insert_after(std::uint32_t offset) {
        const std::uint32_t at = source_.line(source_.position(offset).line).end;
        std::string text = fmt::format("\n# {}", replacement_.comment);
        for (const std::string& g : replacement_.generators) text += fmt::format("\n{}{} = 0", keyword_, g);
        for (const std::string& line : replacement_.statements) text += "\n" + line;
        edits_.push_back({at, at, text});
    }

    const Source& source_;
    const Module& module_;
    const System& system_;
    const Replacement& replacement_;
    std::vector<Edit> edits_;
    std::set<std::size_t> gone_; // lines
    std::string keyword_;
};

template <class Visit> void for_each_parameter(const Module& module, const Visit& visit) {
    for (const Statement& s : module.statements)
        if (const auto* p = std::get_if<ParameterStatement>(&s.node))
            for (std::size_t k = 0; k < p->items.size(); ++k) visit(s, *p, k);
}

std::vector<Edit> settings_edits(const Source& source, const Module& module, const Settings& settings) {
    std::vector<Edit> edits;
    for_each_parameter(module, [&](const Statement&, const ParameterStatement& p, std::size_t k) {
        const ParameterItem& item = p.items[k];
        const std::string* value = nullptr; // the last one counts
        for (const auto& [name, text] : settings.set)
            if (normalise_name(name) == item.name.name) value = &text;
        if (!value) return;
        // NOTE: from the = on, since brackets around a value are not part of its span
        const auto equals = static_cast<std::uint32_t>(source.text().find('=', item.name.span.end));
        if (item.value)
            edits.push_back({equals + 1, item.span.end, " " + *value});
        else
            edits.push_back({item.span.end, item.span.end, " = " + *value});
    });
    return edits;
}

// Takes parameters out of their lists.
std::string without_parameters(const Source& source, const Module& module, const std::set<std::string>& names) {
    std::vector<Edit> edits;
    for (const Statement& s : module.statements) {
        const auto* p = std::get_if<ParameterStatement>(&s.node);
        if (!p) continue;
        std::vector<const ParameterItem*> kept;
        for (const ParameterItem& item : p->items)
            if (!names.contains(std::string(item.name.name))) kept.push_back(&item);
        if (kept.size() == p->items.size()) continue;
        if (kept.empty()) {
            const lang::Position begin = source.position(s.span.begin), end = source.position(s.span.end);
            for (std::size_t line = begin.line; line <= end.line; ++line)
                edits.push_back({source.line(line).begin, source.line(line).begin, "# "});
            continue;
        }
        if (source.text(s.span).find('#') != std::string_view::npos) continue; // a list with comments in it
        std::vector<std::string> texts;
        for (const ParameterItem* item : kept) texts.emplace_back(source.text(item->span));
        edits.push_back(
            {p->items.front().span.begin, p->items.back().span.end, fmt::format("{}", fmt::join(texts, ", "))});
    }
    return apply(source.text(), std::move(edits));
}

// Parameters that the model used, and the new one does not.
std::set<std::string> unused_now(const System& before, const System& now) {
    std::set<std::string> names;
    for (const Parameter& p : now.parameters)
        if (!p.is_used && std::ranges::any_of(before.parameters,
                                              [&](const Parameter& old) { return old.name == p.name && old.is_used; }))
            names.insert(p.name);
    return names;
}

bool uses_multipliers(const System& system) {
    std::vector<expr::NodeId> roots;
    for (const Output& o : system.outputs) roots.push_back(o.value);
    for (const Event& e : system.events) {
        roots.push_back(e.value);
        for (const Reset& r : e.then) roots.push_back(r.value);
        for (const Reset& r : e.guesses) roots.push_back(r.value);
    }
    std::set<expr::ArrayId> multipliers;
    for (const Unknown& u : system.unknowns)
        if (u.is_multiplier) multipliers.insert(u.array);
    return std::ranges::any_of(system.graph->cone(roots), [&](expr::NodeId n) {
        const expr::Node& x = system.graph->node(n);
        return x.op == expr::Op::read && multipliers.contains(x.a);
    });
}

} // namespace

void check_statements(const Source& source, const System& system, const std::vector<std::size_t>& equations) {
    check(source, system, parse(source).statements, equations);
}

ModelText replace_constraints(const Source& source, const Settings& settings, const System& system,
                              const Replacement& replacement) {
    const Module module = parse(source);
    ModelText result;
    result.text = Rewriter(source, module, system, replacement)(settings_edits(source, module, settings));
    const Settings limits{.set = {}, .max_instances = settings.max_instances};
    try {
        // a parameter may be used by another one only, which goes first
        for (int round = 0; round < 10; ++round) {
            const Source now(source.name(), result.text);
            const std::set<std::string> unused = unused_now(system, read_model(now, limits));
            if (unused.empty()) break;
            std::string shorter = without_parameters(now, parse(now), unused);
            if (shorter == result.text) break;
            result.text = std::move(shorter);
        }
    } catch (const InvalidInput& e) {
        result.notes.push_back(fmt::format("the new model needs a change by hand: {}", e.what()));
    }
    if (uses_multipliers(system))
        result.notes.emplace_back(
            "the model's outputs or events use multipliers: in the new model these belong to the new "
            "constraints, so that their values differ");
    return result;
}

} // namespace vessiot::decompose
