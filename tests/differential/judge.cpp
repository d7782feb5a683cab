#include "differential/judge.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "vessiot/model.hpp"

namespace vessiot::differential {
namespace {

Solution solve_text(const std::string& text, const SolveOptions& options) {
    return solve(Model::parse(text, "system.ves"), options);
}

// Where the solution jumps or bends: values there, or an error of a location beside it, say nothing. Rough tolerances
// locate roughly.
double reach_of_break(double tolerance) {
    return std::min(1e-9 + 1e4 * tolerance, std::max(1e-2, 20 * tolerance));
}
bool is_at_break(const System& system, double t, double near) {
    return std::ranges::any_of(system.breaks, [&](double at) { return std::fabs(t - at) < near; });
}

// By how much events come too early or too late; events that are missing are not counted.
double lateness(const System& system, const Solution& solution) {
    double worst = 0;
    for (const Event& event : system.events) {
        std::size_t n = 0;
        for (const EventPoint& point : solution.events)
            if (point.name == event.name && n < event.times.size())
                worst = std::max(worst, std::fabs(point.t - event.times[n++]));
    }
    return worst;
}

class Comparison {
public:
    Comparison(const System& system, const Solution& solution) : system_(system), solution_(solution) {
        for (const std::string& name : solution.names) known_.push_back(solution_of(system, name));
        for (const Formula& f : known_)
            for (int k = 0; f && k <= 20; ++k) {
                const double t = system.from + (system.to - system.from) * k / 20;
                scale_ = std::max(scale_, std::fabs(evaluate(f, {.t = t})));
            }
        tolerance_ = solution.method.atol + solution.method.rtol * scale_;
        near_ = reach_of_break(tolerance_);
    }

    // Of constant steps: an event comes as late as their error says, and values in between are those of the other side.
    void leave_out_late_events() { near_ = std::max(near_, 1.5 * lateness(system_, solution_)); }

    // In units of the tolerance: of all points, and of some between the steps.
    double error() {
        for (std::size_t k = 0; k < solution_.t.size(); ++k) look(solution_.t[k], solution_.row(k));
        return worst_ / tolerance_;
    }
    double error_between() {
        const bool is_time = solution_.method.parametrisation == "time";
        for (int k = 1; is_time && k < 8; ++k) {
            const double t = system_.from + (system_.to - system_.from) * (k - 0.43) / 8;
            look(t, solution_(t));
        }
        return worst_ / tolerance_;
    }
    double relative_error() const { return worst_ / scale_; }
    const std::string& where() const { return where_; }
    double tolerance() const { return tolerance_; }

private:
    void look(double t, std::span<const double> row) {
        if (is_at_break(system_, t, near_)) return;
        for (std::size_t c = 0; c < known_.size(); ++c) {
            if (!known_[c]) continue;
            const double right = evaluate(known_[c], {.t = t}), error = std::fabs(row[c] - right);
            if (error <= worst_) continue; // and not: error > worst, which nan is not
            worst_ = std::isnan(error) ? HUGE_VAL : error;
            where_ = fmt::format("{}({}) = {:.12g}, right is {:.12g}", solution_.names[c], t, row[c], right);
        }
    }

