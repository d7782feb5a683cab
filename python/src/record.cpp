// What a model of Python was told, so that it can be told again: formulas, indices and arrays by their numbers in the
// notes of the model (model/draft.hpp).
#include "bind.hpp"
#include "model/builder.hpp"
#include "model/draft.hpp"

namespace vessiot::python {

namespace {

Draft& draft_of(const Model& model) {
    return *ModelAccess::builder(model).draft();
}

nb::list numbers_of(Draft& draft, const Matrix& matrix) {
    nb::list list;
    for (const Expr& e : matrix.entries()) list.append(draft.id(e));
    return list;
}

// A handle as a tuple of a word and numbers; None for what is none.
nb::object encoded(const Model& model, nb::handle x) {
    Draft& draft = draft_of(model);
    if (nb::isinstance<Expr>(x)) return nb::make_tuple("formula", draft.id(nb::cast<const Expr&>(x)));
    if (nb::isinstance<Index>(x)) return nb::make_tuple("index", draft.id(nb::cast<const Index&>(x)));
    if (nb::isinstance<Array>(x)) return nb::make_tuple("array", draft.id(nb::cast<const Array&>(x)));
    if (nb::isinstance<Equality>(x)) {
        const auto& e = nb::cast<const Equality&>(x);
        const std::uint32_t left = draft.id(e.lhs), right = draft.id(e.rhs);
        return nb::make_tuple("equality", left, right);
    }
    if (nb::isinstance<Matrix>(x)) {
        const auto& a = nb::cast<const Matrix&>(x);
        return nb::make_tuple("matrix", a.rows(), a.columns(), numbers_of(draft, a));
    }
    if (nb::isinstance<MatrixEquality>(x)) {
        const auto& e = nb::cast<const MatrixEquality&>(x);
        return nb::make_tuple("matrices", encoded(model, nb::cast(e.lhs)), encoded(model, nb::cast(e.rhs)));
    }
    return nb::none();
}

Matrix matrix_of(Draft& draft, const nb::tuple& x) {
    std::vector<Expr> entries;
    for (const nb::handle n : x[3]) entries.push_back(draft.formula(nb::cast<std::uint32_t>(n)));
    return {nb::cast<std::int64_t>(x[1]), nb::cast<std::int64_t>(x[2]), std::move(entries)};
}

nb::object decoded(const Model& model, const nb::tuple& x) {
    Draft& draft = draft_of(model);
    const auto word = nb::cast<std::string>(x[0]);
    const auto number = [&](std::size_t k) { return nb::cast<std::uint32_t>(x[k]); };
    if (word == "formula") return nb::cast(draft.formula(number(1)));
    if (word == "index") return nb::cast(draft.index_formula(number(1)));
    if (word == "array") {
        if (number(1) >= draft.n_arrays()) throw InvalidInput("a statement names an array that is not declared before");
        return nb::cast(draft.array_handle(number(1)));
    }
    if (word == "equality") return nb::cast(Equality(draft.formula(number(1)), draft.formula(number(2))));
    if (word == "matrix") return nb::cast(matrix_of(draft, x));
    const auto matrix = [&](std::size_t k) {
        return nb::cast<const Matrix&>(decoded(model, nb::cast<nb::tuple>(x[k])));
    };
    return nb::cast(MatrixEquality{matrix(1), matrix(2)});
}

} // namespace

void bind_record(nb::class_<Model>& c) {
    c.def("encoded", &encoded);
    c.def("decoded", &decoded);
    c.def_prop_ro("n_arrays", [](const Model& m) { return draft_of(m).n_arrays(); });
    c.def("notes", [](const Model& m) {
        const std::string notes = draft_of(m).notes();
        return nb::bytes(notes.data(), notes.size());
    });
    c.def("take_notes",
          [](Model& m, const nb::bytes& notes) { draft_of(m).take_notes({notes.c_str(), notes.size()}); });
}

} // namespace vessiot::python
