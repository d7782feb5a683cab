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
