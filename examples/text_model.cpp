// A model in the language of the .ves files, used from C++; what is wrong with one.
#include <cstdio>
#include <vector>

#include <vessiot/functions.hpp>
#include <vessiot/model.hpp>

int main() {
    const auto m = vessiot::Model::parse(R"(
parameter n = 3, k = 1
unknown x[n]
for i = 1..n:
    x[i]' = -k*x[mod(i, n) + 1]
)",
                                         "ring.ves", {.set = {{"n", "4"}}});
    vessiot::Functions F(m);
    F.set_parameter("k", 2);
    const std::vector<double> z{1, 2, 3, 4, 0, 0, 0, 0};
    for (const double value : F.f(0, z)) std::printf("%g\n", value);

    try {
        vessiot::Model::parse("unknown theta\ntheta'' = -sin(thta)\n", "swing.ves");
    } catch (const vessiot::InvalidInput& problem) {
        std::printf("%s\n", problem.what());
    }
}
