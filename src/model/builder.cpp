// Names, and how statements are worked on. The statements themselves are in statements.cpp.
#include "model/builder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"
#include "lang/syntax/limits.hpp"
#include "lang/syntax/words.hpp"
#include "model/decimal.hpp"
#include "model/functions/external.hpp"
#include "system/check.hpp"
#include "system/mechanics/mechanics.hpp"

namespace vessiot {

using expr::ArrayRole;

namespace {

std::string_view kind_text(DraftArrayKind kind) {
    switch (kind) {
    case DraftArrayKind::independent: return "the independent variable";
    case DraftArrayKind::unknown: return "an unknown";
    case DraftArrayKind::parameter: return "a parameter";
    case DraftArrayKind::discrete: return "a discrete quantity";
    case DraftArrayKind::let: return "a 'let' quantity";
    case DraftArrayKind::multipliers: return "the multipliers";
    }
    return {};
}

// Letters (also Greek ones), digits and _, no digit first.
bool is_word(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto point = decode_utf8(text, i);
        if (!point) return false;
        const char32_t c = point->value;
        const bool is_letter =
            (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_' || !lang::greek_letter_name(c).empty();
        if (!is_letter && !(i > 0 && c >= U'0' && c <= U'9')) return false;
        i += point->length;
    }
    return !text.empty();
}

// A word, or words with points between them: what belongs to a part, as in the model language.
bool is_name(const std::string& text) {
    std::string_view rest = text;
    for (auto point = rest.find('.'); point != rest.npos; point = rest.find('.')) {
        if (!is_word(rest.substr(0, point))) return false;
        rest.remove_prefix(point + 1);
    }
    return is_word(rest);
}

std::string statement_name(const std::string& text) {
    return text.empty() ? "" : text + ": ";
}

} // namespace

ModelBuilder::ModelBuilder(const std::string& name, const ModelOptions& options)
    : draft_(std::make_shared<Draft>(name)) {
    if (name.empty()) throw InvalidInput("a model needs a name, but it is empty; messages and results carry it");
    system_.name = name;
    system_.graph = std::make_shared<expr::Graph>();
    elaboration_.emplace(*draft_, *system_.graph);
    const std::uint32_t t = declare({.kind = DraftArrayKind::independent, .name = options.independent});
    system_.independent = draft_->array(t).array;
    system_.independent_name = draft_->array(t).name;
    independent_ = draft_->scalar(t);
    multipliers_ =
        draft_->add_array({.kind = DraftArrayKind::multipliers, .name = "lambda", .first = {1}, .extent = {0}});
}

ModelBuilder::ModelBuilder(System complete)
    : draft_(std::make_shared<Draft>(complete.name)), complete_(std::move(complete)) {}

void ModelBuilder::fail(const std::string& message) const {
    throw InvalidInput(fmt::format("{}: {}", name(), message));
}

void ModelBuilder::check_is_open() const {
    if (!elaboration_) fail("this model was read from text and is complete; write the statement there");
}

// ---- names ----

void ModelBuilder::check_name(const std::string& name, const std::string& normal) const {
    if (name.empty()) fail("a name is empty; unknowns, parameters and indices need one");
    if (!is_name(name)) {
        fail(fmt::format("'{}' cannot be a name; names are of letters, digits and _, and begin with a letter", name));
    }
    if (normal.size() > lang::limits::name_length) {
        fail(fmt::format("the name '{}…' has {} letters; at most {} are allowed", normal.substr(0, 20), normal.size(),
                         lang::limits::name_length));
    }
    if (const auto reason = lang::why_reserved(normal)) fail(fmt::format("{} and cannot be a name", *reason));
}

Index ModelBuilder::index(const std::string& name, const Index& from, const Index& to) {
    check_is_open();
    const std::string normal = is_name(name) ? lang::normalise_name(name) : name;
    check_name(name, normal);
    if (const auto other = names_.find(normal); other != names_.end()) {
        fail(fmt::format("the index '{}' has the name of {}; choose another name for it", name, other->second));
    }
    const Index made = draft_->add_loop(normal, from, to);
    index_names_.insert(normal);
    return made;
}

// The name as it is kept, which nothing else has.
std::string ModelBuilder::new_name(const std::string& name) const {
    check_is_open();
    const std::string normal = is_name(name) ? lang::normalise_name(name) : name;
    check_name(name, normal);
    if (const auto other = names_.find(normal); other != names_.end()) {
        fail(fmt::format("'{}' is already {}; choose another name", name, other->second));
    }
    if (index_names_.contains(normal)) fail(fmt::format("'{}' is already a loop index; choose another name", name));
    return normal;
}

External ModelBuilder::external(const std::string& name, const ExternalFunction& function) {
    const std::string normal = new_name(name);
    const External made = draft_->add_external(make_external(this->name(), normal, function));
    names_[normal] = "a function";
    return made;
}

TableFunction ModelBuilder::table(const std::string& name, const std::vector<std::vector<double>>& grid,
                                  const std::vector<double>& values, const TableOptions& options) {
    const std::string normal = new_name(name);
    const auto exact = [&](const std::vector<double>& numbers) {
        std::vector<Quad> all;
        for (const double x : numbers) {
            if (!std::isfinite(x)) fail(fmt::format("table '{}' contains {}, but its numbers must be finite", name, x));
            all.push_back(decimal_value(x));
        }
        return all;
    };
    expr::TablePoints points{.name = normal,
                             .values = exact(values),
                             .between = static_cast<expr::Between>(options.between),
                             .outside = static_cast<expr::Outside>(options.outside)};
    std::size_t n_values = 1;
    for (const std::vector<double>& axis : grid) {
        points.grid.push_back(exact(axis));
        n_values *= axis.size();
    }
    if (values.size() != n_values)
        fail(fmt::format("table '{}' has {}, but {} {} given", name, plural(n_values, "point"), values.size(),
                         values.size() == 1 ? "value is" : "values are"));
    if (const auto problem = expr::Table::check(points)) {
        const std::string at = problem->at < 0 ? "" : fmt::format("point {}: ", problem->at + 1);
        fail(fmt::format("table '{}': {}{}", name, at, problem->text));
    }
    names_[normal] = "a table";
    return draft_->add_table(std::make_shared<const expr::Table>(points));
}

std::uint32_t ModelBuilder::declare(DraftArray x) {
    x.name = new_name(x.name);
    std::int64_t size = 1;
    for (const std::int64_t n : x.extent) {
        if (n < 0) fail(fmt::format("the size of '{}' is {}, but it cannot be negative", x.name, n));
        if (n > 0 && size > Elaboration::max_instances / n) {
            fail(fmt::format("'{}' has more than {} elements", x.name, Elaboration::max_instances));
        }
        size *= n;
    }
    x.first.resize(x.extent.size(), 1);
    if (x.kind != DraftArrayKind::let) {
        const ArrayRole role = x.kind == DraftArrayKind::unknown     ? ArrayRole::unknown
                               : x.kind == DraftArrayKind::parameter ? ArrayRole::parameter
                               : x.kind == DraftArrayKind::discrete  ? ArrayRole::auxiliary
                                                                     : ArrayRole::independent;
        x.array = system_.graph->add_array({.name = x.name, .role = role, .extent = x.extent});
    }
    if (x.kind == DraftArrayKind::unknown) system_.unknowns.push_back({.name = x.name, .array = x.array});
    if (x.kind == DraftArrayKind::parameter) {
        system_.parameters.push_back({.name = x.name, .array = x.array, .values = x.values});
    }
    if (x.kind == DraftArrayKind::discrete)
        system_.held.push_back({.name = x.name, .array = x.array, .values = x.values});
    names_[x.name] = kind_text(x.kind);
    complete_.reset();
    return draft_->add_array(std::move(x));
}

std::uint32_t ModelBuilder::declare(DraftArrayKind kind, const std::string& name,
                                    const std::vector<std::int64_t>& extent, const std::vector<double>& values) {
    const std::string_view word = kind == DraftArrayKind::parameter ? "parameter" : "discrete quantity";
    DraftArray x{.kind = kind, .name = name, .extent = extent};
    std::int64_t size = 1;
    for (const std::int64_t n : x.extent) {
        // NOTE: a size that cannot be is left to declare(), which says so
        if (n < 0 || (n > 0 && size > Elaboration::max_instances / n)) return declare(x);
        size *= n;
    }
    if (static_cast<std::int64_t>(values.size()) != size) {
        fail(fmt::format("{} '{}' has {} elements, but {} {} given", word, name, size, values.size(),
                         values.size() == 1 ? "value is" : "values are"));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k]) && extent.empty())
            fail(fmt::format("{} {} = {}, but it must be a finite number", word, name, values[k]));
        if (!std::isfinite(values[k])) {
            fail(
                fmt::format("value {} of {} '{}' is {}, but it must be a finite number", k + 1, word, name, values[k]));
        }
        x.values.push_back(decimal_value(values[k]));
    }
    return declare(std::move(x));
}

