// Systems of index 1 to 4 in Hessenberg form, beside differential unknowns w:
//
//     x1' = x2 + f1(x1, w),  …,  x_m' = z + f_m(x1, …, x_m, w),   0 = x1 + g(w),   w' = h(x1, w)       index m + 1
//     0 = z + g(z, w)                                                                               index 1
//
// g has small derivatives, so that the chain of derivatives that leads to z is regular.
#include <string>

#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

void add_free(Choice& choice, System& system, std::vector<Formula>& w) {
    const int n = choice.integer(1, 2);
    for (int k = 1; k <= n; ++k) {
        system.unknowns.push_back({.name = "w" + std::to_string(k), .solution = smooth_function(choice, 1)});
        w.push_back(unknown("w" + std::to_string(k)));
    }
}

void add_free_equations(Choice& choice, System& system, const std::vector<Formula>& w,
                        const std::vector<Formula>& seen) {
    std::vector<Formula> all = w;
    all.insert(all.end(), seen.begin(), seen.end());
    for (const Formula& one : w)
        system.equations.push_back(
            {.left = unknown(one->name, 1), .moved = coupling(choice, all, 0.6, choice.integer(1, 2))});
}

System index_one(Choice& choice) {
    System system;
    std::vector<Formula> w, z;
    add_free(choice, system, w);
    const int n = choice.integer(1, 2);
    for (int k = 1; k <= n; ++k) {
        system.unknowns.push_back(
            {.name = "z" + std::to_string(k), .solution = smooth_function(choice, 1), .start_orders = 0});
        z.push_back(unknown("z" + std::to_string(k)));
    }
    add_free_equations(choice, system, w, z);
    for (const Formula& one : z) {
        Formula left = one + coupling(choice, w, 0.5, 1);
        if (choice.chance(0.5)) left = left + 0.4 * call("sin", {one});
        if (n > 1) left = left + 0.2 * call("sin", {choice.of(z)});
        system.equations.push_back({.left = left});
    }
    return system;
}

} // namespace

System hessenberg_system(Choice& choice, int index) {
    System system;
    if (index == 1) {
        system = index_one(choice);
    } else {
        std::vector<Formula> w;
        add_free(choice, system, w);
        std::vector<Formula> seen = w;
        const int m = index - 1;
        const auto x = [](int k) { return "x" + std::to_string(k); };
        for (int k = 1; k <= m; ++k) system.unknowns.push_back({.name = x(k), .solution = smooth_function(choice, 1)});
        system.unknowns.push_back({.name = "z", .solution = smooth_function(choice, 1), .start_orders = 0});
        for (int k = 1; k <= m; ++k) {
            seen.push_back(unknown(x(k)));
            const Formula next = k < m ? unknown(x(k + 1)) : unknown("z");
            const Formula factor = choice.chance(0.3) ? number(1) + 0.2 * call("sin", {w[0]}) : number(1);
            system.equations.push_back(
                {.left = unknown(x(k), 1),
                 .moved = number(-1) * factor * next + coupling(choice, seen, 0.5, choice.integer(0, 1))});
        }
        Formula constraint = unknown(x(1)) + 0.3 * call("sin", {w[0]});
        if (choice.chance(0.3)) constraint = constraint + 0.2 * power(unknown(x(1)), 3);
        // NOTE: what moves w sees x1 alone, else the chain to z would have another length
        add_free_equations(choice, system, w, {unknown(x(1))});
        system.equations.push_back({.left = constraint});
    }
    system.to = choice.decimal(0.5, 2);
    system.index = index;
    system.fit.has_constraints = true;
    return system;
}

} // namespace vessiot::differential
