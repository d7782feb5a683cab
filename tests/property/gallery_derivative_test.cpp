// The functions of every gallery model: df against Quad differences of f, the contraction of d2f against
// differences of df, and native code against the interpreter.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quadmath.h>

#include "support/gallery.hpp"
#include "support/skip.hpp"

namespace vessiot::gallery_derivative_test {
namespace {

constexpr std::uint64_t seed = 20240607;

struct Model {
    std::string name;
    test::ParameterSettings set;
    std::string label;

    friend std::ostream& operator<<(std::ostream& out, const Model& model) { return out << model.label; }
};

// All models, and the families at a size where they stay loops.
std::vector<Model> models() {
    std::vector<Model> all;
    for (const std::string& name : test::gallery_names()) all.push_back({name, {}, name});
    const std::vector<std::pair<std::string, test::ParameterSettings>> larger{
        {"mech", {{"n", "40"}}},       {"hanging_chain", {{"n", "30"}}},
        {"n_body", {{"n", "10"}}},     {"mech_table_energy", {{"n", "24"}, {"E", "3008.6"}}},
        {"heat", {{"n", "200"}}},      {"ring_springs", {{"n", "40"}}},
        {"n_pendulum", {{"n", "30"}}},
    };
    for (const auto& [name, set] : larger) all.push_back({name, set, name + "_n" + set[0].second});
    return all;
}

// A point near the start point, moved at random so that no term is zero by accident.
struct RandomPoint {
    Quad t;
    std::vector<Quad> z, mu;
};

RandomPoint random_point(const System& system, const Coordinates& coordinates, std::int64_t n_equations,
                         std::mt19937_64& random) {
    const test::StartPoint at = test::start_point(system, coordinates);
    std::uniform_real_distribution<double> uniform(-1, 1);
    RandomPoint point{at.t + Quad(0.01 * (1 + uniform(random))), at.z, {}};
    for (std::size_t k = 0; k < point.z.size(); ++k) {
        const bool is_known = at.is_given[k] || at.is_guessed[k];
        // NOTE: small steps keep the arguments of log and sqrt positive, and bodies apart
        point.z[k] += is_known ? Quad(0.003 * uniform(random)) : Quad(uniform(random));
    }
    for (std::int64_t k = 0; k < n_equations; ++k) point.mu.push_back(uniform(random));
    return point;
}

// f, and dense df and d2f contracted with mu.
struct Values {
    std::vector<Quad> f, df, gradient, d2f; // df[row + column * m], gradient = df^T mu, d2f[row + column * n]
};

class Evaluation {
public:
    Evaluation(const System& system, bool has_d2f) : functions_(system, {.d2f = has_d2f}), has_d2f_(has_d2f) {}

    Values operator()(Quad t, const std::vector<Quad>& z, const std::vector<Quad>& mu) {
        const auto m = static_cast<std::size_t>(functions_.n_equations()), n = z.size();
        const expr::SparseMatrix &df = functions_.df(), &d2f = functions_.d2f();
        Values v{std::vector<Quad>(m), std::vector<Quad>(m * n), std::vector<Quad>(n), {}};
        std::vector<Quad> df_local(df.position.size()), df_entries(df.row.size());
        std::vector<Quad> d2f_local(d2f.position.size()), d2f_entries(d2f.row.size());
        functions_(t, z.data(), mu.data(), v.f.data(), df_local.data(), d2f_local.data());
        df.assemble(df_local.data(), df_entries.data());
        for_each(df, [&](std::size_t r, std::size_t c, std::size_t k) {
            v.df[r + c * m] = df_entries[k];
            v.gradient[c] += mu[r] * df_entries[k];
        });
        if (has_d2f_) {
            v.d2f.resize(n * n);
            d2f.assemble(d2f_local.data(), d2f_entries.data());
            for_each(d2f, [&](std::size_t r, std::size_t c, std::size_t k) {
                v.d2f[r + c * n] = v.d2f[c + r * n] = d2f_entries[k];
            });
        }
        return v;
    }

    SystemFunctions<Quad>& functions() { return functions_; }

private:
    template <class Visit> static void for_each(const expr::SparseMatrix& a, const Visit& visit) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(a.columns); ++c)
            for (auto k = a.column_start[c]; k < a.column_start[c + 1]; ++k)
                visit(static_cast<std::size_t>(a.row[static_cast<std::size_t>(k)]), c, static_cast<std::size_t>(k));
    }

    SystemFunctions<Quad> functions_;
    bool has_d2f_;
};

class GalleryFunctions : public testing::TestWithParam<Model> {
protected:
    static void SetUpTestSuite() { std::cout << "seed " << seed << '\n'; }
};