Array ModelBuilder::let(const std::string& name, const Loops& loops, const Expr& value) {
    check_is_open();
    if (loops.indices.empty())
        fail(fmt::format("let(\"{}\", …) needs a loop; a single quantity is a variable of C++", name));
    DraftArray x{.kind = DraftArrayKind::let, .name = name};
    std::vector<expr::Contribution> parts;
    const std::vector<std::uint32_t> numbers = loop_numbers(loops);
    const std::uint32_t formula = draft_->id(value);
    expr::IndexSpace& index = system_.graph->index();
    run(fmt::format("let '{}'", name), numbers, system_, *elaboration_,
        [&](System&, Elaboration& elaborate, Elaboration::Statement& statement) {
            std::vector<expr::FormId> target;
            for (const expr::VarId var : statement.vars()) {
                const expr::LoopVar v = index.loop_var(var);
                const auto lo = index.constant_value(v.lo), hi = index.constant_value(v.hi);
                if (!lo || !hi) {
                    throw InvalidInput(
                        fmt::format("the range of '{}' cannot depend on another index of the family", v.name));
                }
                x.first.push_back(*lo);
                x.extent.push_back(std::max<std::int64_t>(*hi - *lo + 1, 0));
                target.push_back(index.var(var));
            }
            const expr::NodeId body = elaborate(formula);
            if (!statement.is_empty()) parts.push_back({statement.domain(), index.list(target), body});
        });
    const std::uint32_t id = declare(x);
    draft_->array(id).array = system_.graph->define(draft_->array(id).name, x.first, x.extent, std::move(parts));
    return draft_->array_handle(id);
}

