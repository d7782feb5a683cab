#include "bind.hpp"
#include "expr/kernel/native.hpp"
#include "vessiot/version.hpp"

namespace vessiot::python {

namespace {

void bind_errors(nb::module_& m) {
    const auto invalid = nb::exception<InvalidInput>(m, "InvalidInput", PyExc_ValueError);
    invalid.attr("__doc__") = "An argument, an option or a start point does not fit; the text says what was needed.";
    const auto model = nb::exception<ModelError>(m, "ModelError", invalid);
    model.attr("__doc__") = "A model is wrong; the text shows the place, as the command line does.";
    const auto trace = nb::exception<TraceError>(m, "TraceError", PyExc_TypeError);
    trace.attr("__doc__") = "A formula stands where Python needs a number or a decision.";
    nb::exception<OutputFailed>(m, "OutputFailed", PyExc_OSError);
    for (const char* name : {"InvalidInput", "ModelError", "TraceError", "OutputFailed"})
        m.attr(name).attr("__module__") = "vessiot";
}

} // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false); // what an interpreter leaves at its end is none of a user's business
    m.doc() = "The C++ library behind the package vessiot.";
    bind_errors(m);
    bind_expressions(m);
    bind_matrices(m);
    bind_solution(m);
    bind_model(m);
    bind_problem(m);
    bind_tables(m);
    m.def("version", [] { return std::string(version()); });
    m.def("native_code", [] { // is there a compiler behind the equations, else why not
        const expr::Plugin& plugin = expr::plugin();
        return std::pair(plugin.available(), plugin.reason());
    });
}

} // namespace vessiot::python
