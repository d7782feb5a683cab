#include "decompose/decompose.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "decompose/algebra/independent.hpp"
#include "decompose/choose.hpp"
#include "lang/model.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/number_text.hpp"
#include "lang/syntax/parser.hpp"

namespace vessiot::decompose {

namespace {

// The statement that begins at a place.
std::optional<lang::Span> span_at(const lang::Source& source, const std::vector<lang::Statement>& statements,
                                  Location where) {
    for (const lang::Statement& s : statements) {
        if (const auto* loop = std::get_if<lang::ForStatement>(&s.node)) {
            if (auto span = span_at(source, loop->body, where)) return span;
            continue;
        }
        const lang::Position begin = source.position(s.span.begin);
        if (begin.line == static_cast<std::size_t>(where.line) &&
            begin.column == static_cast<std::size_t>(where.column))
            return s.span;
    }
    return std::nullopt;
}

PolynomialSystem polynomials_of(const System& system, const lang::Source& source) {
    try {
        return make_polynomials(system);
    } catch (const NotPolynomial& e) {
        if (const auto span = span_at(source, lang::parse(source).statements, e.where()))
            lang::fail(source, *span, e.what());
        throw;
    }
}

// "a = 1, b = 2": the parameters whose values are in the generators.
std::string parameter_text(const System& system, const std::vector<std::size_t>& numbers) {
    std::vector<std::string> texts;
    for (const std::size_t k : numbers) {
        const Parameter& p = system.parameters[k];
        texts.push_back(p.values.size() == 1
                            ? fmt::format("{} = {}", p.name, lang::number_text(static_cast<double>(p.values[0])))
                            : p.name);
    }
    return texts.empty() ? "" : fmt::format(", for {}", fmt::join(texts, ", "));
}

class ModelMaker {
public:
    ModelMaker(Decomposition& d, const System& system, const lang::Source& source, const lang::Settings& settings)
        : d_(d), system_(system), source_(source), settings_(settings), number_(*d.chosen + 1),
          component_(d.answer.components[*d.chosen]) {}

    void operator()() {
        const std::vector<std::string> all = d_.generators(*d_.chosen);
        const bool has_start = std::ranges::find(d_.start.on, *d_.chosen) != d_.start.on.end();
        if (!has_start)
            note("the start point is not on component {}: change the start lines of the new model", number_);
        const std::size_t n_needed = d_.polynomials.positions.size() - static_cast<std::size_t>(component_.dimension);
        if (d_.then)
            take(switching(all, d_.generators(*d_.then)));
        else if (all.size() <= n_needed || !has_start || !take_fewer(all.size(), n_needed))
            take(with(all));
        d_.notes.insert(d_.notes.end(), d_.model->notes.begin(), d_.model->notes.end());
    }

private:
    template <class... Values> void note(fmt::format_string<Values...> text, Values&&... values) {
        d_.notes.push_back(fmt::format(text, std::forward<Values>(values)...));
    }

    Replacement replacement_with(const std::vector<std::string>& equations) {
        n_equations_ = equations.size();
        return {.equations = d_.polynomials.equations,
                .generators = equations,
                .comment = fmt::format("component {} of {} of the constraints above, by vessiot decompose{}", number_,
                                       d_.answer.components.size(), parameter_text(system_, d_.polynomials.parameters)),
                .statements = {}};
    }

    ModelText with(const std::vector<std::string>& equations) {
        return replace_constraints(source_, settings_, system_, replacement_with(equations));
    }

