// The libraries that come with the program: the texts of library/.
#include <algorithm>
#include <array>

#include "lang/parts/parts.hpp"

namespace vessiot::lang {

namespace {

struct Library {
    std::string_view name, text;
};

constexpr std::array libraries{
    Library{
        "mechanics",
#include "library_mechanics.inc"
    },
};

} // namespace

std::optional<std::string_view> library_text(std::string_view name) {
    const auto found = std::ranges::find(libraries, name, &Library::name);
    return found == libraries.end() ? std::nullopt : std::optional(found->text);
}

std::vector<std::string_view> library_names() {
    std::vector<std::string_view> names;
    for (const Library& library : libraries) names.push_back(library.name);
    return names;
}

} // namespace vessiot::lang
