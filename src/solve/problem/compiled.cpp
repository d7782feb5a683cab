#include "solve/problem/compiled.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "completion/describe_structure.hpp"
#include "completion/prolong_general.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "distribution/explicit.hpp"
#include "distribution/kind.hpp"
#include "distribution/shortest.hpp"
#include "distribution/solve.hpp"
#include "distribution/submatrix.hpp"
#include "distribution/written.hpp"
#include "sensitivity/block_distribution.hpp"
#include "sensitivity/block_kkt.hpp"
#include "solve/problem/completion_check.hpp"
#include "solve/start/given.hpp"
#include "solve/start/initially.hpp"
#include "system/incidence.hpp"

namespace vessiot {

using expr::ArrayId;
using expr::Contribution;
using expr::EvaluatorOptions;
using expr::NodeId;

namespace {

// Has the run to end where t turns, or can it go on in arclength?
bool wants_arclength(const Settings& options) {
    if (options.is_arclength()) return true;
    if (options.to_s)
        throw InvalidInput("--to-s is an arclength, but the run is parametrised by time. "
                           "Add --parametrisation arclength, or give the end with --to.");
    return false;
}

[[noreturn]] void refuse(const System& system, const Structure& structure) {
    const StructureText text = describe(system, structure);
    throw InvalidInput(
        fmt::format("the equations of {} do not determine its unknowns:\n{}", system.name, to_text(text)));
}

// Throws where the formulation asked for does not fit.
void check_formulation(const System& system, const Classification& classification, const Structure& structure,
                       Formulation wanted) {
    const SystemClass found = classification.system_class;
    const auto misfit = [&](std::string_view needed) {
        throw InvalidInput(fmt::format("--formulation {} needs {}, but {} is of the class {}. Leave it out, or use "
                                       "--formulation general.",
                                       word(wanted), needed, system.name, name(found)));
    };
    if (!structure.is_square) {
        if (classification.n_equations < classification.n_unknowns) refuse(system, structure);
        if (wanted != Formulation::automatic) misfit("as many equations as unknowns");
    }
    if (wanted == Formulation::holonomic && found != SystemClass::holonomic)
        misfit("a mechanical system with position constraints");
    if (wanted == Formulation::invariants && found == SystemClass::holonomic) misfit("no constraints but invariants");
}

// Invariants are constraints: quantities of the coordinates. What is above them follows from the equations.
void check_invariants(const System& system, const Prolongation& p) {
    if (system.invariants.empty()) return;
    System quantities = system;
    quantities.equations.clear();
    for (const Invariant& i : system.invariants)
        quantities.equations.push_back({.domain = i.domain, .residual = i.value, .lhs = i.value});
    const Incidence rows = make_incidence(quantities);
    for (std::size_t k = 0; k < system.invariants.size(); ++k)
        for (std::int64_t e = rows.start[static_cast<std::size_t>(rows.family[k])];
             e < rows.start[static_cast<std::size_t>(rows.family[k + 1])]; ++e) {
            const std::int32_t unknown = rows.unknown[static_cast<std::size_t>(e)];
            const std::int32_t order = rows.order[static_cast<std::size_t>(e)];
            if (order < p.offsets.d[static_cast<std::size_t>(unknown)]) continue;
            const Invariant& i = system.invariants[k];
            throw InvalidInput(fmt::format(
                "the {} contains {}{}, which follows from the equations: an invariant is a quantity of the unknowns "
                "and of derivatives below the highest ones. Write what the equations say that it is.",
                i.text.empty() ? "invariant " + system.graph->print(i.value) : i.text, element_name(system, unknown),
                std::string(static_cast<std::size_t>(order), '\'')));
        }
}

// The general formulation solves for one derivative more of each unknown than occurs, q_j + 1, by the matrix
// dF_i/dy_j^(q_j). Where no pairing of equations with unknowns finds the q_j in all pairs that matrix is singular
// everywhere: what follows from the equations by differentiating them further comes first.
void work_in_full(Analysis& a, const Settings& options, Quad t) {
    const bool is_complete = determines_highest(a.structure.signature);
    if (!is_complete && a.structure.is_square && a.structure.is_regular) {
        a.prolongation = prolong_general(a.system, a.structure);
    } else if (is_complete || a.classification.n_unknowns > most_completed) {
        a.prolongation = prolong_general(a.system, a.structure.signature);
    } else {
        a.complete(options, t);
    }
}

expr::Backend backend_of(vessiot::Backend backend) {
    switch (backend) {
    case vessiot::Backend::jit: return expr::Backend::jit;
    case vessiot::Backend::interpreter: return expr::Backend::interpreter;
    case vessiot::Backend::automatic: break;
    }
    return expr::Backend::automatic;
}

} // namespace

Analysis::Analysis(const System& given, const Settings& options, Quad t)
    : system(with_held_start(given, options)), classification(classify(system)), structure(analyse(system)),
      is_arclength(wants_arclength(options)) {
    if (options.formulation == Formulation::general) {
        work_in_full(*this, options, t);
        return;
    }
    check_formulation(system, classification, structure, options.formulation);
    if (!structure.is_square && classification.n_unknowns > most_completed) {
        prolongation = prolong_general(system, structure.signature); // all that follows has to be written
        return;
    }
    if (!structure.is_square) {
        complete(options, t);
        return;
    }
    if (!structure.is_regular) refuse(system, structure);
    prolongation = prolong(system, structure);
}

void Analysis::complete(const Settings& options, Quad t) {
    StartFunctions<Quad> functions(system);
    const auto guess = [&](const System& s, const Prolongation& p) { return guessed_point(s, p, options, functions); };
    involution = vessiot::complete(system, t, guess);
    system = involution->system;
    prolongation = options.formulation == Formulation::general ? prolong_completed(system, make_signature(system))
                                                               : involution->prolongation;
}

bool Analysis::is_mechanical() const {
    const bool has_masses = classification.system_class == SystemClass::holonomic || system.lagrangian.has_value();
    return has_masses && !classification.has_singular_masses && system.contacts.empty();
}

// They go far in a step. Where V makes sense on the manifold only (an equation was differentiated to get it), their
// stages have to be there. Of index 1, without rows that say nothing new, each constraint was differentiated once: V
// keeps its value, whatever that is, so that nothing grows off the manifold, and projecting the result of a step does.
// (Constant steps, arclength and derivatives of the solution have no stages with tops: stage_tops.hpp.)
bool Analysis::needs_projected_stages(const Settings& options) const {
    if (!prolongation.is_raised && !prolongation.is_general) return false;
    const bool is_of_index_1 = involution ? involution->index <= 1 && involution->redundant.empty()
                                          : !prolongation.is_general && structure.is_regular && structure.index <= 1;
    return !is_of_index_1 || options.step > 0 || is_arclength || augmentation;
}

SystemSummary Analysis::summary() const {
    const StructureText text = describe(system, structure);
    const std::int64_t n_invariants = count_invariants(system);
    const auto freedom = [&](std::int64_t phase_dimension) { // invariants leave those of a motion as they are
        const std::int64_t n = degrees_of_freedom(system, phase_dimension);
        return n < phase_dimension ? n : phase_dimension - n_invariants;
    };
    if (involution) {
        const std::int64_t dimension = involution->phase_dimension + 1 - n_invariants;
        return {.system_class = std::string(name(classification.system_class)),
                .order = classification.order,
                .unknowns = classification.n_unknowns,
                .equations = classification.n_equations,
                .invariants = n_invariants,
                .hidden_constraints = involution->hidden_constraints,
                .index = involution->index,
                .structural_index = structure.is_regular ? structure.index : involution->index,
                .degrees_of_freedom = freedom(involution->phase_dimension),
                .manifold_dimension = dimension};
    }
    if (!structure.is_regular) { // more equations than unknowns, as they are: the rank at the start point says the rest
        return {.system_class = std::string(name(classification.system_class)),
                .order = classification.order,
                .unknowns = classification.n_unknowns,
                .equations = classification.n_equations,
                .invariants = n_invariants};
    }
    const std::int64_t dimension = text.manifold_dimension - n_invariants;
    return {.system_class = std::string(name(classification.system_class)),
            .order = classification.order,
            .unknowns = classification.n_unknowns,
            .equations = classification.n_equations,
            .invariants = n_invariants,
            .hidden_constraints = text.hidden_constraints,
            .index = text.index,
            .structural_index = text.index,
            .degrees_of_freedom = freedom(text.manifold_dimension - 1),
            .manifold_dimension = dimension};
}

std::vector<ValuePlace> Analysis::value_places() const {
    const Prolongation& p = prolongation;
    std::vector<std::int32_t> state_at(static_cast<std::size_t>(p.z.size), -1), top_at = state_at;
    for (std::size_t k = 0; k < p.state.size(); ++k)
        state_at[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k)
        top_at[static_cast<std::size_t>(p.top[k])] = static_cast<std::int32_t>(k);
    std::unordered_map<ArrayId, std::int64_t> first;
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) first[p.z.jets[k]] = p.z.first[k];
    std::vector<ValuePlace> places;
    for (const Unknown& u : system.unknowns) {
        if (u.is_hidden) continue;
        ArrayId jet = u.array;
        for (int k = 0; k < std::max(u.order, 1); ++k, jet = system.graph->derivative(jet)) {
            for (std::int64_t e = 0; e < system.graph->array(jet).size(); ++e) {
                const auto z = static_cast<std::size_t>(first.at(jet) + e);
                places.push_back(state_at[z] >= 0 ? ValuePlace{false, state_at[z]} : ValuePlace{true, top_at[z]});
            }
        }
    }
    // behind the unknowns of each block
    std::vector<ValuePlace> held;
    std::int32_t n_held = 0;
    for (const Held& h : system.held)
        for (std::size_t k = 0; k < h.values.size(); ++k, ++n_held)
            if (!h.is_hidden) held.push_back({false, n_held, true});
    const std::size_t n = places.size() / n_blocks();
    for (std::size_t block = n_blocks(); block-- > 0;) {
        const auto at = places.begin() + static_cast<std::ptrdiff_t>((block + 1) * n);
        const auto inserted = places.insert(at, held.begin(), held.end());
        if (block > 0) std::for_each_n(inserted, held.size(), [](ValuePlace& v) { v.at = -1; });
    }
    return places;
}

