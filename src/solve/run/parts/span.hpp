// The interval of a run and what is reported of it, in numbers.
#pragma once

#include <cstddef>
#include <optional>

#include "solve/run/report_times.hpp"

namespace vessiot {

// From t0 to t1, in arclength perhaps to s1.
template <class S> struct Span {
    S t0 = 0, t1 = 0;
    std::optional<S> s1;
    ReportTimes<S> times;                 // to report, in the direction of travel; empty: every step
    std::optional<std::size_t> section{}; // number of the event whose crossings are reported, and nothing else
};

} // namespace vessiot
