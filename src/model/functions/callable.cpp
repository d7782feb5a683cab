// Functions of a CallableSystem: what the user gave, and differences for what is missing.
//
//   df        central differences of f, columns in groups
//   d2f       central differences of  df^T mu:  of the user's df, or of the one above
#include "vessiot/callable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/limits.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/functions/callable.hpp"
#include "model/functions/differences.hpp"
#include "model/functions/external.hpp"
#include "model/functions/functions_base.hpp"

namespace vessiot {

namespace {

class CallableFunctions final : public FunctionsBase {
public:
    explicit CallableFunctions(const CallableSystem& system)
        : system_((check_callable(system), system)), n_equations_(vessiot::n_equations(system)),
          names_(coordinate_names(system)) {
        if (!system.f) fail("f is not set; it computes the residual: f(t, z, out)");
        pattern_ = system.pattern ? *system.pattern : SparsePattern::dense(n_equations_, n_coordinates());
    }

    const std::string& name() const override { return system_.name; }
    std::int64_t n_equations() const override { return n_equations_; }
    std::int64_t n_coordinates() const override { return static_cast<std::int64_t>(names_.size()); }
    const std::vector<std::string>& names() const override { return names_; }
    const SparsePattern& df_pattern() override { return pattern_; }
    const SparsePattern& d2f_pattern() override {
        if (second_.column_start.empty()) second_ = second_pattern(pattern_, true);
        return second_;
    }

    void evaluate(double t, std::span<const double> z, std::span<const double> mu, std::span<double> f,
                  std::span<double> df, std::span<double> d2f) override {
        if (!f.empty()) residual(t, z, f);
        if (!df.empty()) jacobian(t, z, df, fine_step);
        if (!d2f.empty()) contraction(t, z, mu, d2f);
    }

    void set_parameter(const std::string& name, std::span<const double>) override { fail_parameter(name); }
    std::vector<double> parameter(const std::string& name) const override { fail_parameter(name); }
    bool is_native() const override { return false; }
    void wait() const override {}

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw InvalidInput(fmt::format("{}: {}", system_.name, message));
    }
    [[noreturn]] void fail_parameter(const std::string& name) const {
        fail(fmt::format("there is no parameter '{}': a callable system keeps what it depends on itself", name));
    }

    // ---- evaluation ----

    void check_size(const char* function, std::size_t found, std::size_t needed) const {
        if (found != needed) fail(fmt::format("{} gave {} instead of {}", function, plural(found, "number"), needed));
    }

    // NOTE: results start as NaN, so that an element that was never set is found.
    void residual(double t, std::span<const double> z, std::span<double> out) {
        std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
        check_size("f", system_.f(t, z, out), out.size());
        if (!system_.check_finite) return;
        for (std::size_t k = 0; k < out.size(); ++k)
            if (!std::isfinite(out[k])) fail_value(fmt::format("equation {}", k + 1), out[k], t, z);
    }

    void user_jacobian(double t, std::span<const double> z, std::span<double> out) {
        std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
        check_size("df", system_.df(t, z, out), out.size());
        if (!system_.check_finite) return;
        for (std::size_t c = 0; c < names_.size(); ++c)
            for (auto k = static_cast<std::size_t>(pattern_.column_start[c]);
                 k < static_cast<std::size_t>(pattern_.column_start[c + 1]); ++k)
                if (!std::isfinite(out[k])) {
                    fail_value(fmt::format("the derivative of equation {} by {}", pattern_.row[k] + 1, names_[c]),
                               out[k], t, z);
                }
    }

    [[noreturn]] void fail_value(const std::string& what, double value, double t, std::span<const double> z) const {
        constexpr std::size_t most = 6;
        std::string point;
        for (std::size_t k = 0; k < std::min(z.size(), most); ++k)
            point += fmt::format(", {} = {:.6g}", names_[k], z[k]);
        if (z.size() > most) point += ", …";
        throw EvaluationFailed(fmt::format("{}: {} is {} at t = {:.6g}{}; it was not set, or has no value there",
                                           system_.name, what, std::isnan(value) ? "not a number" : "infinite", t,
                                           point));
    }

    void jacobian(double t, std::span<const double> z, std::span<double> out, double step) {
        if (system_.df) {
            user_jacobian(t, z, out);
            return;
        }
        Differences& d = step == fine_step ? first(differences_, pattern_, step) : first(coarse_, pattern_, step);
        d([&](std::span<const double> at, std::span<double> values) { residual(t, at, values); }, z, out);
    }

