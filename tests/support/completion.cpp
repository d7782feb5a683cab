#include "support/completion.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "vessiot/model.hpp"

namespace vessiot::test {

namespace {

std::size_t at(int k) {
    return static_cast<std::size_t>(k);
}

Matrix zeros(int n) {
    return Matrix(at(n), std::vector<double>(at(n), 0));
}

Matrix identity(int n) {
    Matrix m = zeros(n);
    for (int i = 0; i < n; ++i) m[at(i)][at(i)] = 1;
    return m;
}

Matrix transpose(const Matrix& a) {
    Matrix m = a;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a.size(); ++j) m[i][j] = a[j][i];
    return m;
}

} // namespace

Inspection inspect_text(const std::string& text) {
    const System system = lang::read_model(lang::Source("model.ves", text));
    return inspect(system, with_model_options(system, {}));
}

Solution solve_text(const std::string& text, SolveOptions options) {
    const SolveOptions usual;
    if (options.method == usual.method) options.method = "dop853";
    if (options.rtol == usual.rtol) options.rtol = 1e-12;
    if (options.atol == usual.atol) options.atol = 1e-13;
    return solve(Model::parse(text), options);
}

std::string refusal(const std::string& text, const SolveOptions& options) {
    try {
        solve_text(text, options);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown for\n" << text;
    return "";
}

std::string Lines::text() const {
    return fmt::format("{}\nunknown {}\n{}\n{}\n", before, fmt::join(unknowns, ", "), fmt::join(equations, "\n"),
                       after);
}

Lines Lines::shuffled(std::mt19937_64& random) const {
    Lines other = *this;
    std::shuffle(other.unknowns.begin(), other.unknowns.end(), random);
    std::shuffle(other.equations.begin(), other.equations.end(), random);
    return other;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c(a.size(), std::vector<double>(b[0].size(), 0));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b[0].size(); ++j)
            for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
}

// L U with ones on the diagonals; the inverse from elementary matrices, all of it in integers.
Unimodular random_unimodular(std::mt19937_64& random, int n) {
    std::uniform_int_distribution<int> entry(-1, 1);
    Unimodular u{identity(n), identity(n)};
    const auto add_row = [&](int to, int from, double factor) { // row_to += factor row_from
        Matrix m = identity(n), inverse = identity(n);
        m[at(to)][at(from)] = factor;
        inverse[at(to)][at(from)] = -factor;
        u.matrix = product(m, u.matrix);
        u.inverse = product(u.inverse, inverse);
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) add_row(i, j, entry(random));
    for (int i = n; i-- > 0;)
        for (int j = n; j-- > i + 1;) add_row(i, j, entry(random));
    return u;
}

// Gram and Schmidt, twice.
Matrix random_rotation(std::mt19937_64& random, int n) {
    std::normal_distribution<double> normal;
    Matrix m = zeros(n);
    for (auto& row : m)
        for (double& x : row) x = normal(random);
    for (int pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < m.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                double dot = 0;
                for (std::size_t j = 0; j < m.size(); ++j) dot += m[i][j] * m[k][j];
                for (std::size_t j = 0; j < m.size(); ++j) m[i][j] -= dot * m[k][j];
            }
            double length = 0;
            for (const double x : m[i]) length += x * x;
            for (double& x : m[i]) x /= std::sqrt(length);
        }
    return m;
}

double LinearDae::Sine::derivative(int k, double t) const {
    return amplitude * std::pow(frequency, k) * std::sin(frequency * t + phase + k * M_PI / 2);
}

std::string LinearDae::Sine::text(int k) const {
    const double size = amplitude * std::pow(frequency, k) * (k % 4 >= 2 ? -1 : 1);
    return fmt::format("{}*{}({}*t + {})", size, k % 2 == 0 ? "sin" : "cos", frequency, phase);
}

