// Our linear algebra beside Eigen and SuiteSparse (KLU, AMD, CHOLMOD), at the sizes of our problems, in one run: the
// figures of docs/decisions/0025-linear-algebra.md. A row is a factorisation with one solve, in microseconds, and the
// ratio of the library to ours.
//
//   build/release/bin/linalg_bench [--json FILE]
//
// Matrices: random dense ones; the Jacobian of a chain (band), of the heat equation on a square (5-point), of a net of
// random links.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <amd.h>
#include <cholmod.h>
#include <fmt/format.h>
#include <klu.h>
#include <nlohmann/json.hpp>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/dense/pivoted_ldlt.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/ordering.hpp"
#include "linalg/sparse/sparse_lu.hpp"

using namespace vessiot::linalg;

namespace {

using Clock = std::chrono::steady_clock;

// The least time of a call over several rounds, in microseconds; a round lasts at least 2 ms.
double least_time(const std::function<void()>& call) {
    double least = std::numeric_limits<double>::infinity();
    int repeats = 1;
    for (int round = 0; round < 9;) {
        const auto begin = Clock::now();
        for (int i = 0; i < repeats; ++i) call();
        const double time = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        if (time < 2000 && repeats < 1'000'000) {
            repeats *= 2;
            continue;
        }
        least = std::min(least, time / repeats);
        ++round;
    }
    return least;
}

struct Row {
    std::string what, peer;
    std::int64_t size;
    double ours, theirs;
};
std::vector<Row> rows;

void compare(std::string what, std::string peer, std::int64_t size, const std::function<void()>& ours,
             const std::function<void()>& theirs) {
    const Row row{std::move(what), std::move(peer), size, least_time(ours), least_time(theirs)};
    fmt::print("{:34} {:>7} {:>12.2f} {:>12.2f} {:>8.2f}  {}\n", row.what, row.size, row.ours, row.theirs,
               row.theirs / row.ours, row.peer);
    std::fflush(stdout);
    rows.push_back(row);
}

Eigen::MatrixXd random_matrix(int m, int n) {
    std::mt19937 random(static_cast<unsigned>(1000 * m + n));
    std::uniform_real_distribution<double> entry(-1, 1);
    Eigen::MatrixXd a(m, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) a(i, j) = entry(random);
    return a;
}

void dense_lu(int n) {
    const Eigen::MatrixXd a = random_matrix(n, n);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
    DenseLu<double> ours(n);
    Eigen::PartialPivLU<Eigen::MatrixXd> theirs(n);
    Eigen::VectorXd x(n), y(n);
    compare(
        "dense LU", "Eigen PartialPivLU", n,
        [&] {
            std::copy_n(a.data(), n * n, ours.matrix());
            ours.factor();
            x = b;
            ours.solve(x.data());
        },
        [&] {
            theirs.compute(a);
            y = theirs.solve(b);
        });
}

void pivoted_qr(int m, int n) {
    const Eigen::MatrixXd a = random_matrix(m, n);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(m);
    PivotedQr<double> ours(m, n);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> theirs(m, n);
    Eigen::VectorXd x(n), y(n);
    compare(
        fmt::format("shortest solution, {} rows", m), "Eigen CompleteOrthogonalDecomposition", n,
        [&] {
            std::copy_n(a.data(), m * n, ours.matrix());
            ours.factor(1e-12);
            ours.solve_min_norm(b.data(), x.data());
        },
        [&] {
            theirs.compute(a);
            y = theirs.solve(b);
        });
}

void svd(int n) {
    const Eigen::MatrixXd a = random_matrix(n, n);
    JacobiSvd<double> ours(n, n);
    Eigen::JacobiSVD<Eigen::MatrixXd> jacobi(n, n, Eigen::ComputeFullV);
    compare(
        "singular values and V", "Eigen JacobiSVD", n,
        [&] {
            std::copy_n(a.data(), n * n, ours.matrix());
            ours.factor();
        },
        [&] { jacobi.compute(a); });
    Eigen::BDCSVD<Eigen::MatrixXd> divided(n, n, Eigen::ComputeFullV);
    compare(
        "singular values and V", "Eigen BDCSVD", n,
        [&] {
            std::copy_n(a.data(), n * n, ours.matrix());
            ours.factor();
        },
        [&] { divided.compute(a); });
}

void ldlt(int n) {
    const Eigen::MatrixXd a = random_matrix(n, 2 * n);
    const Eigen::MatrixXd normal = a * a.transpose();
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
    PivotedLdlt<double> ours(n);
    Eigen::LDLT<Eigen::MatrixXd> theirs(n);
    Eigen::VectorXd x(n), y(n);
    compare(
        "pivoted L D L^T", "Eigen LDLT", n,
        [&] {
            std::copy_n(normal.data(), n * n, ours.matrix());
            ours.factor();
            x = b;
            ours.solve(x.data());
        },
        [&] {
            theirs.compute(normal);
            y = theirs.solve(b);
        });
}

struct Sparse {
    std::string name;
    Pattern pattern;
    std::vector<double> entries;
};

Sparse sparse(std::string name, std::int64_t n, const std::vector<Place>& places) {
    Sparse result{std::move(name), make_pattern(n, n, places), {}};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> entry(-1, 1);
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t e = result.pattern.column_start[static_cast<std::size_t>(j)];
             e < result.pattern.column_start[static_cast<std::size_t>(j) + 1]; ++e)
            result.entries.push_back(result.pattern.row[static_cast<std::size_t>(e)] == j ? 8 : entry(random));
    return result;
}