std::vector<std::string> Analysis::value_names() const {
    Coordinates values;
    for (const Unknown& u : system.unknowns) {
        if (u.is_hidden) continue;
        ArrayId jet = u.array;
        for (int k = 0; k < std::max(u.order, 1); ++k, jet = system.graph->derivative(jet)) values.jets.push_back(jet);
    }
    std::vector<std::string> names = coordinate_names(system, values);
    Coordinates held;
    for (const Held& h : system.held)
        if (!h.is_hidden) held.jets.push_back(h.array);
    const std::vector<std::string> discrete = coordinate_names(system, held);
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(names.size() / n_blocks()), discrete.begin(),
                 discrete.end());
    return names;
}

std::string Analysis::name_of(std::int64_t position) const {
    return vessiot::name_of(system, prolongation, position);
}

std::string Analysis::top_names() const {
    std::vector<std::string> names(prolongation.top.size());
    for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 5); ++k) names[k] = name_of(prolongation.top[k]);
    return listed(names);
}

template <class S>
Compiled<S>::Compiled(std::shared_ptr<const Analysis> analysis, const Settings& options)
    : analysis_(std::move(analysis)), pivots_(std::make_shared<linalg::Pivots>()),
      jets_(analysis_->system, analysis_->prolongation) {
    const linalg::PivotsInUse use(pivots_);
    evaluator_.backend = backend_of(options.backend);
    const System& s = system();
    check_invariants(s, prolongation());
    manifold_ = std::make_unique<Manifold<S>>(s, prolongation(), jets_,
                                              ManifoldOptions{evaluator_, analysis_->is_arclength, true});
    if (manifold_->has_invariants() || analysis_->is_arclength) {
        EvaluatorOptions interpreted; // a few evaluations only
        interpreted.backend = expr::Backend::interpreter;
        written_ = std::make_unique<Manifold<S>>(s, prolongation(), jets_, ManifoldOptions{interpreted, false, false});
    }
    choose_distribution(options.distribution);
}

