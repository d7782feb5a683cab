// The parts of `vessiot decompose` that need no Singular: exact numbers, angles, polynomials, answers, processes,
// texts.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

#include "core/quad.hpp"
#include "decompose/algebra/angles.hpp"
#include "decompose/algebra/exact_number.hpp"
#include "decompose/algebra/independent.hpp"
#include "decompose/algebra/polynomial.hpp"
#include "decompose/answer.hpp"
#include "decompose/model_text.hpp"
#include "decompose/process.hpp"
#include "lang/model.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::decompose {
namespace {

const Quad pi = acosq(-1);

Quad quad(const std::string& text) {
    return text[0] == '-' ? -to_quad(text.substr(1)) : to_quad(text);
}

// "3/2", "1/2*sqrt(3)", "1/2 + 1*sqrt(2)"; "?" where it is not recognised
std::string recognised(Quad value) {
    const auto exact = recognise(value);
    if (!exact) return "?";
    std::string text;
    for (const RootTerm& term : exact->terms) {
        text += (text.empty() ? "" : " + ") + term.rational;
        for (const std::int64_t prime : term.roots) text += "*sqrt(" + std::to_string(prime) + ")";
    }
    return text;
}

TEST(ExactNumber, FractionsAndDecimalsAreThemselves) {
    EXPECT_EQ(recognised(0), "0");
    EXPECT_EQ(recognised(1), "1");
    EXPECT_EQ(recognised(-2), "-2");
    EXPECT_EQ(recognised(quad("0.1")), "1/10");
    EXPECT_EQ(recognised(Quad(1) / 3), "1/3");
    EXPECT_EQ(recognised(-Quad(22) / 7), "-22/7");
    EXPECT_EQ(recognised(quad("9.81")), "981/100");
    EXPECT_EQ(recognised(quad("1e20")), "100000000000000000000");
    // too many digits for a fraction of two small numbers
    EXPECT_EQ(recognised(quad("2.41547521706900617996031643327")),
              "241547521706900617996031643327/100000000000000000000000000000");
    EXPECT_EQ(recognised(quad("123456789012345678901234567e3")), "123456789012345678901234567000");
}

TEST(ExactNumber, RoundingOfWhatIsComputedDoesNotMatter) {
    Quad sum = 0;
    for (int k = 0; k < 3; ++k) sum += quad("0.1");
    EXPECT_EQ(recognised(sum), "3/10");
    EXPECT_EQ(recognised(quad("0.1347") * quad("0.1347")), "1814409/100000000");
}

TEST(ExactNumber, SquareRootsAreRecognised) {
    EXPECT_EQ(recognised(sqrtq(3)), "1*sqrt(3)");
    EXPECT_EQ(recognised(sqrtq(3) / 2), "1/2*sqrt(3)");
    EXPECT_EQ(recognised(-1 / sqrtq(12)), "-1/6*sqrt(3)");
    EXPECT_EQ(recognised(sqrtq(6)), "1*sqrt(2)*sqrt(3)");
    EXPECT_EQ(recognised(cosq(pi / 4)), "1/2*sqrt(2)");
    EXPECT_EQ(recognised(Quad(0.5) + sqrtq(2)), "1/2 + 1*sqrt(2)");
    EXPECT_EQ(recognised(1 - sqrtq(5)), "1 + -1*sqrt(5)");
}

TEST(ExactNumber, OthersAreNot) {
    EXPECT_EQ(recognised(pi), "?");
    EXPECT_EQ(recognised(expq(1)), "?");
    EXPECT_EQ(recognised(cbrtq(2)), "?");
    EXPECT_EQ(recognised(sqrtq(2) + sqrtq(3)), "?");
    EXPECT_EQ(recognised(sinq(1)), "?");
    EXPECT_EQ(recognised(1 / Quad(0)), "?");
}

TEST(Angles, TheCommonStepIsTheLargest) {
    const auto step = [](std::vector<Quad> coefficients) {
        return static_cast<double>(common_step(coefficients).value_or(0));
    };
    EXPECT_EQ(step({1}), 1);
    EXPECT_EQ(step({-2}), 2);
    EXPECT_EQ(step({1, 2, -3}), 1);
    EXPECT_EQ(step({4, 6}), 2);
    EXPECT_EQ(step({1, 0.5}), 0.5);
    EXPECT_NEAR(step({Quad(1) / 2, Quad(1) / 3}), 1.0 / 6, 1e-16);
    EXPECT_NEAR(step({pi, 2 * pi}), 3.141592653589793, 1e-15);
    EXPECT_EQ(step({1, pi}), 0);
    EXPECT_EQ(step({1, 1000}), 0); // cos(1000 x) is a polynomial of degree 1000
}

std::vector<Variable> variables(const std::vector<std::string>& names) {
    std::vector<Variable> result;
    for (const std::string& name : names) result.push_back({.text = name, .position = result.size()});
    return result;
}

TEST(Polynomials, AreReadAndWritten) {
    const std::vector<Variable> xyz = variables({"a", "cos(b)", "c[1]"});
    const auto text = [&](const std::string& written) {
        const auto p = read_polynomial(written, 3);
        return p ? p->text(xyz) : "?";
    };
    EXPECT_EQ(text("x1"), "a");
    EXPECT_EQ(text("-x1^2+12*x1*x2^3-x3-7"), "-a^2 + 12*a*cos(b)^3 - c[1] - 7");
    EXPECT_EQ(text("0"), "0");
    EXPECT_EQ(text("-1"), "-1");
    EXPECT_EQ(text("123456789012345678901234567890123456789*x1"), "123456789012345678901234567890123456789*a");
    for (const std::string wrong : {"", "x0", "x4", "x", "x1+", "x1++x2", "x1 x2", "1/2*x1", "x1*2", "x1^", "x1^0", "y",
                                    "x1-", "+x1", "x99999999999", "3x1", "x1*"})
        EXPECT_EQ(text(wrong), "?") << wrong;
}

TEST(Polynomials, ResidualsAreRelative) {
    const Polynomial p = *read_polynomial("1000000*x1^2+1000000*x2^2-1000000", 2);
    EXPECT_EQ(residual(p, {Quad(0.6), Quad(0.8)}) < 1e-15, true);
    EXPECT_NEAR(residual(p, {1, Quad(0.1)}), 0.01, 1e-12);
    // all coordinates small: no reason to call the point one of y = 2 x
    EXPECT_GT(residual(*read_polynomial("2*x1-x2", 2), {Quad(1e-12), Quad(1e-12)}), 0.1);
    // noise beside a coordinate of size 1 is noise
    EXPECT_LT(residual(*read_polynomial("x1-x2", 3), {Quad(1e-17), Quad(-1e-17), 1}), 1e-12);
    // moving along x y = 0 at the origin, or away from it
    const Polynomial y = *read_polynomial("x2", 2);
    EXPECT_EQ(rate_residual(y, {0, 0}, {1, 0}), 0);
    EXPECT_GT(rate_residual(y, {0, 0}, {0, 1}), 0.1);
    EXPECT_EQ(static_cast<double>(partial(*read_polynomial("3*x1^2*x2-x2", 2), {2, 5}, 0)), 60);
}

PolynomialSystem plane() {
    PolynomialSystem system;
    system.variables = variables({"x", "y"});
    system.positions = {{.name = "x"}, {.name = "y"}};
    system.relations = {"x1^2+x2^2-1"};
    return system;
}

TEST(Answers, AreTakenAsFarAsTheyCame) {
    const std::string whole = "// a warning\n@component 1\n@generator x1^2+x2^2-1\n@generator x1*x2\n@component 1\n"
                              "@generator x2\n@components\n@minimal 1\n@generator x1\n@done\n@singular 1 -1\n@done\n"
                              "@meet 1 2\n@place 0\n@equation x1\n@equation x2\n@done\n@meetings\n@radical 1\n@end\n";
    const Answer answer = read_answer(whole, plane());
    ASSERT_EQ(answer.components.size(), 2U);
    EXPECT_TRUE(answer.is_complete && answer.has_components && answer.has_meetings);
    // sorted: x before y; the relation is not shown; what was minimal moved with its component
    EXPECT_EQ(answer.components[0].generators[0].text(plane().variables), "x");
    EXPECT_TRUE(answer.components[0].is_smooth());
    EXPECT_FALSE(answer.components[1].singular_dimension);
    ASSERT_EQ(answer.meetings.size(), 1U);
    EXPECT_EQ(answer.meetings[0].places[0].equations.size(), 2U);

    // Cut off anywhere: never a mistake, and never half of something.
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const Answer part = read_answer(whole.substr(0, n), plane());
        EXPECT_FALSE(part.is_complete);
        for (const Component& c : part.components) EXPECT_TRUE(!c.is_minimal || c.generators.size() == 1);
        for (const Meeting& m : part.meetings) EXPECT_EQ(m.places.at(0).equations.size(), 2U);
    }
}

