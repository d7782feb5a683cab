#include "io/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/number_text.hpp"
#include "projection/kind.hpp"
#include "solve/options/choice.hpp"
#include "system/describe/text_layout.hpp"

namespace vessiot::io {

namespace {

constexpr std::size_t label_width = 13;
constexpr std::size_t line_width = 80;
constexpr std::size_t most_values = 12; // at the end of the run
constexpr std::size_t most_events = 6;
constexpr std::size_t most_variables = 6; // of derivatives
constexpr std::size_t most_notes = 6;

std::string class_text(const std::string& word) {
    if (word == "semi_explicit") return "semi-explicit system";
    if (word == "invariants") return "explicit system with invariants";
    if (word == "lie") return "system on a Lie group";
    return word + " system";
}

std::string count_text(std::int64_t n, std::string_view noun) {
    return plural(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)), noun);
}

std::string seconds_text(double s) {
    return s < 1e-3 ? fmt::format("{:.0f} us", 1e6 * s)
           : s < 1  ? fmt::format("{:.3g} ms", 1e3 * s)
                    : fmt::format("{:.3g} s", s);
}

class Text {
public:
    explicit Text(const Solution& sol) : sol_(sol), out_(false) {}

    std::string operator()(bool has_message) {
        headline();
        manifold();
        method();
        ends();
        run();
        residuals();
        time();
        end();
        sensitivities();
        events();
        for (std::size_t k = 0; k < std::min(sol_.notes.size(), most_notes); ++k) row("note", sol_.notes[k]);
        if (sol_.notes.size() > most_notes)
            row("", fmt::format("… {} more notes; --json has all", sol_.notes.size() - most_notes));
        const bool says_it = sol_.status == Status::success || sol_.message.starts_with(name(sol_.status));
        if (has_message) row("result", says_it ? sol_.message : fmt::format("{}: {}", name(sol_.status), sol_.message));
        return out_.finish();
    }

private:
    void row(std::string_view label, const std::string& text) { out_.labelled(label, label_width, text); }

    void headline() {
        const SystemSummary& s = sol_.system;
        out_.heading(fmt::format("{}: {}, order {}, index {}, {}, {}", sol_.model, class_text(s.system_class), s.order,
                                 s.index, count_text(s.unknowns, "unknown"), count_text(s.equations, "equation")));
    }

    void manifold() {
        const SystemSummary& s = sol_.system;
        const std::string freedom = s.degrees_of_freedom == 1
                                        ? "1 degree of freedom"
                                        : fmt::format("{} degrees of freedom", s.degrees_of_freedom);
        row("manifold", fmt::format("dimension {}, {}, {}", s.manifold_dimension, freedom,
                                    s.hidden_constraints == 0 ? "no hidden constraints"
                                                              : count_text(s.hidden_constraints, "hidden constraint")));
    }

    void method() {
        const MethodSummary& m = sol_.method;
        const std::string_view when = m.project == word(Projected::stages)      ? ", at every stage"
                                      : m.project == word(Projected::symmetric) ? ", symmetric"
                                                                                : "";
        const ProjectionKind* kind = projection_table().find(m.projection);
        row("method", fmt::format("{} (order {}), direction {}, projection {}{}{}{}", m.name, m.order, m.distribution,
                                  m.projection, kind && !kind->can.projects ? "" : when,
                                  m.parametrisation == word(Parametrisation::time) ? "" : ", " + m.parametrisation,
                                  m.precision == word(Precision::double_) ? "" : ", " + m.precision));
        if (m.choice.find(';') != std::string::npos || m.choice.find("not stiff") == std::string::npos)
            if (!m.choice.empty()) row("choice", m.choice);
        if (m.step > 0)
            row("step", lang::number_text(m.step) + ", constant");
        else
            row("tolerances", fmt::format("rtol {}, atol {}", lang::number_text(m.rtol), lang::number_text(m.atol)));
    }

    // What the conditions at both ends asked for, and what was found.
    void ends() {
        const EndsSummary& e = sol_.ends;
        if (e.intervals == 0) return;
        row("ends",
            fmt::format("{} for {}, {} by {} over {}{}", count_text(e.conditions, "condition"),
                        count_text(e.unknowns, "unknown"), count_text(e.iterations, "iteration"),
                        count_text(e.runs, "run"), count_text(e.intervals, "interval"),
                        e.homotopy_steps > 0 ? fmt::format(", {} of the homotopy", count_text(e.homotopy_steps, "step"))
                                             : ""));
        std::vector<std::string> texts;
        for (const std::vector<EndsSummary::Value>* list : {&e.parameters, &e.start})
            for (const EndsSummary::Value& v : *list) texts.push_back(fmt::format("{} = {:.10g}", v.name, v.value));
        if (texts.size() > most_values) {
            texts.resize(most_values);
            texts.emplace_back("…");
        }
        values("found", fmt::format("error about {:.1g} of the tolerances", e.error), texts);
        texts.clear();
        for (const EndsSummary::Multiplier& m : e.multipliers)
            texts.push_back(
                fmt::format("{:.10g}{}{}", m.re,
                            m.im == 0 ? "" : fmt::format(" {} {:.10g} i", m.im < 0 ? "-" : "+", std::abs(m.im)),
                            m.trivial.empty() ? "" : " (trivial)"));
        if (!texts.empty()) values("multipliers", "of one period", texts);
    }

