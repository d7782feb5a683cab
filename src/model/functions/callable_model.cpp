// A system given as functions, as a model: functions that take formulas make them, the others stand in formulas.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "model/functions/callable.hpp"
#include "model/functions/differences.hpp"
#include "vessiot/callable.hpp"

namespace vessiot {

namespace {

// A function of t and numbers, with its derivatives, as one of numbers: t is the first of them where it depends on it.
struct Part {
    std::string name;
    SystemFunction f, df;
    std::optional<SparsePattern> pattern;
    std::int64_t n_results = 1;
};

class Maker {
public:
    explicit Maker(const CallableSystem& system)
        : system_(system), names_(coordinate_names(system)), model_(system.name) {
        for (const CallableUnknown& u : system.unknowns) {
            const Expr unknown = model_.unknown(u.name);
            for (int k = 0; k <= u.order; ++k) {
                all_.push_back(der(unknown, k));
                if (k == u.order && k > 0) continue;
                state_.push_back(all_.back());
                if (!system.scale.empty()) state_scale_.push_back(system.scale.at(all_.size() - 1));
            }
        }
    }

    Model operator()() {
        if (static_cast<bool>(system_.f) == static_cast<bool>(system_.rhs))
            fail(fmt::format(
                "{} set: either f, the residual f(t, z, out) of the equations, or rhs, the highest derivatives "
                "rhs(t, y, out)",
                system_.f ? "both f and rhs are" : "neither f nor rhs is"));
        add_equations();
        add_parts();
        for (const CallableEvent& e : system_.events)
            model_.event(e.name, results({e.name + "_event", e.f, {}, {}, 1}, state_, state_scale_)[0] == 0,
                         {.crossing = e.crossing, .is_stop = e.is_stop});
        for (const auto& [name, value] : system_.start) model_.start(coordinate(name) == value);
        for (const auto& [name, value] : system_.guess) model_.guess(coordinate(name) == value);
        if (system_.to) model_.interval(system_.from, *system_.to);
        return std::move(model_);
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw InvalidInput(fmt::format("{}: {}", system_.name, message));
    }

    void add_equations() {
        if (system_.f) {
            const std::int64_t n = n_equations(system_);
            for (const Expr& e : results({"residual", system_.f, system_.df, system_.pattern, n}, all_, system_.scale))
                model_.equation(e == 0);
            return;
        }
        std::vector<Expr> highest;
        std::size_t at = 0;
        for (const CallableUnknown& u : system_.unknowns) {
            at += static_cast<std::size_t>(u.order) + 1;
            if (u.order > 0) highest.push_back(all_[at - 1]);
        }
        if (highest.empty())
            fail("rhs gives the highest derivatives of unknowns, but all of them have order 0: give f");
        const auto rhs =
            results({"rhs", system_.rhs, system_.df, system_.pattern, std::ssize(highest)}, state_, state_scale_);
        for (std::size_t k = 0; k < highest.size(); ++k) model_.equation(highest[k] == rhs[k]);
    }

    void add_parts() {
        const auto each = [&](const std::optional<CallablePart>& part, const std::string& name, const auto& add) {
            if (!part) return;
            for (const Expr& e : results({name, part->f, part->df, part->pattern, part->n}, state_, state_scale_))
                add(e);
        };
        each(system_.constraints, "constraints", [&](const Expr& e) { model_.equation(e == 0); });
        each(system_.invariants, "invariants", [&](const Expr& e) { model_.invariant(e); });
    }