TEST(Answers, WhatIsNotUnderstoodIsAnError) {
    for (const std::string wrong :
         {"@component\n", "@component one\n", "@generator x1\n", "@component 1\n@generator 1/2\n", "@minimal 1\n",
          "@component 1\n@meet 1 2\n", "@done\n", "@what\n", "@end now\n", "@equation x1\n",
          "@component 1\n@generator x3\n"})
        EXPECT_THROW(read_answer(wrong, plane()), NotUnderstood) << wrong;
}

TEST(Independent, OfTooManyGeneratorsThoseThatAreNeededNearThePointAreTaken) {
    // the twisted cubic (s, s^2, s^3) at s = 1, and at s = 0, where x z = y^2 alone is not enough
    PolynomialSystem system;
    system.variables = variables({"x", "y", "z"});
    system.positions = {{.name = "x"}, {.name = "y"}, {.name = "z"}};
    Component c{.dimension = 1};
    for (const char* text : {"x1*x3-x2^2", "x2-x1^2", "x3-x1*x2"}) c.generators.push_back(*read_polynomial(text, 3));
    EXPECT_EQ(independent_equations(c, system, {1, 1, 1}).size(), 2U);
    const auto at_zero = independent_equations(c, system, {0, 0, 0});
    ASSERT_EQ(at_zero.size(), 2U);
    for (const Polynomial& p : at_zero) EXPECT_NE(p.text(system.variables), "x*z - y^2");
    // a singular point: x y = 0 at the origin
    Component lines{.dimension = 2};
    lines.generators = {*read_polynomial("x1*x2", 3)};
    EXPECT_TRUE(independent_equations(lines, system, {0, 0, 0}).empty());
}

