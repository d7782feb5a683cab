// Formulas: Expr, Index, Array, Condition, Equality. Operators accept numbers of Python and numpy; a formula meets
// arrays of numpy by __array_ufunc__ (python/vessiot/_trace.py).
#include <utility>

#include "bind.hpp"

namespace vessiot::python {

namespace {

nb::object not_implemented() {
    return nb::borrow(Py_NotImplemented);
}

std::optional<double> as_number(nb::handle object) {
    PyObject* const o = object.ptr();
    if (PyFloat_Check(o)) return PyFloat_AsDouble(o);
    const bool is_number =
        PyLong_Check(o) || PyIndex_Check(o) || (nb::hasattr(object, "dtype") && nb::hasattr(object, "__float__"));
    if (!is_number || (nb::hasattr(object, "ndim") && nb::cast<int>(object.attr("ndim")) > 0)) return std::nullopt;
    const double value = PyFloat_AsDouble(o);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

std::optional<Index> as_index(nb::handle object) {
    if (nb::isinstance<Index>(object)) return nb::cast<Index>(object);
    PyObject* const o = object.ptr();
    if (PyBool_Check(o) || !PyIndex_Check(o)) return std::nullopt;
    if (nb::hasattr(object, "ndim") && nb::cast<int>(object.attr("ndim")) > 0) return std::nullopt;
    const nb::object whole = nb::steal(PyNumber_Index(o));
    if (!whole.is_valid()) { // an array that is no whole number
        PyErr_Clear();
        return std::nullopt;
    }
    int is_too_large = 0;
    const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &is_too_large);
    return is_too_large ? std::nullopt : std::optional(Index(value));
}

// What an array of numpy without dimensions holds, where that is no number.
std::optional<nb::object> held_object(nb::handle object) {
    if (!nb::hasattr(object, "dtype") || !nb::hasattr(object, "item") || nb::cast<int>(object.attr("ndim")) != 0)
        return std::nullopt;
    if (nb::cast<std::string>(object.attr("dtype").attr("kind")) != "O") return std::nullopt;
    return object.attr("item")();
}

template <class Action> nb::object on_exprs(nb::handle a, nb::handle b, const Action& action) {
    const auto x = as_expr(a), y = as_expr(b);
    return x && y ? nb::cast(action(*x, *y)) : not_implemented();
}

// On indices where both are some, else on numbers.
template <class Action> nb::object on_any(nb::handle a, nb::handle b, const Action& action) {
    const auto i = as_index(a), j = as_index(b);
    return i && j ? nb::cast(action(*i, *j)) : on_exprs(a, b, action);
}

constexpr auto add = [](const auto& a, const auto& b) { return a + b; };
constexpr auto subtract = [](const auto& a, const auto& b) { return a - b; };
constexpr auto multiply = [](const auto& a, const auto& b) { return a * b; };
constexpr auto divide = [](const Expr& a, const Expr& b) { return a / b; };
constexpr auto power = [](const Expr& a, const Expr& b) { return pow(a, b); };
constexpr auto modulo = [](const auto& a, const auto& b) { return mod(a, b); };
struct FloorDivide {
    Expr operator()(const Expr& a, const Expr& b) const { return floor(a / b); }
    Index operator()(const Index& a, const Index& b) const { return quotient(a, b); }
};

// One operator and its reflection.
template <class Class, class Action>
void bind_operator(Class& c, const char* name, const char* reflected, const Action& action) {
    c.def(name, [action](nb::handle a, nb::handle b) { return on_any(a, b, action); }, nb::is_operator());
    c.def(reflected, [action](nb::handle a, nb::handle b) { return on_any(b, a, action); }, nb::is_operator());
}
template <class Class, class Action>
void bind_real_operator(Class& c, const char* name, const char* reflected, const Action& action) {
    c.def(name, [action](nb::handle a, nb::handle b) { return on_exprs(a, b, action); }, nb::is_operator());
    c.def(reflected, [action](nb::handle a, nb::handle b) { return on_exprs(b, a, action); }, nb::is_operator());
}

template <class Class, class Action> void bind_comparison(Class& c, const char* name, const Action& action) {
    c.def(name, [action](nb::handle a, nb::handle b) { return on_any(a, b, action); }, nb::is_operator());
}

// A decision of Python by a formula: both ways are gone where a function is traced (_paths.py), else there is none.
bool decide(nb::handle condition) {
    return nb::cast<bool>(nb::module_::import_("vessiot._paths").attr("decide")(condition));
}

thread_local bool was_number_asked = false; // since it was looked at last

[[noreturn]] void fail_number() {
    was_number_asked = true;
    throw TraceError("a formula stands where a number is needed; collect formulas in a list or in "
                     "numpy.empty_like(y), and use functions of numpy or vessiot, not of math");
}

// numpy asks these before it treats a formula as an object that it knows nothing about.
template <class Class> void bind_numpy(Class& c) {
    c.def("__array_ufunc__", [](nb::handle self, nb::args args, nb::kwargs keywords) {
        return nb::module_::import_("vessiot._trace").attr("array_ufunc")(self, *args, **keywords);
    });
    c.def("__array_function__", [](nb::handle self, nb::handle function, nb::handle types, nb::handle args,
                                   nb::handle keywords) {
        return nb::module_::import_("vessiot._trace").attr("array_function")(self, function, types, args, keywords);
    });
}

template <class Class> void bind_arithmetic(Class& c) {
    bind_operator(c, "__add__", "__radd__", add);
    bind_operator(c, "__sub__", "__rsub__", subtract);
    bind_operator(c, "__mul__", "__rmul__", multiply);
    bind_real_operator(c, "__truediv__", "__rtruediv__", divide);
    bind_real_operator(c, "__pow__", "__rpow__", power);
    bind_operator(c, "__mod__", "__rmod__", modulo);
    bind_operator(c, "__floordiv__", "__rfloordiv__", FloorDivide{});
    c.def("__pos__", [](nb::object a) { return a; });
    bind_comparison(c, "__eq__", [](const auto& a, const auto& b) { return a == b; });
    bind_comparison(c, "__ne__", [](const auto& a, const auto& b) { return a != b; });
    bind_comparison(c, "__lt__", [](const auto& a, const auto& b) { return a < b; });
    bind_comparison(c, "__le__", [](const auto& a, const auto& b) { return a <= b; });
    bind_comparison(c, "__gt__", [](const auto& a, const auto& b) { return a > b; });
    bind_comparison(c, "__ge__", [](const auto& a, const auto& b) { return a >= b; });
    c.def("__float__", [](nb::handle) -> double { fail_number(); });
    c.def("__int__", [](nb::handle) -> long { fail_number(); });
    c.def("__bool__", [](nb::handle self) { return decide(self.attr("__ne__")(0)); });
    c.attr("__hash__") = nb::none();
    bind_numpy(c);
}

struct Unary {
    const char* name;
    const char* numpy_name; // nullptr: the same
    Expr (*apply)(const Expr&);
};
const Unary unary_functions[] = {
    {"sin", nullptr, sin},     {"cos", nullptr, cos},       {"tan", nullptr, tan},       {"asin", "arcsin", asin},
    {"acos", "arccos", acos},  {"atan", "arctan", atan},    {"sinh", nullptr, sinh},     {"cosh", nullptr, cosh},
    {"tanh", nullptr, tanh},   {"asinh", "arcsinh", asinh}, {"acosh", "arccosh", acosh}, {"atanh", "arctanh", atanh},
    {"exp", nullptr, exp},     {"log", nullptr, log},       {"log10", nullptr, log10},   {"sqrt", nullptr, sqrt},
    {"cbrt", nullptr, cbrt},   {"erf", nullptr, erf},       {"abs", "fabs", abs},        {"sign", nullptr, sign},
    {"floor", nullptr, floor}, {"ceil", nullptr, ceil},
};
struct Binary {
    const char* name;
    const char* numpy_name;
    Expr (*apply)(const Expr&, const Expr&);
};
const Binary binary_functions[] = {
    {"atan2", "arctan2", atan2}, {"hypot", nullptr, hypot}, {"pow", "power", pow},
    {"min", "minimum", min},     {"max", "maximum", max},
};

void bind_functions(nb::module_& m, nb::class_<Expr>& expr) {
    for (const Unary& f : unary_functions) {
        m.def(f.name, [apply = f.apply](nb::handle x) { return apply(to_expr(x)); }, nb::arg("x"));
        // numpy calls the method of the function's name for each element of an array of objects
        expr.def(f.numpy_name ? f.numpy_name : f.name, [apply = f.apply](const Expr& x) { return apply(x); });
    }
    for (const Binary& f : binary_functions) {
        m.def(
            f.name, [apply = f.apply](nb::handle a, nb::handle b) { return apply(to_expr(a), to_expr(b)); },
            nb::arg("a"), nb::arg("b"));
        expr.def(f.numpy_name ? f.numpy_name : f.name,
                 [apply = f.apply](const Expr& a, nb::handle b) { return apply(a, to_expr(b)); });
    }
    m.def("number_was_asked", [] { return std::exchange(was_number_asked, false); });
    m.def("mod", [](nb::handle a, nb::handle b) { return on_any(a, b, modulo); });
    m.def("quotient", [](nb::handle a, nb::handle b) { return on_any(a, b, FloorDivide{}); });
    m.def("integer", [](nb::handle e) { return integer(to_expr(e)); });
    m.def("der", [](nb::handle e, int order) { return der(to_expr(e), order); }, nb::arg("e"), nb::arg("order") = 1);
    m.def("diff", [](nb::handle e, nb::handle x) { return diff(to_expr(e), to_expr(x)); });
    m.def("if_", [](const Condition& condition, nb::handle a, nb::handle b) {
        return if_(condition, to_expr(a), to_expr(b));
    });
    const auto reduce = [](auto plain, auto filtered) {
        return [plain, filtered](const Index& index, nb::handle term, const std::optional<Condition>& where) {
            return where ? filtered(index, *where, to_expr(term)) : plain(index, to_expr(term));
        };
    };
    m.def("sum",
          reduce([](const Index& i, const Expr& e) { return sum(i, e); },
                 [](const Index& i, const Condition& c, const Expr& e) { return sum(i, c, e); }),
          nb::arg("index"), nb::arg("term"), nb::arg("where") = nb::none());
    m.def("product",
          reduce([](const Index& i, const Expr& e) { return product(i, e); },
                 [](const Index& i, const Condition& c, const Expr& e) { return product(i, c, e); }),
          nb::arg("index"), nb::arg("term"), nb::arg("where") = nb::none());
}

void bind_condition(nb::module_& m) {
    nb::class_<Condition> condition(m, "Condition");
    condition.def("__and__", [](const Condition& a, const Condition& b) { return a && b; }, nb::is_operator());
    condition.def("__or__", [](const Condition& a, const Condition& b) { return a || b; }, nb::is_operator());
    condition.def("__invert__", [](const Condition& a) { return !a; });
    condition.def("__bool__", &decide);
    bind_real_operator(condition, "__add__", "__radd__", add);
    bind_real_operator(condition, "__sub__", "__rsub__", subtract);
    bind_real_operator(condition, "__mul__", "__rmul__", multiply);
    bind_numpy(condition);

    nb::class_<Equality> equality(m, "Equality");
    equality.def_ro("lhs", &Equality::lhs).def_ro("rhs", &Equality::rhs);
    equality.def("__bool__", &decide);
    // NOTE: the object itself is never converted, only what stands beside it
    equality.def("__and__", [](const Equality& a, const Condition& b) { return a && b; }, nb::is_operator());
    equality.def("__or__", [](const Equality& a, const Condition& b) { return a || b; }, nb::is_operator());
    equality.def("__invert__", [](const Equality& a) { return !a; });
    bind_numpy(equality);
    condition.def(nb::init_implicit<Equality>()); // a == b between formulas is a condition where one is needed
}

void bind_array(nb::module_& m) {
    nb::class_<Array> array(m, "Array");
    array.def("__getitem__", [](const Array& a, nb::handle key) {
        std::vector<Index> indices;
        const auto take = [&](nb::handle item) { indices.push_back(to_index(item)); };
        if (nb::isinstance<nb::tuple>(key))
            for (const nb::handle item : nb::cast<nb::tuple>(key)) take(item);
        else
            take(key);
        return a.element(indices);
    });
}

} // namespace

std::optional<Expr> as_expr(nb::handle object) {
    if (nb::isinstance<Expr>(object)) return nb::cast<Expr>(object);
    if (nb::isinstance<Index>(object)) return Expr(nb::cast<Index>(object));
    if (nb::isinstance<Condition>(object)) return if_(nb::cast<Condition>(object), 1, 0);
    if (const auto held = held_object(object)) return as_expr(*held);
    if (const auto number = as_number(object)) return Expr(*number);
    return std::nullopt;
}

Expr to_expr(nb::handle object) {
    if (const auto e = as_expr(object)) return *e;
    const std::string found = nb::cast<std::string>(nb::str(object.type().attr("__name__")));
    throw nb::type_error(("a formula or a number is needed, but found " + found).c_str());
}

Index to_index(nb::handle object) {
    if (const auto index = as_index(object)) return *index;
    throw nb::type_error("elements are named by whole numbers from 1 and by indices, as in X[3] or X[i + 1, 2]");
}

void bind_expressions(nb::module_& m) {
    nb::class_<Index> index(m, "Index");
    bind_arithmetic(index);
    index.def("__neg__", [](const Index& a) { return -a; });

    nb::class_<Expr> expr(m, "Expr");
    bind_arithmetic(expr);
    expr.def("__neg__", [](const Expr& a) { return -a; });
    expr.def("__abs__", [](const Expr& a) { return abs(a); });
    expr.def("d", [](const Expr& a, int order) { return der(a, order); }, nb::arg("order") = 1);
    expr.def("conjugate", [](nb::object a) { return a; });

    bind_condition(m);
    bind_array(m);
    bind_functions(m, expr);
    m.def("to_expr", &to_expr, nb::arg("x"));
}

} // namespace vessiot::python
