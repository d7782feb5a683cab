// Solution: arrays are views that keep it alive.
#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "solution_state.hpp"
#include "vessiot/report.hpp"

namespace vessiot::python {

namespace {

const Solution& solution_of(nb::handle self) {
    return nb::cast<const Solution&>(self);
}

// Rows of points as (name, point): the numbers stay where they are.
View<2> by_name(nb::handle self, const std::vector<double>& values, std::size_t n_points, std::size_t n_names) {
    const auto step = static_cast<std::int64_t>(n_names);
    return {values.data(), {n_names, n_points}, self, {1, step}};
}

View<1> column_view(nb::handle self, const std::vector<double>& values, std::size_t n_points, std::size_t n_names,
                    std::size_t column) {
    return {values.data() + column, {n_points}, self, {static_cast<std::int64_t>(n_names)}};
}

// An unknown, a derivative of one, or an output.
View<1> column(nb::handle self, const std::string& name) {
    const Solution& s = solution_of(self);
    if (const auto found = std::ranges::find(s.names, name); found != s.names.end())
        return column_view(self, s.numbers, s.t.size(), s.names.size(),
                           static_cast<std::size_t>(found - s.names.begin()));
    if (const auto found = std::ranges::find(s.output_names, name); found != s.output_names.end())
        return column_view(self, s.output_numbers, s.t.size(), s.output_names.size(),
                           static_cast<std::size_t>(found - s.output_names.begin()));
    s.column(name); // which says what there is
    throw InvalidInput(name);
}

// The curve at these t, (name, t) or for one name (t).
nb::object evaluate(const Solution& s, const Numbers& t, const std::optional<std::string>& name) {
    const std::size_t n = s.names.size(), n_points = t.size();
    const std::size_t first = name ? s.column_of(*name) : 0, n_rows = name ? 1 : n;
    std::vector<double> values(n_rows * n_points);
    {
        const nb::gil_scoped_release released;
        for (std::size_t k = 0; k < n_points; ++k) {
            const std::vector<double> point = s(t.data()[k]);
            for (std::size_t row = 0; row < n_rows; ++row) values[row * n_points + k] = point[first + row];
        }
    }
    return nb::cast(name ? owned(std::move(values), {n_points}) : owned(std::move(values), {n, n_points}));
}

nb::list event_list(const Solution& s) {
    nb::list list;
    const auto array = [](const std::vector<double>& values) { return owned(values, {values.size()}); };
    for (const EventPoint& e : s.events)
        list.append(nb::make_tuple(e.name, e.t, array(e.values),
                                   e.values_after.empty() ? nb::none() : nb::cast(array(e.values_after)),
                                   array(e.t_sensitivities)));
    return list;
}

nb::dict stats_dict(const Solution& s) {
    nb::dict stats;
    visit_counts(s.stats, [&](const char* name, std::int64_t count) { stats[name] = count; });
    nb::dict seconds;
    for (const StatsSeconds& time : stats_seconds) seconds[time.name] = s.stats.seconds.*time.at;
    stats["seconds"] = seconds;
    return stats;
}

nb::dict method_dict(const Solution& s) {
    const MethodSummary& m = s.method;
    nb::dict d;
    d["name"] = m.name;
    d["order"] = m.order;
    d["projection"] = m.projection;
    d["project"] = m.project;
    d["distribution"] = m.distribution;
    d["parametrisation"] = m.parametrisation;
    d["precision"] = m.precision;
    d["rtol"] = m.rtol;
    d["atol"] = m.atol;
    d["step"] = m.step;
    d["choice"] = m.choice;
    return d;
}

nb::dict system_dict(const Solution& s) {
    const SystemSummary& m = s.system;
    nb::dict d;
    d["class"] = m.system_class;
    d["order"] = m.order;
    d["unknowns"] = m.unknowns;
    d["equations"] = m.equations;
    d["invariants"] = m.invariants;
    d["hidden_constraints"] = m.hidden_constraints;
    d["index"] = m.index;
    d["structural_index"] = m.structural_index;
    d["degrees_of_freedom"] = m.degrees_of_freedom;
    d["manifold_dimension"] = m.manifold_dimension;
    return d;
}

void bind_arrays(nb::class_<Solution>& c) {
    c.def_prop_ro("t", [](nb::handle self) {
        const Solution& s = solution_of(self);
        return View<1>(s.t.data(), {s.t.size()}, self);
    });
    c.def_prop_ro("s", [](nb::handle self) {
        const Solution& s = solution_of(self);
        return View<1>(s.s.data(), {s.s.size()}, self);
    });
    c.def_prop_ro("y", [](nb::handle self) {
        const Solution& s = solution_of(self);
        return by_name(self, s.numbers, s.t.size(), s.names.size());
    });
    c.def_prop_ro("outputs", [](nb::handle self) {
        const Solution& s = solution_of(self);
        return by_name(self, s.output_numbers, s.t.size(), s.output_names.size());
    });
    c.def("column", &column);
    c.def("evaluate", &evaluate, nb::arg("t"), nb::arg("name").none());
    c.def("sensitivity", [](const Solution& s, const std::string& name, const std::string& variable) {
        std::vector<double> values = s.sensitivity(name, variable);
        const std::size_t n = values.size();
        return owned(std::move(values), {n});
    });
    c.def("sensitivity_at", [](const Solution& s, double t, const std::string& name, const std::string& variable) {
        return s.sensitivity(t, name, variable);
    });
    c.def_prop_ro(
        "trace",
        [](const Solution& s) {
            std::vector<double> rows;
            for (const StepTrace& step : s.trace) rows.insert(rows.end(), {step.t, step.h, step.residual});
            return owned(std::move(rows), {s.trace.size(), 3});
        },
        nb::rv_policy::automatic);
}

} // namespace

void bind_solution(nb::module_& m) {
    nb::class_<Solution> c(m, "Solution");
    bind_arrays(c);
    c.def_prop_ro("status", [](const Solution& s) { return std::string(name(s.status)); });
    c.def_ro("message", &Solution::message);
    c.def_ro("model", &Solution::model);
    c.def_ro("independent", &Solution::independent);
    c.def_ro("names", &Solution::names);
    c.def_ro("output_names", &Solution::output_names);
    c.def_ro("notes", &Solution::notes);
    c.def_ro("section", &Solution::section);
    c.def_ro("n_points", &Solution::n_points);
    c.def_ro("sensitivity_names", &Solution::sensitivity_names);
    c.def_ro("residual", &Solution::constraint_residual_max);
    c.def_ro("invariant_drift", &Solution::invariant_drift_max);
    c.def_prop_ro("has_curve", [](const Solution& s) { return s.curve != nullptr; });
    c.def_prop_ro("nfev", [](const Solution& s) { return s.stats.direction_evaluations; });
    c.def_prop_ro("njev", [](const Solution& s) { return s.stats.jacobian_evaluations; });
    c.def_prop_ro("nlu", [](const Solution& s) { return s.stats.factorisations; });
    c.def_prop_ro("n_steps", [](const Solution& s) { return s.stats.steps; });
    c.def("events", &event_list);
    c.def("stats", &stats_dict);
    c.def("method", &method_dict);
    c.def("system", &system_dict);
    c.def("summary", &Solution::summary);
    c.def("json", &Solution::json);
    c.def("write_csv", &Solution::write_csv);
    c.def("write_json", &Solution::write_json);
    c.def("write_report", [](const Solution& s, const Model& model, const std::string& path, const nb::dict& options) {
        write_report(s, model, path, to_options(options));
    });
    // all numbers and texts, without the curve
    c.def("state", [](const Solution& s) {
        const std::string bytes = write_state(s);
        return nb::bytes(bytes.data(), bytes.size());
    });
    c.def_static("from_state", [](const nb::bytes& bytes) { return read_state({bytes.c_str(), bytes.size()}); });
}

} // namespace vessiot::python