// ---- processes ----

using End = ProcessResult::End;

ProcessResult shell(const std::string& script, const ProcessLimits& limits = {},
                    const std::function<bool()>& is_interrupted = {}) {
    return run_process("/bin/sh", {"-c", script}, "input\n", limits, is_interrupted);
}

TEST(Process, GivesInputAndTakesOutputAndStatus) {
    const ProcessResult result = shell("read word; echo $word out; echo err >&2; exit 3");
    EXPECT_EQ(result.end, End::exited);
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.output, "input out\nerr\n");
    EXPECT_EQ(shell("kill -TERM $$").end, End::signalled);
    EXPECT_EQ(shell("kill -TERM $$").code, 15);
    EXPECT_EQ(run_process("/nowhere/program", {}, "", {}).code, 127);
}

TEST(Process, LargeInputNeedsNoReader) {
    const std::string large(1 << 22, 'x');
    EXPECT_EQ(run_process("/bin/sh", {"-c", "exit 0"}, large, {}).end, End::exited);
    EXPECT_EQ(run_process("/usr/bin/wc", {"-c"}, large, {}).output, std::to_string(large.size()) + "\n");
}

// The process that a file names is gone, or is a zombie that waits for some other parent.
bool is_gone(const std::string& file) {
    std::ifstream in(file);
    int process = 0;
    if (!(in >> process)) return false;
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    return !std::getline(status, text) || text.find(") Z") != std::string::npos;
}

