// Directional derivatives of random systems: d f(u), d2 f(u, v), d3 f(u, v, w) against Quad differences, and the
// third differential contracted with multipliers.
#include <random>

#include <gtest/gtest.h>

#include "expr/graph/derivative.hpp"
#include "expr/graph/function.hpp"
#include "support/random_system.hpp"
#include "system/functions.hpp"

namespace vessiot::directional_test {
namespace {

using namespace expr;

Quad magnitude(Quad x) {
    return x < 0 ? -x : x;
}

// A direction for every jet: arrays of the same shapes, given at evaluation.
std::map<ArrayId, ArrayId> direction_arrays(Graph& g, const Coordinates& z, const std::string& name) {
    std::map<ArrayId, ArrayId> arrays;
    for (ArrayId jet : z.jets) {
        Array a = g.array(jet);
        a.name = name;
        a.role = ArrayRole::auxiliary;
        a.order = 0;
        arrays[jet] = g.add_array(a);
    }
    return arrays;
}

BufferSpec buffer(const std::string& name, const Coordinates& z, const std::map<ArrayId, ArrayId>& arrays) {
    BufferSpec b{name, {}};
    for (ArrayId jet : z.jets) b.arrays.push_back(arrays.at(jet));
    return b;
}

class Directions : public ::testing::Test {
protected:
    void prepare(std::uint64_t seed) {
        random_.seed(seed);
        system_ = test::random_system(random_);
        Graph& g = *system_.graph;
        z_ = jet_coordinates(system_);
        std::int64_t n = 0;
        rows_ = residual_rows(system_, n);
        arrays_.clear();
        for (const char* name : {"u", "v", "w"}) arrays_.push_back(direction_arrays(g, z_, name));
        BufferSpec parameters{"p", {}};
        for (const Parameter& p : system_.parameters) parameters.arrays.push_back(p.array);
        inputs_ = {{"t", {system_.independent}}, parameters, {"z", z_.jets}};
        for (std::size_t k = 0; k < 3; ++k) inputs_.push_back(buffer("direction", z_, arrays_[k]));
        // levels_[k]: the k-th differential in the first k directions
        levels_.assign(1, rows_);
        for (std::size_t k = 0; k < 3; ++k) {
            Direction d(g, [&](ArrayId a) { return arrays_[k].contains(a) ? arrays_[k].at(a) : none; }, "_d");
            levels_.push_back(levels_.back());
            for (RowBlock& b : levels_.back())
                for (Contribution& c : b.contributions) c.body = d(c.body);
        }
    }

    std::vector<Quad> vector(std::int64_t n) {
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<Quad> v(static_cast<std::size_t>(n));
        for (Quad& x : v) x = uniform(random_);
        return v;
    }

    // The differential of order k at a point.
    std::vector<Quad> evaluate(std::size_t k, const std::vector<Quad>& z, const std::vector<std::vector<Quad>>& along) {
        Graph& g = *system_.graph;
        std::vector<BufferSpec> outputs{{"out", {}}};
        std::int64_t n = 0;
        for (const RowBlock& b : levels_[k]) {
            outputs[0].arrays.push_back(g.define("out", b.lo, b.extent, b.contributions));
            n += g.array(outputs[0].arrays.back()).size();
        }
        Function<Quad> f(g, inputs_, outputs, {}, {.expand_limit = 0});
        const Quad t = 0.375;
        const std::vector<Quad> p = parameter_values(system_);
        std::vector<Quad> out(static_cast<std::size_t>(n));
        const Quad* in[] = {&t, p.data(), z.data(), along[0].data(), along[1].data(), along[2].data()};
        Quad* to[] = {out.data()};
        f.prepare(in);
        f(in, to);
        return out;
    }

    std::mt19937_64 random_;
    System system_;
    Coordinates z_;
    std::vector<RowBlock> rows_;
    std::vector<std::map<ArrayId, ArrayId>> arrays_;
    std::vector<BufferSpec> inputs_;
    std::vector<std::vector<RowBlock>> levels_;
};

TEST_F(Directions, ThreeDifferentialsAgreeWithDifferences) {
    for (std::uint64_t seed = 50'000; seed < 50'300 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        prepare(seed);
        std::vector<Quad> z = vector(z_.size);
        const std::vector<std::vector<Quad>> along{vector(z_.size), vector(z_.size), vector(z_.size)};
        for (std::size_t k = 0; k < 3; ++k) {
            // d^(k+1) f(.., w) = d/de d^k f(..)(z + e w); truncation and round-off are below 1e-18 of the scale
            const Quad h = 1e-11;
            std::vector<Quad> right = z, left = z;
            for (std::size_t i = 0; i < z.size(); ++i) {
                right[i] += h * along[k][i];
                left[i] -= h * along[k][i];
            }
            const auto a = evaluate(k, right, along), b = evaluate(k, left, along), exact = evaluate(k + 1, z, along);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const Quad found = (a[i] - b[i]) / (2 * h);
                const Quad scale = 1 + magnitude(exact[i]) + magnitude(a[i]);
                EXPECT_TRUE(magnitude(found - exact[i]) <= 1e-12 * scale)
                    << "order " << k + 1 << ", row " << i << ": " << static_cast<double>(exact[i]) << ", differences "
                    << static_cast<double>(found);
            }
        }
    }
}

} // namespace
} // namespace vessiot::directional_test
