// Reads as much BibTeX as our own file has: fields in braces, {\"a} for letters, {Word} for capitals.
#include "cli/references.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace vessiot::cli {

namespace {

constexpr std::string_view bibliography =
#include "references.inc"
    ;

// From an opening brace up to the one that closes it, both left out.
std::string_view braced(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t k = open; k < text.size(); ++k) {
        depth += (text[k] == '{') - (text[k] == '}');
        if (depth == 0) return text.substr(open + 1, k - open - 1);
    }
    return {};
}

std::string_view entry(std::string_view key) {
    const std::size_t place = bibliography.find(fmt::format("{{{},", key));
    return place == std::string_view::npos ? std::string_view() : braced(bibliography, place);
}

std::string_view field(std::string_view entry, std::string_view name) {
    for (std::size_t place = 0; (place = entry.find(name, place)) != std::string_view::npos; ++place) {
        const std::size_t equals = entry.find_first_not_of(' ', place + name.size());
        const bool is_field =
            place > 0 && entry[place - 1] == ' ' && equals != std::string_view::npos && entry[equals] == '=';
        if (is_field) return braced(entry, entry.find('{', equals));
    }
    return {};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t k = 0; (k = text.find(from, k)) != std::string::npos; k += to.size())
        text.replace(k, from.size(), to);
}

// Without the marks of TeX, on one line.
std::string plain(std::string_view tex) {
    std::string text(tex);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> letters{{{R"({\"a})", "ä"},
                                                                                     {R"({\"o})", "ö"},
                                                                                     {R"({\"u})", "ü"},
                                                                                     {R"({\"A})", "Ä"},
                                                                                     {R"({\"O})", "Ö"},
                                                                                     {R"({\"U})", "Ü"},
                                                                                     {R"({\o})", "ø"},
                                                                                     {R"({\'e})", "é"},
                                                                                     {R"({\`e})", "è"},
                                                                                     {R"({\ss})", "ß"},
                                                                                     {"--", "–"},
                                                                                     {"\n", " "}}};
    for (const auto& [from, to] : letters) replace_all(text, from, to);
    std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
    while (text.find("  ") != std::string::npos) replace_all(text, "  ", " ");
    return text;
}

} // namespace

std::string reference_text(std::string_view key) {
    const std::string_view found = entry(key);
    if (found.empty()) return "";
    std::string authors = plain(field(found, "author"));
    replace_all(authors, " and ", "; ");
    return fmt::format("{}: {}, {}", authors, plain(field(found, "title")), plain(field(found, "year")));
}

} // namespace vessiot::cli
