// The runs behind Tables 1 to 15 of the paper by Tuomela, Arponen and Normi. What the paper does not print is read as
// it reproduces its counts: unit speed in the space in which M lies, x included; the step that crosses the end is not
// counted; dopri54 compares the projected points of order 5 and 4, Euler one step with two of half the size.
#pragma once

#include <array>
#include <string_view>

#include "reproduce/papers/tuomela_normi_data.hpp"
#include "reproduce/runner.hpp"

namespace vessiot::reproduce::normi {

struct Column {
    std::string_view name, method;
    bool is_adaptive;
};
inline constexpr std::array<Column, 4> columns{{{"Euler (constant)", "euler", false},
                                                {"Euler (adaptive)", "euler", true},
                                                {"dopri54 (constant)", "dopri54", false},
                                                {"dopri54 (adaptive)", "dopri54", true}}};

// When Newton's iteration ends, and how well its linear systems are solved where it is inexact.
struct NewtonRule {
    bool is_absolute = false; // |s| + |F_k| < 1e-6, without the relative part of the printed rule
    std::string_view eps_0{}; // empty: as printed, 0.5
};
NewtonRule newton_rule(const PrintedTable& t);

RunSetting setting_of(const PrintedTable& t, const Column& c, bool has_init);

// The rule of the inner iterations that the tables of chains agree with.
inline constexpr std::string_view chain_eps_0 = "0.02";
RunSetting chain_setting(const PrintedChain& t, bool has_energy, bool is_inexact, bool has_init);

} // namespace vessiot::reproduce::normi