    // A model that begins on one component, and goes on on the next from where they meet: what is discrete says on
    // which it is, and an event where an equation of the next one holds changes it, if the others hold there as well.
    ModelText switching(const std::vector<std::string>& here, const std::vector<std::string>& there) {
        if (here.size() != there.size())
            throw InvalidInput(fmt::format("component {} has {} and component {} has {}: a run cannot change between "
                                           "components with different numbers of equations",
                                           number_, plural(here.size(), "equation"), *d_.then + 1,
                                           plural(there.size(), "equation")));
        const bool is_taken = source_.text().find("component") != std::string_view::npos;
        const std::string name = is_taken ? "component_number" : "component";
        std::vector<std::string> only_here, only_there, equations;
        std::ranges::copy_if(here, std::back_inserter(only_here),
                             [&](const std::string& g) { return std::ranges::find(there, g) == there.end(); });
        for (const std::string& g : there)
            (std::ranges::find(here, g) == here.end() ? only_there : equations).push_back(g);
        std::string distance;
        for (std::size_t k = 0; k < only_here.size(); ++k) {
            equations.push_back(fmt::format("if({} == {}, {}, {})", name, number_, only_here[k], only_there[k]));
            distance += fmt::format("{}abs({})", k == 0 ? "" : " + ", only_there[k]);
        }
        Replacement replacement = replacement_with(equations);
        replacement.comment += fmt::format("; then component {}, from where they meet", *d_.then + 1);
        replacement.statements.push_back(fmt::format("discrete {} = {}", name, number_));
        for (std::size_t k = 0; k < only_there.size(); ++k)
            replacement.statements.push_back(
                fmt::format("event change{0}: if({1} == {2}, {3}, 1) = 0 then {1} = if({4} < 1e-6, {5}, {1})",
                            only_there.size() == 1 ? "" : fmt::format("_{}", k + 1), name, number_, only_there[k],
                            distance, *d_.then + 1));
        return replace_constraints(source_, settings_, system_, replacement);
    }

    void take(ModelText model) {
        if (!system_.lagrangian && !system_.hamiltonian && n_equations_ != d_.n_constraints)
            note("{} {} the place of {}: multipliers that are written by hand must be adapted",
                 plural(n_equations_, "equation"), n_equations_ == 1 ? "takes" : "take", d_.n_constraints);
        d_.model = std::move(model);
    }

    // There are more generators than are independent at a point: those that are at the start point. False: it is
    // singular.
    bool take_fewer(std::size_t n_all, std::size_t n_needed) {
        const std::vector<Polynomial> chosen = independent_equations(component_, d_.polynomials, d_.start.values);
        if (chosen.size() < n_needed) {
            note("the start point is a singular point of component {}: no run can start there", number_);
            return false;
        }
        std::vector<std::string> equations;
        for (const Polynomial& p : chosen) equations.push_back(p.text(d_.polynomials.variables));
        note("component {} needs {}; the new model has {} that are independent at the start point and describe it near "
             "there. A run that comes to where they are dependent stops",
             number_, plural(n_all, "equation"), n_needed);
        take(with(equations));
        return true;
    }

    Decomposition& d_;
    const System& system_;
    const lang::Source& source_;
    const lang::Settings& settings_;
    std::size_t number_; // from 1
    const Component& component_;
    std::size_t n_equations_ = 0;
};

} // namespace

bool Decomposition::is_worth_writing() const {
    return answer.components.size() > 1 || answer.n_excluded > 0 || answer.is_radical == false;
}

std::vector<std::string> Decomposition::generators(std::size_t component) const {
    std::vector<std::string> texts;
    for (const Polynomial& p : answer.components[component].generators) texts.push_back(p.text(polynomials.variables));
    return texts;
}

Decomposition decompose(const lang::Source& source, const lang::Settings& settings, const Options& options) {
    const System system = lang::read_model(source, settings);
    Decomposition d;
    d.model_name = system.name;
    d.warnings = system.warnings;
    d.polynomials = polynomials_of(system, source);
    check_statements(source, system, d.polynomials.equations);
    d.n_constraints = d.polynomials.constraints.size();
    d.notes = d.polynomials.notes;
    SingularResult found = ask_singular(d.polynomials, options.singular);
    d.answer = std::move(found.answer);
    d.problem = std::move(found.problem);
    if (d.answer.components.empty())
        throw InvalidInput(
            fmt::format("{}: the {} contradict each other: no point satisfies all of them{}", source.name(),
                        plural(d.n_constraints, "constraint"),
                        d.answer.n_excluded > 0 ? " without a division by 0" : ", not even a complex one"));
    if (d.answer.n_excluded > 0)
        d.notes.push_back(fmt::format("{} left out: something is divided by 0 everywhere on {}",
                                      plural(static_cast<std::size_t>(d.answer.n_excluded), "component"),
                                      d.answer.n_excluded == 1 ? "it" : "them"));
    d.start = place_start(system, d.polynomials, d.answer, options.start);
    if (!d.start.note.empty()) d.notes.push_back(d.start.note);
    const Choice choice = choose(options.component, d.answer, d.polynomials, d.start);
    d.chosen = choice.first;
    d.then = choice.then;
    if (d.chosen) ModelMaker(d, system, source, settings)();
    return d;
}

} // namespace vessiot::decompose
