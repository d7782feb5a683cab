// Tables and numbers from files in the language, and what is said from outside of a model.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/temporary_folder.hpp"
#include "lang/model.hpp"
#include "system/describe/fingerprint.hpp"

namespace vessiot::lang::lang_tables_test {
namespace {

namespace fs = std::filesystem;

// Files beside a model.
class LangTables : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("vessiot_tables_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
        write("wind.csv", "time,speed,\"at 2 m\"\n0,1,5\n1,3,6\n4,0,7\n");
        write("plain.csv", "0,1\n1,3\n4,0\n");
        write("load.csv", "load\n2\n3\n5\n");
        write("map.csv", ",0,1\n0,1,2\n2,3,5\n");
        write("bad.csv", "time,speed\n0,1\n1,x\n");
        write("fall.csv", "0,1\n2,3\n1,0\n");
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    System read(const std::string& text, const Settings& settings = {}) const {
        return read_model(Source((folder_ / "m.ves").string(), text), settings);
    }
    // The message without the name of the folder and the caret.
    std::string error(const std::string& text, const Settings& settings = {}) const {
        try {
            read(text, settings);
        } catch (const InvalidInput& e) {
            std::string message = e.what();
            message = message.substr(0, message.find('\n'));
            const std::string path = folder_.string() + "/";
            for (std::size_t at; (at = message.find(path)) != std::string::npos;) message.erase(at, path.size());
            return message;
        }
        return "";
    }
    static std::vector<double> values(const System& s, const std::string& name) {
        const auto found = std::ranges::find(s.parameters, name, &Parameter::name);
        std::vector<double> result;
        for (const Quad x : found->values) result.push_back(static_cast<double>(x));
        return result;
    }

    fs::path folder_;
};

const std::string rest = "\nunknown x\nx' = f(t)\nstart x = 0\n";

TEST_F(LangTables, AreFunctions) {
    for (const char* table :
         {"table f(s) = [0: 1, 1: 3, 4: 0]", "table f(s) = file \"plain.csv\"",
          "table f(s) = file \"wind.csv\" columns time, speed", "table f(s) = file \"wind.csv\" columns 1, \"at 2 m\"",
          "table f(s) = file \"wind.csv\" columns 1, 2 cubic outside hold",
          "table f(s) = [0: 1, 1: 3] outside hold step", "table f(s) = [0: 1,\n  1: 3] monotone"})
        EXPECT_EQ(error(table + rest), "") << table;
    const System s = read("table f(s) = [0: 1, 1: 3, 4: 0]" + rest);
    EXPECT_EQ(s.graph->print(s.equations[0].rhs), "f(t)");
    EXPECT_EQ(error("table K(a, b) = file \"map.csv\"\nunknown x\nx' = K(t, x)\nstart x = 0\n"), "");
    // a point may be made of parameters, and a parameter of a table
    const System made = read("parameter p = 2, q = f(1)\ntable f(s) = [0: p, 2: 3*p]\nunknown x\nx' = q*f(t)\n");
    EXPECT_EQ(values(made, "q"), std::vector<double>{4});
}

TEST_F(LangTables, WordsStayNames) {
    EXPECT_EQ(
        error("unknown table, file, part, component, include\ntable' = file\nfile' = -table\npart = 1\ncomponent = 2\n"
              "include' = 0\nstart table = 1, file = 0\n"),
        "");
    EXPECT_EQ(error("parameter size = 3\nunknown x\nx' = size\n"), "");
}

TEST_F(LangTables, SameNumbersAreTheSameModel) {
    EXPECT_EQ(fingerprint(read("table f(s) = [0: 1, 1: 3, 4: 0]" + rest)),
              fingerprint(read("table f(s) = file \"plain.csv\"" + rest)));
    EXPECT_NE(fingerprint(read("table f(s) = [0: 1, 1: 3, 4: 0]" + rest)),
              fingerprint(read("table f(s) = [0: 1, 1: 3, 4: 0.5]" + rest)));
}

TEST_F(LangTables, WrongTables) {
    const auto wrong = [&](const std::string& table) { return error(table + rest); };
    EXPECT_EQ(wrong("table f(s) = file \"none.csv\""),
              "m.ves:1:19: the file 'none.csv' cannot be read: No such file or directory");
    EXPECT_EQ(wrong("table f(s) = file \"bad.csv\""), "m.ves:1:19: bad.csv:3:3: a number is needed, but this is 'x'");
    EXPECT_EQ(wrong("table f(s) = file \"fall.csv\""),
              "m.ves:1:19: fall.csv:3:1: the points of a table must increase, but 1 follows 2");
    EXPECT_EQ(wrong("table f(s) = file \"wind.csv\""),
              "m.ves:1:19: 'wind.csv' has 3 columns: say which ones, as in: columns time, speed");
    EXPECT_EQ(wrong("table f(s) = file \"wind.csv\" columns time, sped"),
              "m.ves:1:19: 'wind.csv' has no column 'sped'; did you mean 'speed'? It has: time, speed, at 2 m");
    EXPECT_EQ(wrong("table f(s) = [0: 1, 0: 2]"), "m.ves:1:21: the points of a table must increase, but 0 follows 0");
    EXPECT_EQ(wrong("table f(s) = [0: 1]"), "m.ves:1:7: a table needs at least two points, but 'f' has 1");
    EXPECT_EQ(
        wrong("table f(s) = [0: 1, 1: 2] cubik"),
        "m.ves:1:27: 'cubik' is unknown here; between the points a table is one of step, linear, cubic, monotone; did "
        "you mean 'cubic'?");
    EXPECT_EQ(wrong("table f(s) = [0: 1, 1: 2] outside keep"),
              "m.ves:1:35: after 'outside' comes one of error, hold, extend, periodic");
    EXPECT_EQ(wrong("table f = [0: 1, 1: 2]"), "m.ves:1:7: a table has its argument in brackets: write table torque(s) "
                                               "= [0: 0, 1: 10], or = file \"torque.csv\"");
    EXPECT_EQ(wrong("table f(s) = [0, 1]"),
              "m.ves:1:16: a point is written with ':' between its place and its value: [0: 0, 1: 10]");
    EXPECT_EQ(wrong("table f(s) = [t: 1, 2: 2]"),
              "m.ves:1:15: a point of 'f' cannot depend on the independent variable 't'");
    EXPECT_EQ(wrong("table f(a, b, c) = file \"map.csv\""),
              "m.ves:1:15: a table has one or two arguments, but this is the third");
    EXPECT_EQ(error("table f(s) = [0: 1, 1: 2]\nunknown x\nx' = f\n"), "m.ves:3:6: 'f' is a table: write f(…)");
    EXPECT_EQ(error("table f(s) = [0: 1, 1: 2]\nunknown x\nx' = f(1, 2)\n"),
              "m.ves:3:6: 'f' needs 1 argument, but 2 are given");
    EXPECT_EQ(wrong("table f(s) = file \"wind.csv"), "m.ves:1:19: the closing '\"' is missing in this line");
}

TEST_F(LangTables, ArraysFromFiles) {
    const std::string model =
        "parameter load = file \"load.csv\"\nunknown x[size(load)]\nfor i = 1..size(load): x[i]' = load[i]\n";
    const System s = read(model);
    EXPECT_EQ(values(s, "load"), (std::vector<double>{2, 3, 5}));
    EXPECT_EQ(s.graph->array(s.unknowns[0].array).size(), 3);
    EXPECT_EQ(
        values(read("parameter v[3] = file \"wind.csv\" column \"at 2 m\"\nunknown x\nx' = sum(i = 1..3, v[i])\n"),
               "v"),
        (std::vector<double>{5, 6, 7}));
    EXPECT_EQ(error("parameter v = file \"wind.csv\"\nunknown x\nx' = v[1]\n"),
              "m.ves:1:20: 'wind.csv' has 3 columns: say which one, as in: column time");
    EXPECT_EQ(error("parameter v[2] = file \"load.csv\"\nunknown x\nx' = v[1]\n"),
              "m.ves:1:23: 'v' has 2 components, the column 3");
    // other numbers, another length
    const Settings set{.set = {{"load", "[1, 2]"}}};
    EXPECT_EQ(read(model, set).graph->array(read(model, set).unknowns[0].array).size(), 2);
    EXPECT_EQ(values(read(model, {.set = {{"load", (folder_ / "wind.csv").string() + ":speed"}}}), "load"),
              (std::vector<double>{1, 3, 0}));
    EXPECT_EQ(error(model, {.set = {{"load", "nowhere.csv:1"}}}),
              "--set load: the file 'nowhere.csv' cannot be read: No such file or directory");
    EXPECT_EQ(error("parameter g = 1\nunknown x\nx' = g\n", {.set = {{"g", (folder_ / "load.csv").string()}}}),
              "--set g: 'g' is a single parameter, but the file has 3 numbers; an array is declared as g[3]");
}

TEST_F(LangTables, ElementsAreSet) {
    const std::string model =
        "parameter a = 2, T[3] = [1, 2*a, 3], K[2,2] = 0\nunknown x\nx' = T[1] + T[2] + T[3] + K[1,2]\n";
    EXPECT_EQ(values(read(model, {.set = {{"T[2]", "7"}, {"K[1,2]", "-1"}}}), "T"), (std::vector<double>{1, 7, 3}));
    EXPECT_EQ(values(read(model, {.set = {{"T[2]", "7"}, {"K[1,2]", "-1"}}}), "K"), (std::vector<double>{0, -1, 0, 0}));
    EXPECT_EQ(values(read(model, {.set = {{"T[2]", "7"}, {"T", "[4, 5, 6]"}}}), "T"), (std::vector<double>{4, 5, 6}));
    EXPECT_EQ(error(model, {.set = {{"T[4]", "7"}}}), "--set:1:3: index 4 of 'T' is outside 1..3");
    EXPECT_EQ(error(model, {.set = {{"a[1]", "7"}}}), "--set:1:1: 'a' is a number and has no index");
    EXPECT_EQ(error(model, {.set = {{"T[2]", "a"}}}),
              "--set:1:6: an element is set to a number, not to an expression of other names");
    EXPECT_EQ(error(model, {.set = {{"S[2]", "1"}}}), "the model has no parameter 'S[2]'. It has: a, T, K");
}

TEST_F(LangTables, AnyVectorHasIndices) {
    const System s = read("unknown x\nfor k = 2..2: x' = [cos(x), sin(x)][k]\n");
    EXPECT_EQ(s.graph->print(s.equations[0].rhs).find("cos") == std::string::npos ||
                  s.graph->print(s.equations[0].rhs).find("sin") != std::string::npos,
              true);
    EXPECT_EQ(error("unknown x\nx' = [1, 2][3]\n"), "m.ves:2:13: index 3 of 'this vector' is outside 1..2");
    EXPECT_EQ(error("unknown x\nx' = (x)[1]\n"), "m.ves:2:6: this is a number and has no index");
}

} // namespace
} // namespace vessiot::lang::lang_tables_test