template <class S> void Compiled<S>::choose_distribution(const DistributionKind* wanted) {
    const System& s = system();
    DistributionShape shape{.system = s,
                            .prolongation = prolongation(),
                            .structure = analysis_->structure,
                            .is_arclength = analysis_->is_arclength,
                            .is_mechanical = analysis_->is_mechanical()};
    if (analysis_->involution && !analysis_->involution->open.empty() && wanted != &written_distribution) {
        if (analysis_->is_arclength || wanted)
            throw InvalidInput(
                fmt::format("{} not unique in {}, since constraints are redundant: such systems are solved in "
                            "time, with --distribution auto. Leave out what follows from the others.",
                            analysis_->involution->open, s.name));
        shape.rank = analysis_->involution->rank;
        wanted = &shortest_distribution;
    }
    distribution_ = make_distribution(wanted, shape, jets_, evaluator_);
}

template <class S>
Compiled<S>::Compiled(std::shared_ptr<const Analysis> analysis, std::shared_ptr<Compiled> base)
    : analysis_(std::move(analysis)), base_(std::move(base)), pivots_(base_->pivots_), evaluator_(base_->evaluator_),
      jets_(analysis_->system, analysis_->prolongation) {
    const linalg::PivotsInUse use(pivots_);
    manifold_ =
        std::make_unique<Manifold<S>>(system(), prolongation(), jets_, ManifoldOptions{evaluator_, false, true});
    make_block_distribution();
}

