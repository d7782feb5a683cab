// Poisson structures: y' = B(y) grad H + force is the motion that the same equations written out have; what is none is
// refused with the number that was measured. [Tuomela, Arponen, Normi, (6.9)]
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::poisson_test {
namespace {

constexpr double rtol = 1e-10;

Solution run(const System& system) {
    SolveOptions o{.rtol = rtol, .atol = rtol, .at = {5}};
    o.backend = "interpreter";
    return solve_system(system, o);
}

Solution run(const std::string& text) {
    return run(lang::read_model(lang::Source("test.ves", text)));
}

std::string refusal(const std::string& text) {
    try {
        lang::read_model(lang::Source("test.ves", text));
    } catch (const InvalidInput& e) {
        return e.what();
    }
    ADD_FAILURE() << "not refused:\n" << text;
    return "";
}

testing::AssertionResult says(const std::string& message, const std::string& part) {
    if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << message;
}

// The particle of gallery/magnetic.ves: {y_i, p_j} = delta_ij, {p_i, p_j} by the field, where p = m y'.
TEST(Poisson, BracketsOfAParticleInAMagneticFieldGiveItsMotion) {
    const Solution s = run("parameter m = 1, b[3] = [0, 0, 1]\n"
                           "unknown y[3], p[3]\n"
                           "let S = skew(b)\n"
                           "let B[i = 1..6, j = 1..6] = if(i <= 3, if(j == i + 3, 1, 0), if(j == i - 3, -1, 0))\n"
                           "    + if(i == 4 and j == 5, -b[3], 0) + if(i == 5 and j == 4, b[3], 0)\n"
                           "hamiltonian dot(p, p)/(2*m) - 1/norm(y)\n"
                           "poisson B for y, p\n"
                           "start y = [1, 1, 1], p = [0, 0, 0]\nsolve t = 0 .. 5\n");
    const nlohmann::json data = test::gallery_data("magnetic");
    for (const auto& reference : data["reference"]) {
        if (reference["t"] != "5") continue;
        for (const std::string name : {"y[1]", "y[2]", "y[3]"}) {
            const double exact = std::stod(reference["values"][name].get<std::string>());
            EXPECT_NEAR(s.column(name).back(), exact, 1e3 * rtol) << name;
        }
        return;
    }
    FAIL() << "no reference at t = 5";
}

// The rigid body, with its dissipation as a force: the same as its equations.
TEST(Poisson, ARigidBodyIsTheSameAsItsEquations) {
    const std::string head = "parameter I[3] = [1, 2, 3], c = 0.1\nunknown m[3]\n",
                      tail = "start m = [1, 0.5, 0.2]\nsolve t = 0 .. 5\n";
    const Solution written = run(head + "let w[i = 1..3] = m[i]/I[i]\nm' = cross(m, w) - c*[0, m[2], 0]\n" + tail);
    const Solution derived =
        run(head + "hamiltonian sum(i = 1..3, m[i]^2/(2*I[i]))\npoisson skew(m) for m\nforce m[2] = -c*m[2]\n" + tail);
    for (const std::string name : {"m[1]", "m[2]", "m[3]"})
        EXPECT_NEAR(written.column(name).back(), derived.column(name).back(), 1e2 * rtol) << name;
    EXPECT_EQ(derived.system.index, 0);
}

TEST(Poisson, KeepsEnergyAndCasimir) {
    for (const std::string matrix :
         {"let B = [[0, -c, b], [c, 0, -a], [-b, a, 0]]\npoisson B", "poisson [[0, -c, b], [c, 0, -a], [-b, a, 0]]"}) {
        const Solution s = run("unknown a, b, c\nhamiltonian a^2/2 + b^2/4 + c^2/6\n" + matrix +
                               " for a, b, c\noutput E = a^2/2 + b^2/4 + c^2/6\noutput C = a^2 + b^2 + c^2\n"
                               "start a = 1, b = 0.5, c = 0.2\nsolve t = 0 .. 5\n");
        EXPECT_NEAR(s.column("E").back(), 1. / 2 + 0.25 / 4 + 0.04 / 6, 1e2 * rtol);
        EXPECT_NEAR(s.column("C").back(), 1.29, 1e2 * rtol);
    }
}

// The words are no keywords.
TEST(Poisson, IsANameWhereItIsOne) {
    EXPECT_NEAR(
        run("unknown poisson\npoisson' = -poisson\nstart poisson = 1\nsolve t = 0 .. 5\n").column("poisson").back(),
        std::exp(-5), 1e2 * rtol);
    EXPECT_NEAR(run("unknown poisson[2]\npoisson[1]' = -poisson[1]\npoisson[2]' = 0\nstart poisson = [1, 2]\n"
                    "solve t = 0 .. 5\n")
                    .column("poisson[1]")
                    .back(),
                std::exp(-5), 1e2 * rtol);
}

TEST(Poisson, WhatIsNoneIsRefusedWithTheNumberMeasured) {
    const std::string head = "unknown a, b, c\nhamiltonian a^2 + b^2 + c^2\n", tail = "start a = 1\nsolve t = 0 .. 1\n";
    const auto with = [&](const std::string& matrix) {
        return refusal(head + "let B = " + matrix + "\npoisson B for a, b, c\n" + tail);
    };
    const std::string asymmetric = with("[[0, 1, 0], [-1.5, 0, 0], [0, 0, 0]]");
    EXPECT_TRUE(says(asymmetric, "antisymmetric"));
    EXPECT_TRUE(says(asymmetric, "[1,2] and [2,1] of this one are 1 and -1.5, which add up to -0.5"));
    EXPECT_TRUE(says(with("[[0.25, 0, 0], [0, 0, 0], [0, 0, 0]]"), "[1,1]"));
    // {a, {b, c}} + ... = 1 for {a, b} = 1, {b, c} = 0, {c, a} = -a: sum = {c, {a, b}} + {b, {c, a}} = -{b, a} = 1
    const std::string jacobi = with("[[0, 1, a], [-1, 0, 0], [-a, 0, 0]]");
    EXPECT_TRUE(says(jacobi, "Jacobi identity"));
    EXPECT_TRUE(says(jacobi, "is 1 instead of 0")) << jacobi;
    EXPECT_TRUE(says(with("[[0, 1], [-1, 0]]"), "3 x 3 matrix"));
    EXPECT_TRUE(says(with("3"), "3 x 3 matrix"));
}

TEST(Poisson, StatementsThatDoNotFitAreRefused) {
    const std::string head = "unknown a, b\n", tail = "start a = 1\nsolve t = 0 .. 1\n",
                      let = "let B = [[0, 1], [-1, 0]]\n", h = "hamiltonian a^2 + b^2\n", p = "poisson B for a, b\n";
    EXPECT_TRUE(says(refusal(head + h + tail), "pairs of positions and momenta are missing"));
    EXPECT_TRUE(says(refusal(head + let + p + tail), "hamiltonian, which is missing"));
    EXPECT_TRUE(says(refusal(head + let + "hamiltonian a^2 + b^2 with a: b\n" + p + tail), "leave out 'with"));
    EXPECT_TRUE(says(refusal(head + let + h + p + p + tail), "twice"));
    EXPECT_TRUE(says(refusal(head + let + h + "poisson B for a, a\n" + tail), "twice"));
    EXPECT_TRUE(says(refusal(head + let + h + "poisson B for a'\n" + tail), "without arguments") ||
                says(refusal(head + let + h + "poisson B for a', b\n" + tail), "names of unknowns"));
    EXPECT_TRUE(says(refusal(head + let + h + "poisson B\n" + tail), "'for' and the coordinates"));
    EXPECT_TRUE(says(refusal(head + let + h + "poisson B for t, b\n" + tail), "t"));
    EXPECT_TRUE(says(refusal(head + let + h + p + "constraint a = 1\n" + tail), "constraints and contacts"));
    EXPECT_TRUE(says(refusal("unknown a, b, z\nz' = a\n" + let + h + p + "force z = 1\n" + tail), "'z' is none"));
    EXPECT_TRUE(says(refusal(head + "for i = 1..2: poisson B for a, b\n" + tail), "loop"));
}

} // namespace
} // namespace vessiot::poisson_test