    void run() {
        const Stats& s = sol_.stats;
        std::string text = fmt::format("{}, and {} rejected", s.steps, s.rejected);
        std::string causes;
        const auto add = [&](std::int64_t n, std::string_view cause) {
            if (n > 0) causes += fmt::format("{}{} by {}", causes.empty() ? "" : ", ", n, cause);
        };
        add(s.rejected_error, "error");
        add(s.rejected_projection, "projection");
        add(s.rejected_direction, "direction");
        add(s.rejected_iteration, "iteration");
        if (!causes.empty()) text += " (" + causes + ")";
        row("steps", text);
        text = count_text(s.direction_evaluations, "direction");
        if (s.projections > 0)
            text += fmt::format(", {} of {:.2f} iterations", count_text(s.projections, "projection"), s.newton_mean());
        if (s.stage_iterations > 0)
            text += fmt::format(", {} for the stages, {}, {}", count_text(s.stage_iterations, "iteration"),
                                count_text(s.jacobian_evaluations, "Jacobian"),
                                count_text(s.factorisations, "factorisation"));
        row("work", text);
    }

    void residuals() {
        const SystemSummary& s = sol_.system;
        const bool has_constraints = sol_.constraint_residual_absolute > 0 || s.index > 0 || s.hidden_constraints > 0 ||
                                     s.equations > s.unknowns;
        if (has_constraints) {
            row("residual", fmt::format("{:.1e} of the constraints (absolute {:.1e})", sol_.constraint_residual_max,
                                        sol_.constraint_residual_absolute));
        }
        if (s.invariants > 0) row("invariants", fmt::format("{:.1e} off at most", sol_.invariant_drift_max));
    }

    void time() {
        const Seconds& s = sol_.stats.seconds;
        std::string text = fmt::format("{} in all, {} for the steps", seconds_text(s.total), seconds_text(s.integrate));
        if (s.compile > 0) text += fmt::format(", {} for native code", seconds_text(s.compile));
        row("time", text);
    }

    std::vector<std::string> values_text(std::span<const double> values) const {
        std::vector<std::string> texts;
        for (std::size_t j = 0; j < std::min(values.size(), most_values); ++j)
            texts.push_back(std::isnan(values[j]) ? sol_.names[j] + " not determined"
                                                  : fmt::format("{} = {:.9g}", sol_.names[j], values[j]));
        if (values.size() > most_values) texts.push_back(fmt::format("… {} more", values.size() - most_values));
        return texts;
    }

    void end() {
        if (sol_.t.empty()) return;
        std::string text = fmt::format("{} = {:.9g}", sol_.independent, sol_.t.back());
        if (!sol_.s.empty()) text += fmt::format(", s = {:.9g}", sol_.s.back());
        text += fmt::format(", one of {} reported", std::max(sol_.n_points, std::ssize(sol_.t)));
        values("last point", text, values_text(sol_.row(sol_.t.size() - 1)));
    }

    // A line of text, and values below it, none of them broken.
    void values(std::string_view label, std::string text, const std::vector<std::string>& texts) {
        std::size_t column = line_width; // they begin on a line of their own
        for (const std::string& value : texts) {
            column += 3 + text_width(value);
            const bool is_new_line = column > line_width - 2 - label_width;
            if (is_new_line) column = text_width(value);
            text += (is_new_line ? "\n" + std::string(2 + label_width, ' ') : "   ") + value;
        }
        out_.verbatim({padded(std::string(label), label_width) + text});
    }

    // At the last point, for each variable lines of its own.
    void sensitivities() {
        if (sol_.t.empty()) return;
        const std::size_t n = sol_.names.size(), m = sol_.sensitivity_names.size();
        for (std::size_t j = 0; j < std::min(m, most_variables); ++j) {
            const double* row = sol_.sensitivities.data() + ((sol_.t.size() - 1) * m + j) * n;
            std::vector<std::string> texts;
            for (std::size_t k = 0; k < std::min(n, most_values); ++k)
                texts.push_back(fmt::format("{} = {:.6g}", sol_.names[k], row[k]));
            if (n > most_values) texts.push_back(fmt::format("… {} more", n - most_values));
            values(j == 0 ? "derivatives" : "", fmt::format("by {}", sol_.sensitivity_names[j]), texts);
        }
        if (m > most_variables) row("", fmt::format("by {} more", m - most_variables));
    }

    // The times of each event, under its name.
    void events() {
        if (!sol_.section.empty())
            row("section",
                fmt::format("{} of {}", plural(static_cast<std::size_t>(sol_.n_points), "crossing"), sol_.section));
        std::vector<std::string> names;
        for (const EventPoint& e : sol_.events)
            if (names.size() < most_events && std::ranges::find(names, e.name) == names.end()) names.push_back(e.name);
        for (const std::string& name : names) {
            std::vector<std::string> times;
            std::size_t n = 0;
            for (const EventPoint& e : sol_.events)
                if (e.name == name && ++n <= most_events) times.push_back(fmt::format("{:.6g}", e.t));
            if (n > most_events) times.push_back(fmt::format("… {} more", n - most_events));
            row(name == names[0] ? "events" : "", fmt::format("{} at {}", name, joined(times, ", ")));
        }
    }

    const Solution& sol_;
    TextLayout out_;
};

} // namespace

std::string summary_text(const Solution& solution, bool has_message) {
    return Text(solution)(has_message);
}

} // namespace vessiot::io

namespace vessiot {

std::string Solution::summary() const {
    return io::summary_text(*this, true);
}

} // namespace vessiot
