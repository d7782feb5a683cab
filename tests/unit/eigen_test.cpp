// The optional header for programs that have Eigen.
#include <gtest/gtest.h>

#include "vessiot/eigen.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

TEST(Eigen, MapsTheNumbersOfASolution) {
    const Solution s =
        solve(Model::parse("unknown x, y\nx' = 1\ny' = 2\nstart x = 0, y = 0\nsolve t = 0 .. 1\noutput every 0.25\n"));
    const auto values = eigen_map(s.values());
    ASSERT_EQ(values.rows(), 5);
    ASSERT_EQ(values.cols(), 2);
    EXPECT_EQ(values.data(), s.numbers.data()) << "nothing is copied";
    EXPECT_NEAR(values.colwise().mean()(1), 1, 1e-12);
    const auto y = eigen_map(s.view("y"));
    EXPECT_EQ(y.innerStride(), 2);
    EXPECT_NEAR(y.maxCoeff(), 2, 1e-12);
    EXPECT_NEAR((y - 2 * eigen_map(s.t)).norm(), 0, 1e-12);
}

} // namespace
} // namespace vessiot
