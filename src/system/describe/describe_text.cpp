// A description for people.
#include <algorithm>

#include <fmt/format.h>

#include "core/element_name.hpp"
#include "core/text.hpp"
#include "system/describe/describe.hpp"
#include "system/describe/text_layout.hpp"

namespace vessiot {

namespace {

std::string shape_text(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::vector<std::string> sizes;
    for (const std::int64_t n : shape) sizes.push_back(std::to_string(n));
    return element_name(name, sizes);
}

std::string class_text(SystemClass c) {
    switch (c) {
    case SystemClass::semi_explicit: return "semi-explicit system";
    case SystemClass::invariants: return "explicit system with invariants";
    case SystemClass::lie: return "system on a Lie group";
    default: return fmt::format("{} system", name(c));
    }
}

std::string with_loops(const std::string& domain, const std::string& text) {
    return domain.empty() ? text : fmt::format("for {}: {}", domain, text);
}

template <class List, class Function> std::vector<std::string> mapped(const List& list, const Function& text) {
    std::vector<std::string> result;
    result.reserve(list.size());
    for (const auto& item : list) result.push_back(text(item));
    return result;
}

class Text {
public:
    Text(const Description& d, const TextOptions& options) : d_(d), options_(options), out_(options.full) {}

    std::string operator()() {
        headline();
        unknowns();
        if (d_.lagrangian) section("Lagrangian", {*d_.lagrangian});
        hamiltonian();
        section("Equations", texts(d_.equations, "equation"));
        section("Constraints", texts(d_.equations, "constraint"));
        section("Forces", texts(d_.forces, "force"));
        section("Equations of motion (derived)", texts(d_.derived, "definition", false));
        section("Definitions in them", texts(d_.derived, "definition", true));
        invariants();
        parameters();
        start();
        ends();
        run();
        structure();
        return out_.finish();
    }

private:
    void headline() {
        const Classification& c = d_.classification;
        std::string text = fmt::format("{}: {}, order {}, {}, {}", d_.model, class_text(c.system_class), c.order,
                                       plural(static_cast<std::size_t>(c.n_unknowns), "unknown"),
                                       plural(static_cast<std::size_t>(c.n_equations), "equation"));
        if (c.determination == Determination::overdetermined) text += " (overdetermined)";
        if (c.determination == Determination::underdetermined) text += " (underdetermined)";
        out_.heading(text);
    }

    void section(std::string_view title, const std::vector<std::string>& lines) {
        if (lines.empty()) return;
        out_.heading(title);
        out_.lines(lines);
    }

    static std::string statement_text(const StatementText& s) {
        std::string text = with_loops(s.domain, s.text);
        if (s.domain.empty() && s.count > 1) text += fmt::format("   ({} equations)", s.count); // between vectors
        return text;
    }

    // Those of one kind, or all others.
    static std::vector<std::string> texts(const std::vector<StatementText>& statements, std::string_view kind,
                                          bool is_of_kind = true) {
        std::vector<std::string> lines;
        for (const StatementText& s : statements)
            if ((s.kind == kind) == is_of_kind) lines.push_back(statement_text(s));
        return lines;
    }

    void unknowns() {
        std::size_t width = 0;
        for (const UnknownText& u : d_.unknowns) width = std::max(width, text_width(shape_text(u.name, u.shape)));
        std::vector<std::string> lines;
        for (const UnknownText& u : d_.unknowns) {
            std::string line =
                fmt::format("{}   order {}   {}", padded(shape_text(u.name, u.shape), width), u.order, name(u.in.role));
            if (u.in.role == UnknownRole::differential && u.in.n_algebraic > 0)
                line += fmt::format(", {} algebraic", plural(static_cast<std::size_t>(u.in.n_algebraic), "element"));
            lines.push_back(std::move(line));
        }
        out_.heading("Unknowns");
        out_.verbatim(lines);
    }

    void hamiltonian() {
        if (!d_.hamiltonian) return;
        section("Hamiltonian", {*d_.hamiltonian});
        out_.items("with ", d_.pairs);
    }

    void invariants() {
        section("Invariants",
                mapped(d_.invariants, [](const StatementText& s) { return with_loops(s.domain, s.text); }));
    }

    std::string parameter_text(const ParameterText& p) const {
        if (p.shape.empty()) return fmt::format("{} = {}", p.name, p.values.at(0));
        constexpr std::size_t most = 8;
        const bool is_cut = !options_.full && p.values.size() > most;
        const std::size_t n = is_cut ? most : p.values.size();
        std::string text = shape_text(p.name, p.shape) + " = [";
        for (std::size_t k = 0; k < n; ++k) {
            const auto row = static_cast<std::size_t>(p.shape.back()); // rows of a matrix are set apart
            const char* separator = p.shape.size() > 1 && k % row == 0 ? "; " : ", ";
            text += fmt::format("{}{}", k == 0 ? "" : separator, p.values[k]);
        }
        return text + (is_cut ? fmt::format(", … {} more]", p.values.size() - n) : "]");
    }

    void parameters() {
        const auto show = [&](const std::string& heading, const std::vector<ParameterText>& all) {
            if (all.empty()) return;
            out_.heading(heading);
            out_.items("", mapped(all, [&](const ParameterText& p) { return parameter_text(p); }));
        };
        show("Parameters", d_.parameters);
        show("Discrete quantities, at the start", d_.discrete);
    }

    // x = l = 1: the text, and the number where that is another text.
    static std::string assignment_text(const AssignmentText& a) {
        return fmt::format("{} = {}", a.name, number_text(a));
    }
    static std::string number_text(const AssignmentText& a) {
        const std::string value = a.value ? fmt::format("{}", *a.value) : a.text;
        return value == a.text ? a.text : a.text + " = " + value;
    }

