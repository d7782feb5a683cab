// A text model with other parameters and start values, and a run that cannot reach its end.
#include <cstdio>

#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>

int main() {
    const auto growth = vessiot::Model::parse(R"(
parameter k = 1
unknown u
u' = k*u^2       # u = 1/(1/u0 - k t): infinite at t = 1/(k u0)
start u = 1
solve t = 0 .. 0.75
)",
                                              "growth.ves", {.set = {{"k", "2"}}});
    const auto sol = vessiot::solve(growth, {.rtol = 1e-9, .at = {0.5, 0.25}, .start = {{"u", 0.5}}});
    for (std::size_t k = 0; k < sol.t.size(); ++k) std::printf("u(%g) = %.6f\n", sol.t[k], sol.values()(k, 0));

    try {
        vessiot::solve(growth, {.to = 3.0});
    } catch (const vessiot::SolveFailed& failure) {
        std::fprintf(stderr, "%s\n", failure.what()); // where and why
        std::printf("it came to t = %.3f\n", failure.solution.t.back());
    }
}
