// A tableau as JSON.
#include <fmt/format.h>

#include "core/error.hpp"
#include "method/user/coefficient_file.hpp"
#include "method/user/user_tableau.hpp"

namespace vessiot::method {

namespace {

constexpr std::string_view tableau_keys[] = {"name", "a", "b", "b_hat", "c", "order", "embedded_order", "comment"};
constexpr std::string_view tableau_needs[] = {"a", "b"};
const CoefficientKeys tableau_file{.what = "a tableau",
                                   .known = tableau_keys,
                                   .needed = tableau_needs,
                                   .list = "a, b, b_hat, c, name, order, embedded_order and comment",
                                   .example = R"({"a": [[0, 0], [1, 0]], "b": ["1/2", "1/2"], "c": [0, 1]})"};

} // namespace

ButcherTableau read_tableau(const std::string& path) {
    const CoefficientMembers members = read_coefficient_file(path, tableau_file);
    ButcherTableau tableau;
    tableau.name = user_name(members, path);
    const CoefficientItem& a = members.at("a");
    if (!a.is_list) throw InvalidInput(fmt::format("{}: a is a list of rows", path));
    for (std::size_t i = 0; i < a.items.size(); ++i)
        tableau.a.push_back(coefficient_list(a.items[i], path, fmt::format("row {} of a", i + 1)));
    tableau.b = coefficient_list(members.at("b"), path, "b");
    if (members.contains("b_hat")) tableau.b_hat = coefficient_list(members.at("b_hat"), path, "b_hat");
    if (members.contains("c")) tableau.c = coefficient_list(members.at("c"), path, "c");
    if (members.contains("order")) tableau.order = claimed_order(members.at("order"), path, "order");
    if (members.contains("embedded_order"))
        tableau.embedded_order = claimed_order(members.at("embedded_order"), path, "embedded_order");
    return tableau;
}

} // namespace vessiot::method