LinearDae::LinearDae(std::mt19937_64& random, int n_differential, std::vector<int> blocks, bool is_exact)
    : n_(n_differential), n_differential_(n_differential), blocks_(std::move(blocks)) {
    for (const int b : blocks_) n_ += b;
    std::uniform_int_distribution<int> small(-2, 2), quarter(1, 6);
    Matrix e = identity(n_), b = identity(n_);
    j_ = zeros(n_);
    for (int i = 0; i < n_differential_; ++i)
        for (int k = 0; k < n_differential_; ++k) {
            j_[at(i)][at(k)] = small(random) * 0.25;
            b[at(i)][at(k)] = -j_[at(i)][at(k)];
        }
    int first = n_differential_;
    for (const int size : blocks_) {
        for (int i = 0; i < size; ++i) {
            e[at(first + i)][at(first + i)] = 0;
            if (i + 1 < size) e[at(first + i)][at(first + i + 1)] = 1;
        }
        first += size;
    }
    const auto sine = [&] { return Sine{small(random) + 2.5, quarter(random) * 0.25, small(random) * 0.5}; };
    for (int i = 0; i < n_differential_; ++i) z1_.push_back(sine());
    for (int i = n_differential_; i < n_; ++i) delta_.push_back(sine());
    Matrix q_inverse;
    if (is_exact) {
        p_inverse_ = random_unimodular(random, n_).matrix;
        Unimodular q = random_unimodular(random, n_);
        q_ = std::move(q.matrix);
        q_inverse = std::move(q.inverse);
    } else {
        p_inverse_ = random_rotation(random, n_);
        q_ = random_rotation(random, n_);
        q_inverse = transpose(q_);
    }
    e_ = product(product(p_inverse_, e), q_inverse);
    b_ = product(product(p_inverse_, b), q_inverse);
}

int LinearDae::index() const {
    return blocks_.empty() ? 0 : std::ranges::max(blocks_);
}

std::string LinearDae::right_side(int row) const {
    std::string text = "0";
    for (int k = 0; k < n_; ++k) {
        const double factor = p_inverse_[at(row)][at(k)];
        if (factor == 0) continue;
        if (k >= n_differential_) {
            text += fmt::format(" + ({})*{}", factor, delta_[at(k - n_differential_)].text(0));
            continue;
        }
        text += fmt::format(" + ({})*{}", factor, z1_[at(k)].text(1)); // z_1' - J z_1
        for (int i = 0; i < n_differential_; ++i)
            if (j_[at(k)][at(i)] != 0) text += fmt::format(" - ({})*{}", factor * j_[at(k)][at(i)], z1_[at(i)].text(0));
    }
    return text;
}

std::string LinearDae::text(bool has_matrices) const {
    const auto matrix = [&](const Matrix& m) {
        std::vector<std::string> rows;
        for (const auto& row : m) rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
        return fmt::format("[{}]", fmt::join(rows, ", "));
    };
    std::string out;
    if (has_matrices) {
        std::vector<std::string> right;
        for (int i = 0; i < n_; ++i) right.push_back(right_side(i));
        out = fmt::format("parameter E[{0},{0}] = {1}, B[{0},{0}] = {2}\nunknown y[{0}]\nE*y' + B*y = [{3}]\n", n_,
                          matrix(e_), matrix(b_), fmt::join(right, ", "));
    } else {
        out = "unknown y1";
        for (int i = 2; i <= n_; ++i) out += fmt::format(", y{}", i);
        out += "\n";
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) {
                if (e_[at(i)][at(j)] != 0) out += fmt::format("({})*y{}' + ", e_[at(i)][at(j)], j + 1);
                if (b_[at(i)][at(j)] != 0) out += fmt::format("({})*y{} + ", b_[at(i)][at(j)], j + 1);
            }
            out += fmt::format("0 = {}\n", right_side(i));
        }
    }
    out += "start ";
    const std::vector<double> start = y(0);
    for (int i = 0; i < n_; ++i)
        out += fmt::format("{}y{} = {}", i > 0 ? ", " : "",
                           has_matrices ? fmt::format("[{}]", i + 1) : fmt::format("{}", i + 1), start[at(i)]);
    return out + "\nsolve t = 0 .. 1\n";
}

std::vector<double> LinearDae::y(double t) const {
    Matrix z(at(n_), std::vector<double>(1, 0));
    for (int i = 0; i < n_differential_; ++i) z[at(i)][0] = z1_[at(i)].derivative(0, t);
    int first = n_differential_;
    for (const int size : blocks_) { // z_i = delta_i - z_(i+1)'
        for (int i = 0; i < size; ++i)
            for (int k = 0; i + k < size; ++k)
                z[at(first + i)][0] +=
                    (k % 2 == 0 ? 1 : -1) * delta_[at(first - n_differential_ + i + k)].derivative(k, t);
        first += size;
    }
    std::vector<double> result;
    for (const auto& row : product(q_, z)) result.push_back(row[0]);
    return result;
}

} // namespace vessiot::test