    // The columns of the full matrix by differences of  df(z)^T mu;  their lower parts are kept.
    void contraction(double t, std::span<const double> z, std::span<const double> mu, std::span<double> out) {
        // NOTE: with a df that is a difference itself both steps are eps^(1/4): errors h^2 and eps/h^2 are then alike.
        const double step = system_.df ? fine_step : coarse_step;
        Differences& d = second_differences_
                             ? *second_differences_
                             : second_differences_.emplace(second_pattern(pattern_, false), system_.scale, step);
        entries_.resize(pattern_.row.size());
        full_.resize(d.pattern().row.size());
        const auto gradient = [&](std::span<const double> at, std::span<double> g) {
            jacobian(t, at, entries_, step);
            for (std::size_t c = 0; c < g.size(); ++c) {
                g[c] = 0;
                for (auto k = static_cast<std::size_t>(pattern_.column_start[c]);
                     k < static_cast<std::size_t>(pattern_.column_start[c + 1]); ++k)
                    g[c] += entries_[k] * mu[static_cast<std::size_t>(pattern_.row[k])];
            }
        };
        d(gradient, z, full_);
        std::size_t next = 0;
        for (std::size_t c = 0; c < names_.size(); ++c)
            for (auto k = static_cast<std::size_t>(d.pattern().column_start[c]);
                 k < static_cast<std::size_t>(d.pattern().column_start[c + 1]); ++k)
                if (static_cast<std::size_t>(d.pattern().row[k]) >= c) out[next++] = full_[k];
    }

    Differences& first(std::optional<Differences>& made, const SparsePattern& pattern, double step) {
        return made ? *made : made.emplace(pattern, system_.scale, step);
    }

    CallableSystem system_;
    std::int64_t n_equations_;
    std::vector<std::string> names_;
    SparsePattern pattern_, second_;
    std::optional<Differences> differences_, coarse_, second_differences_;
    std::vector<double> entries_, full_;
};

} // namespace

void check_callable(const CallableSystem& s) {
    if (s.name.empty()) throw InvalidInput("a callable system needs a name, but it is empty; messages carry it");
    const auto fail = [&](const std::string& text) { throw InvalidInput(fmt::format("{}: {}", s.name, text)); };
    if (s.unknowns.empty()) fail("it has no unknowns; set unknowns, for example {{\"x\", 1}}");
    std::set<std::string> known;
    for (const CallableUnknown& u : s.unknowns) {
        if (u.name.empty()) fail("the name of an unknown is empty");
        if (!known.insert(u.name).second) fail(fmt::format("the unknown '{}' is given twice", u.name));
        if (u.order < 0 || u.order > lang::limits::derivative_order)
            fail(fmt::format("the order of '{}' is {}, but it must be from 0 to {}", u.name, u.order,
                             lang::limits::derivative_order));
    }
    if (s.n_equations < 0)
        fail(fmt::format("n_equations = {}, but it must be >= 1 (or 0: as many as unknowns)", s.n_equations));
    const std::vector<std::string> names = coordinate_names(s);
    if (s.f && s.pattern) {
        const SparsePattern& p = *s.pattern;
        if (p.rows != n_equations(s) || p.columns != std::ssize(names))
            fail(fmt::format("the pattern of df is {} x {}, but there are {} equations and {} coordinates", p.rows,
                             p.columns, n_equations(s), names.size()));
        check_pattern(p, s.name + ": the pattern of df");
    }
    if (!s.scale.empty() && s.scale.size() != names.size())
        fail(fmt::format("scale has {} elements, but there are {} coordinates", s.scale.size(), names.size()));
    for (std::size_t k = 0; k < s.scale.size(); ++k)
        if (!(s.scale[k] > 0 && std::isfinite(s.scale[k])))
            fail(fmt::format("the scale of {} is {}, but it must be positive and finite", names[k],
                             lang::number_text(s.scale[k])));
}

std::vector<std::string> coordinate_names(const CallableSystem& system) {
    std::vector<std::string> names;
    for (const CallableUnknown& u : system.unknowns)
        for (int k = 0; k <= u.order; ++k)
            names.push_back(k > 3 ? fmt::format("der({}, {})", u.name, k)
                                  : u.name + std::string(static_cast<std::size_t>(k), '\''));
    return names;
}

std::int64_t n_equations(const CallableSystem& system) {
    return system.n_equations == 0 ? std::ssize(system.unknowns) : system.n_equations;
}

std::unique_ptr<FunctionsBase> make_functions(const CallableSystem& system) {
    return std::make_unique<CallableFunctions>(system);
}

} // namespace vessiot
