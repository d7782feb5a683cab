// The equations of a system as functions that can be evaluated: the residual f, its sparse Jacobian df, and the
// contraction d2f = sum_i mu_i f_i'' of second derivatives, in double precision.
//
//     vessiot::Functions F(model);                    // or of a CallableSystem (callable.hpp)
//     std::vector<double> f = F.f(t, z), values = F.df(t, z);
//
// Arguments are t and z, the unknowns with their derivatives up to the highest one in the equations: for each unknown
// in the order of its declaration all elements, then all first derivatives, and so on (names() has them). Rows are the
// equations in order, families in the order of their loops; those that follow from a lagrangian or hamiltonian come
// last.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/choices.hpp"
#include "vessiot/error.hpp"

namespace vessiot {

class Model;
struct CallableSystem;
class FunctionsBase;

// Where a sparse matrix has entries: compressed columns.
struct SparsePattern {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int64_t>
        column_start; // columns + 1 numbers: entries of column c are column_start[c], ..., column_start[c + 1] - 1
    std::vector<std::int32_t> row; // of each entry, from 0, ascending within a column

    std::int64_t n_entries() const { return static_cast<std::int64_t>(row.size()); }

    static SparsePattern dense(std::int64_t rows, std::int64_t columns); // its values are the matrix column by column
    // From pairs of row and column in any order; doubles count once.
    static SparsePattern from_entries(std::int64_t rows, std::int64_t columns,
                                      std::vector<std::pair<std::int64_t, std::int64_t>> entries);
};

struct CompileOptions {
    Backend backend = Backend::automatic; // all give the same bits
    bool contraction = false;             // fused multiply-adds: faster, results differ in the last bits
    double expected_evaluations = 0;      // >= 0, a guess: `automatic` compiles nothing that does not pay. 0: not known
};

// For one thread at a time. What a function needs is made when it is first asked for: f alone is ready sooner than
// with its derivatives.
class Functions {
public:
    // Keeps what it needs of the model, which may change or go afterwards. Throws InvalidInput where the equations do
    // not determine the unknowns.
    explicit Functions(const Model& model, const CompileOptions& options = {});
    // Throws InvalidInput where the description makes no sense.
    explicit Functions(const CallableSystem& system);
    Functions(Functions&&) noexcept;
    Functions& operator=(Functions&&) noexcept;
    ~Functions();

    std::int64_t n_equations() const;
    std::int64_t n_coordinates() const;
    const std::vector<std::string>& names() const; // of the coordinates z: x, x', y[3]''

    const SparsePattern& df_pattern();
    const SparsePattern& d2f_pattern(); // the lower triangle

    // A wrong size of an argument throws InvalidInput. The values of df and d2f are in the order of their patterns; mu
    // has a number for each equation.
    void f(double t, std::span<const double> z, std::span<double> f);
    void df(double t, std::span<const double> z, std::span<double> df);
    void d2f(double t, std::span<const double> z, std::span<const double> mu, std::span<double> d2f);
    // All at once, which is cheaper than one by one; an empty span is left out, and mu is read only with d2f.
    void evaluate(double t, std::span<const double> z, std::span<const double> mu, std::span<double> f,
                  std::span<double> df, std::span<double> d2f);
    std::vector<double> f(double t, std::span<const double> z);
    std::vector<double> df(double t, std::span<const double> z);
    std::vector<double> d2f(double t, std::span<const double> z, std::span<const double> mu);

    // The parameters of a model; arrays in row-major order. Of a text model only those that stand in its formulas can
    // be changed: sizes, and what other parameters were computed from, are settings of Model::load. A parameter that
    // was computed from the changed one keeps its value.
    void set_parameter(const std::string& name, double value);
    void set_parameter(const std::string& name, std::span<const double> values);
    std::vector<double> parameter(const std::string& name) const;

    // Whether what was made so far runs as native code, and waiting until that is decided.
    bool is_native() const;
    void wait() const;

private:
    std::unique_ptr<FunctionsBase> base_;
};

} // namespace vessiot
