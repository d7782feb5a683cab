// Matrices in C++ models: the same systems as text models, and what is said about mistakes.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "vessiot/matrix.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace matrix_model_test {

using namespace vessiot;
using test::message;

TEST(MatrixModel, SolvesAsItsText) {
    const Model text =
        Model::parse("matrix Y[3,3] in SO(3)\nY' = skew(cos(2*t), Y[1,2], 1)*Y\nstart Y = identity(3)\n");
    Model m("model");
    const Matrix Y = m.matrix("Y", {3, 3}, "SO(3)");
    m.equation(der(Y) == skew(cos(2 * m.t()), Y(1, 2), 1) * Y);
    m.start(Y == identity(3));
    for (const std::string method : {"rkmk_rk4", "cayley_rk4", "cg4", "dopri54"}) {
        SolveOptions o{.method = method, .step = 0.05, .from = 0.0, .to = 2.0};
        const Solution a = solve(text, o), b = solve(m, o);
        EXPECT_EQ(a.names, b.names);
        EXPECT_EQ(a.numbers, b.numbers) << method;
        EXPECT_EQ(b.system.system_class, "lie");
        EXPECT_LT(b.invariant_drift_max, 1e-14);
    }
}

// Of a family each matrix moves as one that is declared alone, whoever makes the steps and the projections.
TEST(MatrixFamily, EachMatrixMovesAsOneAlone) {
    const std::string one = "Y%' = skew(cos(%*t), Y%[1,2], 1)*Y%\n";
    std::string alone, starts;
    for (const char* k : {"1", "2", "3"}) {
        std::string text = one;
        for (std::size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, k);
        alone += std::string("matrix Y") + k + "[3,3] in SO(3)\n" + text;
        starts += std::string("start Y") + k + " = identity(3)\n";
    }
    const Model written = Model::parse(alone + starts);
    const Model family = Model::parse("parameter n = 3\nmatrix Y[n,3,3] in SO(3)\n"
                                      "for i = 1..n: Y[i]' = skew(cos(i*t), Y[i,1,2], 1)*Y[i]\n"
                                      "for i = 1..n: start Y[i] = identity(3)\n");
    const Model parts = Model::parse("component Turn(k = 1):\n    matrix Y[3,3] in SO(3)\n"
                                     "    Y' = skew(cos(k*t), Y[1,2], 1)*Y\n    start Y = identity(3)\n"
                                     "part a[i = 1..3] = Turn(k = i)\n");
    const auto same = [&](const Model& model, const SolveOptions& options) {
        const Solution a = solve(written, options), b = solve(model, options);
        ASSERT_EQ(a.numbers.size(), b.numbers.size());
        EXPECT_EQ(b.system.system_class, "lie");
        EXPECT_LT(b.invariant_drift_max, 1e-13);
        for (std::size_t k = 0; k < a.numbers.size(); ++k) ASSERT_NEAR(a.numbers[k], b.numbers[k], 1e-13) << k;
    };
    for (const Model* model : {&family, &parts}) {
        for (const std::string method : {"rkmk_rk4", "cayley_rk4", "cg4", "rk4", "gauss4"})
            same(*model, {.method = method, .step = 0.05, .from = 0.0, .to = 1.0});
        same(*model, {.method = "rk4", .step = 0.05, .from = 0.0, .to = 1.0, .projection = "group"});
    }
}

