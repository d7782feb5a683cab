// The residual f of a system, its sparse Jacobian df and the contraction d2f(.,.)mu, compiled.
//
// Arguments: t, the parameters p, and the jets z = (x, x', ..., x^(order)) of all unknowns: for each unknown in the
// order of its declaration, all elements of order 0, then of order 1, and so on. Rows are the equations in order,
// families in the order of their loops.
#pragma once

#include <string>
#include <vector>

#include "expr/graph/function.hpp"
#include "expr/graph/jacobian.hpp"
#include "system/system.hpp"

namespace vessiot {

// The jets of a system in a fixed order.
struct Coordinates {
    std::vector<expr::ArrayId> jets;
    std::vector<std::int64_t> first; // position of each jet in z
    std::int64_t size = 0;
};

Coordinates jet_coordinates(const System& system);
// x[3]' for every element of z.
std::vector<std::string> coordinate_names(const System& system, const Coordinates& z);

// A family of rows: a number for every instance of the domain.
struct RowTemplate {
    expr::DomainId domain = 0;
    expr::NodeId value = 0;
};
// Families as consecutive rows, in order; an empty domain gives none.
std::vector<expr::RowBlock> row_blocks(expr::Graph& g, const std::vector<RowTemplate>& families, std::int64_t& n_rows);
// One array with all rows.
expr::ArrayId row_array(expr::Graph& g, const std::string& name, const std::vector<expr::RowBlock>& rows,
                        std::int64_t n_rows);
// Rows that are small written out are written out: nothing is left to assemble when they are differentiated.
void expand_small_rows(expr::Graph& g, std::vector<expr::RowBlock>& rows, std::int64_t limit);

// The equations as rows.
std::vector<expr::RowBlock> residual_rows(const System& system, std::int64_t& n_rows);

// Values of the parameters in the order of System::parameters, arrays in row-major order.
std::vector<Quad> parameter_values(const System& system);
// Of what is held between events, where a run begins; likewise.
std::vector<Quad> held_values(const System& system);

struct FunctionsOptions {
    bool df = true;
    bool d2f = true;
    expr::EvaluatorOptions evaluator{};
    expr::LowerOptions lowering{};
};

// S is double or Quad.
template <class S> class SystemFunctions {
public:
    explicit SystemFunctions(const System& system, const FunctionsOptions& options = {});

    std::int64_t n_equations() const { return n_equations_; }
    std::int64_t n_coordinates() const { return coordinates_.size; }
    const Coordinates& coordinates() const { return coordinates_; }
    const expr::SparseMatrix& df() const { return df_; }
    const expr::SparseMatrix& d2f() const { return d2f_; } // lower triangle
    std::vector<S>& parameters() { return parameters_; }   // call prepare() after a change
    void prepare();

    // f(t, z), and the local values of df and d2f (SparseMatrix::assemble makes entries of them). mu is read, and df,
    // d2f are written, only if they were asked for in the options; otherwise they may be null.
    void operator()(S t, const S* z, const S* mu, S* f, S* df_local, S* d2f_local);

    expr::Function<S>& function() { return *function_; }

private:
    Coordinates coordinates_;
    std::int64_t n_equations_ = 0;
    expr::SparseMatrix df_, d2f_;
    std::vector<S> parameters_;
    bool has_df_ = false, has_d2f_ = false;
    std::optional<expr::Function<S>> function_;
};

extern template class SystemFunctions<double>;
extern template class SystemFunctions<Quad>;

} // namespace vessiot
