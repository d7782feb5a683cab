// A long run: all points go to a file, few stay in memory, and it can go on after it was ended.
#include <cstdio>

#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>

int main() {
    const auto model = vessiot::Model::parse("unknown x\nx'' = -x\nstart x = 1, x' = 0\nsolve t = 0 .. 1000\n");
    vessiot::SolveOptions options{.method = "rk4", .step = 0.001, .throw_on_failure = false};
    options.streams = {vessiot::csv_stream("long_run.csv")}; // or hdf5_stream("long_run.h5")
    options.keep = 1000;                                     // points in memory
    options.checkpoint = "long_run.checkpoint";
    options.max_steps = 400'000; // it ends early
    std::printf("%s\n", vessiot::solve(model, options).message.c_str());

    options.resume = options.checkpoint; // in another process, perhaps
    options.max_steps = 2'000'000;
    options.streams = {vessiot::csv_stream("long_run.csv")};
    const auto sol = vessiot::solve(model, options);
    std::printf("%s: %lld points in the file, x = %.9f\n", sol.message.c_str(), static_cast<long long>(sol.n_points),
                sol.column("x").back());
    std::remove("long_run.csv");
    std::remove("long_run.checkpoint");
}
