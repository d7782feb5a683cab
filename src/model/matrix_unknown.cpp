// Matrices of unknowns of a C++ model, and their groups.
#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/text.hpp"
#include "model/builder.hpp"
#include "system/groups.hpp"

namespace vessiot {

namespace {

// "Stiefel(4,2)": a word, and numbers in brackets; no sizes where it is not of this form.
struct GroupText {
    std::string_view word;
    std::vector<std::int64_t> sizes;
};

GroupText split(std::string_view text) {
    GroupText result;
    const std::size_t open = text.find('(');
    result.word = text.substr(0, open);
    if (open == std::string_view::npos || !text.ends_with(')')) return result;
    const char *at = text.data() + open + 1, *end = text.data() + text.size() - 1;
    while (at < end) {
        while (at < end && *at == ' ') ++at;
        std::int64_t size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        if (error != std::errc{}) return {result.word, {}};
        result.sizes.push_back(size);
        at = next;
        while (at < end && *at == ' ') ++at;
        if (at < end && *at++ != ',') return {result.word, {}};
    }
    return result;
}

} // namespace

Matrix ModelBuilder::matrix(const std::string& name, const std::vector<std::int64_t>& extent,
                            const std::string& group) {
    check_is_open();
    if (extent.size() != 2)
        fail(fmt::format("the matrix '{}' needs rows and columns, such as {{3, 3}}, but {} {} given", name,
                         extent.size(), extent.size() == 1 ? "size is" : "sizes are"));
    MatrixGroup kind = MatrixGroup::none;
    if (!group.empty()) {
        const GroupText said = split(group);
        const auto found = std::ranges::find(group_words(), said.word, &GroupWord::word);
        if (found == group_words().end()) {
            std::vector<std::string_view> words;
            for (const GroupWord& w : group_words()) words.push_back(w.word);
            const auto meant = nearest(std::string(said.word), words);
            fail(fmt::format("the matrix '{}': '{}' is no group{} There are: {}", name, said.word,
                             meant ? fmt::format("; did you mean '{}'?", *meant) : ".", fmt::join(words, ", ")));
        }
        if (std::ssize(said.sizes) != found->n_sizes)
            fail(fmt::format("the matrix '{}': write its group as \"{}\"", name,
                             found->n_sizes == 1 ? fmt::format("{}(3)", found->word)
                                                 : fmt::format("{}(4,2)", found->word)));
        if (const std::string why = group_mismatch(found->group, said.sizes, extent[0], extent[1]); !why.empty())
            fail(fmt::format("the matrix '{}': {}", name, why));
        kind = found->group;
    }
    const std::uint32_t number = declare({.kind = DraftArrayKind::unknown, .name = name, .extent = extent});
    const DraftArray& x = draft_->array(number);
    add_group(system_, {x.name, x.array, extent[0], extent[1], kind, {}});
    const Array array = draft_->array_handle(number);
    std::vector<Expr> entries;
    for (std::int64_t i = 1; i <= extent[0]; ++i)
        for (std::int64_t j = 1; j <= extent[1]; ++j) entries.push_back(array(i, j));
    return {extent[0], extent[1], std::move(entries)};
}

} // namespace vessiot
