#include "reproduce/papers/liu_claims.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduce/papers/liu_settings.hpp"

namespace vessiot::reproduce::liu_runs {

namespace {

// The run, or nothing where it ended early, which the finding then says.
const Solution* tried(Runner& runner, const RunSetting& setting, Finding& finding) {
    const Solution& s = runner.run(setting);
    if (s.status == Status::success) return &s;
    finding = {Standing::not_computed, s.message};
    return nullptr;
}

Claim spiral_claim() {
    return {"4.1, figures 2 and 3", "the orbits of the group preserving scheme spiral out", [](Runner& runner) {
                Finding finding;
                const Solution* s = tried(runner, lotka_volterra("gps", "0.01"), finding);
                if (!s) return finding;
                const std::vector<double> h = s->column("H");
                return Finding{holds_if(h.back() < h.front()),
                               fmt::format("From the centre, where H is largest, it falls from {:.4f} to {:.4f} at "
                                           "t = 20 with h = 0.01.",
                                           h.front(), h.back())};
            }};
}

Claim tangent_claim() {
    return {"3, (18)", "the length X0 is found from the constraint by Newton's method", [](Runner& runner) {
                Finding finding;
                const Solution* tight = tried(runner, lotka_volterra("mgps", "0.01"), finding);
                const Solution* gradient = tight ? tried(runner, lotka_volterra("hmgps", "0.01"), finding) : nullptr;
                if (!gradient) return finding;
                return Finding{
                    holds_if(tight->stats.fallbacks == 0),
                    fmt::format(
                        "Where n.grad H = 0 the ray is tangent to the level set, in example 1 on the line "
                        "x + y = 2, which is crossed twice in a period. Solved to round-off with h = 0.01, {} of {} "
                        "steps have no length, or none near, and are projected orthogonally; with rays of grad H "
                        "(Hamiltonian MGPS) {} of {}.",
                        tight->stats.fallbacks, tight->stats.projections, gradient->stats.fallbacks,
                        gradient->stats.projections)};
            }};
}

Claim index2_claim() {
    return {
        "4.4, Table 1", "MRK4 is two orders more accurate than the others because it keeps the constraint",
        [](Runner& runner) {
            Finding finding;
            const Solution* rays = tried(runner, index2("mrk4", "1e-4"), finding);
            const Solution* plain = rays ? tried(runner, index2("rk4", "1e-4"), finding) : nullptr;
            if (!plain) return finding;
            const double a = std::abs(rays->column("e1").back()), b = std::abs(plain->column("e1").back());
            return Finding{
                holds_if(b > 2 * a),
                fmt::format("With h = 1e-4 the error of u1 is {:.2e} with MRK4 and {:.2e} with RK4 alone, which keeps "
                            "no constraint.",
                            a, b)};
        }};
}

Claim index3_claim() {
    return {
        "4.5, figure 9", "MRK4 gives accurate results for the system of index 3", [](Runner& runner) {
            Finding finding;
            const Solution* rays = tried(runner, index3("mrk4"), finding);
            const Solution* plain = rays ? tried(runner, index3("rk4"), finding) : nullptr;
            const Solution* first = plain ? tried(runner, index3("mgps"), finding) : nullptr;
            if (!first) return finding;
            return Finding{
                holds_if(largest(*rays, "e1") < largest(*plain, "e1")),
                fmt::format("With h = 0.005 up to t = 5 the error of u1 is {:.1e}, that of RK4 alone {:.1e}, that of "
                            "MGPS {:.1f}. Only positions are constrained: the velocities leave dot(u, u') = 0 by "
                            "{:.1e}, those of RK4 by {:.1e}.",
                            largest(*rays, "e1"), largest(*plain, "e1"), largest(*first, "e1"), largest(*rays, "uv"),
                            largest(*plain, "uv"))};
        }};
}

Claim top_claim() {
    return {"7.1, figures 10 and 11", "schemes with two constraints keep energy and momentum of the rigid body",
            [](Runner& runner) {
                Finding finding;
                const Solution* first = tried(runner, top("mgps", true), finding);
                const Solution* fourth = first ? tried(runner, top("mrk4", true), finding) : nullptr;
                const Solution* one = fourth ? tried(runner, top("mgps", false), finding) : nullptr;
                if (!one) return finding;
                const auto text = [](const Solution& s) {
                    return fmt::format("{:.1e} and {:.1e}, error of P1 {:.1e}", drift(s, "H"), drift(s, "C"),
                                       largest(s, "e1"));
                };
                return Finding{holds_if(drift(*first, "C") < 1e-14 && drift(*fourth, "C") < 1e-14),
                               fmt::format("With h = 0.001 up to t = 20 they change by {} (MGPS), {} (MRK4); with the "
                                           "energy alone by {} (MGPS).",
                                           text(*first), text(*fourth), text(*one))};
            }};
}

Claim reactor_claim() {
    return {
        "7.2, figure 12", "MRK4 with four constraints is accurate for the batch reactor, h = 0.001 s",
        [](Runner& runner) {
            Finding finding;
            const RunSetting accurate{
                .model = "batch_reactor",
                .options = {
                    {"method", "dop853"}, {"rtol", "1e-11"}, {"atol", "1e-14"}, {"to", "1/60"}, {"at", "1/60"}}};
            const Solution* s = tried(runner, reactor("0.001"), finding);
            const Solution* right = s ? tried(runner, accurate, finding) : nullptr;
            if (!right) return finding;
            double worst = 0;
            for (const char* name : {"r1", "r2", "r3", "r4"}) worst = std::max(worst, largest(*s, name));
            const auto end = [](const Solution& of) { return of.row(of.t.size() - 1)[of.column_of("u[1]")]; };
            const double error = std::abs(end(*s) - end(*right));
            return Finding{
                holds_if(worst < 1e-12 && error < 1e-6),
                fmt::format("The constraints are off by {:.1e} at most up to 60 s, where u1 = {:.7f}, right up to "
                            "{:.0e}. The rate constants are per hour, so that the step is 2.8e-7 of their unit; the "
                            "printed start values of w3 and w4 do not satisfy the constraints and are computed.",
                            worst, end(*s), error)};
        }};
}

Claim kepler_claim() {
    return {
        "7.3, 8", "the superiority of the multi-constraint MRK4 is clear", [](Runner& runner) {
            Finding finding;
            const auto setting = [](Settings options) {
                options.emplace_back("step", "0.001*pi");
                options.emplace_back("to", "2*pi");
                return kepler(options, "0", {0, 1});
            };
            const Solution* rays = tried(runner, setting(kepler_methods()[7].options), finding);
            const Solution* nearest =
                rays ? tried(runner, setting({{"method", "rk4"}, {"projection", "newton"}}), finding) : nullptr;
            if (!nearest) return finding;
            const auto error = [](const Solution& s) { return std::abs(s.row(2000)[s.column_of("q[2]")]); };
            return Finding{
                holds_if(error(*rays) <= error(*nearest)),
                fmt::format("RK4 with orthogonal projection onto energy and momentum, which costs the same, has the "
                            "error {:.1e} after one period with h = 0.001 pi, and MRK4 {:.1e}.",
                            error(*nearest), error(*rays))};
        }};
}

} // namespace

std::vector<Claim> claims() {
    return {spiral_claim(), tangent_claim(), index2_claim(), index3_claim(),
            top_claim(),    reactor_claim(), kepler_claim()};
}

} // namespace vessiot::reproduce::liu_runs