// i is linked with i - 1 and i + 1 (chain), with its neighbours on a square (grid), or with two others anywhere (net).
Sparse chain(int n) {
    std::vector<Place> places;
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) places.push_back({i, j});
    return sparse("chain", n, places);
}
Sparse grid(int side) {
    std::vector<Place> places;
    for (int i = 0; i < side * side; ++i) {
        places.push_back({i, i});
        if (i % side + 1 < side) places.insert(places.end(), {{i, i + 1}, {i + 1, i}});
        if (i + side < side * side) places.insert(places.end(), {{i, i + side}, {i + side, i}});
    }
    return sparse("grid", side * side, places);
}
Sparse net(int n) {
    std::vector<Place> places;
    std::mt19937 random(3);
    for (int i = 0; i < n; ++i) {
        places.push_back({i, i});
        for (int k = 0; k < 2; ++k)
            places.push_back(
                {i, std::uniform_int_distribution<int>(std::max(0, i - 30), std::min(n - 1, i + 30))(random)});
    }
    return sparse("net", n, places);
}

void sparse_lu(const Sparse& a) {
    const auto n = static_cast<int>(a.pattern.rows);
    std::vector<int> start(a.pattern.column_start.begin(), a.pattern.column_start.end()),
        row(a.pattern.row.begin(), a.pattern.row.end());
    std::vector<double> entries = a.entries, x(static_cast<std::size_t>(n)), y(x);
    klu_common common;
    klu_defaults(&common);
    klu_symbolic* symbolic = klu_analyze(n, start.data(), row.data(), &common);
    klu_numeric* numeric = klu_factor(start.data(), row.data(), entries.data(), symbolic, &common);
    SparseLu<double> ours(a.pattern);
    ours.factor(entries.data());
    compare(
        a.name + ": LU again, our order", "KLU refactor", n,
        [&] {
            ours.factor(entries.data());
            std::ranges::fill(x, 1.0);
            ours.solve(x.data());
        },
        [&] {
            klu_refactor(start.data(), row.data(), entries.data(), symbolic, numeric, &common);
            std::ranges::fill(y, 1.0);
            klu_solve(symbolic, numeric, n, 1, y.data(), &common);
        });
    SquareSolver<double> chosen(a.pattern);
    chosen.factor(entries.data());
    compare(
        fmt::format("{}: what is chosen ({})", a.name, chosen.kind()), "KLU refactor", n,
        [&] {
            chosen.factor(entries.data());
            std::ranges::fill(x, 1.0);
            chosen.solve(x.data());
        },
        [&] {
            klu_refactor(start.data(), row.data(), entries.data(), symbolic, numeric, &common);
            std::ranges::fill(y, 1.0);
            klu_solve(symbolic, numeric, n, 1, y.data(), &common);
        });
    compare(
        a.name + ": analysis and first LU", "KLU analyze, factor", n,
        [&] {
            SparseLu<double> first(a.pattern);
            first.factor(entries.data());
        },
        [&] {
            klu_symbolic* s = klu_analyze(n, start.data(), row.data(), &common);
            klu_numeric* f = klu_factor(start.data(), row.data(), entries.data(), s, &common);
            klu_free_numeric(&f, &common);
            klu_free_symbolic(&s, &common);
        });
    fmt::print("  entries of L and U: ours {}, KLU {}\n", ours.fill(), numeric->lnz + numeric->unz - n);
    const Pattern symmetric = neighbours(a.pattern);
    std::vector<int> from(symmetric.column_start.begin(), symmetric.column_start.end()),
        order(static_cast<std::size_t>(n));
    compare(
        a.name + ": minimum degree", "AMD", n, [&] { minimum_degree(symmetric); },
        [&] { amd_order(n, from.data(), symmetric.row.data(), order.data(), nullptr, nullptr); });
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
}

