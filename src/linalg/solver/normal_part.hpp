// The ways to factorise N = A W A^T, behind one interface (normal_solver.hpp chooses).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

template <class S> class NormalPart {
public:
    NormalPart() = default;
    NormalPart(const NormalPart&) = delete;
    NormalPart& operator=(const NormalPart&) = delete;
    virtual ~NormalPart() = default;

    virtual bool factor(const S* entries, const S* w) = 0;
    virtual void solve(S* b) = 0; // in place
    virtual int rank() const = 0;
    // Can solve() be used after a factor() that found a deficient rank?
    virtual bool leaves_out_rows() const { return false; }
    virtual std::vector<int> dependent_rows() const = 0;
    virtual std::string_view kind() const = 0;
};

// N as a small dense matrix, with its rank.
template <class S> std::unique_ptr<NormalPart<S>> make_dense_normal(const Pattern& a);
// N banded or sparse; the rows of A named in `border` are eliminated last.
template <class S> std::unique_ptr<NormalPart<S>> make_sparse_normal(const Pattern& a, const std::vector<int>& border);
// [1, -W A^T; A, 0] (d, lambda) = (0, b), sparse.
template <class S> std::unique_ptr<NormalPart<S>> make_augmented_normal(const Pattern& a);

} // namespace vessiot::linalg
