// A solution as one JSON object; its keys are described in docs/solve.md. The arrays are written straight from the
// solution, column by column, since they can be long.
#include <cmath>

#include <nlohmann/json.hpp>

#include "io/json.hpp"
#include "solution/output_file.hpp"

namespace vessiot {

namespace {

// Bytes that are not UTF-8 (from a file name, say) are replaced.
std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
public:
    Writer(const Solution& sol, io::TextWriter& out) : sol_(sol), out_(out) {}

    void operator()() {
        out_ << "{\n";
        key("model") << json_text(sol_.model);
        key("status") << json_text(name(sol_.status));
        key("message") << json_text(sol_.message);
        start();
        notes();
        system();
        method();
        if (sol_.ends.intervals > 0 || !sol_.ends.residuals.empty()) ends();
        points();
        events();
        number("constraint_residual_max", sol_.constraint_residual_max);
        number("constraint_residual_absolute", sol_.constraint_residual_absolute);
        number("invariant_drift_max", sol_.invariant_drift_max);
        stats();
        out_ << "\n}\n";
    }

private:
    // Of the next value, at the current depth: on a line of its own at the top, behind the last one below.
    io::TextWriter& key(std::string_view text) {
        if (!is_first_) out_ << (depth_ == 0 ? ",\n" : ", ");
        if (depth_ == 0) out_ << "  ";
        is_first_ = false;
        out_ << json_text(text) << ": ";
        return out_;
    }
    void open(std::string_view text) {
        key(text) << "{";
        ++depth_;
        is_first_ = true;
    }
    void close() {
        --depth_;
        is_first_ = false;
        out_ << "}";
    }

    // NOTE: 1 is written as 1.0, so that readers which tell integers from other numbers see one type; -0.0 keeps its
    // sign only so.
    void value(double x) {
        if (!std::isfinite(x)) {
            out_ << "null";
            return;
        }
        number_.clear();
        io::append_number(number_, x);
        if (number_.find_first_of(".e") == std::string::npos) number_ += ".0";
        out_ << number_;
    }
    void number(std::string_view name, double x) {
        key(name);
        value(x);
    }
    void count(std::string_view name, std::int64_t n) { key(name) << std::to_string(n); }
    void text(std::string_view name, std::string_view t) { key(name) << json_text(t); }

    // n numbers, `stride` apart.
    void array(std::string_view name, const std::vector<double>& from, std::size_t first, std::size_t stride,
               std::size_t n) {
        key(name) << "[";
        for (std::size_t k = 0; k < n; ++k) {
            if (k > 0) out_ << ", ";
            value(from[first + k * stride]);
        }
        out_ << "]";
    }

    void columns(std::string_view name, const std::vector<std::string>& names, const std::vector<double>& from) {
        open(name);
        for (std::size_t j = 0; j < names.size(); ++j) {
            out_ << (j == 0 ? "\n    " : ",\n    ");
            is_first_ = true;
            array(names[j], from, j, names.size(), sol_.t.size());
        }
        if (!names.empty()) out_ << "\n  ";
        close();
    }

    void start() {
        open("start");
        key("violated") << "[";
        for (std::size_t k = 0; k < sol_.start.violations.size(); ++k) {
            const StartReport::Violation& v = sol_.start.violations[k];
            out_ << (k > 0 ? ",\n      {" : "\n      {");
            is_first_ = true;
            text("equation", v.equation);
            count("derivative", v.derivative);
            key("hidden") << (v.is_hidden ? "true" : "false");
            number("residual", v.residual);
            out_ << "}";
        }
        out_ << "]";
        is_first_ = false;
        key("moved") << "[";
        for (std::size_t k = 0; k < sol_.start.moves.size(); ++k) {
            const StartReport::Move& m = sol_.start.moves[k];
            out_ << (k > 0 ? ",\n      {" : "\n      {");
            is_first_ = true;
            text("name", m.name);
            number("from", m.from);
            number("to", m.to);
            out_ << "}";
        }
        out_ << "]";
        is_first_ = false;
        close();
    }

    void notes() {
        key("notes") << "[";
        for (std::size_t k = 0; k < sol_.notes.size(); ++k) out_ << (k > 0 ? ", " : "") << json_text(sol_.notes[k]);
        out_ << "]";
    }

    void system() {
        const SystemSummary& s = sol_.system;
        open("system");
        text("class", s.system_class);
        count("order", s.order);
        count("unknowns", s.unknowns);
        count("equations", s.equations);
        count("hidden_constraints", s.hidden_constraints);
        count("index", s.index);
        count("structural_index", s.structural_index);
        count("degrees_of_freedom", s.degrees_of_freedom);
        count("manifold_dimension", s.manifold_dimension);
        count("invariants", s.invariants);
        close();
    }

    void method() {
        const MethodSummary& m = sol_.method;
        open("method");
        text("name", m.name);
        if (!m.choice.empty()) text("choice", m.choice);
        count("order", m.order);
        text("projection", m.projection);
        text("distribution", m.distribution);
        text("parametrisation", m.parametrisation);
        text("project", m.project);
        text("precision", m.precision);
        number("rtol", m.rtol);
        number("atol", m.atol);
        number("step", m.step > 0 ? m.step : std::nan("")); // null: adaptive
        close();
    }

