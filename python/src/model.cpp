// Model: the statements of the C++ model under the same names; _model.py gives them their Python form.
#include <algorithm>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "completion/describe_structure.hpp"
#include "completion/structure.hpp"
#include "expr/functions/vmath.hpp"
#include "model/builder.hpp"
#include "model/draft.hpp"
#include "modelica/model.hpp"
#include "solve/inspect/inspection.hpp"
#include "solve/options/options.hpp"
#include "system/describe/describe.hpp"
#include "vessiot/functions.hpp"

namespace vessiot::python {

namespace {

using Extent = std::vector<std::int64_t>;
using Settings = std::vector<std::pair<std::string, std::string>>;
using Equalities = std::vector<Equality>;

Shape shape_of(const Extent& extent) {
    Shape shape(1);
    shape.extent = extent;
    return shape;
}

Loops loops_of(const std::vector<Index>& indices) {
    Loops loops;
    loops.indices = indices;
    return loops;
}

const System& system_of(const Model& model) {
    return of_model([&]() -> const System& { return ModelAccess::builder(model).complete(); });
}

Crossing crossing_of(const std::string& word) {
    if (word == "both") return Crossing::both;
    if (word == "rising") return Crossing::rising;
    if (word == "falling") return Crossing::falling;
    throw ModelError("the crossing of an event is both, rising or falling, but found '" + word + "'");
}

// `which` and `variables` are of Base Modelica.
Model parsed(const std::string& text, const std::string& name, const Settings& set, std::int64_t max_instances,
             const std::string& which, const std::vector<std::string>& variables) {
    const nb::gil_scoped_release released;
    return of_model([&] {
        const lang::Source source(name, text);
        if (!modelica::is_modelica(source)) {
            if (!which.empty() || !variables.empty())
                throw InvalidInput(
                    fmt::format("model and variables are of Base Modelica, but {} is no such text", name));
            return Model::parse(text, name, {.set = set, .max_instances = max_instances});
        }
        const lang::Settings parameters{.set = set, .max_instances = max_instances};
        return ModelAccess::made(
            modelica::read_model(source, {.parameters = parameters, .model = which, .outputs = variables}));
    });
}

// name, shape, values, and whether it sizes something.
nb::list parameter_list(const Model& model) {
    nb::list list;
    const System& system = system_of(model);
    const Description d = describe(system);
    for (const ParameterText& p : d.parameters) {
        const auto found = std::ranges::find(system.parameters, p.name, &Parameter::name);
        list.append(nb::make_tuple(p.name, p.shape, p.values, found->is_structural));
    }
    return list;
}

std::string inspection_json(const Model& model) {
    const nb::gil_scoped_release released;
    return of_model([&] {
        const System system = ModelAccess::system(model);
        nlohmann::ordered_json json = to_json(describe(system));
        json.update(to_json(describe(system, analyse(system))));
        const Inspection inspection = inspect(system, with_model_options(system, {}));
        if (inspection.is_checked) json["index"] = inspection.system.index;
        json["numbers"] = to_json(inspection);
        return json.dump();
    });
}

std::string inspection_text(const Model& model, bool full) {
    const nb::gil_scoped_release released;
    return of_model([&] {
        const System system = ModelAccess::system(model);
        const TextOptions options{.full = full};
        return to_text(describe(system), options) + "\n" + to_text(describe(system, analyse(system)), options) + "\n" +
               to_text(inspect(system, with_model_options(system, {})), options);
    });
}

// What the formulas of a model under construction are, up to the names of its parameters: equal for two traces of a
// function that did the same.
nb::bytes draft_key(const Model& model, const std::vector<Expr>& formulas) {
    Draft& draft = *ModelAccess::builder(model).draft();
    std::string key;
    const auto put = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const Expr& e : formulas) put(draft.id(e));
    for (std::uint32_t n = 0; n < draft.n_nodes(); ++n) {
        const DraftNode& node = draft.node(n);
        put(node.kind);
        put(node.op);
        if (node.kind == DraftKind::number) {
            put(draft.number(node));
            continue;
        }
        put(node.a);
        put(node.b);
        put(node.c);
        if (node.kind != DraftKind::read) continue;
        for (std::uint32_t k = 0; k < node.c; ++k) put(draft.index(draft.element_index(node, k)).value);
    }
    return nb::bytes(key.data(), key.size());
}

// Formulas of one array of unknowns at a point, as a function of Python that was traced would give them: reads y, and
// its derivatives from yp.
class DraftValues {
public:
    DraftValues(const Draft& draft, double t, const Numbers& y, const Numbers& yp)
        : draft_(draft), t_(t), y_(y), yp_(yp), values_(draft.n_nodes()) {
        for (std::uint32_t n = 0; n < draft.n_nodes(); ++n) values_[n] = value(draft.node(n));
    }
    double operator[](std::uint32_t n) const { return values_[n]; }

private:
    double value(const DraftNode& node) const {
        const auto operand = [&](std::uint32_t n) { return n == Draft::none ? 0 : values_[n]; };
        switch (node.kind) {
        case DraftKind::number: return draft_.number(node);
        case DraftKind::read: return node.c == 0 ? t_ : y_.data()[place(node)];
        case DraftKind::der: return yp_.data()[place(draft_.node(node.a))];
        case DraftKind::operation: return expr::apply(node.op, operand(node.a), operand(node.b), operand(node.c));
        default: throw InvalidInput("these formulas have loops: they cannot be evaluated alone");
        }
    }
    std::size_t place(const DraftNode& read) const {
        return static_cast<std::size_t>(draft_.index(draft_.element_index(read, 0)).value) - 1;
    }