TEST(Process, TheTimeLimitEndsItAndWhatItStarted) {
    const std::string file =
        (std::filesystem::temp_directory_path() / ("vessiot_process_" + std::to_string(getpid()))).string();
    const auto begin = std::chrono::steady_clock::now();
    const ProcessResult result = shell("sleep 1000 & echo $! > " + file + "; echo started; wait", {.time_s = 0.5});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)); // far from 1000
    EXPECT_EQ(result.end, End::timed_out);
    EXPECT_EQ(result.output, "started\n");
    for (int k = 0; k < 100 && !is_gone(file); ++k) usleep(10'000); // the system needs a moment
    EXPECT_TRUE(is_gone(file));
    std::filesystem::remove(file);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // and no zombie of ours is left
    EXPECT_EQ(errno, ECHILD);
}

TEST(Process, OneThatClosesItsOutputIsWaitedForNoLongerThanTheLimit) {
    EXPECT_EQ(shell("exec >&- 2>&-; sleep 1000", {.time_s = 0.3}).end, End::timed_out);
}

TEST(Process, TheCallerMayInterruptIt) {
    int n_asked = 0;
    EXPECT_EQ(shell("sleep 1000", {.time_s = 100}, [&] { return ++n_asked > 3; }).end, End::interrupted);
}

