// Tables: polynomials between points, their derivatives, and that native code computes the same bits.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/csv_file.hpp"
#include "core/error.hpp"
#include "expr/functions/vmath.hpp"
#include "expr/graph/derivative.hpp"
#include "expr/graph/function.hpp"
#include "expr/kernel/native.hpp"
#include "expr/table/table.hpp"

namespace vessiot::expr::table_test {
namespace {

// T(x) and its derivatives at a number, in double.
class Probe {
public:
    explicit Probe(const TablePoints& points) : table_(points) {
        for (std::size_t k = 0; k < points.grid.size(); ++k)
            arrays_.push_back(g_.add_array({.name = k == 0 ? "x" : "y", .role = ArrayRole::parameter}));
    }

    double operator()(std::vector<double> at, int order = 0) {
        std::vector<NodeId> arguments;
        for (const ArrayId a : arrays_) arguments.push_back(g_.read(a));
        NodeId value = table_(g_, arguments);
        for (int k = 0; k < order; ++k) value = partial_derivative(g_, value, arrays_[0], g_.index().list({}));
        return evaluate(value, at);
    }

    Graph& graph() { return g_; }
    const Table& table() const { return table_; }
    ArrayId array(std::size_t k) const { return arrays_[k]; }

private:
    double evaluate(NodeId n, const std::vector<double>& at) {
        const Node x = g_.node(n);
        if (x.op == Op::constant) return static_cast<double>(g_.value(n));
        if (x.op == Op::read) return at[x.a == arrays_[0] ? 0 : 1];
        return apply<double>(x.op, evaluate(x.a, at), arity(x.op) > 1 ? evaluate(x.b, at) : 0,
                             arity(x.op) > 2 ? evaluate(x.c, at) : 0);
    }