    const Draft& draft_;
    double t_;
    const Numbers &y_, &yp_;
    std::vector<double> values_;
};

Rows draft_values(const Model& model, const std::vector<Expr>& formulas, double t, const Numbers& y,
                  const Numbers& yp) {
    Draft& draft = *ModelAccess::builder(model).draft();
    std::vector<std::uint32_t> ids; // first: a number gets its node when it is asked for
    for (const Expr& e : formulas) ids.push_back(draft.id(e));
    const DraftValues all(draft, t, y, yp);
    std::vector<double> values;
    for (const std::uint32_t id : ids) values.push_back(all[id]);
    const std::size_t n = values.size();
    return owned(std::move(values), {n});
}

void bind_names(nb::class_<Model>& c) {
    c.def("t", &Model::t);
    c.def("unknown", [](Model& m, const std::string& name) { return of_model([&] { return m.unknown(name); }); });
    c.def("unknowns", [](Model& m, const std::string& name, const Extent& extent) {
        return of_model([&] { return m.unknown(name, shape_of(extent)); });
    });
    c.def("matrix", [](Model& m, const std::string& name, const Extent& extent, const std::string& group) {
        return of_model([&] { return m.matrix(name, shape_of(extent), group); });
    });
    c.def("parameter", [](Model& m, const std::string& name, double value) {
        return of_model([&] { return m.parameter(name, value); });
    });
    c.def("parameters", [](Model& m, const std::string& name, const Extent& extent, const std::vector<double>& values) {
        return of_model([&] { return m.parameter(name, shape_of(extent), values); });
    });
    c.def("discrete", [](Model& m, const std::string& name, double value) {
        return of_model([&] { return m.discrete(name, value); });
    });
    c.def("discretes", [](Model& m, const std::string& name, const Extent& extent, const std::vector<double>& values) {
        return of_model([&] { return m.discrete(name, shape_of(extent), values); });
    });
    c.def("index", [](Model& m, const std::string& name, nb::handle from, nb::handle to) {
        return of_model([&] { return m.index(name, to_index(from), to_index(to)); });
    });
    c.def("let", [](Model& m, const std::string& name, const std::vector<Index>& loops, nb::handle value) {
        const Expr e = to_expr(value);
        return of_model([&] { return m.let(name, loops_of(loops), e); });
    });
    c.def("multipliers", &Model::multipliers);
}

// A word of Python for one of the kinds, in their order.
template <class Kind>
Kind kind_of(const char* what, const std::string& word, std::initializer_list<const char*> words) {
    const auto found = std::ranges::find(words, std::string_view(word));
    if (found != words.end()) return static_cast<Kind>(found - words.begin());
    throw ModelError(fmt::format("{} is one of {}, but found '{}'", what, fmt::join(words, ", "), word));
}

void bind_tables_of(nb::module_& m, nb::class_<Model>& c) {
    nb::class_<TableFunction> function(m, "TableFunction");
    function.def("__call__", [](const TableFunction& f, nb::args arguments) {
        std::vector<Expr> formulas;
        for (const nb::handle a : arguments) formulas.push_back(to_expr(a));
        return of_model([&] { return f.of(formulas); });
    });
    c.def("table", [](Model& model, const std::string& name, const std::vector<std::vector<double>>& grid,
                      const std::vector<double>& values, const std::string& between, const std::string& outside) {
        const TableOptions options{
            .between = kind_of<TableBetween>("between", between, {"step", "linear", "cubic", "monotone"}),
            .outside = kind_of<TableOutside>("outside", outside, {"error", "hold", "extend", "periodic"})};
        return of_model([&] {
            return grid.size() == 1 ? model.table(name, grid[0], values, options)
                                    : model.table(name, grid.at(0), grid.at(1), values, options);
        });
    });
}

void bind_statements(nb::class_<Model>& c) {
    using Statement = void (Model::*)(const Loops&, const Equality&);
    const auto statement = [&c](const char* name, Statement member) {
        c.def(name, [member](Model& m, const std::vector<Index>& loops, const Equality& e) {
            of_model([&] { (m.*member)(loops_of(loops), e); });
        });
    };
    statement("equation", &Model::equation);
    statement("constraint", &Model::constraint);
    statement("force", &Model::force);
    statement("start", &Model::start);
    statement("guess", &Model::guess);
    statement("end", &Model::end);
    statement("initially", &Model::initially);
    c.def("equation", [](Model& m, const MatrixEquality& e) { of_model([&] { m.equation(e); }); });
    c.def("start", [](Model& m, const MatrixEquality& e) { of_model([&] { m.start(e); }); });
    c.def("invariant", [](Model& m, const std::vector<Index>& loops, const Equality& e) {
        of_model([&] { m.invariant(loops_of(loops), e); });
    });
    c.def("invariant", [](Model& m, const std::vector<Index>& loops, nb::handle e) {
        const Expr quantity = to_expr(e);
        of_model([&] { m.invariant(loops_of(loops), quantity); });
    });
    c.def("lagrangian", [](Model& m, nb::handle e) { of_model([&] { m.lagrangian(to_expr(e)); }); });
    c.def("hamiltonian", [](Model& m, nb::handle e, const std::vector<std::pair<nb::object, nb::object>>& given) {
        std::vector<Pair> pairs;
        for (const auto& [q, p] : given) {
            if (nb::isinstance<Array>(q))
                pairs.emplace_back(nb::cast<Array>(q), nb::cast<Array>(p));
            else
                pairs.emplace_back(to_expr(q), to_expr(p));
        }
        of_model([&] { m.hamiltonian(to_expr(e), pairs); });
    });
    c.def("poisson", [](Model& m, const Matrix& B, const nb::list& given) {
        std::vector<Expr> coordinates;
        for (const nb::handle y : given) {
            const bool is_array = nb::isinstance<Array>(y);
            const auto all =
                is_array ? ModelAccess::builder(m).elements(nb::cast<const Array&>(y)) : std::vector{to_expr(y)};
            coordinates.insert(coordinates.end(), all.begin(), all.end());
        }
        of_model([&] { m.poisson(B, coordinates); });
    });
    c.def("hold", [](Model& m, const std::vector<Index>& loops, const Expr& x) {
        of_model([&] { m.hold(loops_of(loops), x); });
    });
    c.def("hold", [](Model& m, const std::vector<Index>&, const Array& x) { of_model([&] { m.hold(x); }); });
    c.def("periodic", [](Model& m, const std::vector<Index>& loops, const Expr& x) {
        of_model([&] { m.periodic(loops_of(loops), x); });
    });
    c.def("periodic", [](Model& m, const std::vector<Index>&, const Array& x) { of_model([&] { m.periodic(x); }); });
    c.def("free", [](Model& m, const Expr& parameter) { of_model([&] { m.free(parameter); }); });
    c.def("interval",
          [](Model& m, nb::handle from, nb::handle to) { of_model([&] { m.interval(to_expr(from), to_expr(to)); }); });
    c.def("event", [](Model& m, const std::string& name, const Equality& crossing, const std::string& direction,
                      bool stop, const Equalities& then, const Equalities& guess) {
        of_model([&] { m.event(name, crossing, {crossing_of(direction), stop, then, guess}); });
    });
    c.def("event_every", [](Model& m, const std::string& name, nb::handle every, bool stop, const Equalities& then,
                            const Equalities& guess) {
        of_model([&] { m.event(name, Every{to_expr(every)}, {Crossing::both, stop, then, guess}); });
    });
    c.def("event_always", [](Model& m, const std::string& name, const Equalities& then) {
        of_model([&] { m.event(name, Always{}, {Crossing::both, false, then, {}}); });
    });
    c.def("contact", [](Model& m, const std::string& name, const std::vector<Index>& loops, nb::handle gap,
                        nb::handle restitution, nb::handle friction, const nb::list& along) {
        of_model([&] {
            ContactOptions options{to_expr(restitution), to_expr(friction), {}};
            for (nb::handle v : along) options.along.push_back(to_expr(v));
            m.contact(name, loops_of(loops), to_expr(gap), options);
        });
    });
    c.def("output",
          [](Model& m, const std::string& name, nb::handle e) { of_model([&] { m.output(name, to_expr(e)); }); });
    c.def("output_every", [](Model& m, nb::handle e) { of_model([&] { m.output_every(to_expr(e)); }); });
    c.def("output_at", [](Model& m, const std::vector<double>& t) { of_model([&] { m.output_at(t); }); });
    c.def("output_section", [](Model& m, const std::string& e) { of_model([&] { m.output_section(e); }); });
    c.def("option", [](Model& m, const std::string& name, nb::handle value) {
        of_model([&] { m.option(name, option_value_text(value)); });
    });
}

void bind_functions(nb::module_& m) {
    nb::class_<Functions> c(m, "Functions");
    c.def(nb::init<const Model&>(), nb::keep_alive<1, 2>());
    c.def_prop_ro("names", [](const Functions& f) { return f.names(); });
    c.def("f", [](Functions& f, double t, const Numbers& z) {
        std::vector<double> values = f.f(t, {z.data(), z.size()});
        const std::size_t n = values.size();
        return owned(std::move(values), {n});
    });
    // the whole matrix, by rows
    c.def("df", [](Functions& f, double t, const Numbers& z) {
        const SparsePattern& pattern = f.df_pattern();
        const std::vector<double> values = f.df(t, {z.data(), z.size()});
        const auto rows = static_cast<std::size_t>(pattern.rows), columns = static_cast<std::size_t>(pattern.columns);
        std::vector<double> matrix(rows * columns);
        for (std::size_t k = 0; k < columns; ++k)
            for (auto e = pattern.column_start[k]; e < pattern.column_start[k + 1]; ++e)
                matrix[static_cast<std::size_t>(pattern.row[e]) * columns + k] = values[e];
        return owned(std::move(matrix), {rows, columns});
    });
    c.def("set_parameter", [](Functions& f, const std::string& name, const std::vector<double>& values) {
        f.set_parameter(name, values);
    });
}

} // namespace

