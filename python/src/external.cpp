// Functions of Python inside of formulas: called with the lock of the interpreter for every value.
#include <memory>

#include "bind.hpp"
#include "vessiot/external.hpp"
#include "watch.hpp"

namespace vessiot::python {

namespace {

thread_local Watch* current_watch = nullptr;

// Numbers in, an array of float64 out.
class PythonFunction {
public:
    explicit PythonFunction(nb::object function)
        : function_(new nb::object(std::move(function)), [](nb::object* f) {
              const nb::gil_scoped_acquire held;
              delete f;
          }) {}

    std::size_t operator()(std::span<const double> in, std::span<double> out) const {
        const nb::gil_scoped_acquire held;
        try {
            const nb::object result = (*function_)(owned({in.begin(), in.end()}, {in.size()}));
            const auto numbers = nb::cast<Numbers>(result);
            std::copy_n(numbers.data(), std::min(numbers.size(), out.size()), out.begin());
            return numbers.size();
        } catch (nb::python_error& e) {
            if (!current_watch) throw;
            // the run ends here with what it has, and the caller gets the exception
            current_watch->fail(e);
            throw EvaluationFailed("the function of Python raised an exception");
        }
    }

private:
    std::shared_ptr<nb::object> function_;
};

using Entries = std::vector<std::pair<std::int64_t, std::int64_t>>;

External external(Model& model, const std::string& name, std::int64_t n_arguments, std::int64_t n_results,
                  nb::object function, const std::optional<Entries>& entries, const nb::object& derivative) {
    ExternalFunction made{.n_arguments = n_arguments,
                          .n_results = n_results,
                          .f = VectorFunction::counted(PythonFunction(std::move(function)))};
    if (!derivative.is_none()) made.df = VectorFunction::counted(PythonFunction(derivative));
    if (entries) made.pattern = SparsePattern::from_entries(n_results, n_arguments, *entries);
    return of_model([&] { return model.external(name, made); });
}

} // namespace

WatchScope::WatchScope(Watch& watch) : outer_(current_watch) {
    current_watch = &watch;
}
WatchScope::~WatchScope() {
    current_watch = outer_;
}

void bind_external(nb::module_& m, nb::class_<Model>& model) {
    nb::class_<External> c(m, "External");
    c.def("__call__", [](const External& f, nb::args arguments) {
        std::vector<Expr> formulas;
        for (const nb::handle a : arguments) formulas.push_back(to_expr(a));
        return of_model([&] { return f.all(formulas); });
    });
    model.def("external", &external, nb::arg("name"), nb::arg("n_arguments"), nb::arg("n_results"), nb::arg("function"),
              nb::arg("pattern") = nb::none(), nb::arg("derivative") = nb::none());
}

} // namespace vessiot::python
