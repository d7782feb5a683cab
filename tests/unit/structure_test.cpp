// Structural analysis of models: offsets, index, constraints, and what is said about them.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "completion/describe_structure.hpp"
#include "completion/structure.hpp"
#include "lang/model.hpp"
#include "lang/syntax/parser.hpp"
#include "support/gallery.hpp"

namespace vessiot::structure_test {
namespace {

using Numbers = std::vector<std::int32_t>;
using Matrix = std::vector<Numbers>; // sigma; -1: no entry

Structure analysed(const std::string& text) {
    return analyse(lang::read_model(lang::Source("test.ves", text)));
}

Matrix dense(const Signature& s) {
    Matrix sigma(static_cast<std::size_t>(s.n_equations), Numbers(static_cast<std::size_t>(s.n_unknowns), -1));
    for (std::int32_t i = 0; i < s.n_equations; ++i)
        for (std::size_t k = 0; k < s.row(i).size(); ++k)
            sigma[static_cast<std::size_t>(i)][static_cast<std::size_t>(s.row(i).unknown[k])] = s.row(i).order[k];
    return sigma;
}

const std::string pendulum = "parameter g = 9.81, l = 1\nunknown x, y, z\n"
                             "x'' = -z*x\ny'' = -z*y - g\nx^2 + y^2 = l^2\n";

TEST(Structure, TheSignatureHasTheHighestDerivatives) {
    EXPECT_EQ(dense(analysed(pendulum).signature), (Matrix{{2, -1, 0}, {-1, 2, 0}, {0, 0, -1}}));
    EXPECT_EQ(dense(analysed("unknown x[2], y\nlet a = x[1]' + y\nlet b[i = 1..2] = a*x[i]''\n"
                             "x[1] + sum(i = 1..2, b[i]) = 0\nb[2] = y'\ny' = x[1] + 0*x[1]'\n")
                        .signature),
              (Matrix{{2, 2, 0}, {1, 2, 1}, {0, -1, 1}}));
}

TEST(Structure, ThePendulumHasIndexThreeAndTwoHiddenConstraints) {
    const Structure s = analysed(pendulum);
    ASSERT_TRUE(s.is_square && s.is_regular);
    EXPECT_EQ(s.offsets.c, (Numbers{0, 0, 2}));
    EXPECT_EQ(s.offsets.d, (Numbers{2, 2, 0}));
    EXPECT_EQ(s.index, 3);
    EXPECT_EQ(s.phase_dimension, 2); // one degree of freedom, with its velocity
    EXPECT_EQ(s.constraints.written, 1);
    EXPECT_EQ(s.constraints.hidden, 2);
    EXPECT_EQ(s.blocks.n_blocks(), 1);
    EXPECT_EQ(s.transversal.value, 2);
}

TEST(Structure, ThePendulumOfFirstOrderHasTheSameIndexAndDimension) {
    const Structure s = analysed("unknown x, y, u, v, z\nx' = u\ny' = v\nu' = -z*x\nv' = -z*y - 9.81\nx^2 + y^2 = 1\n");
    EXPECT_EQ(s.offsets.c, (Numbers{1, 1, 0, 0, 2}));
    EXPECT_EQ(s.offsets.d, (Numbers{2, 2, 1, 1, 0}));
    EXPECT_EQ(s.index, 3);
    EXPECT_EQ(s.phase_dimension, 2);
    EXPECT_EQ(s.constraints.hidden, 2);
}

TEST(Structure, OrdinaryDifferentialEquationsHaveIndexZero) {
    const Structure s = analysed("unknown x, y\nx'' = y\ny' = -x*x'\n");
    EXPECT_EQ(s.index, 0);
    EXPECT_EQ(s.phase_dimension, 3);
    EXPECT_EQ(s.constraints.written + s.constraints.hidden, 0);
    EXPECT_EQ(s.blocks.n_blocks(), 2);
}

TEST(Structure, ConstraintsMayHideInCombinationsOfEquations) {
    const Structure s = analysed("unknown x, z\nx' + z = 0\nx' - z = t\n"); // z = -t/2
    EXPECT_EQ(s.index, 1);
    EXPECT_EQ(s.phase_dimension, 1);
    EXPECT_EQ(s.constraints.written, 0);
    EXPECT_EQ(s.constraints.hidden, 1);
}

TEST(Structure, AConstraintOnVelocitiesIsDifferentiatedOnce) {
    const Structure s = analysed("unknown x, y, z\nx'' = -z*sin(x)\ny'' = z\ny' = x'*sin(x)\n");
    EXPECT_EQ(s.offsets.c, (Numbers{0, 0, 1}));
    EXPECT_EQ(s.index, 2);
    EXPECT_EQ(s.phase_dimension, 3);
    EXPECT_EQ(s.constraints.written, 1);
    EXPECT_EQ(s.constraints.hidden, 1);
}

// A transistor amplifier: nodes between capacitors, C u' + currents(u) = 0, and one without a capacitor.
TEST(Structure, ACircuitWithANodeWithoutCapacitorHasIndexOne) {
    const Structure s = analysed("parameter C1 = 1e-6, C2 = 2e-6, R = 9000\nunknown u[4]\n"
                                 "C1*(u[1]' - u[2]') + (u[1] - sin(t))/R = 0\n"
                                 "C2*u[2]' + u[2]/R - 1e-6*(exp((u[2] - u[3])/0.026) - 1) = 0\n"
                                 "u[3]/R - 1e-6*(exp((u[2] - u[3])/0.026) - 1) = 0\n"
                                 "C2*u[4]' + u[4]/R + 1e-6*u[3] = 0\n");
    EXPECT_EQ(s.index, 1);
    EXPECT_EQ(s.phase_dimension, 3);
    EXPECT_EQ(s.constraints.hidden, 0);
    EXPECT_FALSE(s.is_uniform); // d = 1, 1, 0, 1 in one array
    EXPECT_EQ(s.d.at(0).lowest, 0);
    EXPECT_EQ(s.d.at(0).highest, 1);
    EXPECT_TRUE(s.c.at(0).is_uniform());
}

TEST(Structure, OtherThanSquareSystemsAreNotAnalysed) {
    const Structure s = analysed("unknown x, y\nx' = y\ny' = -x\nx^2 + y^2 = 1\n");
    EXPECT_FALSE(s.is_square);
    EXPECT_FALSE(s.is_regular);
    EXPECT_TRUE(s.offsets.c.empty());
}

TEST(Structure, FamiliesKeepTheirOffsets) {
    for (const std::string n : {"6", "1000", "30000"}) {
        SCOPED_TRACE("n = " + n);
        const Structure s = analyse(test::gallery_system("mech", {{"n", n}}));
        const std::int64_t m = std::stoll(n);
        EXPECT_TRUE(s.is_uniform);
        EXPECT_EQ(s.index, 3);
        EXPECT_EQ(s.phase_dimension, 2 * (m + 1));
        EXPECT_EQ(s.constraints.written, m - 1);
        EXPECT_EQ(s.constraints.hidden, 2 * (m - 1));
        EXPECT_EQ(s.blocks.largest(), 3 * m - 1);
        EXPECT_LE(s.transversal.n_rounds, 2 + 2 + 1); // highest sigma + highest c + 1
        std::int64_t n_differentiated = 0;
        for (const OffsetRange& c : s.c)
            if (c.highest == 2) n_differentiated += c.count;
        EXPECT_EQ(n_differentiated, m - 1);
    }
}

TEST(Structure, TheGalleryHasTheIndexOfItsDataFiles) {
    // derivatives that cancel: the matrix of the highest derivatives is singular everywhere, and the index too low
    const std::map<std::string, int> misleading{
        {"linear_dae", 0}, {"eta_problem", 1}, {"transistor_amplifier", 0}, {"pendulum_mixed", 1}};
    for (const std::string& name : test::gallery_names()) {
        SCOPED_TRACE(name);
        const Structure s = analyse(test::gallery_system(name));
        if (!s.is_square) continue;
        ASSERT_TRUE(s.is_regular);
        EXPECT_GE(s.constraints.hidden, 0);
        const auto data = test::gallery_data(name);
        if (!data.contains("index")) continue;
        const auto misled = misleading.find(name);
        EXPECT_EQ(s.index, misled == misleading.end() ? data["index"].get<int>() : misled->second);
    }
}

TEST(Structure, DimensionsOfKnownModels) {
    const auto dimension = [](const std::string& name) { return analyse(test::gallery_system(name)).phase_dimension; };
    EXPECT_EQ(dimension("andrews"), 2);
    EXPECT_EQ(dimension("car_axis"), 4);
    EXPECT_EQ(dimension("robertson"), 3);
    EXPECT_EQ(dimension("heat_dae"), 100);
    EXPECT_EQ(dimension("spherical_pendulum"), 4);
    EXPECT_EQ(dimension("hamiltonian_pendulum"), 2);
    EXPECT_EQ(dimension("six_piece_ring"), 2);
}

// The same whether a motion is written as equations or derived.
TEST(Structure, DegreesOfFreedomOfAMotion) {
    const auto freedom = [](const std::string& text) {
        const System system = lang::read_model(lang::Source("test.ves", text));
        return describe(system, analyse(system)).degrees_of_freedom;
    };
    EXPECT_EQ(freedom("unknown x\nx'' = -x\n"), 1);
    EXPECT_EQ(freedom("unknown x\nlagrangian x'^2/2 - x^2/2\n"), 1);
    EXPECT_EQ(freedom("unknown x, p\nhamiltonian p^2/2 + x^2/2 with x: p\n"), 1);
    EXPECT_EQ(freedom("unknown x, y, l\nx'' = -l*x\ny'' = -l*y - 1\nx^2 + y^2 = 1\n"), 1);
    EXPECT_EQ(freedom("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\n"), 1);
    const std::string blade = "x'*sin(f) - y'*cos(f) = 0\n";
    EXPECT_EQ(freedom("unknown x, y, f\nlagrangian (x'^2 + y'^2 + f'^2)/2\nconstraint " + blade), 2);
    EXPECT_EQ(freedom("unknown x, y, f, l\nx'' = -l*sin(f)\ny'' = l*cos(f)\nf'' = 0\n" + blade), 2);
    EXPECT_EQ(freedom("unknown x, v\nx' = v\nv' = -x\n"), 2); // of first order: what can be chosen at the start
}

// Such models are refused when they are read; what is said about them is for those who build a System themselves.
TEST(Structure, ASingularSystemIsDescribedWithoutNumbers) {
    const lang::Source source("test.ves", "unknown x[3], y, z\nfor i = 1..3: x[i] = 0\nx[1]' = t\ny' = z\n");
    const System system = lang::elaborate(lang::parse(source), {}).system;
    const StructureText text = describe(system, analyse(system));
    EXPECT_EQ(to_text(text), "Structural analysis\n"
                             "  structurally singular: unknowns and equations cannot be paired\n"
                             "  too many: 2 equations for 1 unknown\n"
                             "    for i = 1..3: x[i] = 0   (1 of 3)\n"
                             "    x[1]' = t\n"
                             "    unknowns x[1]\n"
                             "  too few: 1 equation for 2 unknowns\n"
                             "    y' = z\n"
                             "    unknowns y, z\n");
    const auto json = to_json(text);
    EXPECT_TRUE(json["structural_index"].is_null());
    EXPECT_EQ(json["structurally_singular"]["overdetermined"].dump(), R"({"equations":[1,4],"unknowns":["x[1]"]})");
}

TEST(Structure, FamiliesThatAreNotUniformAreDescribedAsSuch) {
    // x[2]' = x[1] and x[3]' = x[2], with x[3] given
    const std::string text = "unknown x[3]\nfor i = 1..2: x[i+1]' = x[i]\nx[3] = sin(t)\n";
    const System system = lang::read_model(lang::Source("test.ves", text));
    const StructureText s = describe(system, analyse(system));
    EXPECT_EQ(to_text(s), "Structural analysis\n"
                          "  structural index 3, 0 degrees of freedom, 2 hidden constraints\n"
                          "  differentiated up to once for i = 1..2: x[i+1]' = x[i]\n"
                          "  differentiated twice: x[3] = sin(t)\n"
                          "  highest derivative of x: order 0 to 2, by element\n"
                          "  for the highest derivatives: 3 blocks of 1 equation\n"
                          "  by structure alone, without numbers: terms that cancel are not noticed\n");
}

} // namespace
} // namespace vessiot::structure_test
