// n particles joined by rigid links, n given on the command line: loops that stay loops, a Lagrangian, constraints.
#include <cstdio>
#include <cstdlib>

#include <vessiot/functions.hpp>
#include <vessiot/model.hpp>

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 6;

    vessiot::Model m("chain");
    auto c = m.parameter("c", 10);
    auto x = m.unknown("x", {n}), y = m.unknown("y", {n});
    auto i = m.index("i", 1, n);        // all particles
    auto j = m.index("j", 1, n - 2);    // those with a spring to the next but one
    auto link = m.index("k", 1, n - 1); // the links

    auto squared_distance = [&](auto a, auto b) { return pow(x(a) - x(b), 2) + pow(y(a) - y(b), 2); };
    m.lagrangian(sum(i, (pow(der(x(i)), 2) + pow(der(y(i)), 2)) / 2) - c / 2 * sum(j, squared_distance(j, j + 2)));
    m.constraint(link, (squared_distance(link, link + 1) - 1) / 2 == 0);
    m.force(i, x(i) == -0.1 * der(x(i))); // friction

    m.start(i, x(i) == i);
    m.start(i, y(i) == if_(mod(i, 2) == 0, 0.1, 0));
    m.hold(y);
    m.output("pull", m.multipliers()(1));

    auto v = m.let("v", i, hypot(der(x(i)), der(y(i)))); // the speed of each particle
    m.output("fastest", max(v(1), v(n)));

    vessiot::Functions F(m);
    std::printf("%lld equations in %lld coordinates, %lld nonzero derivatives\n",
                static_cast<long long>(F.n_equations()), static_cast<long long>(F.n_coordinates()),
                static_cast<long long>(F.df_pattern().n_entries()));
}