// ---- statements ----

std::vector<std::uint32_t> ModelBuilder::loop_numbers(const Loops& loops) const {
    std::vector<std::uint32_t> numbers(loops.indices.size());
    std::ranges::transform(loops.indices, numbers.begin(), [&](const Index& i) { return draft_->loop(i); });
    return numbers;
}

void ModelBuilder::state(const std::string& what, const Loops& loops, const std::vector<std::uint32_t>& formulas,
                         const Action& action) {
    check_is_open();
    std::vector<std::uint32_t> numbers = loop_numbers(loops);
    const bool waits =
        std::ranges::any_of(formulas, [&](std::uint32_t formula) { return draft_->node(formula).has_multiplier; });
    if (waits) {
        deferred_.push_back({what, std::move(numbers), action});
    } else {
        run(what, numbers, system_, *elaboration_, action);
    }
    complete_.reset();
}

void ModelBuilder::run(const std::string& what, const std::vector<std::uint32_t>& loops, System& system,
                       Elaboration& elaboration, const Action& action) {
    try {
        Elaboration::Statement statement(elaboration, loops);
        action(system, elaboration, statement);
    } catch (const InvalidInput& problem) {
        fail(statement_name(what) + problem.what());
    }
}

// ---- the whole ----

// The multipliers can be used as long as this lives. What is said about them is forgotten afterwards: when the model
// has changed, it is worked on again.
class ModelBuilder::Multipliers {
public:
    Multipliers(ModelBuilder& owner, const expr::Array& shape, expr::ArrayId array)
        : owner_(owner), given_{owner.given_[0], owner.given_[1]} {
        DraftArray& x = owner.draft_->array(owner.multipliers_);
        x.array = array;
        x.extent = shape.extent;
    }
    ~Multipliers() {
        owner_.draft_->array(owner_.multipliers_).array = expr::none;
        std::ranges::move(given_, owner_.given_);
    }
    Multipliers(const Multipliers&) = delete;
    Multipliers& operator=(const Multipliers&) = delete;

private:
    ModelBuilder& owner_;
    Given given_[2];
};

