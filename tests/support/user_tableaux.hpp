// Tableaux that users might bring, and models to try them on.
#pragma once

#include <string>

#include "vessiot/methods.hpp"

namespace vessiot::test::user_tableaux {

// Heun's method with Euler's embedded.
inline ButcherTableau heun_euler() {
    return {.name = "user_heun", .a = {{0, 0}, {1, 0}}, .b = {"1/2", "1/2"}, .b_hat = {1, 0}, .c = {0, 1}};
}

// Norsett's third order SDIRK in two stages, gamma = (3 + sqrt 3)/6.
inline ButcherTableau norsett() {
    const std::string gamma = "0.78867513459481288225457439025097872782380087563506",
                      other = "-0.57735026918962576450914878050195745564760175127013";
    return {.name = "user_sdirk", .a = {{gamma, 0}, {other, gamma}}, .b = {"1/2", "1/2"}};
}

// Gauss with two stages, of order 4.
inline ButcherTableau gauss() {
    return {.name = "user_gauss",
            .a = {{"1/4", "-0.038675134594812882254574390250978727823800875635063"},
                  {"0.53867513459481288225457439025097872782380087563506", "1/4"}},
            .b = {"1/2", "1/2"}};
}

// Lobatto IIIB, whose matrix is singular and has no zero row: order 4.
inline ButcherTableau lobatto3b() {
    return {.name = "user_lobatto3b",
            .a = {{"1/6", "-1/6", 0}, {"1/6", "1/3", 0}, {"1/6", "5/6", 0}},
            .b = {"1/6", "2/3", "1/6"},
            .c = {0, "1/2", 1}};
}

// TR-BDF2 [HS96]: an explicit first stage, stiffly accurate, with its embedded method of order 3.
inline ButcherTableau tr_bdf2() {
    const std::string g = "0.29289321881345247559915563789515096071516406231153", // 1 - sqrt(2)/2
        w = "0.35355339059327376220042218105242451964241796884424";               // sqrt(2)/4
    return {.name = "user_tr_bdf2",
            .a = {{0, 0, 0}, {g, g, 0}, {w, w, g}},
            .b = {w, w, g},
            .b_hat = {"0.21548220313557541259985927298252516011919401",
                      "0.686886723926607095533755514385757852975751302",
                      "0.0976310729378174918663852126317169869050546874"}};
}

inline constexpr const char* oscillator = "unknown x\nx'' = -x\nstart x = 1, x' = 0\nsolve t = 0 .. 3\n";
inline constexpr const char* pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 1\nx^2 + y^2 = 1\n"
                                        "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n";

} // namespace vessiot::test::user_tableaux
