// Model: every function hands on to the builder.
#include "vessiot/model.hpp"

#include <fmt/format.h>

#include "lang/model.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/builder.hpp"
#include "modelica/model.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

namespace {

lang::Settings to_settings(const TextSettings& settings) {
    if (settings.max_instances < 1) {
        throw InvalidInput(fmt::format("max_instances = {}, but it must be >= 1", settings.max_instances));
    }
    return {.set = settings.set, .max_instances = settings.max_instances};
}

// In the language of docs/language.md, or in Base Modelica (docs/modelica.md).
System read(const lang::Source& source, const TextSettings& settings) {
    if (modelica::is_modelica(source)) return modelica::read_model(source, {.parameters = to_settings(settings)});
    return lang::read_model(source, to_settings(settings));
}

} // namespace

Model::Model(const std::string& name, const ModelOptions& options)
    : builder_(std::make_unique<ModelBuilder>(name, options)) {}
Model::Model(std::unique_ptr<ModelBuilder> builder) : builder_(std::move(builder)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::filesystem::path& path, const TextSettings& settings) {
    return ModelAccess::made(read(lang::Source::load(path), settings));
}

Model Model::parse(const std::string& text, const std::string& name, const TextSettings& settings) {
    return ModelAccess::made(read(lang::Source(name, text), settings));
}

const std::string& Model::name() const {
    return builder_->name();
}

// ---- names ----

Expr Model::t() const {
    return builder_->independent();
}

Expr Model::unknown(const std::string& name) {
    return builder_->draft()->scalar(builder_->declare({.kind = DraftArrayKind::unknown, .name = name}));
}

Array Model::unknown(const std::string& name, const Shape& shape) {
    return builder_->draft()->array_handle(
        builder_->declare({.kind = DraftArrayKind::unknown, .name = name, .extent = shape.extent}));
}

Matrix Model::matrix(const std::string& name, const Shape& shape, const std::string& group) {
    return builder_->matrix(name, shape.extent, group);
}

Expr Model::parameter(const std::string& name, double value) {
    return builder_->draft()->scalar(builder_->declare(DraftArrayKind::parameter, name, {}, {value}));
}

Array Model::parameter(const std::string& name, const Shape& shape, const std::vector<double>& values) {
    return builder_->draft()->array_handle(builder_->declare(DraftArrayKind::parameter, name, shape.extent, values));
}

Expr Model::discrete(const std::string& name, double value) {
    return builder_->draft()->scalar(builder_->declare(DraftArrayKind::discrete, name, {}, {value}));
}

Array Model::discrete(const std::string& name, const Shape& shape, const std::vector<double>& values) {
    return builder_->draft()->array_handle(builder_->declare(DraftArrayKind::discrete, name, shape.extent, values));
}

Index Model::index(const std::string& name, const Index& from, const Index& to) {
    return builder_->index(name, from, to);
}

Array Model::let(const std::string& name, const Loops& loops, const Expr& value) {
    return builder_->let(name, loops, value);
}

External Model::external(const std::string& name, const ExternalFunction& function) {
    return builder_->external(name, function);
}

TableFunction Model::table(const std::string& name, const std::vector<double>& x, const std::vector<double>& values,
                           const TableOptions& options) {
    return builder_->table(name, {x}, values, options);
}

TableFunction Model::table(const std::string& name, const std::vector<double>& x, const std::vector<double>& y,
                           const std::vector<double>& values, const TableOptions& options) {
    return builder_->table(name, {x, y}, values, options);
}

Array Model::multipliers() const {
    return builder_->multipliers();
}

// ---- the system ----

void Model::equation(const Loops& loops, const Equality& equation) {
    builder_->add_equation(EquationKind::written, loops, equation);
}

void Model::equation(const MatrixEquality& equation) {
    for (std::size_t k = 0; k < equation.lhs.entries().size(); ++k)
        this->equation(equation.lhs.entries()[k] == equation.rhs.entries()[k]);
}

void Model::constraint(const Loops& loops, const Equality& equation) {
    builder_->add_equation(EquationKind::constraint, loops, equation);
}

void Model::invariant(const Loops& loops, const Expr& quantity) {
    builder_->add_invariant(loops, quantity, nullptr);
}

void Model::invariant(const Loops& loops, const Equality& quantity) {
    builder_->add_invariant(loops, quantity.lhs, &quantity.rhs);
}

void Model::lagrangian(const Expr& L) {
    builder_->add_lagrangian(L);
}

void Model::hamiltonian(const Expr& H, const std::vector<Pair>& pairs) {
    builder_->set_hamiltonian(H, pairs);
}

void Model::poisson(const Matrix& B, const std::vector<Expr>& y) {
    builder_->set_poisson(B, y);
}

void Model::poisson(const Matrix& B, const Array& y) {
    builder_->set_poisson(B, builder_->elements(y));
}

void Model::force(const Loops& loops, const Equality& force) {
    builder_->add_force(loops, force);
}

// ---- start point, interval, output ----

void Model::start(const Loops& loops, const Equality& value) {
    builder_->add_start(false, loops, value);
}

void Model::start(const MatrixEquality& value) {
    for (std::size_t k = 0; k < value.lhs.entries().size(); ++k)
        start(value.lhs.entries()[k] == value.rhs.entries()[k]);
}

void Model::guess(const Loops& loops, const Equality& value) {
    builder_->add_start(true, loops, value);
}

void Model::hold(const Loops& loops, const Expr& unknown) {
    builder_->add_named(false, loops, unknown);
}

void Model::initially(const Loops& loops, const Equality& equation) {
    builder_->add_initially(loops, equation);
}

void Model::hold(const Array& unknowns) {
    builder_->add_named(false, unknowns);
}

void Model::end(const Loops& loops, const Equality& value) {
    builder_->add_end(loops, value);
}

void Model::periodic(const Loops& loops, const Expr& unknown) {
    builder_->add_named(true, loops, unknown);
}

void Model::periodic(const Array& unknowns) {
    builder_->add_named(true, unknowns);
}

void Model::free(const Expr& parameter) {
    builder_->add_free(parameter);
}

void Model::interval(const Expr& from, const Expr& to) {
    builder_->set_interval(from, to);
}

void Model::contact(const std::string& name, const Loops& loops, const Expr& gap, const ContactOptions& options) {
    builder_->add_contact(name, loops, gap, options);
}

void Model::output_section(const std::string& event) {
    builder_->set_output_section(event);
}

void Model::event(const std::string& name, const Equality& crossing, const EventOptions& options) {
    builder_->add_event(name, crossing, options);
}

void Model::event(const std::string& name, const Every& every, const EventOptions& options) {
    builder_->add_event(name, every, options);
}

void Model::event(const std::string& name, const Always& always, const EventOptions& options) {
    builder_->add_event(name, always, options);
}

void Model::output(const std::string& name, const Expr& value) {
    builder_->add_output(name, value);
}

void Model::output_every(const Expr& interval) {
    builder_->set_output_every(interval);
}

void Model::output_at(const std::vector<double>& times) {
    builder_->add_output_at(times);
}

void Model::option(const std::string& name, const std::string& value) {
    builder_->add_option(name, value);
}

void Model::option(const std::string& name, double value) {
    builder_->add_option(name, lang::number_text(value));
}

// ---- what it is ----

std::string Model::describe() const {
    return to_text(vessiot::describe(ModelAccess::system(*this)));
}

std::vector<std::string> Model::warnings() const {
    return builder_->complete().warnings;
}

} // namespace vessiot
