// The works of docs/references.bib, which are part of the program.
#pragma once

#include <string>
#include <string_view>

namespace vessiot::cli {

// "Heun, K.: Neue Methoden zur …, 1900"; empty for a key that is not there.
std::string reference_text(std::string_view key);

} // namespace vessiot::cli
