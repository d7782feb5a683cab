#include "method/registry.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "method/dae/direct_rk.hpp"
#include "method/dae/ida.hpp"
#include "method/explicit/explicit_rk.hpp"
#include "method/implicit/implicit_rk.hpp"
#include "method/implicit/radau_orders.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/tableaux/bs32.hpp"
#include "method/tableaux/dop853.hpp"
#include "method/tableaux/dopri54.hpp"
#include "method/tableaux/euler.hpp"
#include "method/tableaux/feagin108.hpp"
#include "method/tableaux/implicit.hpp"
#include "method/tableaux/kutta.hpp"
#include "method/tableaux/rk2.hpp"
#include "method/tableaux/rkf45.hpp"
#include "method/tableaux/tsit54.hpp"
#include "method/user/user_formula.hpp"
#include "method/user/user_tableau.hpp"

namespace vessiot::method {
namespace {

template <std::size_t Rows, std::size_t Columns>
constexpr std::array<Quad, Rows * Columns> by_rows(const std::array<std::array<Quad, Columns>, Rows>& matrix) {
    std::array<Quad, Rows * Columns> flat{};
    for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < Columns; ++j) flat[i * Columns + j] = matrix[i][j];
    return flat;
}

template <const auto& tableau> inline constexpr auto flat_a = by_rows(tableau.a);
template <const auto& tableau> inline constexpr auto flat_dense = by_rows(tableau.dense);

// All of the entry is read or computed from the table.
template <const auto& tableau> MethodInfo runge_kutta(const Family& family) {
    using Span = std::span<const Quad>;
    return {.name = tableau.name,
            .family = &family,
            .n_stages = tableau.n_stages,
            .n_effective_stages = n_effective_stages(tableau),
            .order = tableau.order,
            .embedded_order = tableau.embedded_order,
            .low_order = tableau.low_order,
            .dense_order = tableau.dense_order,
            .is_adaptive = tableau.embedded_order > 0,
            .is_fsal = is_fsal(tableau),
            .needs = View::any,
            .cite = tableau.cite,
            .tableau = {.n_stages = tableau.n_stages,
                        .n_total = tableau.n_total,
                        .degree = tableau.degree,
                        .a = flat_a<tableau>,
                        .b = tableau.b,
                        .b_hat = family.is_explicit && tableau.embedded_order > 0 ? Span(tableau.b_hat) : Span(),
                        .b_low = tableau.low_order > 0 ? Span(tableau.b_low) : Span(),
                        .c = tableau.c,
                        .dense = flat_dense<tableau>}};
}

template <const auto& tableau> MethodInfo explicit_rk() {
    static_assert(is_explicit(tableau));
    return runge_kutta<tableau>(explicit_rk_family);
}

template <const auto& tableau> MethodInfo implicit_rk() {
    static_assert(!is_explicit(tableau));
    return runge_kutta<tableau>(implicit_rk_family);
}

} // namespace

std::span<const MethodInfo> explicit_methods() {
    static const std::array list{
        explicit_rk<euler>(),     //
        explicit_rk<rk2>(),       //
        explicit_rk<heun>(),      //
        explicit_rk<rk3>(),       //
        explicit_rk<rk4>(),       //
        explicit_rk<bs32>(),      //
        explicit_rk<rkf45>(),     //
        explicit_rk<dopri54>(),   //
        explicit_rk<tsit54>(),    //
        explicit_rk<dop853>(),    //
        explicit_rk<feagin108>(), //
    };
    return list;
}

std::span<const MethodInfo> implicit_methods() {
    static const std::array list{
        implicit_rk<implicit_euler>(),    //
        implicit_rk<implicit_midpoint>(), //
        implicit_rk<trapezoidal>(),       //
        implicit_rk<radau_i3>(),          //
        implicit_rk<radau_i5>(),          //
        implicit_rk<radau3>(),            //
        implicit_rk<radau5>(),            //
        implicit_rk<radau9>(),            //
        implicit_rk<lobatto4>(),          //
        implicit_rk<gauss4>(),            //
        implicit_rk<gauss6>(),            //
        implicit_rk<gauss8>(),            //
    };
    return list;
}

