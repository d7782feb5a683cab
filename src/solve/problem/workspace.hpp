// All that one thread needs to solve a problem: the system analysed and compiled over a graph of its own, and an
// engine. It is made for the numbers of one solve, and serves others where no decision that was made on the way hangs
// on them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "method/registry.hpp"
#include "solve/problem/class_check.hpp"
#include "solve/problem/completion_check.hpp"
#include "solve/problem/engine.hpp"
#include "solve/problem/prepare.hpp"

namespace vessiot {

// What differs from one solve of a problem to another, and may decide something.
struct Numbers {
    std::vector<Quad> parameters; // all of them, in the order of System::parameters
    std::vector<std::pair<std::string, double>> start, guess;
    Quad from = 0;

    friend bool operator==(const Numbers&, const Numbers&) = default;
};

Numbers numbers_of(const System& system, const Settings& options, Quad from);

// Throws InvalidInput where a method on the equations as they stand cannot solve these.
void check_direct(const Analysis& analysis, const method::MethodInfo& method);

template <class S> class Workspace {
public:
    // For a run of this system, with its parameters, from `from` to t1; the options are complete. Throws InvalidInput.
    Workspace(const System& system, const Settings& options, const method::MethodInfo& method, Quad from, S t1);
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    // Does it serve only once? Where derivatives are carried along, or the equations are solved as they stand, all is
    // made anew.
    bool is_spent() const { return (is_single_ && has_begun_) || is_broken_; }
    // Would a new one for these numbers be made in the same way?
    bool fits(const Numbers& numbers);
    // Did its numbers decide how it was made?
    bool is_bound() const { return is_bound_; }
    // As good as new, with these parameters and what is held where a run of this system begins. It has to fit.
    void renew(const System& system, const Settings& options);
    // The parameters alone, for points of a curve.
    void set_parameters(const std::vector<Quad>& values);
    // The start point of a run: the one that it was made with, or, after renew(), one that is made now. Throws
    // InvalidInput; NoDirection where the structure misleads with these numbers.
    StartPoint<S> begin(const Settings& options, Quad from);

    // Do numbers decide nothing about how a run is made, but for what its formulas say? Those are start values, and the
    // parameters with these numbers (elements of all, in their order).
    bool is_open_to(const std::vector<std::size_t>& parameters) {
        return !is_single_ && !is_bound_ && !class_check_.may_differ(*completed_.analysis, parameters);
    }

    const Prepared<S>& completed() const { return completed_; }
    const Analysis& analysis() const { return *used_.analysis; }
    Compiled<S>& problem() { return *used_.problem; }
    Engine<S>& engine() { return *engine_; }
    const Settings& options() const { return engine_->options; }
    const SystemSummary& summary() const { return summary_; }
    const std::vector<std::string>& notes() const { return notes_; }
    const Numbers& numbers() const { return numbers_; }

private:
    bool is_completed_alike(const Numbers& numbers);

    Numbers numbers_;            // that it has now
    std::vector<Quad> held_for_; // parameters that what is held was computed with
    Numbers decided_for_;        // the last ones that are known to decide as those that it was made with
    Prepared<S> completed_, used_;
    std::unique_ptr<Engine<S>> engine_;
    SystemSummary summary_;
    std::vector<std::string> notes_; // of the completion
    bool is_single_ = false, has_begun_ = false, is_new_ = true;
    bool is_broken_ = false; // a function of the user threw while it was made ready
    bool is_bound_ = false;  // to its numbers: they decided
    ClassCheck class_check_;
    std::optional<System> given_{}; // before it was completed, where its completion alone binds it
    std::unique_ptr<CompletionCheck<S>> completion_check_; // made when needed
    // The last start point, for the next run with the same numbers, and what is constant there.
    struct {
        std::optional<Numbers> numbers{};
        StartPoint<S> point{};
        std::vector<S> constants{};
        DistributionCounts work{}; // that finding it was
    } last_start_;
};

extern template class Workspace<double>;
extern template class Workspace<Quad>;

} // namespace vessiot
