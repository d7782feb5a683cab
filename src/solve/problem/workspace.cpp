#include "solve/problem/workspace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "completion/describe_structure.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "method/fits.hpp"
#include "projection/kind.hpp"
#include "solve/problem/as_written.hpp"
#include "solve/problem/solve.hpp"
#include "solve/problem/trivial.hpp"
#include "solve/sensitivity/sensitivity.hpp"
#include "solve/start/given.hpp"
#include "system/describe/describe.hpp"
#include "system/own_graph.hpp"

namespace vessiot {

Numbers numbers_of(const System& system, const Settings& options, Quad from) {
    return {parameter_values(system), options.start, options.guess, from};
}

namespace {

// What the structure does not say of a system with more equations than unknowns: the dimension, by the rank of the
// constraints at the start point.
template <class S> void complete_summary(Compiled<S>& problem, const StartPoint<S>& start, SystemSummary& summary) {
    Manifold<S>& m = problem.manifold();
    const std::int64_t k = m.n_constraints(), n = m.n_coordinates();
    if (problem.analysis().structure.is_regular || problem.analysis().involution || k * n > 4'000'000) return;
    linalg::Vector<S> f(k), entries(m.pattern().entries());
    m.df(start.t, start.u.data(), f.data(), entries.data());
    linalg::PivotedQr<S> qr(static_cast<int>(k), static_cast<int>(n));
    linalg::fill_dense(m.pattern(), entries.data(), qr.matrix());
    qr.factor(S(1e-9));
    summary.manifold_dimension = n + (m.has_t() ? 0 : 1) - qr.rank();
    summary.degrees_of_freedom = degrees_of_freedom(problem.system(), summary.manifold_dimension - 1);
    summary.index = summary.structural_index = 1; // differentiated once, the equations give the highest derivatives
}

Projected projected_of(const Analysis& analysis, const Settings& options, const method::MethodInfo& method) {
    return method.family->is_implicit && analysis.needs_projected_stages(options) ? Projected::stages
                                                                                  : Projected::steps;
}

void check_method(const Analysis& analysis, const method::MethodInfo& method) {
    const std::string misfit = method::misfit(method, analysis.system, analysis.prolongation);
    if (misfit.empty()) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& other : method::methods())
        if (method::misfit(other, analysis.system, analysis.prolongation).empty()) fitting.emplace_back(other.name);
    throw InvalidInput(fmt::format("the method {} needs {}. Methods that fit {}: {}.", method.name, misfit,
                                   analysis.system.name, fmt::join(fitting, ", ")));
}

// Methods on the equations as they stand converge up to some index.
void check_index(const System& system, std::int64_t index, const method::MethodInfo& method) {
    if (method.max_index == 0 || index <= method.max_index) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& other : method::direct_methods())
        if (other.max_index >= index) fitting.emplace_back(other.name);
    throw InvalidInput(fmt::format(
        "the method {} works on the equations as they stand and converges where their index is {} at most, but {} has "
        "index {}. Take a method on the constraints, for which the index is no matter, such as radau5{}",
        method.name, method.max_index, system.name, index,
        fitting.empty() ? "" : fmt::format(", or one of {}", fmt::join(fitting, ", "))));
}

// A jump needs a point on the hidden constraints, which methods on the equations as they stand do not know.
void check_no_jumps(const System& system, const method::MethodInfo& method) {
    const auto jump = std::ranges::find_if(system.events, [](const Event& e) { return !e.then.empty() || e.contact; });
    if (jump == system.events.end()) return;
    if (jump->contact)
        throw InvalidInput(fmt::format("the contact '{}' needs points on all constraints, hidden ones included, which "
                                       "the method {} does not know: it works on the equations as they stand. Take a "
                                       "method on the constraints, such as radau5",
                                       jump->name, method.name));
    throw InvalidInput(
        fmt::format("the event '{}' sets values, after which a point on all constraints is needed, hidden "
                    "ones included; the method {} works on the equations as they stand and does not know "
                    "them. Take a method on the constraints, such as radau5",
                    jump->name, method.name));
}

