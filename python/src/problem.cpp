// Problem and Integrator. The interpreter is free for other threads while a run goes on; it is asked ten times a second
// for Ctrl-C, and for the callback where there is one.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include <fmt/format.h>

#include "bind.hpp"
#include "model/builder.hpp"
#include "solve/options/options.hpp"
#include "vessiot/problem.hpp"
#include "watch.hpp"

namespace vessiot::python {

namespace {

std::vector<double> numbers_of(nb::handle name, nb::handle value) {
    if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return {PyFloat_AsDouble(value.ptr())};
    std::vector<double> numbers;
    const nb::object flat = nb::module_::import_("numpy").attr("ravel")(value);
    if (nb::try_cast(flat.attr("tolist")(), numbers)) return numbers;
    throw nb::type_error(fmt::format("the parameter {} must be a number or an array of numbers, but found {}",
                                     nb::cast<std::string>(nb::str(name)), nb::cast<std::string>(nb::repr(value)))
                             .c_str());
}

double number_of(const char* what, nb::handle name, nb::handle value) {
    const double x = PyFloat_AsDouble(value.ptr());
    if (x == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        throw nb::type_error(fmt::format("the {} {} must be a number, but found {}", what,
                                         nb::cast<std::string>(nb::str(name)), nb::cast<std::string>(nb::repr(value)))
                                 .c_str());
    }
    return x;
}

// The run is over where an event was met so many times.
Observer<EventView> stop_after(const nb::dict& counts) {
    std::map<std::string, std::int64_t, std::less<>> left;
    for (const auto& [name, n] : counts) left.emplace(nb::cast<std::string>(name), nb::cast<std::int64_t>(n));
    return [left](const EventView& event) mutable {
        const auto at = left.find(event.name);
        return at != left.end() && --at->second == 0 ? Next::stop : Next::go_on;
    };
}

// What a single run is told beside its interval and points.
void apply_run_option(RunOptions& run, const std::string& name, nb::handle value) {
    if (name == "to_s")
        run.to_s = parse_number(name, option_value_text(value));
    else if (name == "every")
        run.every = parse_number(name, option_value_text(value));
    else if (name == "section")
        run.section = nb::cast<std::string>(value);
    else if (name == "keep")
        run.keep = nb::cast<std::int64_t>(value);
    else if (name == "checkpoint")
        run.checkpoint = nb::cast<std::string>(nb::str(value));
    else if (name == "resume")
        run.resume = nb::cast<std::string>(nb::str(value));
    else if (name == "guess")
        for (const auto& [unknown, number] : nb::cast<nb::dict>(value))
            run.guess.emplace_back(nb::cast<std::string>(nb::str(unknown)), number_of("guess of", unknown, number));
    else if (name == "stop_after")
        run.on_event = stop_after(nb::cast<nb::dict>(value));
    else if (name == "streams")
        run.streams = to_streams(value);
    else
        throw InvalidInput(fmt::format("{} belongs to the problem, not to one of its runs: give it to compile() or to "
                                       "Model.solve()",
                                       name));
}

} // namespace

RunOptions to_run(nb::handle from, nb::handle to, nb::handle params, nb::handle start, nb::handle at, nb::handle dense,
                  nb::handle extra) {
    RunOptions run;
    run.throw_on_failure = false;
    if (!from.is_none()) run.from = nb::cast<double>(from);
    if (!to.is_none()) run.to = nb::cast<double>(to);
    if (!dense.is_none()) run.dense = nb::cast<bool>(dense);
    if (!params.is_none())
        for (const auto& [name, value] : nb::cast<nb::dict>(params))
            run.parameters.emplace_back(nb::cast<std::string>(nb::str(name)), numbers_of(name, value));
    if (!start.is_none())
        for (const auto& [name, value] : nb::cast<nb::dict>(start))
            run.start.emplace_back(nb::cast<std::string>(nb::str(name)), number_of("start value of", name, value));
    if (!at.is_none()) {
        const auto points = nb::cast<Numbers>(at);
        run.at.emplace(points.data(), points.data() + points.size());
    }
    if (!extra.is_none())
        for (const auto& [name, value] : nb::cast<nb::dict>(extra))
            apply_run_option(run, nb::cast<std::string>(name), value);
    return run;
}

namespace {

// The solution, and the exception that ended it.
nb::tuple solve(const Problem& problem, nb::handle from, nb::handle to, nb::handle params, nb::handle start,
                nb::handle at, nb::handle dense, nb::object callback, nb::handle extra) {
    RunOptions run = to_run(from, to, params, start, at, dense, extra);
    Watch watch(std::move(callback));
    run.progress = [&watch](const Progress& p) {
        return watch.asks([&p](const nb::object& f) { return f(p.t, p.h, p.steps, p.fraction); });
    };
    run.stop = watch.token();
    Solution solution;
    {
        const WatchScope scope(watch);
        const nb::gil_scoped_release released;
        solution = problem.solve(run);
    }
    return nb::make_tuple(nb::cast(std::move(solution)), watch.take_error());
}

// Throws where a point was moved by more than what other solvers and rounded numbers explain. The start values are in
// the order of the names, without those of algebraic unknowns.
void check_moves(const RunOptions& given, const Integrator& run) {
    constexpr double near = 1e-3; // relative to 1 and to the value
    std::size_t place = 0;
    for (const auto& [name, value] : given.start) {
        while (run.names()[place] != name) ++place;
        if (const double found = run.point()[place]; std::abs(found - value) > near * std::max(1.0, std::abs(value)))
            throw InvalidInput(fmt::format("the point at {} is not on the constraints: found {} = {}, where a point "
                                           "near it that is has {}",
                                           run.t(), name, value, found));
    }
}

// The direction at points (t, y), y by columns: each is the start of a run of its own, where algebraic unknowns are
// looked for near the values given.
Rows directions(const Problem& problem, const Numbers& t, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig>& y,
                const std::vector<std::string>& names, const std::vector<bool>& is_algebraic, nb::handle params) {
    RunOptions run = to_run(nb::none(), nb::none(), params, nb::none(), nb::none(), nb::none(), nb::none());
    const std::size_t n = names.size(), m = t.size();
    std::vector<double> rates(n * m);
    {
        const nb::gil_scoped_release released;
        for (std::size_t k = 0; k < m; ++k) {
            run.from = t.data()[k];
            run.to = *run.from + std::max(1.0, std::abs(*run.from)); // forward, by whatever
            run.start.clear();
            run.guess.clear();
            for (std::size_t i = 0; i < n; ++i)
                if (const double value = y.data()[i * m + k]; !is_algebraic[i])
                    run.start.emplace_back(names[i], value);
                else if (std::isfinite(value))
                    run.guess.emplace_back(names[i], value);
            Integrator at_point = problem.begin(run);
            check_moves(run, at_point);
            const std::vector<double> here = at_point.direction();
            for (std::size_t i = 0; i < n; ++i) rates[i * m + k] = here[i];
        }
    }
    return owned(std::move(rates), {n, m});
}

// An Integrator for one thread at a time. Others wait for it without the lock of the interpreter, which a function of
// Python inside of the step may need.
class Stepper {
public:
    Stepper(const Problem& problem, const RunOptions& run) : integrator_(problem.begin(run)) {}

