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

#include "lang/syntax/limits.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/differences.hpp"
#include "model/functions_base.hpp"

namespace vessiot {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

class CallableFunctions final : public FunctionsBase {
public:
    explicit CallableFunctions(const CallableSystem& system) : system_(system) {
        check_names();
        n_equations_ =
            system_.n_equations == 0 ? static_cast<std::int64_t>(system_.unknowns.size()) : system_.n_equations;
        if (n_equations_ < 0)
            fail(fmt::format("n_equations = {}, but it must be >= 1 (or 0: as many as unknowns)", n_equations_));
        check_pattern();
        check_scale();
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
        if (!df.empty()) jacobian(t, z, df, std::cbrt(eps));
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

    void check_names() {
        if (system_.name.empty())
            throw InvalidInput("a callable system needs a name, but it is empty; messages carry it");
        if (!system_.f) fail("f is not set; it computes the residual: f(t, z, out)");
        if (system_.unknowns.empty()) fail("it has no unknowns; set unknowns, for example {{\"x\", 1}}");
        std::set<std::string> known;
        for (const CallableUnknown& u : system_.unknowns) {
            if (u.name.empty()) fail("the name of an unknown is empty");
            if (!known.insert(u.name).second) fail(fmt::format("the unknown '{}' is given twice", u.name));
            if (u.order < 0 || u.order > lang::limits::derivative_order) {
                fail(fmt::format("the order of '{}' is {}, but it must be from 0 to {}", u.name, u.order,
                                 lang::limits::derivative_order));
            }
            for (int k = 0; k <= u.order; ++k)
                names_.push_back(k > 3 ? fmt::format("der({}, {})", u.name, k)
                                       : u.name + std::string(static_cast<std::size_t>(k), '\''));
        }
    }

    void check_pattern() {
        if (!system_.pattern) {
            pattern_ = SparsePattern::dense(n_equations_, n_coordinates());
            return;
        }
        const SparsePattern& p = *system_.pattern;
        if (p.rows != n_equations_ || p.columns != n_coordinates()) {
            fail(fmt::format("the pattern of df is {} x {}, but there are {} equations and {} coordinates", p.rows,
                             p.columns, n_equations_, n_coordinates()));
        }
        bool is_good = static_cast<std::int64_t>(p.column_start.size()) == p.columns + 1 &&
                       p.column_start.front() == 0 && p.column_start.back() == p.n_entries() &&
                       std::ranges::is_sorted(p.column_start);
        for (std::size_t c = 0; is_good && c + 1 < p.column_start.size(); ++c)
            for (std::int64_t k = p.column_start[c]; k < p.column_start[c + 1]; ++k) {
                const std::int32_t row = p.row[static_cast<std::size_t>(k)];
                const bool is_ascending = k == p.column_start[c] || p.row[static_cast<std::size_t>(k) - 1] < row;
                is_good &= row >= 0 && row < p.rows && is_ascending;
            }
        if (!is_good) {
            fail("the pattern of df is not in compressed columns with ascending rows; SparsePattern::from_entries "
                 "makes it "
                 "from rows and columns");
        }
        pattern_ = p;
    }

    void check_scale() {
        if (!system_.scale.empty() && system_.scale.size() != names_.size()) {
            fail(fmt::format("scale has {} elements, but there are {} coordinates", system_.scale.size(),
                             names_.size()));
        }
        for (std::size_t k = 0; k < system_.scale.size(); ++k)
            if (!(system_.scale[k] > 0 && std::isfinite(system_.scale[k]))) {
                fail(fmt::format("the scale of {} is {}, but it must be positive and finite", names_[k],
                                 lang::number_text(system_.scale[k])));
            }
    }

    // ---- evaluation ----

    // NOTE: results start as NaN, so that an element that was never set is found.
    void residual(double t, std::span<const double> z, std::span<double> out) {
        std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
        system_.f(t, z, out);
        if (!system_.check_finite) return;
        for (std::size_t k = 0; k < out.size(); ++k)
            if (!std::isfinite(out[k])) fail_value(fmt::format("equation {}", k + 1), out[k], t, z);
    }

    void user_jacobian(double t, std::span<const double> z, std::span<double> out) {
        std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
        system_.df(t, z, out);
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
        Differences& d = step == std::cbrt(eps) ? first(differences_, pattern_, step) : first(coarse_, pattern_, step);
        d([&](std::span<const double> at, std::span<double> values) { residual(t, at, values); }, z, out);
    }

    // The columns of the full matrix by differences of  df(z)^T mu;  their lower parts are kept.
    void contraction(double t, std::span<const double> z, std::span<const double> mu, std::span<double> out) {
        // NOTE: with a df that is a difference itself both steps are eps^(1/4): errors h^2 and eps/h^2 are then alike.
        const double step = system_.df ? std::cbrt(eps) : std::pow(eps, 0.25);
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
    std::int64_t n_equations_ = 0;
    std::vector<std::string> names_;
    SparsePattern pattern_, second_;
    std::optional<Differences> differences_, coarse_, second_differences_;
    std::vector<double> entries_, full_;
};

} // namespace

std::unique_ptr<FunctionsBase> make_functions(const CallableSystem& system) {
    return std::make_unique<CallableFunctions>(system);
}

} // namespace vessiot
