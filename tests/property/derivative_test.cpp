// Derivatives of random systems against Quad differences, values against a naive evaluator, and all evaluators
// against each other. VESSIOT_RANDOM_SYSTEMS = "first:number" chooses which ones of the sequence.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <gtest/gtest.h>

#include "expr/kernel/native.hpp"
#include "support/naive_graph.hpp"
#include "support/random_system.hpp"
#include "system/functions.hpp"

namespace vessiot {
namespace {

struct Range {
    std::uint64_t first = 0, number = 100;
};

Range systems() {
    Range r;
    const char* wanted = std::getenv("VESSIOT_RANDOM_SYSTEMS");
    if (wanted && std::sscanf(wanted, "%lu:%lu", &r.first, &r.number) != 2)
        throw std::invalid_argument("VESSIOT_RANDOM_SYSTEMS must be first:number");
    return r;
}

std::vector<Quad> random_vector(std::mt19937_64& random, std::int64_t n) {
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    std::vector<Quad> v(static_cast<std::size_t>(n));
    for (Quad& x : v) x = uniform(random);
    return v;
}

Quad magnitude(Quad x) {
    return x < 0 ? -x : x;
}

// f, df (dense, by column) and the gradient and Hessian of mu.f at a point.
struct Values {
    std::vector<Quad> f, df, gradient, d2f;
};

class Evaluation {
public:
    explicit Evaluation(const System& s, std::int64_t expand_limit)
        : functions_(s, {.lowering = {.expand_limit = expand_limit}}) {}

    Values operator()(Quad t, const std::vector<Quad>& z, const std::vector<Quad>& mu) {
        const auto m = static_cast<std::size_t>(functions_.n_equations()), n = z.size();
        Values v{.f = std::vector<Quad>(m),
                 .df = std::vector<Quad>(m * n),
                 .gradient = std::vector<Quad>(n),
                 .d2f = std::vector<Quad>(n * n)};
        const auto& df = functions_.df();
        const auto& d2f = functions_.d2f();
        std::vector<Quad> df_local(df.position.size()), d2f_local(d2f.position.size());
        functions_(t, z.data(), mu.data(), v.f.data(), df_local.data(), d2f_local.data());
        std::vector<Quad> entries(df.row.size()), second(d2f.row.size());
        df.assemble(df_local.data(), entries.data());
        d2f.assemble(d2f_local.data(), second.data());
        for (std::size_t c = 0; c < n; ++c) {
            for (auto k = df.column_start[c]; k < df.column_start[c + 1]; ++k) {
                const auto r = static_cast<std::size_t>(df.row[static_cast<std::size_t>(k)]);
                v.df[c * m + r] = entries[static_cast<std::size_t>(k)];
                v.gradient[c] += mu[r] * entries[static_cast<std::size_t>(k)];
            }
            for (auto k = d2f.column_start[c]; k < d2f.column_start[c + 1]; ++k) {
                const auto r = static_cast<std::size_t>(d2f.row[static_cast<std::size_t>(k)]);
                v.d2f[c * n + r] = v.d2f[r * n + c] = second[static_cast<std::size_t>(k)];
            }
        }
        return v;
    }

