#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "method/lie/lie.hpp"
#include "method/lie/lie_coefficients.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

namespace {

template <std::size_t S> constexpr std::array<Quad, S * S> by_rows(const std::array<std::array<Quad, S>, S>& matrix) {
    std::array<Quad, S * S> flat{};
    for (std::size_t i = 0; i < S; ++i)
        for (std::size_t j = 0; j < S; ++j) flat[i * S + j] = matrix[i][j];
    return flat;
}

template <const auto& coefficients> inline constexpr auto flat = by_rows(coefficients.a);

// Methods that are offered in the coordinates of Cayley's transform.
constexpr std::array<std::string_view, 4> in_cayley{"rk2", "rk4", "dopri54", "dop853"};

MethodInfo lie(std::string_view name, const Family& family, int order, std::size_t n_stages, View needs,
               std::string_view cite) {
    return {.name = name,
            .family = &family,
            .n_stages = n_stages,
            .n_effective_stages = n_stages,
            .order = order,
            .dense_order = std::min(order, 3),
            .needs = needs,
            .cite = cite,
            .tableau = {}};
}

template <const auto& coefficients>
MethodInfo crouch_grossman(std::string_view name, int order, std::string_view cite) {
    const std::size_t s = coefficients.b.size();
    MethodInfo info = lie(name, crouch_grossman_family, order, s, View::lie, cite);
    info.tableau = {.n_stages = s,
                    .n_total = s,
                    .degree = 0,
                    .a = flat<coefficients>,
                    .b = coefficients.b,
                    .b_hat = {},
                    .b_low = {},
                    .c = coefficients.c,
                    .dense = {}};
    return info;
}

} // namespace

std::span<const MethodInfo> lie_methods() {
    static std::deque<std::string> names;
    static const std::vector<MethodInfo> list = [] {
        std::vector<MethodInfo> all{
            lie("magnus2", magnus_family, 2, 1, View::linear_lie, "Hai11"),
            lie("magnus4", magnus_family, 4, 2, View::linear_lie, "Hai11"),
            lie("magnus6", magnus_family, 6, 3, View::linear_lie, "BCR00"),
            crouch_grossman<cg3>("cg3", 3, "CG93"),
            crouch_grossman<cg4>("cg4", 4, "OM99"),
        };
        const auto add = [&](const MethodInfo& m, const std::string& prefix, const Family& family,
                             std::string_view cite) {
            MethodInfo& info = all.emplace_back(m);
            info.name = names.emplace_back(prefix + std::string(m.name));
            info.family = &family;
            info.n_effective_stages = m.n_stages;
            info.dense_order = std::min(m.order, 3);
            info.is_fsal = false;
            info.needs = View::lie;
            info.cite = cite;
        };
        for (const MethodInfo& m : explicit_methods()) add(m, "rkmk_", rkmk_family, "MK99");
        for (const MethodInfo& m : explicit_methods())
            if (std::ranges::find(in_cayley, m.name) != in_cayley.end()) add(m, "cayley_", cayley_family, "HLW06");
        return all;
    }();
    return list;
}

} // namespace vessiot::method
