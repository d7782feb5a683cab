#include "bind.hpp"

namespace vessiot::python {

namespace {

// A Matrix, or nested sequences of formulas and numbers.
Matrix to_matrix(nb::handle object) {
    if (nb::isinstance<Matrix>(object)) return nb::cast<Matrix>(object);
    std::vector<Expr> entries;
    std::int64_t rows = 0, columns = 0;
    for (const nb::handle row : object) {
        std::int64_t n = 0;
        for (const nb::handle entry : row) entries.push_back(to_expr(entry)), ++n;
        if (rows > 0 && n != columns) throw InvalidInput("the rows of a matrix have different lengths");
        columns = n;
        ++rows;
    }
    return {rows, columns, std::move(entries)};
}

} // namespace

void bind_matrices(nb::module_& m) {
    nb::class_<MatrixEquality> equality(m, "MatrixEquality");
    nb::class_<Matrix> matrix(m, "Matrix");
    matrix.def("__init__", [](Matrix* self, nb::handle rows) { new (self) Matrix(to_matrix(rows)); }, nb::arg("rows"));
    matrix.def_prop_ro("shape", [](const Matrix& a) { return std::pair(a.rows(), a.columns()); });
    matrix.def("__getitem__",
               [](const Matrix& a, std::pair<std::int64_t, std::int64_t> at) { return a(at.first, at.second); });
    matrix.def("__add__", [](const Matrix& a, nb::handle b) { return a + to_matrix(b); });
    matrix.def("__sub__", [](const Matrix& a, nb::handle b) { return a - to_matrix(b); });
    matrix.def("__neg__", [](const Matrix& a) { return -a; });
    matrix.def("__matmul__", [](const Matrix& a, nb::handle b) { return a * to_matrix(b); });
    matrix.def("__rmatmul__", [](const Matrix& a, nb::handle b) { return to_matrix(b) * a; });
    matrix.def("__mul__", [](const Matrix& a, nb::handle factor) { return a * to_expr(factor); });
    matrix.def("__rmul__", [](const Matrix& a, nb::handle factor) { return to_expr(factor) * a; });
    matrix.def("__truediv__", [](const Matrix& a, nb::handle divisor) { return a / to_expr(divisor); });
    matrix.def("__eq__", [](const Matrix& a, nb::handle b) { return a == to_matrix(b); });
    matrix.attr("__hash__") = nb::none();
    matrix.attr("__array_ufunc__") = nb::none(); // numpy leaves products to the matrix
    matrix.def("d", [](const Matrix& a, int order) { return der(a, order); }, nb::arg("order") = 1);
    matrix.def_prop_ro("T", [](const Matrix& a) { return transpose(a); });
    m.def("identity", &identity, nb::arg("n"));
    m.def("skew", [](nb::handle x, nb::handle y, nb::handle z) { return skew(to_expr(x), to_expr(y), to_expr(z)); });
    m.def("trace", [](const Matrix& a) { return trace(a); });
    m.def("det", [](const Matrix& a) { return det(a); });
    m.def("inverse", [](const Matrix& a) { return inverse(a); });
}

} // namespace vessiot::python