// Functions of C++ compute in double.
template <class S> void check_precision(const System& system) {
    if (std::is_same_v<S, double> || !system.graph->has_externals()) return;
    throw InvalidInput(
        fmt::format("precision = quad was asked for, but the function '{}' of {} computes in double: write it "
                    "as a function of any scalar, or leave the option out",
                    system.graph->external(0)->name(), system.name));
}

// An equation of unknowns that have their equations of motion already, and that restricts these.
std::optional<std::size_t> equation_without_force(const Analysis& analysis) {
    const Involution& found = *analysis.involution;
    const std::vector<Equation>& all = analysis.system.equations;
    const auto is_motion = [](const Equation& e) { return e.kind == EquationKind::motion; };
    if (found.consequences.empty() || std::ranges::none_of(all, is_motion)) return std::nullopt;
    for (std::size_t e = 0; e < all.size(); ++e)
        if (all[e].kind == EquationKind::written && std::ranges::find(found.redundant, e) == found.redundant.end())
            return e;
    return std::nullopt;
}

// What completion with numbers found.
std::vector<std::string> completion_notes(const Analysis& analysis) {
    std::vector<std::string> notes;
    if (!analysis.involution) return notes;
    const Involution& found = *analysis.involution;
    const auto text = [&](std::size_t e) {
        return shortened(describe_equation(analysis.system, analysis.system.equations[e]).text, 100);
    };
    if (const auto forceless = equation_without_force(analysis))
        notes.push_back(fmt::format("warning: {0} stands beside a Lagrangian or Hamiltonian and acts by no force: only "
                                    "motions that satisfy it by themselves are left. Where it is a constraint, write "
                                    "`constraint` before it",
                                    text(*forceless)));
    std::size_t n = 0;
    for (const auto& c : found.consequences)
        if (!is_trivial(analysis.system, analysis.system.equations[c.equation].residual) && ++n <= 3)
            notes.push_back(fmt::format("hidden: {} follows from the equations", text(c.equation)));
    if (n > 3) notes.push_back(fmt::format("hidden: {} more like these; 'vessiot inspect' shows all", n - 3));
    if (found.redundant.size() == 1)
        notes.push_back(fmt::format("redundant: {} follows from the others", text(found.redundant[0])));
    if (found.redundant.size() > 1)
        notes.push_back(
            fmt::format("redundant: each of {} equations follows from the others; 'vessiot inspect' names them",
                        found.redundant.size()));
    if (!found.open.empty())
        notes.push_back(
            fmt::format("{} not unique, since constraints are redundant; the motion is. The smallest values "
                        "are taken",
                        found.open));
    return notes;
}

} // namespace

void check_direct(const Analysis& analysis, const method::MethodInfo& method) {
    check_no_jumps(analysis.system, method);
    check_index(analysis.system, analysis.summary().index, method);
}

template <class S>
Workspace<S>::Workspace(const System& system, const Settings& given, const method::MethodInfo& method, Quad from, S t1)
    : numbers_(numbers_of(system, given, from)), held_for_(numbers_.parameters), decided_for_(numbers_),
      completed_(prepare<S>((check_precision<S>(system), with_own_graph(system)), given, from)) {
    Settings options = given;
    const bool is_direct = method::is_direct(method);
    if (is_direct) check_direct(*completed_.analysis, method);
    if (!is_direct) check_method(*completed_.analysis, method);
    check_sensitivity(options, method);
    used_ = is_direct                      ? as_written(system, options, completed_)
            : !options.sensitivity.empty() ? with_sensitivities(completed_, options)
                                           : completed_;
    if (options.project == Projected::automatic)
        options.project = options.is_projected() ? projected_of(*used_.analysis, options, method) : Projected::steps;
    engine_ = std::make_unique<Engine<S>>(used_.problem, options, method, t1, used_.start);
    summary_ = completed_.analysis->summary();
    complete_summary(*completed_.problem, completed_.start, summary_);
    notes_ = completion_notes(*completed_.analysis);
    is_single_ = is_direct || !options.sensitivity.empty();
    // the rank at the start point, sets of unknowns that fit there
    const bool has_sets = engine_->partition->is_chosen || options.projection->can.goes_along_rays;
    const bool is_completed = completed_.analysis->involution.has_value();
    is_bound_ = is_completed || !completed_.analysis->structure.is_regular || has_sets;
    if (is_completed && !has_sets && !is_single_ && system.held.empty() && !completed_.analysis->conditions)
        given_ = system;
}

