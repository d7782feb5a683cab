// A system made ready for runs: its structure, the manifold, the direction field, all compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "completion/structure.hpp"
#include "distribution/distribution.hpp"
#include "involution/involution.hpp"
#include "linalg/sparse/pivots.hpp"
#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"
#include "sensitivity/augmentation.hpp"
#include "solve/options/settings.hpp"
#include "solve/start/given.hpp"
#include "system/classify.hpp"
#include "system/conditions.hpp"
#include "system/system.hpp"

namespace vessiot {

struct DistributionKind;
template <class S> class InitialEquations;

// Which coordinate, top or discrete quantity a reported value is.
struct ValuePlace {
    bool is_top = false;
    std::int32_t at = 0;
    bool is_held = false; // number `at` of what is held between events; -1: its derivative by a variable, 0
};

// What does not depend on the scalar.
struct Analysis {
    System system;
    Classification classification;
    Structure structure;
    Prolongation prolongation;
    std::optional<Involution> involution; // where structure does not tell all; then `system` has its consequences too
    bool is_arclength = false;
    // Where derivatives of the solution are computed: `system` and `prolongation` are then those of all blocks, the
    // rest is that of the system itself.
    std::shared_ptr<Augmentation> augmentation{};
    // Where conditions are located: `system` has modes, and this is the one before completion.
    std::shared_ptr<const Conditions> conditions{};

    // Throws InvalidInput where the system cannot be solved. A run begins at t.
    Analysis(const System& given, const Settings& options, Quad t = 0);

    // The structure misleads: what follows from the equations is found with numbers. Throws InvalidInput where that
    // fails.
    void complete(const Settings& options, Quad t);

    // 1, and one more for each variable that the solution is differentiated by.
    std::size_t n_blocks() const { return augmentation ? augmentation->by().size() + 1 : 1; }

    SystemSummary summary() const;
    bool is_mechanical() const; // the equations for the tops can be eliminated without pivoting
    // Do implicit methods have to project their stages?
    bool needs_projected_stages(const Settings& options) const;
    // The unknowns with their derivatives below the highest that occur, algebraic ones included, and then what is
    // discrete; as `values` has them.
    std::vector<std::string> value_names() const;
    std::vector<ValuePlace> value_places() const;
    std::size_t n_values() const { return value_places().size() / n_blocks(); } // without derivatives by variables
    // The name of an element of z.
    std::string name_of(std::int64_t position) const;
    // What the equations are solved for, for messages: "x'', y'', lambda".
    std::string top_names() const;
};

template <class S> class Compiled {
public:
    Compiled(std::shared_ptr<const Analysis> analysis, const Settings& options);
    // With the derivatives of the solution (Analysis::augmentation); `base` is the problem without them.
    Compiled(std::shared_ptr<const Analysis> analysis, std::shared_ptr<Compiled> base);

    const Analysis& analysis() const { return *analysis_; }
    const System& system() const { return analysis_->system; }
    const Prolongation& prolongation() const { return analysis_->prolongation; }
    Jets<S>& jets() { return jets_; }
    Manifold<S>& manifold() { return *manifold_; }
    Distribution<S>& distribution() { return *distribution_; }
    // The manifold without invariants; the same one where there are none and t is no coordinate.
    Manifold<S>& written_manifold() { return written_ ? *written_ : *manifold_; }
    // What the model says about the start point, compiled when it is first asked for.
    StartFunctions<S>& start_functions() {
        if (!start_functions_) start_functions_.emplace(system());
        return *start_functions_;
    }
    // The equations of the start point, likewise; null where it has none beside the constraints.
    InitialEquations<S>* initial_equations();
    Compiled* base() { return base_.get(); } // null where it is one itself
    // Of all factorisations that runs of this problem need.
    const std::shared_ptr<linalg::Pivots>& pivots() const { return pivots_; }
    const expr::EvaluatorOptions& evaluator() const { return evaluator_; }
    std::int64_t n_state() const { return prolongation().n_state(); }
    std::int64_t n_tops() const { return prolongation().n_tops(); }

private:
    void choose_distribution(const DistributionKind* wanted); // null: the one that suits best
    void make_block_distribution();

    std::shared_ptr<const Analysis> analysis_;
    std::shared_ptr<Compiled> base_;
    std::shared_ptr<linalg::Pivots> pivots_;
    expr::EvaluatorOptions evaluator_;
    Jets<S> jets_;
    std::unique_ptr<Manifold<S>> manifold_, written_;
    std::unique_ptr<Distribution<S>> distribution_;
    std::optional<StartFunctions<S>> start_functions_;
    std::shared_ptr<InitialEquations<S>> initial_equations_;
};

extern template class Compiled<double>;
extern template class Compiled<Quad>;

} // namespace vessiot
