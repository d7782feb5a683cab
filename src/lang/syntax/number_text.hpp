// Numbers in messages, as the author of a model would write them.
#pragma once

#include <string>

#include "core/quad.hpp"

namespace vessiot::lang {

// "3", "2.5", "1e8", "2e9": the shortest text that reads back as the same number.
std::string number_text(double value);

// With all digits that a quad number has, for values that are passed on as text.
std::string exact_text(Quad value);

} // namespace vessiot::lang