    const System& system_;
    const Solution& solution_;
    std::vector<Formula> known_;
    double scale_ = 1, tolerance_ = 0, near_ = 0, worst_ = 0;
    std::string where_;
};

// The largest change of any value, for a disturbance of 1; nothing where a run does not come to its end. In both
// directions: a curve that touches a level, or another curve, is changed by one of them only.
std::optional<double> measured_growth(const System& system) {
    constexpr double size = 1e-5;
    SolveOptions options{.rtol = 1e-10, .atol = 1e-11, .max_steps = 100'000, .throw_on_failure = false};
    options.backend = "interpreter";
    options.every = std::fabs(system.to - system.from) / 20;
    try {
        const Solution plain = solve_text(model_text(system), options);
        if (plain.status != Status::success) return std::nullopt;
        double growth = 1;
        for (const Disturbance& disturbance : {Disturbance{.start = size}, Disturbance{.start = -size},
                                               Disturbance{.equations = size}, Disturbance{.equations = -size}}) {
            const Solution other = solve_text(model_text(system, disturbance), options);
            if (other.status != Status::success || other.numbers.size() != plain.numbers.size()) return std::nullopt;
            for (std::size_t k = 0; k < other.numbers.size(); ++k)
                if (!is_at_break(system, plain.t[k / plain.names.size()], reach_of_break(size)))
                    growth = std::max(growth, std::fabs(other.numbers[k] - plain.numbers[k]) / size);
        }
        return growth;
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

Outcome judge_error(const System& system, const Solution& solution, const SolveOptions& options) {
    Comparison comparison(system, solution);
    // points that were asked for lie between the steps
    const bool is_between = options.every > 0 || comparison.error() <= allowed_error;
    const double error = is_between ? comparison.error_between() : comparison.error();
    if (error <= allowed_error) return {};
    const std::optional<double> growth = measured_growth(system);
    const std::string detail =
        fmt::format("{}: {:.3g} tolerances, growth {:.3g}", comparison.where(), error, growth.value_or(NAN));
    if (!growth || *growth > largest_growth) return {Verdict::unclear, "growth", detail};
    if (error <= allowed_error * *growth) return {};
    return {Verdict::wrong, is_between ? "between" : "error", detail};
}

// Constant steps have no tolerance, but errors get smaller with them: below the first one, if not with a quarter then
// with a quarter of that, and so on. Where the first one is small by accident (terms of order 1 that cancel, far from
// the limit), to less than a half twice in a row: so does order 1, but nothing that goes up and down.
Outcome judge_constant_steps(const System& system, const Solution& solution, SolveOptions options) {
    const auto measured = [&](const Solution& of) {
        Comparison comparison(system, of);
        comparison.leave_out_late_events();
        comparison.error();
        return std::pair(comparison.relative_error(), comparison.where());
    };
    const double coarse = measured(solution).first;
    std::pair<double, std::string> fine;
    bool was_halved = false;
    constexpr int refinements = 5;
    for (int k = 0; k < refinements; ++k) {
        const double before = fine.first;
        *options.step /= 4;
        *options.max_steps *= 4;
        const Solution finer = solve_text(model_text(system), options);
        if (finer.status != Status::success) return {};
        fine = measured(finer);
        // NOTE: far from it a method is unstable with this step, and more steps make that worse
        const bool is_halved = k > 0 && fine.first < 0.5 * before;
        if (coarse > 0.5 || fine.first < 1e-3 || fine.first < 0.7 * coarse || (is_halved && was_halved)) return {};
        was_halved = is_halved;
    }
    return {Verdict::wrong, "error",
            fmt::format("{}: with a {}th of the step {:.3g}, with the step {:.3g}", fine.second, 1 << (2 * refinements),
                        fine.first, coarse)};
}

// Every time that is known is met once, and no other.
Outcome judge_events(const System& system, const Solution& solution, double tolerance) {
    const double near = 1e-9 + allowed_error * tolerance; // speeds are of size 1
    for (const Event& event : system.events) {
        if (event.every > 0) continue;
        std::vector<double> met;
        for (const EventPoint& point : solution.events)
            if (point.name == event.name) met.push_back(point.t);
        bool is_same = met.size() == event.times.size();
        for (std::size_t k = 0; is_same && k < met.size(); ++k) is_same = std::fabs(met[k] - event.times[k]) < near;
        if (!is_same)
            return {Verdict::wrong, "events",
                    fmt::format("{} is met {} times, the first at {}; right is {}", event.name, met.size(),
                                met.empty() ? NAN : met[0], event.times[0])};
    }
    return {};
}

Outcome judge_backend(const System& system, const Solution& native, SolveOptions options) {
    options.backend = "interpreter";
    const Solution other = solve_text(model_text(system), options);
    const bool is_same =
        other.t.size() == native.t.size() && other.numbers.size() == native.numbers.size() &&
        std::memcmp(other.t.data(), native.t.data(), native.t.size() * sizeof(double)) == 0 &&
        std::memcmp(other.numbers.data(), native.numbers.data(), native.numbers.size() * sizeof(double)) == 0;
    if (is_same) return {};
    return {Verdict::wrong, "backend",
            fmt::format("native code and interpreter differ; {} and {} points", native.t.size(), other.t.size())};
}

std::string all_words(const Solution& solution) {
    std::string text = solution.message + "\n" + solution.summary();
    for (const std::string& note : solution.notes) text += "\n" + note;
    return text;
}

Outcome judge_success(const System& system, const Solution& solution, const SolveOptions& options) {
    const std::string& projection = solution.method.projection;
    // one step of Newton's method, or none, does not lead onto the constraints
    const bool is_projected = projection != "none" && projection != "post";
    if (is_projected && !(solution.constraint_residual_max <= allowed_residual))
        return {Verdict::wrong, "residual", fmt::format("residual {:.3g}", solution.constraint_residual_max)};
    Outcome result =
        options.step > 0 ? judge_constant_steps(system, solution, options) : judge_error(system, solution, options);
    if (result.verdict == Verdict::solved && !(options.step > 0))
        result = judge_events(system, solution, Comparison(system, solution).tolerance());
    if (result.verdict == Verdict::solved && options.backend == "jit")
        result = judge_backend(system, solution, options);
    return result;
}

} // namespace

Outcome judge(const System& system, const RunOptions& run) {
    return judge_text(system, run, model_text(system));
}

Outcome judge_text(const System& system, const RunOptions& run, const std::string& text) {
    try {
        const SolveOptions options = options_of(run);
        const Solution solution = solve_text(text, options);
        if (const std::string word = internal_word(all_words(solution)); !word.empty())
            return {Verdict::wrong, "words", fmt::format("'{}' in: {}", word, solution.message)};
        if (solution.status != Status::success) return {Verdict::failed, kind_of(solution.message), solution.message};
        return judge_success(system, solution, options);
    } catch (const InvalidInput& e) {
        if (const std::string word = internal_word(e.what()); !word.empty())
            return {Verdict::wrong, "words", fmt::format("'{}' in: {}", word, e.what())};
        return {Verdict::refused, kind_of(e.what()), e.what()};
    } catch (const std::exception& e) {
        return {Verdict::wrong, "exception", e.what()};
    }
}

std::string internal_word(const std::string& message) {
    static constexpr std::array<std::string_view, 15> words{"buffer",  "assert", "std::",    "internal", "nan",
                                                            "prolong", "pivot",  "vector::", "_M_",      "null",
                                                            "0x",      "bad_",   "basic_st", "logic_",   "operand"};
    for (const std::string_view word : words)
        for (std::size_t at = message.find(word); at != message.npos; at = message.find(word, at + 1)) {
            const bool is_begin = at == 0 || !std::isalnum(static_cast<unsigned char>(message[at - 1]));
            const std::size_t end = at + word.size();
            const bool is_short = word == "nan" || word == "null";
            const bool is_end = end >= message.size() || !std::isalnum(static_cast<unsigned char>(message[end]));
            if (is_begin && (!is_short || is_end)) return std::string(word);
        }
    return "";
}

std::string kind_of(const std::string& message) {
    std::string result;
    bool is_quoted = false;
    for (std::size_t k = 0; k < message.size() && message[k] != '\n'; ++k) {
        const char c = message[k];
        if (c == '\'' && !is_quoted && (k == 0 || message[k - 1] == ' ')) {
            is_quoted = true;
            result += "'…";
        } else if (is_quoted) {
            const char next = k + 1 < message.size() ? message[k + 1] : ' ';
            if (c == '\'' && next != c && !std::isalnum(static_cast<unsigned char>(next))) { // and no prime
                is_quoted = false;
                result += c;
            }
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            if (!result.ends_with('#')) result += '#';
        } else if (!(result.ends_with('#') && (c == '.' || c == 'e' || c == '-'))) {
            result += c;
        }
    }
    return result.substr(0, 110);
}

} // namespace vessiot::differential