void bind_model(nb::module_& m) {
    nb::class_<Model> c(m, "Model");
    c.def("__init__", [](Model* self, const std::string& name, const std::string& independent) {
        of_model([&] { new (self) Model(name, {.independent = independent}); });
    });
    c.def_static("parse", &parsed);
    bind_names(c);
    bind_statements(c);
    bind_tables_of(m, c);
    bind_record(c);
    c.def_prop_ro("name", [](const Model& model) { return model.name(); });
    c.def_prop_ro("warnings", [](const Model& model) { return system_of(model).warnings; });
    c.def("unknown_names", [](const Model& model) {
        std::vector<std::string> names;
        for (const Unknown& u : system_of(model).unknowns) names.push_back(u.name);
        return names;
    });
    c.def("output_names", [](const Model& model) {
        std::vector<std::string> names;
        for (const Output& o : system_of(model).outputs) names.push_back(o.name);
        return names;
    });
    c.def("event_names", [](const Model& model) {
        std::vector<std::string> names;
        for (const Event& e : system_of(model).events) names.push_back(e.name);
        return names;
    });
    c.def_prop_ro("has_interval", [](const Model& model) { return system_of(model).to.has_value(); });
    c.def("parameter_list", &parameter_list);
    c.def("describe_json", [](const Model& model) {
        return of_model([&] { return to_json(describe(ModelAccess::system(model))).dump(); });
    });
    c.def("inspection_json", &inspection_json);
    c.def("inspection_text", &inspection_text, nb::arg("full") = false);
    c.def("key", &draft_key);
    c.def("values", &draft_values);
    bind_functions(m);
    bind_external(m, c);
}

} // namespace vessiot::python
