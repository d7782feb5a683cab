// The equations for the tops and their derivatives at a point, and what u' is made of:
//
//   F(t, u, w) = 0,   B = F_u, A = F_w, F_t
//   u_k' = u_l  or  u_k' = w_j              u' = S u + E w
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/sparse/entries.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

using linalg::for_each_entry;

template <class S> class TopDerivatives {
public:
    struct Next { // u_k' is a coordinate or a top
        std::int32_t at;
        bool is_top;
    };

    // All must outlive it.
    TopDerivatives(const System& system, const Prolongation& p, Jets<S>& jets, const expr::EvaluatorOptions& evaluator);

    std::int64_t n_state() const { return n_state_; }
    std::int64_t n_tops() const { return n_tops_; }
    std::int64_t n_equations() const { return n_equations_; }
    Next next(std::int64_t k) const { return next_[static_cast<std::size_t>(k)]; }
    std::int32_t coordinate_of_top(std::int64_t j) const { return coordinate_of_top_[static_cast<std::size_t>(j)]; }
    // Of B, of A, and of (B A F_t).
    const linalg::Pattern& by_u() const { return by_u_; }
    const linalg::Pattern& by_w() const { return by_w_; }
    const linalg::Pattern& pattern() const { return function_.pattern(); }
    std::int64_t w_first() const { return w_first_; } // where A begins among the entries

    // At the point (t, u) with tops w: the entries into `to`, its own where that is left out; and F, see rows(). Does
    // not allocate. False where something is not finite.
    bool evaluate(S t, const S* u, const S* w) { return evaluate(t, u, w, entries_); }
    bool evaluate(S t, const S* u, const S* w, linalg::Vector<S>& to);
    const linalg::Vector<S>& entries() const { return entries_; }
    const S* A() const { return entries_.data() + w_first_; }
    const linalg::Vector<S>& rows() const { return rows_; }
    void take(const linalg::Vector<S>& entries); // in the place of its own
    // The equation, and the coordinate or behind them the top, of an entry that is not finite; -1 where there is none.
    std::pair<std::int64_t, std::int64_t> not_finite() const;

    // rows += B x; F_t into rows that are zero
    void add_products(const S* x, S* rows) const;
    void time_column(S* rows) const;
    // S y + E dw
    void spread(const S* y, const S* dw, S* dx) const;

private:
    Jets<S>& jets_;
    std::int64_t n_state_, n_tops_, n_equations_;
    std::vector<Next> next_;
    std::vector<std::int32_t> coordinate_of_top_;
    RowFunction<S> function_; // columns: u, w, t
    linalg::Pattern by_u_, by_w_;
    std::int64_t w_first_;
    linalg::Vector<S> entries_, rows_;
};

extern template class TopDerivatives<double>;
extern template class TopDerivatives<Quad>;

} // namespace vessiot