template <class S> bool Workspace<S>::fits(const Numbers& numbers) {
    if (is_spent()) return false;
    if (is_bound_) return numbers == decided_for_ || (given_ && is_completed_alike(numbers));
    return numbers == numbers_ || class_check_.is_alike(*completed_.analysis, numbers_.parameters, numbers.parameters);
}

template <class S> bool Workspace<S>::is_completed_alike(const Numbers& numbers) {
    Settings options = engine_->options;
    options.backend = Backend::interpreter; // a few evaluations only
    options.start = decided_for_.start;
    options.guess = decided_for_.guess;
    if (!completion_check_) try {
            set_values(*given_, decided_for_.parameters);
            completion_check_ =
                std::make_unique<CompletionCheck<S>>(*given_, options, decided_for_.from, *completed_.analysis);
        } catch (const InvalidInput&) { // it cannot be told
            given_.reset();
            return false;
        }
    options.start = numbers.start;
    options.guess = numbers.guess;
    if (!completion_check_->is_alike(numbers.parameters, options, numbers.from)) return false;
    decided_for_ = numbers;
    return true;
}

template <class S> void Workspace<S>::set_parameters(const std::vector<Quad>& values) {
    if (values == numbers_.parameters) return;
    numbers_.parameters = values;
    std::vector<S> rounded;
    for (const Quad v : values) rounded.push_back(static_cast<S>(v));
    set_values(completed_.analysis->system, values);
    is_broken_ = true; // unless all that depends on them is computed
    completed_.problem->jets().set_parameters(rounded);
    engine_->events.set_intervals();
    is_broken_ = false;
}

template <class S> void Workspace<S>::renew(const System& system, const Settings& options) {
    is_new_ = false;
    engine_->renew();
    const std::vector<Quad> parameters = parameter_values(system);
    System& own = completed_.analysis->system;
    // NOTE: parameters alone may have been set before, for points of a curve, and then what is held was not
    const bool is_held = parameters == held_for_ && options.start == numbers_.start && options.guess == numbers_.guess;
    set_parameters(parameters);
    numbers_.start = options.start;
    numbers_.guess = options.guess;
    // modes of conditions stand behind what is discrete, and begin as they did
    if (!system.held.empty() && !is_held) std::ranges::copy(with_held_start(system, options).held, own.held.begin());
    held_for_ = parameters;
    std::vector<S> held;
    for (const Quad v : held_values(own)) held.push_back(static_cast<S>(v));
    completed_.problem->jets().begin(held);
}

template <class S> StartPoint<S> Workspace<S>::begin(const Settings& options, Quad from) {
    has_begun_ = true;
    numbers_.from = from;
    if (is_single_) return used_.start;
    const std::span<S> constants = used_.problem->jets().constants();
    const bool has_modes =
        used_.analysis->conditions || std::ranges::any_of(used_.analysis->system.events, &Event::is_always);
    if (!is_new_ && !has_modes && last_start_.numbers == numbers_) {
        std::ranges::copy(last_start_.constants, constants.begin());
        used_.problem->distribution().go_on_from(last_start_.work);
        return last_start_.point;
    }
    last_start_.numbers.reset();
    last_start_.point = is_new_     ? used_.start
                        : has_modes ? (*used_.modes)(options, from)
                                    : make_start<S>(*used_.problem, options, static_cast<S>(from));
    last_start_.constants.assign(constants.begin(), constants.end());
    last_start_.work = used_.problem->distribution().counts();
    last_start_.numbers = numbers_;
    return last_start_.point;
}

template class Workspace<double>;
template class Workspace<Quad>;

} // namespace vessiot