TEST_P(GalleryFunctions, DerivativesAgreeWithDifferences) {
    const System system = test::gallery_system(GetParam().name, GetParam().set);
    Evaluation both(system, true), first(system, false);
    const auto m = static_cast<std::size_t>(both.functions().n_equations());
    const Coordinates& coordinates = both.functions().coordinates();
    const std::vector<std::string> names = coordinate_names(system, coordinates);
    std::mt19937_64 random(seed);
    const RandomPoint at = random_point(system, coordinates, both.functions().n_equations(), random);
    const std::size_t n = at.z.size();
    const Values v = both(at.t, at.z, at.mu);

    // (8 (f(z + h) - f(z - h)) - (f(z + 2h) - f(z - 2h))) / 12 h: the error is h^4/30 times a fifth derivative, and
    // 1e-34/h of rounding; with h = 2^-30 both are below 1e-20 of the largest term, also where bodies are 1e-3 apart
    const Quad h = Quad(0x1p-30);
    const double bound = 1e-15;
    std::vector<Quad> row_size(m);
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t r = 0; r < m; ++r) row_size[r] = fmaxq(row_size[r], fabsq(v.df[r + c * m]));
    double worst_df = 0, worst_d2f = 0;
    for (std::size_t c = 0; c < n; ++c) {
        std::vector<Values> shifted;
        for (const int k : {1, -1, 2, -2}) {
            std::vector<Quad> z = at.z;
            z[c] += k * h;
            shifted.push_back(first(at.t, z, at.mu));
        }
        const auto difference = [&](const auto& part, std::size_t i) {
            return (8 * (part(shifted[0])[i] - part(shifted[1])[i]) - (part(shifted[2])[i] - part(shifted[3])[i])) /
                   (12 * h);
        };
        for (std::size_t r = 0; r < m; ++r) {
            ASSERT_TRUE(finiteq(v.df[r + c * m])) << "row " << r << " by " << names[c];
            const Quad d = difference([](const Values& s) -> const std::vector<Quad>& { return s.f; }, r);
            const Quad scale = fmaxq(row_size[r], Quad(1e-6));
            const auto error = static_cast<double>(fabsq(d - v.df[r + c * m]) / scale);
            worst_df = std::max(worst_df, error);
            EXPECT_LE(error, bound) << "row " << r << " by " << names[c];
        }
        Quad column_size = Quad(1e-6);
        for (std::size_t r = 0; r < n; ++r) column_size = fmaxq(column_size, fabsq(v.d2f[r + c * n]));
        for (std::size_t r = 0; r < n; ++r) {
            const Quad d = difference([](const Values& s) -> const std::vector<Quad>& { return s.gradient; }, r);
            const auto error = static_cast<double>(fabsq(d - v.d2f[r + c * n]) / column_size);
            worst_d2f = std::max(worst_d2f, error);
            EXPECT_LE(error, bound) << names[r] << " and " << names[c];
        }
    }
    std::cout << GetParam().label << ": largest relative difference of df " << worst_df << ", of d2f " << worst_d2f
              << '\n';
}

// The same number, or both not a number.
bool is_same(double a, double b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

TEST_P(GalleryFunctions, NativeCodeGivesTheBitsOfTheInterpreter) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const System system = test::gallery_system(GetParam().name, GetParam().set);
    // families written out where they are small (the default), and as loops
    for (const std::int64_t expand_limit : {expr::LowerOptions{}.expand_limit, std::int64_t{0}}) {
        const auto options = [&](expr::Backend backend) {
            return FunctionsOptions{.evaluator = {.backend = backend}, .lowering = {.expand_limit = expand_limit}};
        };
        SystemFunctions<double> interpreted(system, options(expr::Backend::interpreter));
        SystemFunctions<double> native(system, options(expr::Backend::jit));
        std::mt19937_64 random(seed);
        for (int repeat = 0; repeat < 3; ++repeat) {
            const RandomPoint at = random_point(system, interpreted.coordinates(), interpreted.n_equations(), random);
            const std::vector<double> z(at.z.begin(), at.z.end()), mu(at.mu.begin(), at.mu.end());
            std::vector<std::vector<double>> results[2];
            for (SystemFunctions<double>* functions : {&interpreted, &native}) {
                std::vector<double> f(static_cast<std::size_t>(functions->n_equations()));
                std::vector<double> df(functions->df().position.size()), d2f(functions->d2f().position.size());
                (*functions)(static_cast<double>(at.t), z.data(), mu.data(), f.data(), df.data(), d2f.data());
                results[functions == &native] = {f, df, d2f};
            }
            for (std::size_t part = 0; part < 3; ++part) {
                ASSERT_EQ(results[0][part].size(), results[1][part].size());
                for (std::size_t k = 0; k < results[0][part].size(); ++k)
                    EXPECT_TRUE(is_same(results[0][part][k], results[1][part][k]))
                        << (part == 0   ? "f"
                            : part == 1 ? "df"
                                        : "d2f")
                        << '[' << k << "]: interpreter " << results[0][part][k] << ", native " << results[1][part][k];
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, GalleryFunctions, testing::ValuesIn(models()),
                         [](const auto& model) { return model.param.label; });

} // namespace
} // namespace vessiot::gallery_derivative_test
