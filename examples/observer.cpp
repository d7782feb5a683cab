// A run that is looked at while it goes on, and ended by what is seen. Which methods could have made it.
#include <algorithm>
#include <cstdio>

#include <vessiot/methods.hpp>
#include <vessiot/model.hpp>
#include <vessiot/problem.hpp>

int main() {
    const auto model = vessiot::Model::parse(R"(
        parameter g = 9.81
        unknown   x, y, lambda
        x'' = -lambda*x
        y'' = -lambda*y - g
        x^2 + y^2 = 1
        start x = 1, y = 0, x' = 0, y' = 0
        solve t = 0 .. 10
        event lowest: x = 0
    )",
                                             "pendulum");
    const vessiot::Problem problem(model, {.method = "dop853", .rtol = 1e-10});

    double lowest = 0;
    const vessiot::Solution sol = problem.solve({
        .on_step =
            [&](const vessiot::StepView& step) {
                for (const double part : {0.25, 0.5, 0.75, 1.0}) // inside of the step, on the constraints
                    lowest = std::min(lowest, step.at(part)[step.place_of("y")]);
                return step["y"] > -0.2 && step.t() > 0.5 ? vessiot::Next::stop : vessiot::Next::go_on;
            },
        .on_event = [](const vessiot::EventView& e) { std::printf("%s at t = %.4f\n", e.name.data(), e.t); },
    });
    std::printf("%s, y was down to %.3f\n", name(sol.status).data(), lowest);

    int n_fit = 0;
    for (const vessiot::MethodDescription& m : vessiot::methods())
        n_fit += m.order >= 4 && m.has_sensitivities && problem.misfit(m.name).empty();
    std::printf("methods of order 4 at least, with sensitivities, fit: %s\n", n_fit > 5 ? "many" : "few");
    std::printf("%s\n", problem.misfit("verlet").c_str());
}
