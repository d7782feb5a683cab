// The parts of a solve, for runs that are made at once and for those that are stepped by hand.
#pragma once

#include <memory>
#include <utility>

#include "solve/problem/pool.hpp"
#include "solve/run/run.hpp"
#include "system/system.hpp"

namespace vessiot {

class ProblemCore;

template <class S> struct RunToMake {
    Loan<S> loan;
    std::unique_ptr<Run<S>> run;
};

Solution new_solution(const System& system);

// The run in numbers, and its start in quadruple precision. An interval of length zero may be allowed.
template <class S>
std::pair<Span<S>, Quad> span_of(const System& system, const Settings& options, bool is_point_allowed,
                                 Solution& solution);

// A run that is about to start; the solution has to stay where it is.
template <class S>
RunToMake<S> begin_solve(ProblemCore& core, const System& system, const Settings& options, const Span<S>& span,
                         Quad from, Solution& solution);

extern template struct RunToMake<double>;
extern template struct RunToMake<Quad>;

} // namespace vessiot
