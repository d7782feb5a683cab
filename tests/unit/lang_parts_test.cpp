// Includes, components and parts: the model that they are written out to.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/element_name.hpp"
#include "core/error.hpp"
#include "lang/model.hpp"
#include "system/describe/fingerprint.hpp"

namespace vessiot::lang::lang_parts_test {
namespace {

namespace fs = std::filesystem;

class LangParts : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("vessiot_parts_" + std::to_string(::getpid()));
        fs::create_directories(folder_ / "sub");
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    System read(const std::string& text, const Settings& settings = {}) const {
        return read_model(Source((folder_ / "m.ves").string(), text), settings);
    }
    std::string without_folder(std::string text) const {
        const std::string path = folder_.string() + "/";
        for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
        return text;
    }
    std::string error(const std::string& text, const Settings& settings = {}) const {
        try {
            read(text, settings);
        } catch (const InvalidInput& e) {
            const std::string message = without_folder(e.what());
            return message.substr(0, message.find('\n'));
        }
        return "";
    }
    static std::vector<std::string> unknowns(const System& s) {
        std::vector<std::string> names;
        for (const Unknown& u : s.unknowns)
            if (!u.is_multiplier) names.push_back(u.name);
        return names;
    }
    static const Parameter& parameter(const System& s, const std::string& name) {
        return *std::ranges::find(s.parameters, name, &Parameter::name);
    }