TEST(MatrixFamily, StaysInItsGroup) {
    for (const std::string group : {"SL(3)", "O(3)", "GL(3)", "Stiefel(3,3)", "SE(2)"}) {
        const Model m = Model::parse("matrix Y[2,2,3,3] in " + group + "\nfor i = 1..2, j = 1..2: Y[i,j]' = " +
                                     (group == "SE(2)" ? "[[0, -i, j], [i, 0, 1], [0, 0, 0]]" : "skew(i, j, t)") +
                                     "*Y[i,j]\nfor i = 1..2, j = 1..2: start Y[i,j] = identity(3)\n");
        const Solution s = solve(m, {.rtol = 1e-5, .atol = 1e-7, .from = 0.0, .to = 5.0});
        EXPECT_EQ(s.names.size(), 36U);
        EXPECT_LT(s.invariant_drift_max, 1e-12) << group;
    }
    EXPECT_EQ(message([] { Model::parse("matrix Y[5,3,2] in SO(3)\nY' = 0*Y\n"); }),
              "model:1:8: the matrix is 3 x 2, but SO(3) has matrices of 3 x 3\n    matrix Y[5,3,2] in SO(3)\n"
              "           ^~~~~~~~~~~~~~~~~");
    EXPECT_EQ(message([] { Model::parse("matrix Y[3]\nY' = 0*Y\n"); }),
              "model:1:9: a matrix is declared with its rows and columns: write matrix Y[3,3], or for a family of n "
              "matrices Y[n,3,3]\n    matrix Y[3]\n            ^~~");
}

TEST(MatrixModel, OperationsAreThoseOfMatrices) {
    Model m("model");
    auto x = m.unknown("x");
    const Matrix A{{2, 1, 0}, {1, 3, 1}, {0, 1, 4}};
    const Matrix B = A * inverse(A);
    // x' = a number, so that x(1) is that number
    m.equation(der(x) ==
               det(A) + 100 * trace(A) + 1000 * det(B) + 10000 * (transpose(A) - A)(1, 2) + B(1, 1) * 0.5 + B(2, 3));
    m.start(x == 0);
    const Solution s = solve(m, {.from = 0.0, .to = 1.0, .at = {1.0}});
    EXPECT_NEAR(s.numbers[0], 18 + 900 + 1000 + 0 + 0.5, 1e-9);
    EXPECT_EQ((2 * A / 2).rows(), 3);
    EXPECT_EQ((-A + A).columns(), 3);
}

TEST(MatrixModel, SaysWhatIsWrong) {
    Model m("model");
    EXPECT_EQ(message([&] { m.matrix("Y", {3, 3}, "SO(4)"); }),
              "model: the matrix 'Y': the matrix is 3 x 3, but SO(4) has matrices of 4 x 4");
    EXPECT_EQ(message([&] { m.matrix("Y", {3, 3}, "SU(3)"); }).find("model: the matrix 'Y': 'SU' is no group"), 0U);
    EXPECT_EQ(message([&] { m.matrix("Y", {3, 3}, "SO"); }), "model: the matrix 'Y': write its group as \"SO(3)\"");
    EXPECT_EQ(message([&] { m.matrix("Y", {3, 3}, "SO(three)"); }),
              "model: the matrix 'Y': write its group as \"SO(3)\"");
    EXPECT_EQ(message([&] { m.matrix("Y", {3}); }),
              "model: the matrix 'Y' needs rows and columns, such as {3, 3}, but 1 size is given");
    const Matrix Y = m.matrix("Y", {4, 2}, "Stiefel(4,2)"); // after all that the name is free
    EXPECT_EQ(message([&] { Y* Y; }),
              "a product: the matrices are 4 x 2 and 4 x 2, but the first must have as many columns as the second has "
              "rows");
    EXPECT_EQ(message([&] { m.start(Y == identity(4)); }),
              "a matrix equation: the matrices are 4 x 2 and 4 x 4, but must have one shape");
    EXPECT_EQ(message([&] { det(Y); }), "det: the matrix is 4 x 2, but must be square");
    EXPECT_EQ(message([&] { det(identity(11)); }),
              "det: the matrix has 11 rows, but formulas are written out for up to 10");
    EXPECT_EQ(message([&] { Y(0, 1); }), "entry (0,1) is outside of a matrix of 4 x 2");
    EXPECT_EQ(message([&] { Matrix({{1, 2}, {3}}); }),
              "a matrix has rows of one length, but these have 2 and 1 entries");
}

} // namespace matrix_model_test
