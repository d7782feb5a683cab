// The expression engine against hand-written and generated code.
//
//   Andrews' mechanism (800 operations, straight-line): f, df and d2f.mu, native and interpreted, against C generated
//   from the same graph and compiled at -O3 -march=native.
//   A chain of n links (families): the same against hand-written loops; compile time and code size at every n.
//   Ten thousand distinct equations: reading, differentiating, compiling.
//
// Compile times are counters (milliseconds), code sizes bytes.
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "expr/graph/jacobian.hpp"
#include "lang/model.hpp"
#include "support/generated_c.hpp"
#include "support/links_by_hand.hpp"
#include "system/functions.hpp"

namespace vessiot::bench {
namespace {

using namespace expr;

FunctionsOptions with(Backend backend, CodeQuality quality = CodeQuality::quick) {
    FunctionsOptions o;
    o.evaluator.backend = backend;
    o.evaluator.quality = quality;
    o.lowering.expand_limit = 0; // as it is written: a straight-line model stays one, families stay loops
    return o;
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// ---- Andrews ----

struct Andrews {
    explicit Andrews(Backend backend, CodeQuality quality = CodeQuality::quick)
        : system(lang::load_model(VESSIOT_SOURCE_DIR "/gallery/andrews.ves")),
          functions(system, with(backend, quality)), z(static_cast<std::size_t>(functions.n_coordinates())),
          mu(static_cast<std::size_t>(functions.n_equations())), f(mu.size()), df(functions.df().position.size()),
          d2f(functions.d2f().position.size()) {
        for (std::size_t k = 0; k < z.size(); ++k) z[k] = 0.3 + 0.01 * static_cast<double>(k);
        for (std::size_t k = 0; k < mu.size(); ++k) mu[k] = 1 - 0.02 * static_cast<double>(k);
    }
    void evaluate() { functions(0.0, z.data(), mu.data(), f.data(), df.data(), d2f.data()); }

    System system;
    SystemFunctions<double> functions;
    std::vector<double> z, mu, f, df, d2f;
};

void run_andrews(benchmark::State& state, Backend backend, CodeQuality quality) {
    Andrews a(backend, quality);
    for (auto _ : state) {
        a.evaluate();
        benchmark::DoNotOptimize(a.d2f.data());
        benchmark::ClobberMemory();
    }
    Evaluator& e = a.functions.function().evaluator();
    state.counters["operations"] = static_cast<double>(e.kernel().n_operations());
    state.counters["compile_ms"] = 1e3 * e.compile_seconds();
    state.counters["code_bytes"] = static_cast<double>(e.code_size());
}

void andrews_generated_c(benchmark::State& state) {
    Andrews a(Backend::interpreter);
    const Lowered& lowered = a.functions.function().lowered();
    const GeneratedC code(*lowered.kernel);
    // parameter expressions are computed once here too
    std::vector<double> hoisted;
    double t = 0;
    std::vector<double*> buffers{&t, a.functions.parameters().data(), a.z.data(), a.mu.data()};
    if (lowered.prologue) {
        hoisted.resize(static_cast<std::size_t>(lowered.prologue->buffers.back().size + 4096));
        Interpreter<double> prologue(lowered.prologue);
        auto workspace = prologue.make_workspace();
        std::vector<double*> inputs = buffers;
        inputs.resize(lowered.prologue->buffers.size(), nullptr);
        hoisted.assign(static_cast<std::size_t>(lowered.kernel->buffers[4].size), 0);
        inputs[4] = hoisted.data();
        prologue(inputs.data(), workspace);
        buffers.push_back(hoisted.data());
    }
    std::vector<double> f(a.f.size()), df(a.df.size()), d2f(a.d2f.size()), scratch(4096);
    for (auto* out : {&f, &df, &d2f}) buffers.push_back(out->data());
    buffers.resize(lowered.kernel->buffers.size(), scratch.data());
    code(buffers.data());
    a.evaluate();
    for (std::size_t k = 0; k < d2f.size(); ++k)
        if (std::abs(d2f[k] - a.d2f[k]) > 1e-11 * (1 + std::abs(a.d2f[k]))) state.SkipWithError("the answers differ");
    for (auto _ : state) {
        code(buffers.data());
        benchmark::DoNotOptimize(d2f.data());
        benchmark::ClobberMemory();
    }
    state.counters["compile_ms"] = 1e3 * code.seconds();
}

BENCHMARK_CAPTURE(run_andrews, native, Backend::jit, CodeQuality::quick)->Name("andrews/native");
BENCHMARK_CAPTURE(run_andrews, full, Backend::jit, CodeQuality::full)->Name("andrews/native_full");
BENCHMARK_CAPTURE(run_andrews, interpreter, Backend::interpreter, CodeQuality::quick)->Name("andrews/interpreter");
BENCHMARK(andrews_generated_c)->Name("andrews/generated_c");

// ---- chain of n links ----

// f_i = (|q_i - q_{i+1}|^2 - 1)/2 with df and the contraction, q = (x, y).
struct Links {
    Links(std::int64_t n, Backend backend) {
        IndexSpace& index = g.index();
        const ArrayId x = g.add_array({.name = "x", .role = ArrayRole::unknown, .extent = {n}});
        const ArrayId y = g.add_array({.name = "y", .role = ArrayRole::unknown, .extent = {n}});
        const ArrayId mu = g.add_array({.name = "mu", .role = ArrayRole::auxiliary, .extent = {n - 1}});
        const VarId i = index.loop_var("i", 0, index.constant(1), index.constant(n - 1));
        const ListId here = index.list({index.var(i)}), next = index.list({index.add(index.var(i), index.constant(1))});
        const NodeId dx = g.sub(g.read(x, here), g.read(x, next)), dy = g.sub(g.read(y, here), g.read(y, next));
        const NodeId body = g.mul(g.constant(0.5), g.sub(g.add(g.square(dx), g.square(dy)), g.one()));
        const RowBlock rows{{{index.domain(std::vector{i}), here, body}}, {1}, {n - 1}, 0};
        df = jacobian(g, {rows}, n - 1, {x, y});
        d2f = hessian(g, {rows}, mu, {x, y});
        const ArrayId f = g.define("f", rows.lo, rows.extent, rows.contributions, true);
        EvaluatorOptions options{.backend = backend};
        function.emplace(g, std::vector<BufferSpec>{{"z", {x, y}}, {"mu", {mu}}},
                         std::vector<BufferSpec>{{"f", {f}}, {"df", {df.values}}, {"d2f", {d2f.values}}}, options,
                         LowerOptions{.expand_limit = 0});
        z.resize(static_cast<std::size_t>(2 * n));
        weights.assign(static_cast<std::size_t>(n - 1), 0.5);
        for (std::size_t k = 0; k < z.size(); ++k) z[k] = std::sin(static_cast<double>(k));
        out_f.resize(weights.size());
        out_df.resize(df.position.size());
        out_d2f.resize(d2f.position.size());
    }
    void evaluate() {
        const double* inputs[] = {z.data(), weights.data()};
        double* outputs[] = {out_f.data(), out_df.data(), out_d2f.data()};
        (*function)(inputs, outputs);
    }

    Graph g;
    SparseMatrix df, d2f;
    std::optional<Function<double>> function;
    std::vector<double> z, weights, out_f, out_df, out_d2f;
};

void run_links(benchmark::State& state, Backend backend) {
    const auto begin = std::chrono::steady_clock::now();
    Links links(state.range(0), backend);
    const double setup = milliseconds_since(begin);
    for (auto _ : state) {
        links.evaluate();
        benchmark::ClobberMemory();
    }
    state.counters["setup_ms"] = setup;
    state.counters["compile_ms"] = 1e3 * links.function->evaluator().compile_seconds();
    state.counters["code_bytes"] = static_cast<double>(links.function->evaluator().code_size());
    state.counters["local_values"] = static_cast<double>(links.out_df.size() + links.out_d2f.size());
}

void run_links_by_hand(benchmark::State& state) {
    Links links(state.range(0), Backend::interpreter);
    const std::int64_t n = state.range(0);
    for (auto _ : state) {
        links_by_hand(n, links.z.data(), links.weights.data(), links.out_f.data(), links.out_df.data(),
                      links.out_d2f.data());
        benchmark::ClobberMemory();
    }
}

BENCHMARK_CAPTURE(run_links, native, Backend::jit)->Name("links/native")->Arg(1000)->Arg(10'000)->Arg(100'000);
BENCHMARK_CAPTURE(run_links, interpreter, Backend::interpreter)
    ->Name("links/interpreter")
    ->Arg(1000)
    ->Arg(10'000)
    ->Arg(100'000);
BENCHMARK(run_links_by_hand)->Name("links/by_hand")->Arg(1000)->Arg(10'000)->Arg(100'000);

// ---- many distinct equations ----

// n equations no two of which are alike.
std::string distinct_equations(int n) {
    std::string text = "unknown x[" + std::to_string(n) + "]\n";
    for (int k = 1; k <= n; ++k) {
        const int a = k % n + 1, b = (k * 7 + 3) % n + 1;
        text += fmt::format("x[{}]' = -{}.5*x[{}] + sin(x[{}])*x[{}]^{} - exp(-{}*x[{}]^2)\n", k, k, k, a, b, 2 + k % 3,
                            k % 17 + 1, a);
    }
    return text;
}

void many_equations(benchmark::State& state) {
    const std::string text = distinct_equations(static_cast<int>(state.range(0)));
    const lang::Source source("many.ves", text);
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        const System system = lang::read_model(source);
        state.counters["read_ms"] = milliseconds_since(begin);
        SystemFunctions<double> functions(system, with(Backend::jit));
        const double compile = 1e3 * functions.function().evaluator().compile_seconds();
        state.counters["compile_ms"] = compile;
        state.counters["differentiate_ms"] = milliseconds_since(begin) - compile - state.counters["read_ms"];
        state.counters["operations"] = static_cast<double>(functions.function().kernel().n_operations());
    }
}
BENCHMARK(many_equations)->Arg(1000)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace vessiot::bench
