// Texts that are lists: blanks at the ends, and parts between commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vessiot {

// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

// "1, f(2, 3), [4, 5]" at the commas outside of brackets, each part trimmed.
std::vector<std::string_view> split_at_commas(std::string_view text);

// The same for names, "x[1, 2], y'": without any blanks, as models write them in reports.
std::vector<std::string> name_list(std::string_view text);

} // namespace vessiot
