#include "core/text_list.hpp"

#include <cstddef>

namespace vessiot {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return text.substr(text.size()); // a place in it
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= text.size(); ++k) {
        if (k < text.size()) depth += (text[k] == '(' || text[k] == '[') - (text[k] == ')' || text[k] == ']');
        if (k < text.size() && (text[k] != ',' || depth > 0)) continue;
        parts.push_back(trimmed(text.substr(begin, k - begin)));
        begin = k + 1;
    }
    return parts;
}

std::vector<std::string> name_list(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view part : split_at_commas(text)) std::erase(names.emplace_back(part), ' ');
    return names;
}

} // namespace vessiot