std::set<std::string> ModelBuilder::structural_parameters() const {
    std::set<std::string> names;
    if (!elaboration_) return names;
    for (const std::uint32_t p : elaboration_->structural_parameters()) names.insert(draft_->array(p).name);
    return names;
}

const System& ModelBuilder::complete() {
    const std::lock_guard lock(completing_);
    if (!complete_) {
        System system = system_;
        finish(system);
        complete_ = std::move(system);
    }
    return *complete_;
}

void ModelBuilder::finish(System& system) {
    if (system.unknowns.empty()) fail("the model has no unknowns; declare them, for example: x = m.unknown(\"x\")");
    const bool has_motion = system.lagrangian || system.hamiltonian;
    bool has_constraint = false;
    for (Equation& e : system.equations) {
        if (!has_motion) e.kind = EquationKind::written;
        has_constraint |= e.kind == EquationKind::constraint;
    }
    if (!has_motion && system.equations.empty()) {
        fail(fmt::format("the model has no equations{}; write one, for example: m.equation(der(x) == -x)",
                         system.invariants.empty() ? "" : " (an invariant is not an equation)"));
    }
    if (!has_motion && !system.forces.empty()) {
        fail("a force belongs to a lagrangian or hamiltonian, and this model has neither; write it into the equations");
    }
    if (const auto taken = names_.find("lambda"); has_constraint && taken != names_.end()) {
        fail(fmt::format(
            "'lambda' is {}, but with a lagrangian or hamiltonian it is the name of the multipliers; choose "
            "another name",
            taken->second));
    }
    check_hamiltonian(system);
    std::ranges::stable_partition(system.equations, [](const Equation& e) { return e.kind == EquationKind::written; });
    if (poisson_) add_poisson_motion(system);
    derive_motion(system);

    // what names the multipliers
    std::set<std::uint32_t> used = elaboration_->used_parameters();
    if (!deferred_.empty()) {
        const Unknown* lambda = has_constraint ? system.unknown("lambda") : nullptr;
        if (!lambda) {
            fail(deferred_.front().what +
                 ": there are no multipliers without a constraint of a lagrangian or hamiltonian");
        }
        const Multipliers here(*this, system.graph->array(lambda->array), lambda->array);
        Elaboration elaboration(*draft_, *system.graph);
        for (const Deferred& d : deferred_) run(d.what, d.loops, system, elaboration, d.action);
        used.insert(elaboration.used_parameters().begin(), elaboration.used_parameters().end());
    }
    const auto is_family = [&](const StartValue& s) { return s.domain != system.graph->index().scalar_domain(); };
    std::ranges::stable_partition(system.start, is_family); // a value for one element wins over that of a family
    std::ranges::stable_partition(system.guesses, is_family);

    determine_orders(system);
    if (const auto problem = check_structure(system)) fail(problem->message);
    const std::set<std::string> structural = structural_parameters();
    for (Parameter& p : system.parameters) {
        p.is_structural = structural.contains(p.name);
        p.is_used = std::ranges::any_of(used, [&](std::uint32_t a) { return draft_->array(a).array == p.array; });
        if (!p.is_used)
            system.warnings.push_back(fmt::format("{}: the parameter '{}' is used nowhere", name(), p.name));
    }
}

} // namespace vessiot