    SystemFunctions<Quad>& functions() { return functions_; }

private:
    SystemFunctions<Quad> functions_;
};

// Largest deviation of the derivatives from central differences, relative to the largest entry of the column.
void expect_derivatives(Evaluation& at, Quad t, std::vector<Quad> z, const std::vector<Quad>& mu) {
    const Values here = at(t, z, mu);
    const std::size_t m = here.f.size(), n = z.size();
    // Truncation h^2 f'''/6 and round-off 1e-34 f/h are both below 1e-20 of the scale of f and its derivatives.
    const Quad h = 1e-11;
    for (std::size_t c = 0; c < n; ++c) {
        const Quad kept = z[c];
        z[c] = kept + h;
        const Values right = at(t, z, mu);
        z[c] = kept - h;
        const Values left = at(t, z, mu);
        z[c] = kept;
        const auto compare = [&](const std::vector<Quad>& r, const std::vector<Quad>& l, const Quad* exact,
                                 const char* what) {
            Quad scale = 1, deviation = 0;
            for (std::size_t k = 0; k < r.size(); ++k) {
                scale = std::max({scale, magnitude(exact[k]), magnitude(r[k])});
                const Quad d = magnitude((r[k] - l[k]) / (2 * h) - exact[k]);
                deviation = d > deviation || d != d ? d : deviation;
            }
            EXPECT_TRUE(deviation <= 1e-12 * scale)
                << what << ", column " << c << ": off by " << static_cast<double>(deviation) << " of "
                << static_cast<double>(scale);
        };
        compare(right.f, left.f, &here.df[c * m], "df");
        compare(right.gradient, left.gradient, &here.d2f[c * n], "d2f");
        if (::testing::Test::HasFailure()) return;
    }
}

void expect_naive_values(const System& s, const Coordinates& coordinates, Quad t, const std::vector<Quad>& z,
                         const std::vector<Quad>& f) {
    std::map<expr::ArrayId, std::vector<Quad>> given{{s.independent, {t}}};
    for (const Parameter& p : s.parameters) given[p.array] = p.values;
    for (std::size_t k = 0; k < coordinates.jets.size(); ++k) {
        const auto first = z.begin() + coordinates.first[k];
        given[coordinates.jets[k]] = {first, first + s.graph->array(coordinates.jets[k]).size()};
    }
    test::NaiveGraph<Quad> naive(*s.graph, given);
    std::size_t row = 0;
    for (const Equation& e : s.equations)
        s.graph->index().for_each(e.domain, [&](const expr::Env& env) {
            const Quad expected = naive.value(e.residual, env), found = f.at(row++);
            // the order of summation differs
            EXPECT_TRUE(magnitude(expected - found) <= 1e-25 * (1 + magnitude(expected)))
                << "row " << row - 1 << ": " << static_cast<double>(found) << " instead of "
                << static_cast<double>(expected);
            return true;
        });
    EXPECT_EQ(row, f.size());
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
        if (std::memcmp(&a[k], &b[k], sizeof a[k]) != 0 && !(std::isnan(a[k]) && std::isnan(b[k]))) return false;
    return true;
}

// Everything that one evaluation computes, in double.
std::vector<double> evaluate(const System& s, const FunctionsOptions& options, Quad t, const std::vector<Quad>& z,
                             const std::vector<Quad>& mu) {
    SystemFunctions<double> f(s, options);
    const std::vector<double> zd(z.begin(), z.end()), mud(mu.begin(), mu.end());
    const std::size_t m = mu.size(), n_df = f.df().position.size();
    std::vector<double> out(m + n_df + f.d2f().position.size());
    f(static_cast<double>(t), zd.data(), mud.data(), out.data(), out.data() + m, out.data() + m + n_df);
    return out;
}

TEST(Derivatives, OfRandomSystemsAgreeWithDifferencesAndAllEvaluators) {
    const bool has_native = expr::plugin().available();
    if (!has_native) std::cout << "without native code: " << expr::plugin().reason() << '\n';
    const Range range = systems();
    for (std::uint64_t seed = range.first; seed < range.first + range.number && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const System s = test::random_system(random);
        const std::int64_t expand_limit = seed % 3 == 0 ? 600 : 0; // families mostly stay loops
        Evaluation at(s, expand_limit);
        const std::vector<Quad> z = random_vector(random, at.functions().n_coordinates());
        const std::vector<Quad> mu = random_vector(random, at.functions().n_equations());
        const Quad t = 0.375;
        ASSERT_EQ(expr::check(at.functions().function().kernel()), "");
        expect_naive_values(s, at.functions().coordinates(), t, z, at(t, z, mu).f);
        expect_derivatives(at, t, z, mu);
        if (!has_native) continue;
        FunctionsOptions options{.evaluator = {.backend = expr::Backend::interpreter},
                                 .lowering = {.expand_limit = expand_limit}};
        const auto interpreted = evaluate(s, options, t, z, mu);
        options.evaluator.backend = expr::Backend::jit;
        EXPECT_TRUE(same_bits(interpreted, evaluate(s, options, t, z, mu))) << "native code differs";
    }
}

} // namespace
} // namespace vessiot