    // Assignments with the same loops share a line.
    void assignments(const std::string& word, const std::vector<AssignmentText>& list) {
        constexpr std::size_t most = 20;
        std::size_t n_lines = 0;
        for (std::size_t k = 0; k < list.size();) {
            if (!options_.full && ++n_lines > most) {
                out_.line(fmt::format("… {} more; --full shows all", list.size() - k));
                return;
            }
            const std::string& domain = list[k].domain;
            std::vector<std::string> items;
            for (; k < list.size() && list[k].domain == domain; ++k) items.push_back(assignment_text(list[k]));
            out_.items(word + (domain.empty() ? "" : "for " + domain + ": "), items);
        }
    }

    void start() {
        if (d_.start.empty() && d_.guesses.empty() && d_.holds.empty() && d_.initially.empty()) return;
        out_.heading("Start point");
        assignments("", d_.start);
        assignments("guess ", d_.guesses);
        const auto held = [](const StatementText& h) {
            return h.domain.empty() ? h.text : fmt::format("{} ({})", h.text, h.domain);
        };
        if (!d_.holds.empty()) out_.items("hold ", mapped(d_.holds, held));
        for (const StatementText& e : d_.initially) out_.line("initially " + held(e));
    }

    void ends() {
        if (d_.ends.empty() && d_.periodic.empty() && d_.free.empty()) return;
        out_.heading("End of the interval");
        assignments("", d_.ends);
        const auto name = [](const StatementText& h) {
            return h.domain.empty() ? h.text : fmt::format("{} ({})", h.text, h.domain);
        };
        if (!d_.periodic.empty()) out_.items("periodic ", mapped(d_.periodic, name));
        if (!d_.free.empty()) out_.items("free ", d_.free);
    }

    void run() {
        std::vector<std::pair<std::string, std::string>> rows;
        if (d_.from && d_.to)
            rows.emplace_back("interval",
                              fmt::format("{} = {} .. {}", d_.independent, number_text(*d_.from), number_text(*d_.to)));
        const auto option_text = [](const auto& o) { return fmt::format("{} = {}", o.first, o.second); };
        if (!d_.options.empty()) rows.emplace_back("options", joined(mapped(d_.options, option_text), ", "));
        if (d_.output_every) rows.emplace_back("output", "every " + number_text(*d_.output_every));
        if (!d_.output_at.empty()) rows.emplace_back("output", "at " + joined(mapped(d_.output_at, number_text), ", "));
        for (const AssignmentText& o : d_.outputs) rows.emplace_back("output", o.name + " = " + o.text);
        for (const EventText& e : d_.events)
            rows.emplace_back("event",
                              fmt::format("{}: {}{}{}{}", e.name, e.text, e.direction.empty() ? "" : ", " + e.direction,
                                          e.is_stop ? ", stops the run" : "",
                                          e.then.empty() ? "" : ", then " + joined(e.then, ", ")));
        if (!d_.section.empty()) rows.emplace_back("output", "section " + d_.section);
        if (rows.empty()) return;
        out_.heading("Run");
        for (const auto& [label, text] : rows) out_.labelled(label, 11, text);
    }

    static std::string share(std::int64_t part, double whole) {
        return whole > 0 ? fmt::format(" ({:.3g} %)", 100 * static_cast<double>(part) / whole) : "";
    }

    void structure() {
        const Classification& c = d_.classification;
        constexpr std::size_t label = 18;
        const auto n = static_cast<double>(d_.d2f.rows);
        out_.heading("Structure");
        out_.labelled(
            "equations", label,
            fmt::format("{}, from {}", c.n_equations, plural(static_cast<std::size_t>(c.n_templates), "template")));
        out_.labelled(
            "nonzeros of df", label,
            fmt::format("{} of {} x {}{}", d_.df.nonzeros, d_.df.rows, d_.df.columns,
                        share(d_.df.nonzeros, static_cast<double>(d_.df.rows) * static_cast<double>(d_.df.columns))));
        out_.labelled("nonzeros of d2f", label,
                      fmt::format("{} in the lower triangle of {} x {}{}", d_.d2f.nonzeros, d_.d2f.rows, d_.d2f.columns,
                                  share(d_.d2f.nonzeros, n * (n + 1) / 2)));
        operations(label);
        native(label);
    }

    void operations(std::size_t label) {
        const auto row = [&](const char* what, const std::string& code, const std::string& work) {
            out_.verbatim({fmt::format("{}{:>11}   {:>14}", padded(what, label), code, work)});
        };
        const auto numbers = [&](const char* what, const Operations& o) {
            row(what, std::to_string(o.code), std::to_string(o.work));
        };
        out_.blank();
        row("operations", "in the code", "per evaluation");
        numbers("  f", d_.f);
        numbers("  f, df", d_.f_df);
        numbers("  f, df, d2f", d_.f_df_d2f);
    }

    void native(std::size_t label) {
        if (!d_.native) return;
        out_.blank();
        out_.labelled("native code", label,
                      d_.native->is_native ? fmt::format("{} bytes, compiled in {:.1f} ms", d_.native->code_bytes,
                                                         1e3 * d_.native->seconds)
                                           : native_reason());
    }

    std::string native_reason() const {
        constexpr std::string_view prefix = "native code is "; // which the label says
        const std::string& reason = d_.native->reason;
        return reason.starts_with(prefix) ? reason.substr(prefix.size()) : reason;
    }

    const Description& d_;
    const TextOptions& options_;
    TextLayout out_;
};

} // namespace

std::string to_text(const Description& d, const TextOptions& options) {
    return Text(d, options)();
}

} // namespace vessiot
