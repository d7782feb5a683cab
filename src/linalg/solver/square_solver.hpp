// A x = b for a square matrix of fixed pattern, by the factorisation that suits the pattern, chosen once:
//   dense   few rows, or little sparsity
//   band    narrow after reverse Cuthill-McKee
//   sparse  the rest
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

template <class S> class SquareSolver {
public:
    // `is_definite`: A is symmetric positive definite, possibly with scaled columns, so that no pivoting is needed.
    explicit SquareSolver(const Pattern& p, bool is_definite = false);
    // The same for entries that come in another order: the k-th is the entry order[k] of the pattern.
    SquareSolver(const Pattern& p, bool is_definite, const std::vector<std::int32_t>& order);
    SquareSolver(SquareSolver&&) noexcept;
    SquareSolver& operator=(SquareSolver&&) noexcept;
    ~SquareSolver();

    // The entries are in the order of the pattern. False where A is singular; then solve() gives nothing of use.
    // Does not allocate after the first call.
    bool factor(const S* entries);
    // In place. Does not allocate.
    void solve(S* b);
    // "dense", "band" or "sparse".
    std::string_view kind() const;
    // Multiplications of factor() and of solve(), about, known from the pattern.
    struct Work {
        double factor = 0, solve = 0;
    };
    Work work() const { return work_; }
    // The smallest pivot over the largest (rows scaled): near 0 means near to singular. 0 where A is singular.
    Real<S> pivot_ratio() const;

    class Part;

private:
    Work work_; // first: that of the part is found while it is made
    std::unique_ptr<Part> part_;
};

extern template class SquareSolver<double>;
extern template class SquareSolver<Quad>;
extern template class SquareSolver<Complex<double>>;
extern template class SquareSolver<Complex<Quad>>;

} // namespace vessiot::linalg