TEST(Process, OutputWithoutEndIsStopped) {
    EXPECT_EQ(shell("yes", {.time_s = 100, .output_bytes = 100'000}).end, End::too_much);
}

TEST(Process, ProgramsAreFoundByNameAndByPath) {
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
    EXPECT_NE(find_program("sh"), "");
    EXPECT_EQ(find_program("no_program_has_this_name"), "");
    EXPECT_EQ(find_program("/etc/passwd"), "");
    EXPECT_EQ(find_program("/tmp"), "");
}

// ---- texts of models ----

ModelText replaced(const std::string& text, const lang::Settings& settings = {},
                   const std::vector<std::string>& generators = {"x - y"}) {
    const lang::Source source("test.ves", text);
    const System system = lang::read_model(source, settings);
    const PolynomialSystem polynomials = make_polynomials(system);
    check_statements(source, system, polynomials.equations);
    return replace_constraints(source, settings, system,
                               {.equations = polynomials.equations, .generators = generators, .comment = "new"});
}

TEST(ModelText, OnlyTheConstraintsChange) {
    EXPECT_EQ(
        replaced("# title\nunknown x, y   # two\nlagrangian (x'^2 + y'^2)/2\n\nconstraint x^2\n    = y^2  # both\n"
                 "solve t = 0 .. 1  # end")
            .text,
        "# title\nunknown x, y   # two\nlagrangian (x'^2 + y'^2)/2\n\n# constraint x^2\n#     = y^2  # both\n# new\n"
        "constraint x - y = 0\nsolve t = 0 .. 1  # end");
}

TEST(ModelText, EquationsStayEquations) {
    EXPECT_EQ(replaced("unknown x, y\nx' = y\nx^2 = y^2").text, "unknown x, y\nx' = y\n# x^2 = y^2\n# new\nx - y = 0");
}

TEST(ModelText, LoopsThatBecomeEmptyGoToo) {
    EXPECT_EQ(
        replaced(
            "unknown x, y\nlagrangian (x'^2 + y'^2)/2\nfor i = 1..1:\n  constraint i*x^2 = y^2\nsolve t = 0 .. 1\n")
            .text,
        "unknown x, y\nlagrangian (x'^2 + y'^2)/2\n# for i = 1..1:\n#   constraint i*x^2 = y^2\n# new\n"
        "constraint x - y = 0\nsolve t = 0 .. 1\n");
    EXPECT_EQ(
        replaced("unknown x, y\nlagrangian (x'^2 + y'^2)/2\nfor i = 1..1: for j = i..1: constraint j*x^2 = y^2\n").text,
        "unknown x, y\nlagrangian (x'^2 + y'^2)/2\n# for i = 1..1: for j = i..1: constraint j*x^2 = y^2\n# new\n"
        "constraint x - y = 0\n");
}

TEST(ModelText, ParametersThatNothingUsesAnyMoreGo) {
    const std::string rest = "unknown x, y\nlagrangian m*(x'^2 + y'^2)/2\nconstraint b*x^2 = y^2\n";
    EXPECT_TRUE(replaced("parameter a = 1, b = 2*a, m = 3\n" + rest).text.starts_with("parameter m = 3\nunknown"));
    EXPECT_TRUE(
        replaced("parameter b = 2\nparameter m = 3\n" + rest).text.starts_with("# parameter b = 2\nparameter m"));
    // one that was not used before is none of our business
    EXPECT_TRUE(replaced("parameter b = 2, m = 3, c = 4\n" + rest).text.starts_with("parameter m = 3, c = 4\n"));
}

TEST(ModelText, ValuesFromOutsideAreWrittenDown) {
    const std::string rest = "unknown x, y\nlagrangian m*(x'^2 + y'^2)/2\nconstraint x^2 = y^2\n";
    EXPECT_TRUE(replaced("parameter k = (1 + 2), m = k\n" + rest, {.set = {{"k", "4*2"}}})
                    .text.starts_with("parameter k = 4*2, m = k\n"));
    EXPECT_TRUE(replaced("parameter m\n" + rest, {.set = {{"m", "5"}}}).text.starts_with("parameter m = 5\n"));
    EXPECT_TRUE(
        replaced("parameter μ = 1\nlet m = μ\n" + rest, {.set = {{"mu", "2"}}}).text.starts_with("parameter μ = 2\n"));
}

TEST(ModelText, WhatHasToBeDoneByHandIsSaid) {
    const std::string head = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\n";
    const ModelText used = replaced(head + "constraint x^2 = y^2\noutput f = lambda[1]\n");
    ASSERT_EQ(used.notes.size(), 1U);
    EXPECT_NE(used.notes[0].find("multipliers"), std::string::npos);
    const ModelText wrong = replaced(head + "constraint x^2 = y^2\nconstraint x*y = 0\noutput f = lambda[2]\n");
    ASSERT_FALSE(wrong.notes.empty());
    EXPECT_NE(wrong.notes[0].find("by hand"), std::string::npos);
}

TEST(ModelText, AStatementWithBothKindsOfEquationsIsRefused) {
    EXPECT_THROW(replaced("unknown x, y\n[x', x^2] = [y, y^2]\n"), lang::ModelError);
}

// ---- polynomials of systems ----

PolynomialSystem polynomials(const std::string& text) {
    return make_polynomials(lang::read_model(lang::Source("test.ves", text)));
}

std::set<std::string> variable_texts(const std::string& text) {
    std::set<std::string> names;
    for (const Variable& v : polynomials(text).variables) names.insert(v.text);
    return names;
}

TEST(Polynomials, OfASystemHaveTheVariablesThatOccur) {
    const std::string head = "unknown x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\n";
    using Names = std::set<std::string>;
    EXPECT_EQ(variable_texts(head + "constraint x*z = 1\n"), (Names{"x", "z"}));
    EXPECT_EQ(variable_texts(head + "constraint sin(2*x - 3*z) = 1\n"),
              (Names{"cos(2*x)", "sin(2*x)", "cos(3*z)", "sin(3*z)"}));
    EXPECT_EQ(variable_texts(head + "constraint sin(x/2) = cos(x)\n"), (Names{"cos(x/2)", "sin(x/2)"}));
    EXPECT_EQ(variable_texts(head + "constraint x = sqrt(2)*y + t\n"), (Names{"x", "y", "t", "sqrt(2)"}));
    EXPECT_EQ(variable_texts(head + "constraint x = cos(y + pi/4)\n"), (Names{"x", "cos(y)", "sin(y)", "sqrt(2)"}));
}

TEST(Polynomials, OfASystemTakeConstraintsOnPositionsOnly) {
    // of a lagrangian: not the plain equation, not the constraint on velocities
    const PolynomialSystem p = polynomials("unknown x, y, w\nlagrangian (x'^2 + y'^2)/2\nconstraint x = y\nw = x\n");
    EXPECT_EQ(p.constraints.size(), 1U);
    EXPECT_EQ(p.notes.size(), 1U);
    EXPECT_EQ(polynomials("unknown x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint x*y = 0\nconstraint z' = x\n")
                  .notes.size(),
              1U);
    EXPECT_EQ(polynomials("unknown x, y\nx' = y\ny^2 = x^2\n").constraints.size(), 1U);
    EXPECT_THROW(polynomials("unknown x\nx' = x\n"), InvalidInput);
}

} // namespace
} // namespace vessiot::decompose
