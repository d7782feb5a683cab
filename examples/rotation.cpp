// A rotation whose angular velocity depends on time and on the rotation itself: a matrix in the group SO(3).
#include <cstdio>

#include <vessiot/matrix.hpp>
#include <vessiot/model.hpp>
#include <vessiot/solution.hpp>
#include <vessiot/solve.hpp>

int main() {
    vessiot::Model m("rotation");
    auto w = m.parameter("w", 2);
    auto Y = m.matrix("Y", {3, 3}, "SO(3)");
    m.equation(der(Y) == vessiot::skew(cos(w * m.t()), Y(1, 2), 1) * Y);
    m.start(Y == vessiot::identity(3));
    m.output("angle", acos((trace(Y) - 1) / 2));

    const vessiot::Solution sol = vessiot::solve(m, {.method = "rkmk_dopri54", .rtol = 1e-9, .to = 5, .at = {5}});
    std::printf("turned by %.6f, off the group by %s\n", sol.column("angle")[0],
                sol.invariant_drift_max < 1e-14 ? "round-off" : "more");
}
