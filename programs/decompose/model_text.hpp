// A model with other constraints: the text of a model, in which a component takes the place of its constraints.
//
// Nothing else changes: the statements that are replaced stay as comments, the new ones stand after the last of them.
// Parameters that nothing uses any more leave the list, since setting them would have no effect; `--set` values are
// written into the text, since the new constraints were computed with them.
#pragma once

#include <string>
#include <vector>

#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/source.hpp"
#include "system/system.hpp"

namespace vessiot::decompose {

struct Replacement {
    std::vector<std::size_t> equations;  // numbers of the System::equations that go
    std::vector<std::string> generators; // what comes: polynomial = 0
    std::string comment;                 // a line above them
    std::vector<std::string> statements; // lines below them
};

struct ModelText {
    std::string text;
    std::vector<std::string> notes; // what to look after by hand
};

// Throws ModelError where a statement has an equation that goes and one that stays (a vector equation).
void check_statements(const lang::Source& source, const System& system, const std::vector<std::size_t>& equations);

// `system` is what `source` and `settings` give; check_statements was called.
ModelText replace_constraints(const lang::Source& source, const lang::Settings& settings, const System& system,
                              const Replacement& replacement);

} // namespace vessiot::decompose
