// Are the declared orders of the tableaux true?
//
// First algebraically, by the order conditions of all rooted trees: slopes can be fooled (a table of order 2 reads 3.00
// on the linear oscillator), conditions cannot. Then by slopes on two nonlinear problems, in quad precision, so that
// errors stay far above round-off at every order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "method/registry.hpp"
#include "method/rooted_trees.hpp"
#include "method/tableau.hpp"
#include "method/tableaux/kutta.hpp"

namespace vessiot::method::tableaux_test {
namespace {

// Sums of products of coefficients up to 400 in size; each is exact to 34 digits.
constexpr Quad quad_tolerance = 1e-30_q;

// Conditions that are meant to fail do so by 1e-8 at least in all of our methods.
constexpr Quad failure = 1e-8_q;

template <class T> std::vector<T> cast(std::span<const Quad> numbers) {
    std::vector<T> result;
    for (const Quad x : numbers) result.push_back(static_cast<T>(x));
    return result;
}

// b_i(theta) of all stages, by Horner.
std::vector<Quad> dense_weights(const TableauView& t, Quad theta) {
    std::vector<Quad> b(t.n_total);
    for (std::size_t i = 0; i < t.n_total; ++i) {
        for (std::size_t k = t.degree; k-- > 0;) b[i] = (b[i] + t.dense[i * t.degree + k]) * theta;
    }
    return b;
}

// The largest residual of the conditions of one order.
Quad worst_residual(const std::vector<RootedTree>& trees, const std::vector<Quad>& residuals, int order) {
    Quad worst = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
        if (trees[t].order == order) worst = std::max(worst, absolute(residuals[t]));
    return worst;
}

// All conditions up to `order` hold, and one of the next order fails.
void expect_sharp_order(const TableauView& t, std::span<const Quad> b, int order, const std::string& what,
                        Quad theta = 1) {
    const auto trees = rooted_trees(order + 1);
    const auto phi = elementary_weights<Quad>(trees, t.a, t.n_total);
    const auto residuals = order_residuals<Quad>(trees, phi, t.n_total, b, theta);
    Quad worst = 0;
    for (std::size_t k = 0; k < trees.size(); ++k) {
        if (trees[k].order > order) continue;
        EXPECT_LT(absolute(residuals[k]), quad_tolerance) << what << ": " << to_string(trees, k);
        worst = std::max(worst, absolute(residuals[k]));
    }
    Quad power = 1; // conditions at theta scale with it
    for (int k = 0; k <= order; ++k) power *= theta;
    EXPECT_GT(worst_residual(trees, residuals, order + 1), failure * power)
        << what << ": the order is higher than declared";
    ::testing::Test::RecordProperty(what, std::to_string(static_cast<double>(worst) * 1e33) + "e-33");
}

// With the coefficients rounded to double each condition holds up to the rounding of its own terms.
void expect_order_in_double(const TableauView& t, std::span<const Quad> b, int order, const std::string& what) {
    const auto trees = rooted_trees(order);
    const auto a = cast<double>(t.a), w = cast<double>(b);
    auto a_abs = a, w_abs = w;
    for (double& x : a_abs) x = std::abs(x);
    for (double& x : w_abs) x = std::abs(x);
    const auto phi = elementary_weights<double>(trees, a, t.n_total);
    const auto phi_abs = elementary_weights<double>(trees, a_abs, t.n_total);
    const auto residuals = order_residuals<double>(trees, phi, t.n_total, w);
    for (std::size_t k = 0; k < trees.size(); ++k) {
        double size = 0;
        for (std::size_t i = 0; i < w.size(); ++i) size += w_abs[i] * phi_abs[k * t.n_total + i];
        // A term is a product of |t| coefficients, each rounded; products and sums round as often again.
        EXPECT_LE(std::abs(residuals[k]), 2 * trees[k].order * DBL_EPSILON * size)
            << what << ": " << to_string(trees, k);
    }
}

TEST(Tableaux, SatisfyAllConditionsOfTheirDeclaredOrderAndNotOfTheNext) {
    for (const MethodInfo& m : explicit_methods()) {
        expect_sharp_order(m.tableau, m.tableau.b, m.order, std::string(m.name));
        expect_order_in_double(m.tableau, m.tableau.b, m.order, std::string(m.name));
    }
    for (const MethodInfo& m : implicit_methods()) {
        expect_sharp_order(m.tableau, m.tableau.b, m.order, std::string(m.name));
        expect_order_in_double(m.tableau, m.tableau.b, m.order, std::string(m.name));
    }
}

TEST(Tableaux, OfCollocationHaveDenseOutputOfTheOrderOfTheirStages) {
    for (const MethodInfo& m : implicit_methods()) {
        EXPECT_EQ(m.dense_order, static_cast<int>(m.n_stages)) << m.name;
        for (int k = 1; k <= 8; ++k)
            expect_sharp_order(m.tableau, dense_weights(m.tableau, Quad(2 * k - 1) / 16), m.dense_order,
                               std::string(m.name) + "_dense_" + std::to_string(2 * k - 1) + "_16",
                               Quad(2 * k - 1) / 16);
        const auto end = dense_weights(m.tableau, 1);
        for (std::size_t i = 0; i < m.n_stages; ++i)
            EXPECT_LT(absolute(end[i] - m.tableau.b[i]), quad_tolerance) << m.name << ": b_" << i + 1;
    }
}

TEST(Tableaux, HaveEmbeddedMethodsOfTheirDeclaredOrder) {
    for (const MethodInfo& m : explicit_methods()) {
        const auto check = [&m](std::span<const Quad> b, int order, const std::string& what) {
            EXPECT_EQ(b.empty(), order == 0) << what;
            if (order == 0) return;
            expect_sharp_order(m.tableau, b, order, what);
            expect_order_in_double(m.tableau, b, order, what);
        };
        check(m.tableau.b_hat, m.embedded_order, std::string(m.name) + "_embedded");
        check(m.tableau.b_low, m.low_order, std::string(m.name) + "_low");
    }
}

TEST(Tableaux, HaveDenseOutputOfItsDeclaredOrderThatEndsAtTheStep) {
    for (const MethodInfo& m : explicit_methods()) {
        const TableauView& t = m.tableau;
        EXPECT_EQ(m.dense_order == 0, t.degree == 0) << m.name;
        if (m.dense_order == 0) continue;
        // Conditions are polynomials in theta of degree up to 7 without constant term: eight places decide.
        for (int k = 1; k <= 8; ++k)
            expect_sharp_order(t, dense_weights(t, Quad(2 * k - 1) / 16), m.dense_order,
                               std::string(m.name) + "_dense_" + std::to_string(2 * k - 1) + "_16",
                               Quad(2 * k - 1) / 16);
        const auto end = dense_weights(t, 1);
        for (std::size_t i = 0; i < t.n_total; ++i) {
            const Quad b_i = i < t.n_stages ? t.b[i] : Quad(0);
            EXPECT_LT(absolute(end[i] - b_i), quad_tolerance) << m.name << ": b_" << i + 1;
            // The curve leaves the start along the first stage.
            EXPECT_LT(absolute(t.dense[i * t.degree] - (i == 0 ? 1 : 0)), quad_tolerance) << m.name << ": b'_" << i + 1;
        }
    }
}

// Kutta's table with a_31, a_32 spoilt so that rows still sum to c: sum b_i a_ij c_j = 1/6 fails, the order is 2.
constexpr Tableau<3> wrong{.name = "wrong",
                           .cite = "",
                           .order = 3,
                           .a = {{{0, 0, 0}, {1_q / 2, 0, 0}, {0, 1, 0}}},
                           .b = {1_q / 6, 2_q / 3, 1_q / 6},
                           .c = {0, 1_q / 2, 1}};
static_assert(rows_sum_to_c(wrong) && has_order(wrong, wrong.b, 2));
static_assert(!has_order(wrong, wrong.b, 3) && !is_consistent(wrong));

TEST(Tableaux, OfWrongOrderAreCaughtByTheTreeThatFails) {
    const auto trees = rooted_trees(3);
    std::vector<Quad> a;
    for (const auto& row : wrong.a) a.insert(a.end(), row.begin(), row.end());
    const auto phi = elementary_weights<Quad>(trees, a, 3);
    const auto residuals = order_residuals<Quad>(trees, phi, 3, wrong.b);
    for (std::size_t k = 0; k < trees.size(); ++k) {
        const bool fails = absolute(residuals[k]) > quad_tolerance;
        EXPECT_EQ(fails, to_string(trees, k) == "[[o]]") << to_string(trees, k);
    }
}

TEST(Tableaux, AreCheckedAtCompileTimeForRowsThatDoNotSum) {
    Tableau<3> t = rk3;
    t.c[2] = 3_q / 4;
    EXPECT_FALSE(rows_sum_to_c(t));
}

TEST(Tableaux, KnowWhatFollowsFromTheirNumbers) {
    EXPECT_TRUE(find_method("dopri54").is_fsal);
    EXPECT_TRUE(find_method("bs32").is_fsal);
    EXPECT_FALSE(find_method("rk4").is_fsal);
    EXPECT_FALSE(find_method("euler").is_fsal);
    // The implicit midpoint rule is neither explicit nor stiffly accurate, the implicit Euler method is the latter.
    constexpr Tableau<1> midpoint{.name = "", .cite = "", .order = 2, .a = {{{1_q / 2}}}, .b = {1}, .c = {1_q / 2}};
    constexpr Tableau<1> implicit_euler{.name = "", .cite = "", .order = 1, .a = {{{1}}}, .b = {1}, .c = {1}};
    static_assert(!is_explicit(midpoint) && !is_stiffly_accurate(midpoint) && is_consistent(midpoint));
    static_assert(!is_explicit(implicit_euler) && is_stiffly_accurate(implicit_euler) && !is_fsal(implicit_euler));
}

TEST(Numbers, AreTheSameAsTheQuadsTheyStandFor) {
    static_assert(0.5_q == 1_q / 2 && 25e-2_q == 1_q / 4 && 1.5E+1_q == 15 && 1'000_q == 1000);
    static_assert(absolute(0.33333333333333333333333333333333333333_q - 1_q / 3) < 1e-34_q);
    EXPECT_EQ(static_cast<double>(19372_q / 6561), 19372.0 / 6561);
}

// --- slopes ---

using Point = std::array<Quad, 3>;
using Field = std::function<Point(const Point&)>;

struct Problem {
    std::string name;
    Field field;
    Point start;
    Quad length; // of the interval of time
};

const std::vector<Problem>& problems() {
    static const std::vector<Problem> list{
        {"Lotka-Volterra", [](const Point& x) { return Point{x[0] * (1 - x[1]), x[1] * (x[0] - 1), 0}; }, {2, 1, 0}, 2},
        {"Euler top, moments of inertia 1, 2, 3",
         [](const Point& x) { return Point{-x[1] * x[2] / 6, 2 * x[0] * x[2] / 3, -x[0] * x[1] / 2}; },
         {4_q / 5, 3_q / 5, 1},
         3},
    };
    return list;
}

// The point after n equal steps, with weights b; only the stages with a column in b are computed.
Point integrate(const TableauView& t, std::span<const Quad> b, const Problem& p, int n) {
    const Quad h = p.length / n;
    Point x = p.start;
    std::vector<Point> k(b.size());
    for (int step = 0; step < n; ++step) {
        for (std::size_t i = 0; i < b.size(); ++i) {
            Point y = x;
            for (std::size_t j = 0; j < i; ++j)
                for (std::size_t d = 0; d < 3; ++d) y[d] += h * t.a[i * t.n_total + j] * k[j][d];
            k[i] = p.field(y);
        }
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t d = 0; d < 3; ++d) x[d] += h * b[i] * k[i][d];
    }
    return x;
}

double distance(const Point& x, const Point& y) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += std::pow(static_cast<double>(x[d] - y[d]), 2);
    return std::sqrt(sum);
}

// The errors of five runs, each with half the step of the one before, fall with slope `order`.
void expect_slope(const std::function<double(int)>& error, int first, int order, const std::string& what) {
    std::vector<double> y; // binary digits
    for (int k = 0; k < 5; ++k) {
        y.push_back(-std::log2(error(first << k)));
        if (k > 0) {
            EXPECT_GT(y[k], y[k - 1]) << what << ": errors must fall";
        }
    }
    const double fit = (2 * (y[4] - y[0]) + (y[3] - y[1])) / 10; // least squares on equidistant points
    const double finest = y[4] - y[3];
    EXPECT_NEAR(fit, order, 0.25) << what;
    EXPECT_NEAR(finest, order, 0.25) << what;
    EXPECT_LT(y[4], 100) << what << ": the error is too near to round-off, 2^-112";
    ::testing::Test::RecordProperty(what, std::to_string(fit) + " " + std::to_string(finest));
}

const MethodInfo& best_method() {
    return *std::max_element(explicit_methods().begin(), explicit_methods().end(),
                             [](const auto& m, const auto& n) { return m.order < n.order; });
}

TEST(ExplicitRungeKutta, ConvergesWithItsDeclaredOrder) {
    const TableauView& best = best_method().tableau;
    for (const Problem& p : problems()) {
        // In steps eight times finer than the finest that this method is measured with.
        const Point reference = integrate(best, best.b, p, 2048);
        for (const MethodInfo& m : explicit_methods()) {
            const auto check = [&](std::span<const Quad> b, int order, const std::string& what) {
                if (order == 0) return;
                // Methods with small leading terms (tsit54) need small steps to be asymptotic; orders of 8 and more
                // reach round-off (1e-33) soon.
                expect_slope([&](int n) { return distance(integrate(m.tableau, b, p, n), reference); },
                             order < 8 ? 128 : 16, order, std::string(m.name) + what + ", " + p.name);
            };
            check(m.tableau.b, m.order, "");
            check(m.tableau.b_hat, m.embedded_order, " embedded");
            check(m.tableau.b_low, m.low_order, " low");
        }
    }
}

TEST(ExplicitRungeKutta, HasDenseOutputWhoseLocalErrorIsOneOrderHigher) {
    const TableauView& best = best_method().tableau;
    for (const Problem& p : problems()) {
        for (const MethodInfo& m : explicit_methods()) {
            if (m.dense_order == 0) continue;
            const Quad theta = 3_q / 8;
            const auto b = dense_weights(m.tableau, theta);
            const auto error = [&](int n) {
                Problem step = p; // one step of size length / n, read at theta
                step.length = p.length / n;
                Problem part = step;
                part.length = step.length * theta;
                return distance(integrate(m.tableau, b, step, 1), integrate(best, best.b, part, 16));
            };
            expect_slope(error, 16, m.dense_order + 1, std::string(m.name) + " dense, " + p.name);
        }
    }
}

} // namespace
} // namespace vessiot::method::tableaux_test