// Formulas for the tops are differentiated; else the matrix of the multipliers or of all tops, factorised, serves all
// blocks.
template <class S> void Compiled<S>::make_block_distribution() {
    constexpr std::int64_t most_operations = 20'000;
    const System& s = system();
    const Prolongation& p = prolongation();
    const Distribution<S>& of_base = base_->distribution();
    if (const ExplicitTops* formulas = of_base.formulas()) {
        const ExplicitTops tops = analysis_->augmentation->with_derivatives(*formulas);
        std::vector<NodeId> bodies;
        for (const Contribution& c : tops.velocity) bodies.push_back(c.body);
        if (std::ssize(s.graph->cone(bodies)) <= most_operations) {
            distribution_ = std::make_unique<ExplicitDistribution<S>>(s, p, tops, jets_, evaluator_, of_base.name());
            return;
        }
    }
    const System& s0 = base_->system();
    const Prolongation& p0 = base_->prolongation();
    if (of_base.solves_for_multipliers()) {
        distribution_ = std::make_unique<BlockKktDistribution<S>>(
            *analysis_->augmentation, *kkt_tops(s0, p0), base_->jets_, jets_, evaluator_, analysis_->is_mechanical());
        return;
    }
    std::unique_ptr<Distribution<S>> inner;
    if (p0.n_equations() == p0.n_tops())
        inner = std::make_unique<SolveDistribution<S>>(s0, p0, base_->jets_, evaluator_);
    else
        inner = std::make_unique<SubmatrixDistribution<S>>(s0, p0, base_->jets_, evaluator_);
    distribution_ = std::make_unique<BlockDistribution<S>>(std::move(inner), s, p, jets_, evaluator_);
}

template <class S> InitialEquations<S>* Compiled<S>::initial_equations() {
    if (!initial_equations_ && has_initial_equations(system(), prolongation()))
        initial_equations_ = std::make_shared<InitialEquations<S>>(*this);
    return initial_equations_.get();
}

template class Compiled<double>;
template class Compiled<Quad>;

} // namespace vessiot