// The multipliers of links between neighbours on a line or a square, each with four coordinates: N = A A^T.
void normal_equations(const std::string& name, const std::vector<Place>& links, std::int64_t points) {
    std::vector<Place> places;
    for (std::size_t k = 0; k < links.size(); ++k)
        for (const std::int32_t point : {links[k].row, links[k].column})
            for (std::int32_t d = 0; d < 2; ++d) places.push_back({static_cast<std::int32_t>(k), 2 * point + d});
    const auto k = static_cast<std::int64_t>(links.size());
    const Pattern pattern = make_pattern(k, 2 * points, places);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> entry(0.2, 1);
    std::vector<double> entries(static_cast<std::size_t>(pattern.entries()));
    for (double& e : entries) e = entry(random);
    NormalSolver<double> ours(pattern);
    std::vector<double> lambda(static_cast<std::size_t>(k));
    const std::vector<double> b(static_cast<std::size_t>(k), 1.0);

    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_AUTO;
    cholmod_sparse* a = cholmod_allocate_sparse(static_cast<std::size_t>(k), static_cast<std::size_t>(2 * points),
                                                entries.size(), 1, 1, 0, CHOLMOD_REAL, &common);
    std::ranges::copy(pattern.column_start, static_cast<int*>(a->p));
    std::ranges::copy(pattern.row, static_cast<int*>(a->i));
    std::ranges::copy(entries, static_cast<double*>(a->x));
    cholmod_factor* factor = cholmod_analyze(a, &common); // of A A^T
    cholmod_dense* right = cholmod_ones(static_cast<std::size_t>(k), 1, CHOLMOD_REAL, &common);
    ours.factor(entries.data(), nullptr);
    compare(
        fmt::format("normal equations of a {} ({})", name, ours.kind()), "CHOLMOD", k,
        [&] {
            ours.factor(entries.data(), nullptr);
            ours.solve(b.data(), lambda.data());
        },
        [&] {
            cholmod_factorize(a, factor, &common);
            cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor, right, &common);
            cholmod_free_dense(&x, &common);
        });
    cholmod_free_dense(&right, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_finish(&common);
}

std::vector<Place> line_links(int n) {
    std::vector<Place> links;
    for (int i = 0; i + 1 < n; ++i) links.push_back({i, i + 1});
    return links;
}
std::vector<Place> square_links(int side) {
    std::vector<Place> links;
    for (int i = 0; i < side * side; ++i) {
        if (i % side + 1 < side && i % 3 != 0) links.push_back({i, i + 1});
        if (i + side < side * side && i % 3 != 1) links.push_back({i, i + side});
    }
    return links;
}

void write(const char* path) {
    nlohmann::json list = nlohmann::json::array();
    for (const Row& row : rows)
        list.push_back({{"what", row.what},
                        {"peer", row.peer},
                        {"size", row.size},
                        {"ours_us", row.ours},
                        {"peer_us", row.theirs},
                        {"ratio", row.theirs / row.ours}});
    std::ofstream(path) << list.dump(1) << "\n";
}

} // namespace

int main(int argc, char** argv) {
    fmt::print("{:34} {:>7} {:>12} {:>12} {:>8}  peer\n", "what", "size", "ours, us", "peer, us", "peer/our");
    for (const int n : {2, 4, 8, 14, 27, 60, 120}) dense_lu(n);
    for (const auto& [m, n] : {std::pair{2, 4}, {6, 14}, {12, 27}, {40, 100}}) pivoted_qr(m, n);
    for (const int n : {4, 14, 27, 60}) svd(n);
    for (const int n : {2, 6, 12, 27, 40}) ldlt(n);
    for (const int n : {100, 1000, 10000}) sparse_lu(chain(n));
    for (const int side : {10, 32, 100}) sparse_lu(grid(side));
    for (const int n : {100, 1000, 10000}) sparse_lu(net(n));
    for (const int n : {7, 50, 1000, 10000}) normal_equations("line", line_links(n), n);
    for (const int side : {10, 32, 100})
        normal_equations("square", square_links(side), static_cast<std::int64_t>(side) * side);
    if (argc == 3 && std::string(argv[1]) == "--json") write(argv[2]);
}
