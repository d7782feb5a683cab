#include "modelica/syntax/ast.hpp"

namespace vessiot::modelica {

NameId Names::add(std::string_view text) {
    if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
    texts_.emplace_back(text);
    const auto id = static_cast<NameId>(texts_.size() - 1);
    ids_.emplace(texts_.back(), id);
    return id;
}

NameId Names::find(std::string_view text) const {
    const auto it = ids_.find(text);
    return it == ids_.end() ? nothing : it->second;
}

} // namespace vessiot::modelica
