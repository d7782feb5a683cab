// The options of a run: the one list of them, reading them from text, what is refused.
#include "solve/options/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/options/option_text.hpp"
#include "vessiot/model.hpp"

namespace vessiot::options_test {
namespace {

template <class Function> std::string message_of(const Function& function) {
    try {
        function();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

std::string message_for(std::string_view name, std::string_view text) {
    return message_of([&] {
        SolveOptions options;
        apply_option(options, name, text);
    });
}

SolveOptions applied(std::string_view name, std::string_view text) {
    SolveOptions options;
    apply_option(options, name, text);
    return options;
}

System model(const std::string& lines) {
    return lang::read_model(lang::Source("test.ves", "unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n" + lines));
}

TEST(SolveOptions, EveryMemberIsInTheList) {
    const SolveOptions options;
    // NOTE: this line does not compile where the number of names is not the number of members.
    const auto& [method, rtol, atol, step, from, to, to_s, at, every, section, start, guess, homotopy, sensitivity,
                 sensitivity_control, projection, project, distribution, parametrisation, formulation, invariants,
                 conditions, precision, backend, continuation, init, newton_start, newton_stop, newton_tol, forcing,
                 partition, fallback, control, safety, factor_min, factor_max, error_norm, h_first, h_min, h_max, order,
                 max_order, max_steps, max_events, dense, dense_limit, throw_on_failure, streams, keep, checkpoint,
                 resume, checkpoint_every, checkpoint_steps, progress, on_step, on_event, stop] = options;
    const std::set<const void*> members{&method,
                                        &rtol,
                                        &atol,
                                        &step,
                                        &from,
                                        &to,
                                        &to_s,
                                        &at,
                                        &every,
                                        &section,
                                        &start,
                                        &guess,
                                        &homotopy,
                                        &sensitivity,
                                        &sensitivity_control,
                                        &projection,
                                        &project,
                                        &distribution,
                                        &parametrisation,
                                        &formulation,
                                        &invariants,
                                        &conditions,
                                        &precision,
                                        &backend,
                                        &continuation,
                                        &init,
                                        &newton_start,
                                        &newton_stop,
                                        &newton_tol,
                                        &forcing,
                                        &partition,
                                        &fallback,
                                        &control,
                                        &safety,
                                        &factor_min,
                                        &factor_max,
                                        &error_norm,
                                        &h_first,
                                        &h_min,
                                        &h_max,
                                        &order,
                                        &max_order,
                                        &max_steps,
                                        &max_events,
                                        &dense,
                                        &dense_limit,
                                        &throw_on_failure,
                                        &streams,
                                        &keep,
                                        &checkpoint,
                                        &resume,
                                        &checkpoint_every,
                                        &checkpoint_steps,
                                        &progress,
                                        &on_step,
                                        &on_event,
                                        &stop};
    std::set<const void*> visited;
    std::set<std::string_view> names;
    fields(options, [&](const OptionField& field, const auto& member) {
        visited.insert(&member);
        EXPECT_TRUE(names.insert(field.name).second) << field.name << " is there twice";
        EXPECT_EQ(field.is_text, !field.help.empty()) << field.name;
    });
    EXPECT_EQ(visited, members);
}

TEST(SolveOptions, TheDefaultsAreValid) {
    EXPECT_NO_THROW(check(SolveOptions{}));
}

TEST(SolveOptions, NamesAreThoseOfTheModelOrOfTheCommandLine) {
    EXPECT_EQ(applied("h_max", "0.5").h_max, 0.5);
    EXPECT_EQ(applied("--h-max", "0.5").h_max, 0.5);
    EXPECT_EQ(applied("--continue", "low").continuation, "low");
    EXPECT_EQ(applied("max_steps", "1e6").max_steps, 1'000'000);
    EXPECT_EQ(applied("--to", " -2*pi ").to, -2 * std::numbers::pi);
    EXPECT_EQ(applied("distribution", "kernel-svd").distribution, "kernel-svd");
}

TEST(SolveOptions, EveryWordOfTheListIsTaken) {
    int n = 0;
    visit_option_members([&](const OptionField& field, auto, auto) {
        for (const std::string_view word : field.words()) {
            EXPECT_EQ(message_for(field.name, word), "") << field.name;
            ++n;
        }
    });
    EXPECT_GT(n, 60);
}

TEST(SolveOptions, NumbersReadBackExactly) {
    for (const char* text : {"0.1", "1e-300", "-7", "123456789.123456789", "5e-324"})
        EXPECT_EQ(parse_number("x", text), std::strtod(text, nullptr));
    EXPECT_DOUBLE_EQ(parse_number("x", "sqrt(2)/2"), std::sqrt(0.5));
    EXPECT_EQ(parse_number("x", "+3"), 3);
}

TEST(SolveOptions, ListsMayStandInBrackets) {
    EXPECT_EQ(applied("at", "[1, 2.5,3]").at, (std::vector<double>{1, 2.5, 3}));
    EXPECT_EQ(applied("--at", "3,max(1,2)").at, (std::vector<double>{3, 2}));
    EXPECT_EQ(message_for("--at", "1,,2"), "--at needs a number or a formula of numbers, such as 2*pi, but found ''");
}

TEST(SolveOptions, StartValuesAddUp) {
    SolveOptions options;
    apply_option(options, "--start", "x[3]' = -0.5");
    apply_option(options, "--start", "p[2, 3]=pi/2");
    ASSERT_EQ(options.start.size(), 2U);
    EXPECT_EQ(options.start[0], (std::pair<std::string, double>("x[3]'", -0.5)));
    EXPECT_EQ(options.start[1], (std::pair<std::string, double>("p[2,3]", std::numbers::pi / 2)));
    EXPECT_EQ(message_for("--start", "x"),
              "--start gives an unknown its start value, as in \"x[3]'=0.5\", but 'x' has no '='");
}

TEST(SolveOptions, MessagesSayWhatWasFoundAndWhatWasNeeded) {
    EXPECT_EQ(message_for("rtoll", "1"),
              "there is no option rtoll; did you mean rtol? 'vessiot help solve' lists them.");
    EXPECT_EQ(message_for("--h-maxx", "1"),
              "there is no option --h-maxx; did you mean --h-max? 'vessiot help solve' lists them.");
    EXPECT_EQ(message_for("projection", "nweton"), "projection must be one of auto, simplified, newton, chord, "
                                                   "inexact, ray, gradient-ray, post, group, partition, tangent, none, "
                                                   "but found 'nweton'; did you mean 'newton'?");
    EXPECT_EQ(applied("--partition", " [[x, y], [z]] ").partition, "[[x, y], [z]]");
    EXPECT_EQ(message_for("--rtol", "abc"),
              "--rtol needs a number or a formula of numbers, such as 2*pi, but 'abc' is none");
    EXPECT_EQ(message_for("--rtol", "nan"), "--rtol needs a finite number, but found 'nan'");
    EXPECT_EQ(message_for("--max-steps", "1.5"), "--max-steps must be a whole number up to 1e18, but found '1.5'");
    EXPECT_NE(message_for("dense", "true"), ""); // of C++ alone
}

TEST(SolveOptions, TextOfAnyKindIsRefusedWithAMessage) {
    for (const char* text : {"", " ", "(", "1e", "0x10", "1 2", "x'", "#", "\"", "\\", "1\n2", "\xff\xfe", "[", "]",
                             "1e999", "1/0", "--", "=", "sum(i, i = 1..3)x"})
        EXPECT_NE(message_for("--rtol", text), "") << text;
}

TEST(SolveOptions, ValuesOutOfRangeAreRefused) {
    const auto message = [](auto change) {
        SolveOptions options;
        change(options);
        return message_of([&] { check(options); });
    };
    using O = SolveOptions;
    EXPECT_EQ(message([](O& o) { o.rtol = 0; }),
              "rtol = 0, but it must be positive and finite (--rtol on the command line)");
    EXPECT_NE(message([](O& o) { o.atol = NAN; }), "");
    EXPECT_NE(message([](O& o) { o.rtol = INFINITY; }), "");
    EXPECT_EQ(message([](O& o) { o.step = -0.1; }),
              "step = -0.1, but it must be positive and finite, or 0 (--step on the command line)");
    EXPECT_NE(message([](O& o) { o.to = INFINITY; }), "");
    EXPECT_EQ(message([](O& o) { o.to = -3; }), "");
    EXPECT_NE(message([](O& o) { o.at = {1, NAN}; }), "");
    EXPECT_NE(message([](O& o) { o.max_steps = 0; }), "");
    EXPECT_EQ(message([](O& o) { o.start = {{"x", NAN}}; }), "the start value x = nan is not a finite number");
    EXPECT_NE(message([](O& o) { o.projection = "chords"; }), "");
    EXPECT_NE(message([](O& o) { o.method = "dopri45"; }).find("Did you mean \"dopri54\"?"), std::string::npos);
}

TEST(SolveOptions, ContradictionsAreRefused) {
    const auto message = [](const SolveOptions& o) { return message_of([&] { check(o); }); };
    EXPECT_NE(message({.projection = "none", .project = "stages"}), "");
    EXPECT_NE(message({.precision = "quad", .backend = "jit"}), "");
    EXPECT_NE(message({.to_s = 1.0}), "");
    EXPECT_EQ(message({.to_s = 1.0, .parametrisation = "arclength"}), "");
    EXPECT_EQ(message({.h_min = 1, .h_max = 0.5}), "h_min = 1 is larger than h_max = 0.5");
    EXPECT_EQ(message({.h_first = 1, .h_max = 0.5}), "h_first = 1 is larger than h_max = 0.5");
    EXPECT_EQ(message({.at = {1}, .every = 0.1}), ""); // both are reported
}

TEST(SolveOptions, TheModelGivesDefaults) {
    const System system = model("option rtol = 1e-8, method = dop853, at = [0.25, 0.5], continue = low\n");
    const SolveOptions options = with_model_options(system, {});
    EXPECT_EQ(options.rtol, 1e-8);
    EXPECT_EQ(options.method, "dop853");
    EXPECT_EQ(options.at, (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(options.continuation, "low");
    EXPECT_EQ(options.atol, std::nullopt);
    EXPECT_EQ(settled(options).atol, 1e-9);
}

TEST(SolveOptions, WhatIsGivenGoesBeforeTheModel) {
    const System system = model("option rtol = 1e-8, method = dop853\n");
    int calls = 0;
    const SolveOptions options = with_model_options(
        system, {.method = "rk4", .dense = false, .progress = [&](const Progress&) { return ++calls > 0; }});
    EXPECT_EQ(options.method, "rk4");
    EXPECT_EQ(options.rtol, 1e-8);
    EXPECT_FALSE(options.dense);
    ASSERT_TRUE(options.progress);
    EXPECT_TRUE(options.progress({}));
}

// Also where it is the default.
TEST(SolveOptions, WhatIsGivenIsNeverTheModels) {
    const Model m = Model::parse("unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n"
                                 "option rtol = 1e-3, method = rk4, step = 0.5, precision = quad\n");
    EXPECT_EQ(solve(m).method.rtol, 1e-3);
    EXPECT_EQ(solve(m, {.rtol = 1e-6}).method.rtol, 1e-6);
    const Solution s = solve(m, {.method = "auto", .step = 0, .precision = Precision::double_});
    EXPECT_EQ(s.method.name, "dopri54");
    EXPECT_EQ(s.method.step, 0);
    EXPECT_EQ(s.method.precision, "double");
}

// Every option that a model can give, each at its default.
TEST(SolveOptions, EveryDefaultThatIsGivenGoesBeforeTheModel) {
    const Settings usual;
    const auto other_text = [](const OptionField& field) -> std::string {
        if (!field.words().empty()) return std::string(field.words().back());
        return field.name == "method" ? "rk4" : field.name == "partition" ? "[[x]]" : "7";
    };
    int n = 0;
    visit_option_members([&](const OptionField& field, auto given, auto used) {
        if (!field.is_text) return;
        if constexpr (requires(SolveOptions o) { (o.*given).has_value(); }) {
            const std::string by_default = option_text(usual.*used);
            if (by_default.empty()) return; // nothing to give: an end of the interval, a name
            SolveOptions line, caller;
            apply_option(line, field.name, other_text(field));
            apply_option(caller, field.name, by_default);
            const System system = model(fmt::format("option {} = {}\n", field.name, other_text(field)));
            EXPECT_EQ(option_text(filled(with_model_options(system, {})).*used), option_text(filled(line).*used));
            EXPECT_EQ(option_text(filled(with_model_options(system, caller)).*used), by_default) << field.name;
            ++n;
        }
    });
    EXPECT_GT(n, 30);
}

TEST(SolveOptions, AControlChangesOnlyWhatIsNotGiven) {
    const Model m = Model::parse("unknown x, y\nx' = -y\ny' = x\ninvariant x^2 + y^2\nstart x = 1, y = 0\n"
                                 "solve t = 0 .. 1\n");
    const Solution all = solve(m, {.rtol = 1e-5, .control = "tuomela"});
    EXPECT_EQ(all.method.atol, 1e-5);
    EXPECT_EQ(all.method.parametrisation, "arclength");
    EXPECT_EQ(all.method.project, "stages");
    const Solution some =
        solve(m, {.rtol = 1e-5, .atol = 1e-9, .parametrisation = Parametrisation::time, .control = "tuomela"});
    EXPECT_EQ(some.method.atol, 1e-9);
    EXPECT_EQ(some.method.parametrisation, "time");
    EXPECT_EQ(some.method.project, "stages");
}

TEST(SolveOptions, ChoicesAreEnumeratorsOrWords) {
    SolveOptions o{.parametrisation = Parametrisation::arclength, .backend = "interpreter"};
    EXPECT_EQ(o.parametrisation, "arclength");
    EXPECT_EQ(o.backend, Backend::interpreter);
    o.newton_stop = std::string("printed");
    EXPECT_EQ(o.newton_stop->value(), StopRule::printed);
    EXPECT_EQ(o.newton_stop->word(), "printed");
    EXPECT_EQ(message_of([&] { o.backend = "jut"; }),
              "backend must be one of auto, jit, interpreter, but found 'jut'; did you mean 'jit'?");
}

TEST(SolveOptions, AWrongOptionOfTheModelIsNamedWithItsLine) {
    const auto message = [](const std::string& lines) { return message_of([&] { model_options(model(lines)); }); };
    EXPECT_EQ(message("option rtoll = 1\n"),
              "line 5 of test: there is no option rtoll; did you mean rtol? 'vessiot help solve' lists them.");
    EXPECT_NE(message("\noption projection = chords\n").find("line 6 of test: projection must be one of auto"),
              std::string::npos);
}

} // namespace
} // namespace vessiot::options_test
