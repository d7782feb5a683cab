// Measured orders: slopes of errors over the number of steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

// The slope of the least squares line through the binary logarithms of four errors, with `first` steps and twice, four
// and eight times as many. An error is the Euclidean norm of these outputs at the end.
Computed slope(Runner& runner, const std::function<RunSetting(int)>& setting, const std::vector<std::string>& outputs,
               int first);

} // namespace vessiot::reproduce
