// Methods by power series.
#include <array>
#include <vector>

#include "method/registry.hpp"
#include "method/taylor/tangent_taylor.hpp"
#include "method/taylor/taylor.hpp"

namespace vessiot::method {

namespace {

MethodInfo taylor(int order) {
    return {.name = "taylor",
            .family = &taylor_family,
            .n_stages = 1,
            .n_effective_stages = 1,
            .order = order,
            .dense_order = order,
            .is_adaptive = true,
            .needs = View::any,
            .cite = "JZ05",
            .tableau = {}};
}

// NOTE: w3 is made for the nearest point: so that is where these methods are projected to.
MethodInfo tangent(std::string_view name, int order, const Family& family = tangent_taylor_family) {
    return {.name = name,
            .family = &family,
            .n_stages = 1,
            .n_effective_stages = 1,
            .order = order,
            .needs = View::any,
            .projection = "newton",
            .cite = "TA01",
            .tableau = {}};
}

MethodInfo of_any_order() {
    MethodInfo info = taylor(largest_taylor_order);
    info.least_order = 1;
    return info;
}

} // namespace

std::span<const MethodInfo> taylor_methods() {
    static const std::array list{
        tangent("taylor1", 1), //
        tangent("taylor2", 2), //
        tangent("taylor3", 3), //
        tangent("taylor3_normal", 3, normal_taylor_family),
        of_any_order(), //
    };
    return list;
}

const MethodInfo& of_order(const MethodInfo& info, int order) {
    static const std::vector<MethodInfo> list = [] {
        std::vector<MethodInfo> all;
        for (int p = 1; p <= largest_taylor_order; ++p) all.push_back(taylor(p));
        return all;
    }();
    return info.least_order > 0 ? list[static_cast<std::size_t>(order - 1)] : info;
}

} // namespace vessiot::method
