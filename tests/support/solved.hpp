// A model in its text, solved.
#pragma once

#include <string>

#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::test {

inline Solution solved(const std::string& text, const SolveOptions& options = {}) {
    return solve(Model::parse(text), options);
}

// The value of a name at the last point.
inline double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

inline SolveOptions tight(const std::string& method = "dop853") {
    SolveOptions o;
    o.method = method;
    o.rtol = 1e-12;
    o.atol = 1e-13;
    return o;
}

} // namespace vessiot::test