    template <class Action> auto with(const Action& action) {
        const nb::gil_scoped_release released;
        const std::lock_guard held(busy_);
        return action(integrator_);
    }

private:
    Integrator integrator_;
    std::recursive_mutex busy_; // a function of Python inside of a step may look at it
};

std::vector<double> copied(std::span<const double> values) {
    return {values.begin(), values.end()};
}

void bind_integrator(nb::module_& m) {
    nb::class_<Stepper> c(m, "Integrator");
    c.def("step", [](Stepper& s) { return s.with([](Integrator& i) { return i.step(); }); });
    c.def("advance", [](Stepper& s, double t) { return s.with([t](Integrator& i) { return i.advance(t); }); });
    c.def_prop_ro("t", [](Stepper& s) { return s.with([](Integrator& i) { return i.t(); }); });
    const auto numbers = [&c](const char* name, const auto& values) {
        c.def_prop_ro(
            name,
            [values](Stepper& s) {
                std::vector<double> found = s.with(values);
                const std::size_t n = found.size();
                return owned(std::move(found), {n});
            },
            nb::rv_policy::automatic);
    };
    numbers("point", [](Integrator& i) { return copied(i.point()); });
    numbers("direction", [](Integrator& i) { return i.direction(); });
    c.def("__getitem__", [](Stepper& s, const std::string& name) {
        return s.with([&name](Integrator& i) -> double { return i[name]; });
    });
    c.def_prop_ro("names", [](Stepper& s) { return s.with([](Integrator& i) { return i.names(); }); });
    c.def_prop_ro("residual", [](Stepper& s) { return s.with([](Integrator& i) { return i.residual(); }); });
    c.def_prop_ro("is_over", [](Stepper& s) { return s.with([](Integrator& i) { return i.is_over(); }); });
    c.def_prop_ro("status",
                  [](Stepper& s) { return s.with([](Integrator& i) { return std::string(name(i.status())); }); });
    c.def_prop_ro("message", [](Stepper& s) { return s.with([](Integrator& i) { return i.message(); }); });
    c.def("solution", [](Stepper& s) { return s.with([](Integrator& i) { return i.solution(); }); });
}

} // namespace

void bind_problem(nb::module_& m) {
    nb::class_<Problem> c(m, "Problem");
    c.def("__init__", [](Problem* self, const Model& model, const nb::dict& options) {
        of_model([&] { ModelAccess::builder(model).complete(); }); // what is wrong with the model is said first
        const SolveOptions read = to_options(options);
        const nb::gil_scoped_release released;
        new (self) Problem(model, read);
    });
    c.def("solve", &solve, nb::arg("start_t").none(), nb::arg("end_t").none(), nb::arg("params").none(),
          nb::arg("start").none(), nb::arg("at").none(), nb::arg("dense").none(), nb::arg("callback").none(),
          nb::arg("extra").none());
    c.def(
        "begin",
        [](const Problem& problem, nb::handle from, nb::handle to, nb::handle params, nb::handle start) {
            const RunOptions run = to_run(from, to, params, start, nb::none(), nb::none(), nb::none());
            const nb::gil_scoped_release released;
            return std::make_unique<Stepper>(problem, run);
        },
        nb::arg("start_t").none(), nb::arg("end_t").none(), nb::arg("params").none(), nb::arg("start").none());
    c.def("directions", &directions, nb::arg("t"), nb::arg("y"), nb::arg("names"), nb::arg("is_algebraic"),
          nb::arg("params").none());
    c.def("misfit", [](const Problem& p, const std::string& method) { return p.misfit(method); });
    c.def("projection_misfit", [](const Problem& p, const std::string& name) { return p.projection_misfit(name); });
    c.def("distribution_misfit", [](const Problem& p, const std::string& name) { return p.distribution_misfit(name); });
    c.def_prop_ro("name", [](const Problem& p) { return p.name(); });
    c.def_prop_ro("parameter_names", [](const Problem& p) { return p.parameter_names(); });
    bind_integrator(m);
    bind_ensemble(m, c);
}

} // namespace vessiot::python
