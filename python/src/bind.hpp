// The extension module vessiot._core: a thin layer over the C++ library. What users see is in python/vessiot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "vessiot/error.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::python {

namespace nb = nanobind;

// A formula stands where Python needs a number or a decision.
class TraceError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What is wrong with a model, with the caret of the command line where it has a text.
class ModelError : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

// Runs `action`: what is wrong there is wrong with the model.
template <class Action> decltype(auto) of_model(const Action& action) {
    try {
        return action();
    } catch (const InvalidInput& e) {
        throw ModelError(e.what());
    }
}

// An array that owns what it shows.
using Rows = nb::ndarray<nb::numpy, double, nb::c_contig>;
inline Rows owned(std::vector<double> values, std::initializer_list<std::size_t> shape) {
    auto* const kept = new std::vector<double>(std::move(values));
    return Rows(kept->data(), shape,
                nb::capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); }));
}
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// Numbers of another object, which it keeps alive.
template <std::size_t N> using View = nb::ndarray<nb::numpy, const double, nb::ndim<N>>;

// A formula, an index, a condition (1 or 0), or a number of Python or numpy; nothing for all else.
std::optional<Expr> as_expr(nb::handle object);
// The same, where nothing else can stand. Throws TypeError.
Expr to_expr(nb::handle object);
// An index, or a whole number. Throws TypeError.
Index to_index(nb::handle object);

// Options of a run by the names of the command line, with - as _; values as text, numbers, lists or dictionaries. They
// are read by the one table of the library, whose messages name what was found and what is needed.
SolveOptions to_options(const nb::dict& given);
// The text that the table reads for a value of Python.
std::string option_value_text(nb::handle value);
// Where points go as they are computed: files whose names end with .csv or .h5.
std::vector<std::shared_ptr<PointStream>> to_streams(nb::handle paths);

// What a single run is told: the interval, parameters and start values by name, points, further options.
RunOptions to_run(nb::handle from, nb::handle to, nb::handle params, nb::handle start, nb::handle at, nb::handle dense,
                  nb::handle extra);

void bind_ensemble(nb::module_& m, nb::class_<Problem>& problem);
void bind_external(nb::module_& m, nb::class_<Model>& model);
void bind_expressions(nb::module_& m);
void bind_matrices(nb::module_& m);
void bind_model(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_record(nb::class_<Model>& model);
void bind_solution(nb::module_& m);
void bind_tables(nb::module_& m);

} // namespace vessiot::python