namespace {

// Up to which index all components converge [HW96, VII.3, VII.4, tables 4.1 and 6.1]: Radau IIA and BDF up to 3, where
// the equations have Hessenberg's form; Gauss with s stages has order s - 1 or s - 2 in the unknowns of index 2, which
// is 0 for s < 3, and none in index 3.
template <const auto& tableau> MethodInfo direct_rk(std::string_view name, int max_index = 3) {
    MethodInfo info = runge_kutta<tableau>(direct_rk_family);
    info.max_index = max_index;
    info.name = name;
    info.cite = "HW96";
    info.needs = View::square;
    info.projection = "none";
    return info;
}

MethodInfo radau_orders(std::string_view name) {
    return {.name = name,
            .family = &radau_orders_family,
            .n_stages = 3,
            .n_effective_stages = 3,
            .order = 5,
            .embedded_order = 3,
            .low_order = 0,
            .dense_order = 1, // that of the lowest order
            .is_adaptive = true,
            .is_fsal = false,
            .needs = View::square,
            .projection = "none",
            .cite = "HW99",
            .tableau = {},
            .max_order = 9,
            .first_order = 3,
            .max_index = 3};
}

} // namespace

std::span<const MethodInfo> direct_methods() {
    static const std::array list{
        direct_rk<implicit_euler>("dae_radau1"),       //
        direct_rk<radau3>("dae_radau3"),               //
        direct_rk<radau5>("dae_radau5"),               //
        direct_rk<radau9>("dae_radau9"),               //
        radau_orders("dae_radau"),                     //
        direct_rk<implicit_midpoint>("dae_gauss2", 1), //
        direct_rk<gauss4>("dae_gauss4", 1),            //
        direct_rk<gauss6>("dae_gauss6", 2),            //
        direct_bdf("bdf1", 1),                         //
        direct_bdf("bdf2", 2),                         //
        direct_bdf("bdf3", 3),                         //
        direct_bdf("bdf4", 4),                         //
        direct_bdf("bdf5", 5),                         //
        direct_bdf("bdf6", 6),                         //
    };
    return list;
}

std::span<const MethodInfo> sundials_methods() {
    static const std::array list{
        MethodInfo{.name = "ida",
                   .family = &ida_family,
                   .n_stages = 1,
                   .n_effective_stages = 1,
                   .order = 5,
                   .embedded_order = 0,
                   .low_order = 0,
                   .dense_order = 1, // that of the lowest order
                   .is_adaptive = true,
                   .is_fsal = false,
                   .needs = View::any,
                   .cite = "HBG05",
                   .tableau = {},
                   .max_order = 5,
                   .first_order = 1,
                   .chooses_steps = true},
    };
    return list;
}

namespace {

std::deque<MethodInfo>& all_methods() {
    static std::deque<MethodInfo> list = [] {
        std::deque<MethodInfo> all;
        for (const std::span<const MethodInfo> methods :
             {explicit_methods(), implicit_methods(), direct_methods(), sundials_methods(), multistep_methods(),
              ray_methods(), geometric_methods(), mechanical_methods(), lie_methods(), taylor_methods()})
            all.insert(all.end(), methods.begin(), methods.end());
        return all;
    }();
    return list;
}

} // namespace

const std::deque<MethodInfo>& methods() {
    return all_methods();
}

void add_methods(std::span<const MethodInfo> list) {
    for (const MethodInfo& method : list) {
        if (std::ranges::find(methods(), method.name, &MethodInfo::name) != methods().end())
            throw InvalidInput("the name '" + std::string(method.name) + "' is there already");
        all_methods().push_back(method);
    }
}

const MethodInfo& find_method(std::string_view name) {
    for (const MethodInfo& method : methods())
        if (method.name == name) return method;
    if (const MethodInfo* added = find_user_method(name)) return *added;
    if (const MethodInfo* added = find_user_multistep(name)) return *added;
    std::string message = "unknown method \"" + std::string(name) + "\". ";
    if (const auto near = nearest(name, methods() | std::views::transform(&MethodInfo::name)))
        message += "Did you mean \"" + *near + "\"? ";
    throw InvalidInput(message + "`vessiot methods` lists all.");
}

std::string_view name(View view) {
    switch (view) {
    case View::square: return "square";
    case View::any: return "any";
    case View::constraints: return "constraints";
    case View::one_constraint: return "one constraint";
    case View::separable: return "separable";
    case View::quadratic: return "quadratic";
    case View::mechanical: return "mechanical";
    case View::lie: return "Y' = A Y";
    case View::linear_lie: return "Y' = A(t) Y";
    }
    return "";
}

} // namespace vessiot::method
