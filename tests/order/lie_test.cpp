// Methods for Lie groups: their orders, that they stay in the group, what they refuse; exponentials and ways back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "linalg/matrix.hpp"
#include "manifold/matrix_group.hpp"
#include "method/lie/lie_coefficients.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "support/refusal.hpp"

namespace vessiot {
namespace {

System model(const std::string& text) {
    return lang::read_model(lang::Source("model.ves", text));
}

// The model with an output for every entry of Y: its error.
System with_errors(const std::string& text, const std::string& name, std::size_t reference) {
    const nlohmann::json data = test::gallery_data(name);
    std::string all = text;
    int k = 0;
    for (const auto& [entry, value] : data["reference"][reference]["values"].items())
        all += "output e" + std::to_string(k++) + " = " + entry + " - (" + value.get<std::string>() + ")\n";
    return model(all);
}

std::string without_options(const std::string& text) {
    return text.substr(0, text.find("option"));
}

Solution run(const System& system, const std::string& method, double t, int n, const std::string& precision) {
    SolveOptions o{.method = method, .step = t / n, .from = 0.0, .to = t, .at = {t}};
    o.precision = precision;
    o.backend = "interpreter";
    o.dense = false;
    return solve_system(system, o);
}

double error_with(const System& system, const std::string& method, double t, int n, const std::string& precision) {
    const Solution s = run(system, method, t, n, precision);
    EXPECT_LT(s.invariant_drift_max, 1e-13) << method;
    double sum = 0;
    for (const double e : s.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

// Errors as those of independent programs (problems/liu-hairer, H7), in the Frobenius norm.
TEST(Lie, MagnusHasTheKnownErrors) {
    const System so3 = with_errors(without_options(test::gallery_text("magnus_so3")), "magnus_so3", 1);
    EXPECT_NEAR(error_with(so3, "magnus2", 5, 320, "double") / 6.620955e-5, 1, 1e-3);
    EXPECT_NEAR(error_with(so3, "magnus4", 5, 20, "double") / 2.570509e-5, 1, 1e-3);
    EXPECT_NEAR(error_with(so3, "magnus4", 5, 320, "double") / 3.987780e-10, 1, 1e-3);
    const System airy = with_errors(without_options(test::gallery_text("airy_sl2")), "airy_sl2", 1);
    EXPECT_NEAR(error_with(airy, "magnus2", 5, 320, "double") / 2.411962e-5, 1, 1e-3);
    EXPECT_NEAR(error_with(airy, "magnus4", 5, 320, "double") / 2.117737e-9, 1, 1e-3);
}

// Numbers of steps of the finest pair where methods are asymptotic; errors go down to 1e-31 in quad.
int coarse_steps(const method::MethodInfo& m) {
    switch (m.order) {
    case 1: return 1280;
    case 5: return 1280;
    case 6: return 80;
    case 8: return 1280;
    case 10: return 80;
    default: return m.name.ends_with("rkf45") ? 1280 : 160;
    }
}

TEST(Lie, MethodsHaveTheirOrder) {
    const System so3 = with_errors(without_options(test::gallery_text("magnus_so3")), "magnus_so3", 1);
    const System airy = with_errors(without_options(test::gallery_text("airy_sl2")), "airy_sl2", 1);
    for (const method::MethodInfo& m : method::lie_methods()) {
        const std::string precision = m.order > 4 || m.name.ends_with("rkf45") ? "quad" : "double";
        const int n = coarse_steps(m);
        for (const System* s : {&so3, &airy}) {
            const double coarse = error_with(*s, std::string(m.name), 5, n, precision);
            const double fine = error_with(*s, std::string(m.name), 5, 2 * n, precision);
            const std::string what = std::string(m.name) + (s == &so3 ? ", SO(3)" : ", SL(2)");
            // on Airy's equation the leading term of rkmk_dop853 is so small that the order is seen from above
            const double above = m.name == "rkmk_dop853" && s == &airy ? 0.45 : 0.15;
            EXPECT_GT(std::log2(coarse / fine), m.order - 0.15) << what << ": errors " << coarse << ", " << fine;
            EXPECT_LT(std::log2(coarse / fine), m.order + above) << what << ": errors " << coarse << ", " << fine;
        }
    }
}

struct Case {
    std::string method;
    int order, n;
};

// By the differences from a fine solution at t after n and 2n steps.
double measured_order(const System& system, const Case& r, double t, const Solution& exact) {
    const auto error = [&](int n) {
        const Solution s = run(system, r.method, t, n, "double");
        EXPECT_LT(s.invariant_drift_max, 1e-14) << r.method;
        double sum = 0;
        for (std::size_t k = 0; k < s.numbers.size(); ++k) sum += std::pow(s.numbers[k] - exact.numbers[k], 2);
        return std::sqrt(sum);
    };
    return std::log2(error(r.n) / error(2 * r.n));
}

// Rigid motions with velocities that depend on the place: order by differences from a fine solution.
TEST(Lie, MethodsHaveTheirOrderOnMotions) {
    const System screw = model("matrix Y[4,4] in SE(3)\nlet p = Y[1,4]/3\nY' = [[0, -1 - p, 0, Y[2,4]/2], [1 + p, 0, "
                               "-sin(t), 0], [0, sin(t), 0, 1], [0, 0, 0, 0]]*Y\nstart Y = identity(4)\n");
    SolveOptions o{.method = "dop853", .rtol = 1e-13, .atol = 1e-15, .to = 3.0, .at = {3.0}};
    const Solution exact = solve_system(screw, o);
    for (const Case& r : {Case{"rkmk_rk4", 4, 160}, Case{"cayley_rk2", 2, 640}, Case{"cayley_rk4", 4, 160},
                          Case{"cg3", 3, 320}, Case{"cg4", 4, 160}})
        EXPECT_NEAR(measured_order(screw, r, 3, exact), r.order, 0.15) << r.method;
}

// A that depends on Y, and other unknowns: order by differences from a fine solution.
TEST(Lie, MethodsHaveTheirOrderOnNonlinearEquations) {
    const System attitude = test::gallery_system("attitude");
    SolveOptions o{.method = "dop853", .rtol = 1e-13, .atol = 1e-14, .to = 5.0, .at = {5.0}};
    const Solution exact = solve_system(attitude, o);
    for (const Case& r : {Case{"rkmk_euler", 1, 640}, Case{"rkmk_rk2", 2, 160}, Case{"rkmk_rk4", 4, 80},
                          Case{"cg3", 3, 160}, Case{"cg4", 4, 80}, Case{"rkmk_dopri54", 5, 40}})
        EXPECT_NEAR(measured_order(attitude, r, 5, exact), r.order, r.order == 5 ? 0.3 : 0.15) << r.method;
}

TEST(Lie, StepsAreControlled) {
    const System attitude = test::gallery_system("attitude");
    SolveOptions reference{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .at = {20.0}};
    const Solution exact = solve_system(attitude, reference);
    for (const std::string method : {"rkmk_dopri54", "rkmk_rk4", "cg4"}) {
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-10, .at = {20.0}};
        const Solution s = solve_system(attitude, o);
        EXPECT_NEAR(s.numbers[0], exact.numbers[0], 1e-5) << method;
        EXPECT_LT(s.invariant_drift_max, 1e-14) << method;
        EXPECT_GT(s.stats.steps, 20) << method;
    }
}

// Bounded flows of 10^5 steps: |Y^T Y - 1|, |det Y - 1|, |Y^T J Y - J| (10^6 with VESSIOT_LIE_STEPS).
TEST(Lie, StayInTheirGroup) {
    const char* asked = std::getenv("VESSIOT_LIE_STEPS");
    const double n = asked ? std::atof(asked) : 1e5;
    struct Row {
        std::string method, text;
    };
    const std::vector<Row> rows{
        {"magnus4", "matrix Y[3,3] in SO(3)\nY' = skew(cos(t), sin(t), 1/2)*Y\nstart Y = identity(3)\n"},
        {"rkmk_rk4", "matrix Y[3,3] in SO(3)\nY' = skew(Y[1,1], Y[2,3], sin(t))*Y\nstart Y = identity(3)\n"},
        {"magnus4", "matrix Y[2,2] in SL(2)\nY' = [[0, 1], [-2 - sin(t), 0]]*Y\nstart Y = identity(2)\n"},
        {"magnus4", "matrix Y[4,4] in Sp(4)\nY' = [[0, 0, 1, 0], [0, 0, 0, 1], [-3 + cos(2*t)/2, 1/2, 0, 0], [1/2, "
                    "-4, 0, 0]]*Y\nstart Y = identity(4)\n"},
        {"cayley_rk4", "matrix Y[3,3] in O(3)\nY' = skew(Y[1,1], Y[2,3], sin(t))*Y\nstart Y = [[1, 0, 0], [0, 1, 0], "
                       "[0, 0, -1]]\n"},
        {"cayley_rk4", "matrix Y[4,4] in Sp(4)\nY' = [[0, 0, 1, 0], [0, 0, 0, 1], [-3 + cos(2*t)/2, 1/2, 0, 0], [1/2, "
                       "-4, 0, 0]]*Y\nstart Y = identity(4)\n"},
        {"magnus4", "matrix Y[4,4] in SE(3)\nY' = [[0, -1, 0, cos(t)], [1, 0, -sin(t), 0], [0, sin(t), 0, 1/2], [0, 0, "
                    "0, 0]]*Y\nstart Y = identity(4)\n"},
        {"rkmk_rk4", "matrix Y[3,3] in SL(3)\nlet a = Y[1,1]/4\nY' = [[0, 1, a], [-1, 0, 2], [-a, -2, 0]]*Y\nstart Y = "
                     "identity(3)\n"},
        {"cg4", "matrix Y[2,2] in GL(2)\nY' = [[0, 1], [-2 - sin(t), 0]]*Y\nstart Y = [[1, 0], [0, 2]]\ninvariant "
                "det(Y)\n"},
        {"cg3", "matrix Y[4,2] in Stiefel(4,2)\nlet a = sin(t)\nY' = [[0, a, 0, 1], [-a, 0, 2, 0], [0, -2, 0, 1/2], "
                "[-1, 0, -1/2, 0]]*Y\nstart Y = [[1, 0], [0, 1], [0, 0], [0, 0]]\n"},
    };
    for (const Row& r : rows) {
        SolveOptions o{.method = r.method, .step = 0.05, .from = 0.0, .to = 0.05 * n, .every = 0.05 * n / 50};
        o.dense = false;
        const Solution s = solve_system(model(r.text), o);
        double size = 1; // |Y|^2
        for (const double v : s.numbers) size = std::max(size, v * v);
        EXPECT_LT(s.invariant_drift_max / size, 1e-12) << r.method << "\n" << r.text;
    }
}

// On Stiefel manifolds A is not known from A Y at one point: Magnus methods find it from several, have their orders,
// and refuse an A that depends on Y.
TEST(Lie, MagnusOnStiefelManifolds) {
    const std::string text =
        "matrix Y[4,2] in Stiefel(4,2)\nlet a = sin(t)\nY' = [[0, a, 0, 1], [-a, 0, 2, 0], [0, -2, "
        "0, 1/2], [-1, 0, -1/2, 0]]*Y\nstart Y = [[1, 0], [0, 1], [0, 0], [0, 0]]\n";
    SolveOptions fine{.method = "dop853", .rtol = 1e-13, .atol = 1e-14, .from = 0.0, .to = 2, .at = {2.0}};
    const Solution exact = solve_system(model(text), fine);
    for (const int order : {2, 4, 6}) {
        std::vector<double> errors;
        for (const double h : {0.1, 0.05}) {
            SolveOptions o{.method = "magnus" + std::to_string(order), .step = h, .from = 0.0, .to = 2, .at = {2.0}};
            const Solution s = solve_system(model(text), o);
            double error = 0;
            for (std::size_t k = 0; k < s.numbers.size(); ++k)
                error = std::max(error, std::fabs(s.numbers[k] - exact.numbers[k]));
            errors.push_back(error);
        }
        EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.4) << order;
    }
    const std::string other = "matrix Y[3,2] in Stiefel(3,2)\nY' = skew(Y[1,1], 1, 0)*Y\n"
                              "start Y = [[1, 0], [0, 1], [0, 0]]\n";
    EXPECT_TRUE(test::has(
        test::refusal([&] { solve_system(model(other), {.method = "magnus4", .step = 0.1, .from = 0.0, .to = 1}); }),
        "does not depend on Y, but this one does"));
}

TEST(Lie, OtherMethodsKeepTheGroupByProjection) {
    const System attitude = test::gallery_system("attitude");
    SolveOptions o{.rtol = 1e-6, .at = {20.0}};
    EXPECT_LT(solve_system(attitude, o).invariant_drift_max, 1e-13);
    EXPECT_EQ(solve_system(attitude, o).system.system_class, "lie");
}

TEST(Lie, GroupsHaveProjectionsOfTheirOwn) {
    const System attitude = test::gallery_system("attitude");
    SolveOptions o{.rtol = 1e-9, .atol = 1e-11, .at = {20.0}};
    const Solution nearest = [&] {
        SolveOptions newton = o;
        newton.projection = "newton";
        return solve_system(attitude, newton);
    }();
    o.projection = "group";
    const Solution s = solve_system(attitude, o);
    EXPECT_EQ(s.method.projection, "group");
    EXPECT_LT(s.invariant_drift_max, 1e-14);
    // the polar factor is the nearest orthogonal matrix
    for (std::size_t k = 0; k < s.numbers.size(); ++k) EXPECT_NEAR(s.numbers[k], nearest.numbers[k], 1e-11) << k;
    const System airy = model("matrix Y[2,2] in SL(2)\nY' = [[0, 1], [-t, 0]]*Y\nstart Y = identity(2)\n");
    SolveOptions euler{.method = "euler", .step = 0.01, .from = 0.0, .to = 5.0};
    euler.projection = "group";
    EXPECT_LT(solve_system(airy, euler).invariant_drift_max, 1e-14);
    EXPECT_THROW(solve_system(test::gallery_system("pendulum"), o), InvalidInput);
}

TEST(Lie, AStartOutsideOfTheGroupIsMovedAndSaid) {
    const Solution s =
        solve_system(model("matrix Y[2,2] in SO(2)\nY' = [[0, 1], [-1, 0]]*Y\nstart Y = [[1.01, 0], [0, 1]]\n"),
                     {.method = "magnus2", .step = 0.1, .from = 0.0, .to = 1.0});
    ASSERT_FALSE(s.notes.empty());
    EXPECT_NE(s.notes[0].find("transpose(Y)*Y = identity(2) is off by 0.02"), std::string::npos) << s.notes[0];
    EXPECT_LT(s.invariant_drift_max, 1e-14);
}

std::string message(const std::string& text, const std::string& method, double h = 0.1) {
    try {
        solve_system(model(text), {.method = method, .step = h, .from = 0.0, .to = 10.0});
    } catch (const InvalidInput& e) {
        return e.what();
    } catch (const SolveFailed& e) {
        return e.what();
    }
    return "";
}

TEST(Lie, SayWhatIsMissing) {
    const std::string plain = message("unknown x\nx' = -x\nstart x = 1\n", "magnus4");
    EXPECT_NE(plain.find("the method magnus4 needs a matrix with Y' = A(t, Y)*Y"), std::string::npos) << plain;
    const std::string nonlinear =
        message("matrix Y[3,3] in SO(3)\nY' = skew(Y[1,1], 0, 1)*Y\nstart Y = identity(3)\n", "magnus4");
    EXPECT_NE(nonlinear.find("A that does not depend on Y, but this one does"), std::string::npos) << nonlinear;
    const std::string large =
        message("matrix Y[3,3] in SO(3)\nY' = skew(Y[1,1], 9, 1)*Y\nstart Y = identity(3)\n", "rkmk_rk4", 1);
    EXPECT_NE(large.find("the exponential is no chart of the group there"), std::string::npos) << large;
    const std::string leaves =
        message("matrix Y[2,2] in SO(2)\nY' = [[0, 1], [1, 0]]*Y\nstart Y = identity(2)\n", "cg3");
    EXPECT_NE(leaves.find("transpose(Y)*Y = identity(2) is not conserved"), std::string::npos) << leaves;
}

// ---- matrices ----

TEST(Matrix, ExponentialsOfSkewMatricesAreRotations) {
    const std::vector<double> a{0, -0.3, 0.2, 0.3, 0, -0.5, -0.2, 0.5, 0};
    std::vector<double> rodrigues(9), series(9);
    linalg::Exponential<double> exponential(3);
    exponential(a.data(), linalg::Algebra::skew, rodrigues.data());
    exponential(a.data(), linalg::Algebra::general, series.data());
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(rodrigues[k], series[k], 1e-15);
    std::vector<double> tiny(9), large(9), e_tiny(9), e_series(9);
    for (std::size_t k = 0; k < 9; ++k) tiny[k] = 1e-3 * a[k];
    exponential(tiny.data(), linalg::Algebra::skew, e_tiny.data());
    exponential(tiny.data(), linalg::Algebra::general, e_series.data());
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(e_tiny[k], e_series[k], 1e-16);
    for (std::size_t k = 0; k < 9; ++k) large[k] = 40 * a[k];
    exponential(large.data(), linalg::Algebra::skew, rodrigues.data());
    exponential(large.data(), linalg::Algebra::general, series.data());
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(rodrigues[k], series[k], 1e-12);
}

TEST(Matrix, ExponentialsOfMotionsAreThoseOfTheSeries) {
    const std::vector<double> a{0, -0.3, 0.2, 1.5, 0.3, 0, -0.5, -2, -0.2, 0.5, 0, 0.25, 0, 0, 0, 0};
    linalg::Exponential<double> exponential(4);
    for (const double size : {1e-6, 1e-2, 0.3, 0.9, 3.0, 12.0}) {
        std::vector<double> scaled(16), closed(16), series(16);
        for (std::size_t k = 0; k < 16; ++k) scaled[k] = size * a[k];
        exponential(scaled.data(), linalg::Algebra::motion, closed.data());
        exponential(scaled.data(), linalg::Algebra::general, series.data());
        for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(closed[k], series[k], 1e-14 * std::max(1.0, size)) << size;
    }
}

TEST(Matrix, CayleyIsItsFormula) {
    const std::vector<double> a{0, -0.3, 0.2, 0.3, 0, -0.5, -0.2, 0.5, 0};
    std::vector<double> closed(9), general(9), check(9), left(9), right(9);
    linalg::Cayley<double> cayley(3);
    ASSERT_TRUE(cayley(a.data(), linalg::Algebra::skew, closed.data()));
    ASSERT_TRUE(cayley(a.data(), linalg::Algebra::general, general.data()));
    // (1 - A/2) cay = 1 + A/2
    for (std::size_t k = 0; k < 9; ++k) {
        left[k] = (k % 4 == 0 ? 1 : 0) - a[k] / 2;
        right[k] = (k % 4 == 0 ? 1 : 0) + a[k] / 2;
    }
    linalg::multiply(3, 3, 3, left.data(), closed.data(), check.data());
    for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_NEAR(closed[k], general[k], 1e-15);
        EXPECT_NEAR(check[k], right[k], 1e-15);
    }
    const std::vector<double> singular{2, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_FALSE(cayley(singular.data(), linalg::Algebra::general, general.data()));
}

// The conditions of Runge and Kutta of order 4, and the first one of products of exponentials, to the last digits.
TEST(Matrix, CoefficientsOfCg4HaveThirtyFourDigits) {
    const auto& [a, b, c] = method::cg4;
    Quad sums[6] = {}, products = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        Quad row = 0, ac = 0;
        for (std::size_t j = 0; j < i; ++j) {
            row += a[i][j];
            ac += a[i][j] * c[j];
            products += 2 * b[j] * c[j] * b[i];
        }
        products += b[i] * b[i] * c[i];
        EXPECT_LT(std::fabs(static_cast<double>(row - c[i])), 1e-33);
        const Quad terms[6] = {
            b[i], b[i] * c[i], b[i] * c[i] * c[i], b[i] * ac, b[i] * c[i] * c[i] * c[i], b[i] * c[i] * ac};
        for (int k = 0; k < 6; ++k) sums[k] += terms[k];
    }
    const Quad wanted[6] = {1, Quad(1) / 2, Quad(1) / 3, Quad(1) / 6, Quad(1) / 4, Quad(1) / 8};
    for (int k = 0; k < 6; ++k) EXPECT_LT(std::fabs(static_cast<double>(sums[k] - wanted[k])), 2e-33) << k;
    EXPECT_LT(std::fabs(static_cast<double>(products - Quad(1) / 3)), 2e-33);
}

// problems/liu-hairer, H8
TEST(Matrix, WaysBackIntoTheGroupsAreThoseOfTheNotes) {
    MatrixGroupNumbers<double> sl(MatrixGroup::sl, 3, 3);
    std::vector<double> y{1.1, 0.3, -0.2, 0.1, 0.9, 0.4, 0.05, -0.3, 1.2};
    const std::vector<double> before = y;
    for (int k = 0; k < 8; ++k) sl.correct(y.data(), k > 0);
    EXPECT_LT(sl.defect(y.data()), 1e-15);
    // (1.4): the change is along the cofactors of the matrix that was given
    double along = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const auto b = [&](int r, int c) {
                return before[static_cast<std::size_t>(3 * ((i + r) % 3) + (j + c) % 3)];
            };
            const double cofactor = b(1, 1) * b(2, 2) - b(1, 2) * b(2, 1);
            const auto e = static_cast<std::size_t>(3 * i + j);
            if (e == 0) along = (y[e] - before[e]) / cofactor;
            EXPECT_NEAR(y[e] - before[e], along * cofactor, 1e-15) << e;
        }
    MatrixGroupNumbers<double> stiefel(MatrixGroup::stiefel, 3, 2);
    std::vector<double> q{1.01, 0.02, -0.03, 0.98, 0.1, -0.05};
    const std::vector<double> given = q;
    for (int k = 0; k < 6; ++k) stiefel.correct(q.data());
    EXPECT_LT(stiefel.defect(q.data()), 1e-15);
    // the polar factor: Q^T Y is symmetric with the singular values 1.0167880, 0.9800215
    double m[2][2] = {};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (std::size_t l = 0; l < 3; ++l)
                m[i][j] += q[2 * l + static_cast<std::size_t>(i)] * given[2 * l + static_cast<std::size_t>(j)];
    EXPECT_NEAR(m[0][1], m[1][0], 1e-15);
    const double trace = m[0][0] + m[1][1], det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    EXPECT_NEAR(trace, 1.0167880 + 0.9800215, 1e-6);
    EXPECT_NEAR(det, 1.0167880 * 0.9800215, 1e-6);
    MatrixGroupNumbers<double> sp(MatrixGroup::sp, 2, 2);
    std::vector<double> s{1.001, 0.2, 0.1, 1.02};
    for (int k = 0; k < 5; ++k) sp.correct(s.data());
    EXPECT_NEAR(s[0] * s[3] - s[1] * s[2], 1, 1e-15);
}

} // namespace
} // namespace vessiot