    Expr coordinate(const std::string& name) const {
        const auto at = std::ranges::find(names_, name);
        if (at != names_.end()) return all_[static_cast<std::size_t>(at - names_.begin())];
        const auto meant = nearest(name, names_);
        fail(fmt::format("a start value or guess names '{}', which is no unknown and no derivative of one{}", name,
                         meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
    }

    // What a function gives, as formulas of these.
    std::vector<Expr> results(const Part& part, const std::vector<Expr>& of, const std::vector<double>& scale) {
        if (!part.f) fail(fmt::format("the function '{}' is not set", part.name));
        if (part.n_results < 1)
            fail(
                fmt::format("the function '{}' has {} results, but at least one is needed", part.name, part.n_results));
        if (part.f.takes_formulas()) {
            std::vector<Expr> out(static_cast<std::size_t>(part.n_results), Expr(0));
            part.f(model_.t(), of, out);
            return out;
        }
        std::vector<Expr> arguments = of;
        if (system_.depends_on_t) arguments.insert(arguments.begin(), model_.t());
        return model_.external(part.name, external(part, std::ssize(of), scale)).all(arguments);
    }

    ExternalFunction external(const Part& part, std::int64_t n, const std::vector<double>& scale) const {
        const bool has_t = system_.depends_on_t;
        ExternalFunction e{.n_arguments = n + (has_t ? 1 : 0), .n_results = part.n_results};
        const auto split = [has_t](std::span<const double> in) {
            return std::pair(has_t ? in[0] : 0.0, in.subspan(has_t ? 1 : 0));
        };
        e.f = VectorFunction::counted([f = part.f, split](std::span<const double> in, std::span<double> out) {
            const auto [t, z] = split(in);
            return f(t, z, out);
        });
        if (part.pattern) e.pattern = has_t ? with_first_column(*part.pattern) : *part.pattern;
        if (!scale.empty()) {
            e.scale = scale;
            if (has_t) e.scale.insert(e.scale.begin(), 1.0);
        }
        if (!part.df) return e;
        const auto rows = static_cast<std::size_t>(has_t ? part.n_results : 0);
        e.df = VectorFunction::counted(
            [f = part.f, df = part.df, split, rows](std::span<const double> in, std::span<double> out) {
                const auto [t, z] = split(in);
                if (rows > 0) by_time(f, t, z, out.first(rows));
                return rows + df(t, z, out.subspan(rows));
            });
        return e;
    }

    static void by_time(const SystemFunction& f, double t, std::span<const double> z, std::span<double> out) {
        static thread_local std::vector<double> back; // so that nothing is allocated in a step
        back.resize(out.size());
        const double h = fine_step * std::max(std::abs(t), 1.0), later = t + h, earlier = t - h;
        f(later, z, out);
        f(earlier, z, back);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = (out[k] - back[k]) / (later - earlier);
    }

    // Everything depends on t.
    static SparsePattern with_first_column(const SparsePattern& p) {
        SparsePattern all{.rows = p.rows, .columns = p.columns + 1, .column_start = {0}, .row = {}};
        for (std::int64_t r = 0; r < p.rows; ++r) all.row.push_back(static_cast<std::int32_t>(r));
        for (const std::int64_t start : p.column_start) all.column_start.push_back(start + p.rows);
        all.row.insert(all.row.end(), p.row.begin(), p.row.end());
        return all;
    }

    const CallableSystem& system_;
    std::vector<std::string> names_;
    Model model_;
    std::vector<Expr> all_, state_; // coordinates: up to the highest derivative, and below it
    std::vector<double> state_scale_;
};

} // namespace

Model make_model(const CallableSystem& system) {
    check_callable(system);
    return Maker(system)();
}

SparsePattern detect_pattern(const SystemFunction& f, std::int64_t n_results, double t, std::span<const double> z) {
    std::vector<double> moved(z.begin(), z.end()), out(static_cast<std::size_t>(n_results));
    std::vector<std::pair<std::int64_t, std::int64_t>> entries;
    const auto evaluate = [&] {
        std::ranges::fill(out, 0.0);
        const std::size_t n = f(t, moved, out);
        if (n != out.size())
            throw InvalidInput(
                fmt::format("a function gave {} numbers, but its pattern of {} was asked for", n, n_results));
    };
    evaluate();
    for (std::size_t k = 0; k < out.size(); ++k)
        if (std::isnan(out[k]))
            throw InvalidInput(
                fmt::format("result {} of a function has no value at the point where its pattern is looked "
                            "for: take another point",
                            k + 1));
    for (std::size_t c = 0; c < moved.size(); ++c) {
        moved[c] = std::numeric_limits<double>::quiet_NaN();
        evaluate();
        moved[c] = z[c];
        for (std::size_t k = 0; k < out.size(); ++k)
            if (std::isnan(out[k])) entries.emplace_back(k, c);
    }
    return SparsePattern::from_entries(n_results, std::ssize(z), std::move(entries));
}

} // namespace vessiot
