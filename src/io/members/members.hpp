// What came out of an ensemble, for people and for programs.
#pragma once

#include <string>

#include "vessiot/ensemble.hpp"

namespace vessiot::io {

// A few lines; `repeat` is the command that runs a member by itself, for the first one that failed.
std::string members_summary(const EnsembleResult& result, const std::string& repeat);

// {"members": N, "status": {"success": n, …}, "varied": {"g": "1..20:1000", …}, "statistics": {…}, …}
std::string members_json(const EnsembleResult& result);

} // namespace vessiot::io
