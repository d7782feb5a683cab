// Systems whose completion is known, for the tests: models from their lines in any order, and linear ones with constant
// coefficients made from their Kronecker form.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "solve/inspect/inspection.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::test {

// What numbers say about a model text.
Inspection inspect_text(const std::string& text);
// The run of a model text with tight tolerances, unless the options say otherwise. Throws as solve() does.
Solution solve_text(const std::string& text, SolveOptions options = {});
// The message with which a model text is refused; a failure of the test where it is not.
std::string refusal(const std::string& text, const SolveOptions& options = {});

// A model as lists, so that they can be put into any order.
struct Lines {
    std::vector<std::string> unknowns, equations;
    std::string before, after; // parameters; start, interval
    std::string text() const;
    Lines shuffled(std::mt19937_64& random) const;
};

using Matrix = std::vector<std::vector<double>>;
Matrix product(const Matrix& a, const Matrix& b);
// An integer matrix with determinant 1, and its inverse.
struct Unimodular {
    Matrix matrix, inverse;
};
Unimodular random_unimodular(std::mt19937_64& random, int n);
Matrix random_rotation(std::mt19937_64& random, int n); // orthogonal, to rounding

// E y' + B y = f(t), made from its Kronecker form [Hairer, notes 2011, IV.1]
//
//   P E Q = (I 0; 0 N),   P B Q = (-J 0; 0 I)
//
// with nilpotent Jordan blocks N of the sizes given, and the solution known: y = Q z, the differential part z_1 and the
// right-hand side of the nilpotent part z_2 = sum (-N)^k delta^(k) are sines.
class LinearDae {
public:
    // With integer matrices, all of it is exact; else they are rotations, and the coefficients are rounded.
    LinearDae(std::mt19937_64& random, int n_differential, std::vector<int> blocks, bool is_exact);

    int size() const { return n_; }
    int index() const; // of nilpotency
    int n_free() const { return n_differential_; }
    // With parameter matrices, or each equation and unknown for itself.
    std::string text(bool has_matrices) const;
    std::vector<double> y(double t) const;

private:
    struct Sine {
        double amplitude = 0, frequency = 1, phase = 0;
        double derivative(int k, double t) const;
        std::string text(int k) const;
    };
    std::string right_side(int row) const;

    int n_, n_differential_;
    std::vector<int> blocks_;
    Matrix e_, b_, p_inverse_, q_, j_;
    std::vector<Sine> z1_, delta_;
};

} // namespace vessiot::test