    fs::path folder_;
};

const std::string link = "component Link(m = 1, l = 1):\n"
                         "    unknown    r[2], phi\n"
                         "    let        tip[k = 1..2] = r[k] + l/2*[cos(phi), sin(phi)][k]\n"
                         "    lagrangian m/2*dot(r', r') + m*l^2/24*phi'^2 - m*g*r[2]\n"
                         "    start      phi = 0.5\n";

TEST_F(LangParts, OnePart) {
    const System s =
        read("parameter g = 9.81\n" + link + "part a = Link(l = 2)\nconstraint a.tip = 0\noutput h = a.tip[2]\n");
    EXPECT_EQ(unknowns(s), (std::vector<std::string>{"a.r", "a.phi"}));
    EXPECT_EQ(parameter(s, "a.l").values[0], 2);
    EXPECT_EQ(parameter(s, "a.m").values[0], 1);
    ASSERT_EQ(s.start.size(), 1U);
    EXPECT_EQ(s.graph->print_read(s.start[0].jet, s.start[0].target), "a.phi");
    const System set = read("parameter g = 9.81\n" + link + "part a = Link(l = 2)\nconstraint a.tip = 0\n",
                            {.set = {{"a.l", "3"}, {"a.m", "g/2"}}});
    EXPECT_EQ(parameter(set, "a.l").values[0], 3);
}

// Part by part and written out: the same system.
TEST_F(LangParts, IsTheModelWrittenOut) {
    const System parts = read("parameter g = 9.81\n" + link + "part a = Link(2, l = 3)\nconstraint a.tip = 0\n");
    const System by_hand =
        read("parameter g = 9.81, m = 2, l = 3\nunknown r[2], phi\n"
             "let tip[k = 1..2] = r[k] + l/2*[cos(phi), sin(phi)][k]\n"
             "lagrangian m/2*dot(r', r') + m*l^2/24*phi'^2 - m*g*r[2]\nconstraint tip = 0\nstart phi = 0.5\n");
    ASSERT_EQ(parts.equations.size(), by_hand.equations.size());
    for (std::size_t k = 0; k < parts.equations.size(); ++k) {
        std::string text = parts.graph->print(parts.equations[k].residual);
        for (std::size_t at; (at = text.find("a.")) != std::string::npos;) text.erase(at, 2);
        EXPECT_EQ(text, by_hand.graph->print(by_hand.equations[k].residual));
    }
}

TEST_F(LangParts, AFamilyStaysAFamily) {
    const std::string model = "parameter g = 9.81, n = 3\n" + link +
                              "part b[i = 1..n] = Link(m = i)\n"
                              "constraint b[1].r = 0\nfor i = 1..n-1: constraint b[i].tip = b[i+1].r\n"
                              "output h = b[n].tip[2]\n";
    const System s = read(model);
    EXPECT_EQ(unknowns(s), (std::vector<std::string>{"b[#].r", "b[#].phi"}));
    const Parameter& m = parameter(s, "b[#].m");
    EXPECT_EQ(std::vector<double>(m.values.begin(), m.values.end()), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(s.graph->print_read(m.array, s.graph->indices_at(m.array, 2)), "b[3].m");
    const System large = read(model, {.set = {{"n", "300"}}});
    EXPECT_EQ(large.equations.size(), s.equations.size()); // templates
    const System set = read(model, {.set = {{"b[2].m", "7"}}});
    EXPECT_EQ(parameter(set, "b[#].m").values[1], 7);
    EXPECT_EQ(error(model, {.set = {{"b[4].m", "7"}}}), "--set:1:3: index 4 of 'b[#].m' is outside 1..3");
}

// Its parameters are made after n, wherever n stands.
TEST_F(LangParts, AFamilyMayStandBeforeItsSize) {
    const System s = read("component C(k = 1, w = [1, 2]):\n    unknown q\n    q' = k*w[2]\n"
                          "part b[i = 1..n] = C(k = i*f)\nparameter n = 3, f = 2\nsolve t = 0 .. 1\n");
    const Parameter& k = parameter(s, "b[#].k");
    EXPECT_EQ(std::vector<double>(k.values.begin(), k.values.end()), (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(parameter(s, "b[#].w").values.size(), 6u);
}

TEST_F(LangParts, PartsAreArguments) {
    const System s = read("parameter g = 9.81\n" + link +
                          "component Pin(p, u = [0, 0], q = [0, 0]):\n    constraint p.r + u = q\n"
                          "component Join(p, q):\n    constraint p.tip = q.r\n"
                          "part a = Link()\npart b[i = 1..2] = Link()\npart fix = Pin(a)\npart j = Join(a, b[1])\n"
                          "part k = Join(b[1], b[2])\n");
    EXPECT_EQ(std::ranges::count_if(s.unknowns, &Unknown::is_multiplier), 1);
    EXPECT_EQ(s.graph->array(s.unknown("lambda")->array).size(), 6);
}

TEST_F(LangParts, FunctionsEventsAndNestedParts) {
    const System s = read("component Mass(m = 1):\n    unknown x\n    function f(a) = -a*x/m\n    x'' = f(2)\n"
                          "    event hit: x = 0 rising\n    start x = 1\n    output v = x'\n"
                          "component Pair(k = 3):\n    part one = Mass(m = k)\n    part two[i = 1..2] = Mass(m = k*i)\n"
                          "part p = Pair()\npart q[j = 1..2] = Pair(k = j)\noutput z = q[2].two[1].f(1)\n");
    EXPECT_EQ(unknowns(s), (std::vector<std::string>{"p.one.x", "p.two[#].x", "q[#].one.x", "q[#].two[#].x"}));
    const Parameter& m = parameter(s, "q[#].two[#].m");
    EXPECT_EQ(std::vector<double>(m.values.begin(), m.values.end()), (std::vector<double>{1, 2, 2, 4}));
    std::vector<std::string> events;
    for (const Event& e : s.events) events.push_back(e.name);
    EXPECT_EQ(events.size(), 1U + 2U + 2U + 4U);
    EXPECT_EQ(events.back(), "q[2].two[2].hit");
    EXPECT_EQ(s.outputs.front().name, "p.one.v");
}

TEST_F(LangParts, ArgumentsMayMove) {
    const System s = read("component Driven(F, m = 1):\n    unknown x\n    m*x'' = F\n    start x = 0, x' = 0\n"
                          "part a = Driven(sin(t))\npart b[i = 1..2] = Driven(F = a.x - b[i].x)\n");
    EXPECT_EQ(std::ranges::find(s.parameters, "a.F", &Parameter::name), s.parameters.end());
    EXPECT_EQ(unknowns(s), (std::vector<std::string>{"a.x", "b[#].x"}));
}

TEST_F(LangParts, Includes) {
    write("sub/mass.ves", "component Mass(m = 1):\n    unknown x\n    x'' = -x/m\n    start x = 1\n");
    write("sub/both.ves", "include \"mass.ves\"\nparameter from_there = 2\n");
    const System s = read("include \"sub/both.ves\"\ninclude \"sub/mass.ves\"\npart a = Mass(m = from_there)\n");
    EXPECT_EQ(unknowns(s), (std::vector<std::string>{"a.x"}));
    EXPECT_TRUE(s.warnings.empty());
}

TEST_F(LangParts, WrongIncludes) {
    EXPECT_EQ(error("include \"none.ves\"\nunknown x\nx' = 1\n"), "m.ves:1:9: the file none.ves does not exist");
    EXPECT_EQ(
        error("include \"mechanik\"\nunknown x\nx' = 1\n"),
        "m.ves:1:9: there is no library 'mechanik'; did you mean 'mechanics'? Libraries are: mechanics; a file is "
        "included by its name with '.ves'");
    write("a.ves", "parameter a = 1\ninclude \"b.ves\"\n");
    write("b.ves", "include \"a.ves\"\n");
    EXPECT_EQ(error("include \"a.ves\"\nunknown x\nx' = a\n"),
              "b.ves:1:9: this text includes itself: here, which is included in line 2 of a.ves");
    write("c.ves", "# a comment\nparameter k = 1\n    parameter l = 2\n");
    EXPECT_EQ(error("include \"c.ves\"\nunknown x\nx' = k\n").substr(0, 10), "c.ves:3:5:");
    write("d.ves", "parameter k = 1\n");
    EXPECT_EQ(error("parameter k = 2\ninclude \"d.ves\"\nunknown x\nx' = k\n"),
              "d.ves:1:11: 'k' is declared twice; the first time in line 1");
    EXPECT_EQ(error("include \"d.ves\"\nparameter k = 2\nunknown x\nx' = k\n"),
              "m.ves:2:11: 'k' is declared twice; the first time in line 1 of d.ves");
    write("empty.ves", "# nothing\n");
    EXPECT_EQ(error("include \"empty.ves\"\nunknown x\nx' = 1\n"), "empty.ves has no statements");
    write("e.ves", "component C():\n    unknown x\n    x' = missing\n");
    EXPECT_EQ(error("include \"e.ves\"\npart a = C()\n"), "e.ves:3:10: 'missing' is not a name of this model");
}

TEST_F(LangParts, WrongParts) {
    const std::string c = "component C(k, l = 1):\n    unknown x\n    x' = k*l\n";
    EXPECT_EQ(error("part a = D()\nunknown y\ny' = 1\n").substr(0, 39), "m.ves:1:10: there is no component 'D'; ");
    EXPECT_EQ(error(c + "part a = D(1)\n"), "m.ves:4:10: there is no component 'D'. There are: C");
    EXPECT_EQ(error(c + "part a = C()\n"), "m.ves:4:1: 'k' is not given: the component 'C' needs it");
    EXPECT_EQ(error(c + "part a = C(1, 2, 3)\n"), "m.ves:4:18: this is argument number 3, but 'C' has 2; it has: k, l");
    EXPECT_EQ(error(c + "part a = C(1, m = 2)\n"), "m.ves:4:15: 'm' is no argument of the component 'C'; it has: k, l");
    EXPECT_EQ(error(c + "part a = C(1, k = 2)\n"), "m.ves:4:19: 'k' is given twice");
    EXPECT_EQ(error(c + "part a = C(k = 1, 2)\n"),
              "m.ves:4:19: an argument without a name cannot follow one with a name");
    EXPECT_EQ(error("component A():\n    part b = B()\ncomponent B():\n    part a = A()\npart a = A()\n"),
              "m.ves:4:14: the component 'A' contains itself: A has a part B has a part A");
    EXPECT_EQ(error(c + "part a = C(1)\nunknown y\ny' = a.z\n"), "m.ves:6:6: the part 'a' has no 'z'. It has: k, l, x");
    EXPECT_EQ(error(c + "part a = C(1)\nunknown y\ny' = b.x\n"), "m.ves:6:6: there is no part 'b'. There are: a");
    EXPECT_EQ(error(c + "part b[i = 1..2] = C(1)\nunknown y\ny' = b.x\n"),
              "m.ves:6:6: 'b' is a family of parts: give an index, as in b[1].x");
    EXPECT_EQ(error(c + "part b = C(1)\nunknown y\ny' = b[1].x\n"),
              "m.ves:6:6: 'b' is a part, not a family of parts, and has no index");
    EXPECT_EQ(error(c + "part b[i = 1..2] = C(1)\nunknown y\ny' = b[3].x\n"),
              "m.ves:6:8: index 3 of 'b[#].x' is outside 1..2");
    EXPECT_EQ(error(c + "part b[i = 0..2] = C(1)\n"),
              "m.ves:4:12: a family of parts is numbered from 1: write i = 1..n");
    EXPECT_EQ(error("unknown y\ny' = y.x\n"), "m.ves:2:6: 'y' is a unknown, not a part, and has no 'x'");
    EXPECT_EQ(error("component C():\n    solve t = 0 .. 1\npart a = C()\n"),
              "m.ves:2:5: 'solve' belongs to a model, not to a component");
    EXPECT_EQ(error(c + c + "part a = C(1)\n"),
              "m.ves:4:11: the component 'C' is declared twice; the first time in line 1");
    EXPECT_EQ(error(c + "part a = C(1)\npart a = C(1)\n"), "m.ves:5:6: 'a' is declared twice");
    EXPECT_EQ(error(c), "m.ves has no statements but components");
    EXPECT_EQ(error("component C()\n    unknown x\n"),
              "m.ves:1:1: a component has a ':' and an indented block, as in: component Link(m = 1, l = 1):");
    EXPECT_EQ(error("for i = 1..2: part a = C()\n"),
              "m.ves:1:15: 'part' cannot stand in a loop; a family of parts is written part b[i = 1..n] = …");
}

TEST_F(LangParts, UnusedComponentsAreNamed) {
    const System s = read("component C():\n    unknown x\nunknown y\ny' = 1\n");
    ASSERT_EQ(s.warnings.size(), 1U);
    EXPECT_NE(s.warnings[0].find("m.ves:1:11: warning: no part uses the component 'C'"), std::string::npos)
        << s.warnings[0];
    EXPECT_TRUE(read("include \"mechanics\"\nunknown y\ny' = 1\n").warnings.empty());
}

TEST_F(LangParts, Slices) {
    const System s = read(
        "unknown r[3,2], s\nfor i = 1..3: r[i]'' = -r[i]\ns = dot(r[1], r[2]) + norm(r[3])\nstart r[2] = [1, 2]\n");
    EXPECT_EQ(s.equations.size(), 2U);
    ASSERT_EQ(s.start.size(), 2U);
    EXPECT_EQ(s.graph->print_read(s.start[1].jet, s.start[1].target), "r[2,2]");
    EXPECT_EQ(error("unknown r[3,2]\nr[1,2,3]' = 0\n"), "m.ves:2:1: 'r' has 2 indices, but 3 are given");
    EXPECT_EQ(error("unknown r[3,2]\nfor i = 1..3: r[i]' = [1, 2, 3]\n"),
              "m.ves:2:15: the left side has 2 components, the right side 3");
}

TEST(ElementName, Both) {
    EXPECT_EQ(element_name("x", {}), "x");
    EXPECT_EQ(element_name("x", {"1", "2"}), "x[1,2]");
    EXPECT_EQ(element_name("b[#].r", {"3", "1"}), "b[3].r[1]");
    EXPECT_EQ(element_name("b[#,#].c[#].m", {"1", "2", "3"}), "b[1,2].c[3].m");
    EXPECT_EQ(array_name("x'"), "x");
    EXPECT_EQ(array_name("x[1,2]''"), "x");
    EXPECT_EQ(array_name("b[3].r[1]'"), "b[#].r");
    EXPECT_EQ(array_name("b[1,2].c[3].m"), "b[#,#].c[#].m");
    EXPECT_EQ(array_name("a.phi"), "a.phi");
}

// What people write who come from other languages.
TEST_F(LangParts, Habits) {
    EXPECT_EQ(error("unknown x\nx' = ln(x)\n"),
              "m.ves:2:6: there is no function 'ln': the natural logarithm is log(x)");
    EXPECT_EQ(error("unknown x\nx' = pow(x, 2)\n"), "m.ves:2:6: there is no function 'pow': a power is written a^b");
    EXPECT_EQ(error("unknown x\nx' = Pi\n"),
              "m.ves:2:6: 'Pi' is not a name of this model: the number 3.14159… is written pi");
    EXPECT_EQ(error("unknown x\ndx/dt = 1\n"),
              "m.ves:2:1: 'dx' is not a name of this model: a derivative is written x', not dx/dt");
    EXPECT_EQ(error("unknown x\nx_dot = 1\n"),
              "m.ves:2:1: 'x_dot' is not a name of this model: a derivative is written x'");
    EXPECT_EQ(error("unknown x\nxddot = 1\n"),
              "m.ves:2:1: 'xddot' is not a name of this model: a derivative is written x''");
    EXPECT_EQ(error("unknown x\nx' = x > 0 ? 1 : 2\n"),
              "m.ves:2:12: the character '?' does not belong in a model; a choice is written if(condition, a, b)");
    EXPECT_EQ(error("import mechanics\nunknown x\n"),
              "m.ves:1:1: 'import' begins no statement: another text is read with include \"parts/motor.ves\"");
    EXPECT_EQ(error("unknown x\nwhen x > 0 then\n").substr(0, 80),
              "m.ves:2:1: 'when' begins no statement: what happens at a time or a crossing is a");
    EXPECT_EQ(error("model Pendulum\nunknown x\n").substr(0, 62),
              "m.ves:1:1: 'model' begins no statement: a file is a model, wit");
    EXPECT_EQ(error("unknown x\nder(x) = 1\nstart x = 0\n"), ""); // this is written so here, too
}

} // namespace
} // namespace vessiot::lang::lang_parts_test