    Graph g_;
    Table table_;
    std::vector<ArrayId> arrays_;
};

TablePoints sampled(const std::vector<Quad>& x, double (*f)(double), Between between, Outside outside) {
    TablePoints p{.name = "f", .grid = {x}, .values = {}, .between = between, .outside = outside};
    for (const Quad at : x) p.values.push_back(f(static_cast<double>(at)));
    return p;
}

const std::vector<Quad> places{0, 0.5, 1.5, 2, 3.25, 4};

TEST(Table, LinearAndStep) {
    Probe linear({.name = "f", .grid = {{0, 1, 4}}, .values = {1, 3, 0}});
    EXPECT_EQ(linear({0}), 1);
    EXPECT_EQ(linear({0.5}), 2);
    EXPECT_EQ(linear({1}), 3);
    EXPECT_EQ(linear({4}), 0);
    EXPECT_EQ(linear({0.5}, 1), 2);
    EXPECT_EQ(linear({2}, 1), -1);
    EXPECT_EQ(linear({2}, 2), 0);
    EXPECT_TRUE(std::isnan(linear({-0.001})));
    EXPECT_TRUE(std::isnan(linear({4.001})));
    Probe step(
        {.name = "f", .grid = {{0, 1, 4}}, .values = {1, 3, 0}, .between = Between::step, .outside = Outside::hold});
    EXPECT_EQ(step({-1}), 1);
    EXPECT_EQ(step({0.99}), 1);
    EXPECT_EQ(step({1}), 3);
    EXPECT_EQ(step({3.99}), 3);
    EXPECT_EQ(step({4}), 0);
    EXPECT_EQ(step({9}), 0);
    EXPECT_EQ(step({2}, 1), 0);
}

// A not-a-knot spline is exact for cubics, ends and all derivatives included.
TEST(Table, SplineOfACubicIsTheCubic) {
    const auto f = [](double x) { return 1 - 2 * x + 0.5 * x * x - 0.25 * x * x * x; };
    for (const std::size_t n : {2U, 3U, 4U, 6U}) {
        Probe probe(sampled({places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n)}, f, Between::cubic,
                            Outside::extend));
        if (n < 4) continue; // a line, a parabola
        for (const double x : {-1.0, 0.0, 0.3, 1.5, 1.9, 3.0, 5.0}) {
            EXPECT_NEAR(probe({x}), f(x), 1e-13 * (1 + std::fabs(f(x)))) << x;
            EXPECT_NEAR(probe({x}, 1), -2 + x - 0.75 * x * x, 1e-12 * (1 + x * x)) << x;
            EXPECT_NEAR(probe({x}, 2), 1 - 1.5 * x, 1e-11) << x;
            EXPECT_NEAR(probe({x}, 3), -1.5, 1e-10) << x;
            EXPECT_EQ(probe({x}, 4), 0);
        }
    }
    Probe parabola(sampled({0, 1, 3}, [](double x) { return x * x; }, Between::cubic, Outside::error));
    EXPECT_NEAR(parabola({2}), 4, 1e-15);
}

// Fritsch and Carlson: no overshoot, and the values of scipy's PchipInterpolator.
TEST(Table, MonotoneStaysBetweenItsPoints) {
    TablePoints points{.name = "f",
                       .grid = {{0, 1, 2, 3, 4}},
                       .values = {0, 0, 1, 1, 0},
                       .between = Between::monotone,
                       .outside = Outside::error};
    Probe probe(points);
    for (double x = 0; x <= 4; x += 0.0625) {
        EXPECT_GE(probe({x}), 0);
        EXPECT_LE(probe({x}), 1);
    }
    EXPECT_EQ(probe({0.5}), 0);
    EXPECT_EQ(probe({1.5}), 0.5);
    EXPECT_EQ(probe({2.5}), 1);
    points.values = {0, 1, 4, 9, 16};
    Probe square(points);
    EXPECT_NEAR(square({0.5}), 0.3125, 1e-15);
    EXPECT_NEAR(square({1.5}), 2.21875, 1e-15); // slopes 3/2 and 15/4
}

TEST(Table, Outside) {
    const auto f = [](double x) { return x * (4 - x); };
    Probe hold(sampled(places, f, Between::cubic, Outside::hold));
    EXPECT_EQ(hold({-3}), 0);
    EXPECT_EQ(hold({7}), 0);
    EXPECT_EQ(hold({7}, 1), 0);
    Probe extend(sampled(places, f, Between::linear, Outside::extend));
    EXPECT_NEAR(extend({-1}), -3.5, 1e-15);
    Probe periodic(sampled(places, f, Between::linear, Outside::periodic));
    for (const double x : {0.25, 1.0, 3.7}) {
        EXPECT_NEAR(periodic({x + 8}), periodic({x}), 1e-14);
        EXPECT_NEAR(periodic({x - 4}), periodic({x}), 1e-14);
    }
}

TEST(Table, TwoArguments) {
    TablePoints points{.name = "K", .grid = {{0, 1, 2, 4}, {0, 1, 3, 4, 5}}, .outside = Outside::hold};
    const auto f = [](double x, double y) { return 1 + x * x * x - 2 * x * y * y + y * y * y; };
    for (const Quad x : points.grid[0])
        for (const Quad y : points.grid[1]) points.values.push_back(f(static_cast<double>(x), static_cast<double>(y)));
    Probe linear(points);
    EXPECT_EQ(linear({2, 3}), f(2, 3));
    EXPECT_EQ(linear({0.5, 1}), (f(0, 1) + f(1, 1)) / 2);
    EXPECT_EQ(linear({0.5, 0.5}), (f(0, 0) + f(1, 0) + f(0, 1) + f(1, 1)) / 4);
    EXPECT_EQ(linear({9, 1}), f(4, 1));
    EXPECT_EQ(linear({9, -1}), f(4, 0));
    points.between = Between::cubic;
    Probe cubic(points);
    EXPECT_NEAR(cubic({1.7, 2.3}), f(1.7, 2.3), 1e-12);
    EXPECT_NEAR(cubic({1.7, 2.3}, 1), 3 * 1.7 * 1.7 - 2 * 2.3 * 2.3, 1e-11);
    EXPECT_NEAR(cubic({9, 2.3}), f(4, 2.3), 1e-11);
    points.between = Between::monotone;
    EXPECT_TRUE(Table::check(points));
}

TEST(Table, WrongPoints) {
    EXPECT_FALSE(Table::check({.name = "f", .grid = {{0, 1}}, .values = {0, 0}}));
    EXPECT_EQ(Table::check({.name = "f", .grid = {{0}}, .values = {0}})->text,
              "a table needs at least two points, but 'f' has 1");
    const auto problem = Table::check({.name = "f", .grid = {{0, 2, 2, 3}}, .values = {0, 0, 0, 0}});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->at, 2);
    EXPECT_EQ(problem->text, "the points of a table must increase, but 2 follows 2");
}

TEST(Table, PrintsAsWhatItIs) {
    Probe probe(sampled(places, [](double x) { return x; }, Between::cubic, Outside::error));
    Graph& g = probe.graph();
    const NodeId x = g.read(probe.array(0));
    EXPECT_EQ(g.print(g.mul(g.integer(2), probe.table()(g, {g.mul(x, x)}))), "2*f(x^2)");
    Probe line({.name = "f", .grid = {{0, 1, 4}}, .values = {1, 3, 0}});
    const NodeId slope =
        partial_derivative(line.graph(), line.table()(line.graph(), {line.graph().read(line.array(0))}), line.array(0),
                           line.graph().index().list({}));
    EXPECT_EQ(line.graph().print(slope), "f'(x)");
}

