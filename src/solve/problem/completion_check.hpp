// Where a system was completed with numbers: would other numbers complete it in the same way? What is compiled to find
// out is compiled once, when the numbers change for the first time.
#pragma once

#include <memory>

#include "solve/problem/class_check.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

// What is given for a start point, as completion takes it.
GuessedPoint guessed_point(const System& system, const Prolongation& p, const Settings& options,
                           StartFunctions<Quad>& functions);

template <class S> class CompletionCheck {
public:
    // `given`: the system before it was completed, with the parameters that it was completed with, for a run from
    // `from`; `now`: what became of it. Nothing is discrete in it. Throws InvalidInput.
    CompletionCheck(const System& given, const Settings& options, Quad from, const Analysis& now);

    bool is_alike(const std::vector<Quad>& parameters, const Settings& options, Quad from);

private:
    // Where the structure was tried first: a start point without a direction said that it misleads.
    struct Misled {
        std::shared_ptr<Analysis> analysis;
        Compiled<S> problem;
        Misled(const System& given, const Settings& options, Quad from)
            : analysis(std::make_shared<Analysis>(given, options, from)), problem(analysis, options) {}
    };
    bool is_misled(const Settings& options, Quad from);
    Involution complete(const Settings& options, Quad from);

    System system_; // over a graph of its own
    StartFunctions<Quad> start_;
    ClassAnew class_;
    Classification classification_;
    RepeatedCompletion completion_;
    Involution involution_;
    std::unique_ptr<Misled> misled_; // null where numbers were asked at once
    int n_others_ = 0;               // how often it was another one
};

extern template class CompletionCheck<double>;
extern template class CompletionCheck<Quad>;

} // namespace vessiot