    // How the conditions at both ends were met.
    void ends() {
        const EndsSummary& e = sol_.ends;
        const auto values = [&](std::string_view word, const std::vector<EndsSummary::Value>& list) {
            open(word);
            for (const EndsSummary::Value& v : list) number(v.name, v.value);
            close();
        };
        open("ends");
        count("intervals", e.intervals);
        count("unknowns", e.unknowns);
        count("conditions", e.conditions);
        count("dependent", e.dependent);
        count("iterations", e.iterations);
        count("runs", e.runs);
        count("homotopy_steps", e.homotopy_steps);
        number("error", e.error);
        values("start", e.start);
        values("parameters", e.parameters);
        open("residuals");
        for (const EndsSummary::Residual& r : e.residuals) number(r.condition, r.residual);
        close();
        if (!e.multipliers.empty()) {
            key("multipliers") << "[";
            for (std::size_t k = 0; k < e.multipliers.size(); ++k) {
                out_ << (k > 0 ? ",\n      {" : "\n      {");
                is_first_ = true;
                number("re", e.multipliers[k].re);
                number("im", e.multipliers[k].im);
                if (!e.multipliers[k].trivial.empty()) text("trivial", e.multipliers[k].trivial);
                out_ << "}";
            }
            out_ << "]";
            is_first_ = false;
        }
        close();
    }

    void points() {
        array("t", sol_.t, 0, 1, sol_.t.size());
        if (!sol_.s.empty()) array("s", sol_.s, 0, 1, sol_.s.size());
        columns("values", sol_.names, sol_.numbers);
        columns("outputs", sol_.output_names, sol_.output_numbers);
        if (!sol_.sensitivity_names.empty()) sensitivities();
    }

    // {"g": {"x": [...], "x'": [...], "E": [...]}, ...}: derivatives of values and outputs, at the same points
    void sensitivities() {
        open("sensitivities");
        for (std::size_t j = 0; j < sol_.sensitivity_names.size(); ++j) {
            out_ << (j == 0 ? "\n    " : ",\n    ");
            is_first_ = true;
            open(sol_.sensitivity_names[j]);
            derivatives(j, sol_.names, sol_.sensitivities);
            derivatives(j, sol_.output_names, sol_.output_sensitivities);
            close();
        }
        out_ << "\n  ";
        close();
    }

    void derivatives(std::size_t variable, const std::vector<std::string>& names, const std::vector<double>& from) {
        const std::size_t n = names.size(), stride = sol_.sensitivity_names.size() * n;
        for (std::size_t k = 0; k < n; ++k) {
            out_ << (is_first_ ? "\n      " : ",\n      ");
            is_first_ = true;
            array(names[k], from, variable * n + k, stride, sol_.t.size());
        }
    }

    void events() {
        key("events") << "[";
        for (std::size_t k = 0; k < sol_.events.size(); ++k) {
            const EventPoint& e = sol_.events[k];
            out_ << (k == 0 ? "\n    {" : ",\n    {");
            ++depth_;
            is_first_ = true;
            text("name", e.name);
            number("t", e.t);
            open("values");
            for (std::size_t j = 0; j < e.values.size(); ++j) number(sol_.names[j], e.values[j]);
            close();
            if (!e.values_after.empty()) {
                open("values_after");
                for (std::size_t j = 0; j < e.values_after.size(); ++j) number(sol_.names[j], e.values_after[j]);
                close();
            }
            if (!e.t_sensitivities.empty()) {
                open("t_sensitivities");
                for (std::size_t j = 0; j < e.t_sensitivities.size(); ++j)
                    number(sol_.sensitivity_names[j], e.t_sensitivities[j]);
                close();
            }
            close();
        }
        out_ << (sol_.events.empty() ? "]" : "\n  ]");
    }

    void stats() {
        const Stats& s = sol_.stats;
        open("stats");
        for (const StatsCount& c : stats_counts) {
            count(c.name, s.*c.at);
            if (c.at == &Stats::newton_iterations) number("newton_mean", s.newton_mean());
        }
        out_ << ",\n            ";
        is_first_ = true;
        open("seconds");
        for (const StatsSeconds& c : stats_seconds) number(c.name, s.seconds.*c.at);
        close();
        close();
    }

    const Solution& sol_;
    io::TextWriter& out_;
    std::string number_;
    int depth_ = 0;
    bool is_first_ = true;
};

} // namespace

void io::write_json(const Solution& solution, TextWriter& out) {
    Writer(solution, out)();
    out.flush();
}

std::string Solution::json() const {
    std::string text;
    io::TextWriter out([&](std::string_view piece) { text += piece; });
    io::write_json(*this, out);
    return text;
}

void Solution::write_json(const std::string& path) const {
    OutputFile file(path);
    io::TextWriter out([&](std::string_view piece) { file.write(piece); });
    io::write_json(*this, out);
    file.finish();
}

} // namespace vessiot