TEST(NumberList, LocatesLikeASearch) {
    std::mt19937 random(1);
    for (const int n : {1, 2, 3, 10, 1000}) {
        std::vector<Quad> numbers;
        double x = -3;
        for (int k = 0; k < n; ++k) numbers.push_back(x += std::exp(std::uniform_real_distribution(-8.0, 4.0)(random)));
        const NumberList& list = NumberList::make(numbers, {"l", "", n});
        const auto search = [&](double at) {
            return static_cast<std::size_t>(std::ranges::upper_bound(list.numbers<double>(), at) -
                                            list.numbers<double>().begin());
        };
        for (const double at : list.numbers<double>()) {
            EXPECT_EQ(list.locate(at), search(at));
            EXPECT_EQ(list.locate(std::nextafter(at, -1e9)), search(std::nextafter(at, -1e9)));
        }
        for (int k = 0; k < 1000; ++k) {
            const double at = std::uniform_real_distribution(-5.0, x + 2)(random);
            EXPECT_EQ(list.locate(at), search(at));
        }
        EXPECT_EQ(&NumberList::make(numbers, {"l", "", n}), &list); // kept once
        EXPECT_EQ(NumberList::find(list.handle()), &list);
    }
    EXPECT_EQ(NumberList::find(-1), nullptr);
    EXPECT_EQ(NumberList::find(0.5), nullptr);
    EXPECT_EQ(NumberList::find(1e30), nullptr);
    EXPECT_TRUE(std::isnan(locate(std::nan(""), NumberList::make({0, 1}, {}).handle())));
    EXPECT_TRUE(std::isnan(pick(2.0, NumberList::make({0, 1}, {}).handle())));
}

// f of n points at many places.
std::vector<double> evaluate_all(std::size_t n, Backend backend) {
    TablePoints points{.name = "f", .grid = {{}}, .between = Between::cubic, .outside = Outside::hold};
    for (std::size_t k = 0; k < n; ++k) {
        points.grid[0].push_back(static_cast<Quad>(k) / static_cast<Quad>(n - 1));
        points.values.push_back(std::sin(20.0 * static_cast<double>(points.grid[0].back())));
    }
    Graph g;
    constexpr std::int64_t size = 257;
    const ArrayId x = g.add_array({.name = "x", .role = ArrayRole::unknown, .lo = {1}, .extent = {size}});
    IndexSpace& index = g.index();
    const VarId i = index.loop_var("i", 0, index.constant(1), index.constant(size));
    const ListId at = index.list({index.var(i)});
    const NodeId f = Table(points)(g, {g.read(x, at)});
    const ArrayId out =
        g.define("out", {1}, {size}, {{index.domain(std::vector<VarId>{i}), at, g.add(f, g.mul(f, f))}}, true);
    Function<double> function(g, {{"x", {x}}}, {{"out", {out}}}, {.backend = backend});
    std::vector<double> result(size), in(size);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = -0.1 + 1.2 * static_cast<double>(k) / size;
    const double* inputs[] = {in.data()};
    double* outputs[] = {result.data()};
    function(inputs, outputs);
    return result;
}

TEST(Table, NativeCodeHasTheBitsOfTheInterpreter) {
    for (const std::size_t n : {2U, 10U, 5000U}) {
        EXPECT_EQ(evaluate_all(n, Backend::interpreter), evaluate_all(n, Backend::jit)) << n;
    }
}

TEST(CsvFile, Reads) {
    const CsvFile named("a.csv", "# measured\ntime, \"speed, m/s\"\n0, 1.5\n\n .5, -2e-1\n");
    EXPECT_TRUE(named.has_names());
    EXPECT_EQ(named.column("time"), 0U);
    EXPECT_EQ(named.column("speed, m/s"), 1U);
    EXPECT_EQ(named.column("2"), 1U);
    EXPECT_EQ(named.numbers(1), (std::vector<Quad>{1.5, decimal("-0.2").value()}));
    const CsvFile plain("b.csv", "1;2\r\n3;4.\r\n");
    EXPECT_FALSE(plain.has_names());
    EXPECT_EQ(plain.numbers(1), (std::vector<Quad>{2, 4}));
}

std::string message_of(const auto& action) {
    try {
        action();
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return "";
}

TEST(CsvFile, SaysWhatIsWrong) {
    EXPECT_EQ(message_of([] { CsvFile::load("/nowhere/a.csv"); }),
              "the file '/nowhere/a.csv' cannot be read: No such file or directory");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "# nothing\n\n"); }), "the file 'a.csv' has no numbers");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "1,2\n3\n"); }), "a.csv:2: 1 cell, but the first line has 2");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "t,x\n1, abc\n").numbers(1); }),
              "a.csv:2:4: a number is needed, but this is 'abc'");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "t,x\n1,\n").numbers(1); }),
              "a.csv:2:3: a number is needed, but the cell is empty");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "t,x\n1,1e999\n").numbers(1); }),
              "a.csv:2:3: the number 1e999 is too large");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "time,speed\n1,2\n").column("sped"); }),
              "'a.csv' has no column 'sped'; did you mean 'speed'? It has: time, speed");
    EXPECT_EQ(message_of([] { CsvFile("a.csv", "1,2\n").column("3"); }), "'a.csv' has 2 columns: there is no column 3");
}

} // namespace
} // namespace vessiot::expr::table_test
