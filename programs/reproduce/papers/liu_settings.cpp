#include "reproduce/papers/liu_settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace vessiot::reproduce::liu_runs {

namespace {

void set(Settings& settings, const std::string& name, const std::string& value) {
    settings.emplace_back(name, value);
}

RunSetting constant_steps(const std::string& model, const std::string& method, const std::string& step) {
    RunSetting run{.model = model};
    set(run.options, "method", method);
    set(run.options, "step", step);
    if (method == "rk4") set(run.options, "projection", "none");
    return run;
}

void set_rule(RunSetting& run, const std::string& rule, const std::string& tolerance) {
    set(run.options, "newton_stop", rule);
    set(run.options, "newton_tol", tolerance);
}

} // namespace

RunSetting lotka_volterra(const std::string& method, const std::string& step, const std::string& rule,
                          const std::string& tolerance) {
    RunSetting run = constant_steps("lotka_volterra", method, step);
    run.lines = "output H = log(x) - x + log(y) - y\n";
    if (!rule.empty()) set_rule(run, rule, tolerance);
    return run;
}

RunSetting planar(const std::string& method) {
    RunSetting run = constant_steps("liu_planar", method, "0.005");
    run.lines = "output H = x^2 + y^2 - cos(x*y)\n";
    if (method != "rk4") set_rule(run, "increment", "1e-5");
    return run;
}

RunSetting friction(const std::string& method, const std::string& step) {
    RunSetting run = constant_steps("friction_oscillator", method, step);
    run.lines = "output R = dot(r, r)\n";
    if (method != "rk4") set_rule(run, "increment", "1e-8");
    return run;
}

RunSetting index2(const std::string& method, const std::string& step) {
    RunSetting run = constant_steps("liu_index2_reduced", method, step);
    run.lines = "output e1 = u1 - cos(t)\noutput e2 = log(u1) - log(cos(t))\noutput e3 = w - tan(t)\n";
    return run;
}

RunSetting index3(const std::string& method) {
    RunSetting run = constant_steps("liu_index3_reduced", method, "0.005");
    run.lines = "output e1 = u[1] - sin(t^2)\noutput e2 = u[2] - cos(t^2)\noutput e3 = 4*t^2 - dot(v, v)\n"
                "output uv = dot(u, v)\n";
    return run;
}

RunSetting top(const std::string& method, bool has_both) {
    RunSetting run = constant_steps("liu_top", method, "0.001");
    run.lines = "output H = (P[1]^2/I1 + P[2]^2/I2 + P[3]^2/I3)/2\noutput C = dot(P, P)/2\n"
                "let angle = (I3 - I1)/(I1*I3)*t\n"
                "output e1 = P[1] - (cos(angle) - sin(angle)/2)\noutput e2 = P[2] - (cos(angle)/2 + sin(angle))\n"
                "output e3 = P[3] - 1\n";
    if (!has_both) run.invariants = std::vector<std::size_t>{0};
    if (has_both && method != "rk4") set(run.options, "partition", "[[P[1], P[2]], [P[3]]]");
    if (method != "rk4" && method != "gps") set_rule(run, "increment", "1e-10");
    return run;
}

RunSetting reactor(const std::string& step_in_seconds) {
    RunSetting run = constant_steps("batch_reactor", "mrk4", fmt::format("{}/3600", step_in_seconds));
    run.invariants = std::vector<std::size_t>{}; // the three linear ones, which the paper does not use
    set(run.options, "to", "1/60");
    set(run.options, "every", "1/3600");
    set(run.options, "partition", "[[u[2], u[4], u[6], w], [u[1]], [u[3]], [u[5]]]");
    run.lines = "output r1 = u[6] - w[1] + w[2] + w[3] + w[4] - a\noutput r2 = w[2] - K2*u[1]/(K2 + w[1])\n"
                "output r3 = w[3] - K3*u[3]/(K3 + w[1])\noutput r4 = w[4] - K1*u[5]/(K1 + w[1])\n";
    return run;
}

RunSetting kepler(const Settings& options, const std::string& eps, const std::vector<std::size_t>& invariants) {
    RunSetting run{.model = "modified_kepler", .set = {{"eps", eps}}, .options = options};
    run.invariants = invariants;
    run.lines = "output H = dot(p, p)/2 - 1/r - eps/(2*r^3)\noutput M = q[1]*p[2] - q[2]*p[1]\noutput R = r\n";
    return run;
}

const std::vector<KeplerMethod>& kepler_methods() {
    const auto options = [](const std::string& method, const std::string& projection) {
        return Settings{{"method", method}, {"projection", projection}};
    };
    Settings rays = options("mrk4", "ray");
    set(rays, "partition", "[[q], [p]]");
    set(rays, "newton_stop", "increment");
    set(rays, "newton_tol", "1e-12");
    static const std::vector<KeplerMethod> list{
        {"midpt", options("implicit_midpoint", "none"), {}},
        {"RK2", options("rk2", "none"), {}},
        {"post-stab-midpt", options("implicit_midpoint", "post"), {0}},
        {"post-stab-RK2", options("rk2", "post"), {0}},
        {"proj-midpt", options("projected_midpoint", "newton"), {0}},
        {"RK4", options("rk4", "none"), {}},
        {"symp-RK4", options("forest_ruth", "none"), {}},
        {"mul-cons MRK4", rays, {0, 1}},
    };
    return list;
}

double drift(const Solution& solution, const std::string& output) {
    const std::vector<double> values = solution.column(output);
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v - values.front()));
    return largest;
}

double largest(const Solution& solution, const std::string& output) {
    double result = 0;
    for (const double v : solution.column(output)) result = std::max(result, std::abs(v));
    return result;
}

Computed number(const Solution& solution, double value) {
    if (solution.status == Status::success) return {value, ""};
    return {std::numeric_limits<double>::quiet_NaN(), solution.message};
}

} // namespace vessiot::reproduce::liu_runs
