#include "linalg/dense/pivoted_qr.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

template <class S> S dot(const S* a, const S* b, int n) {
    S sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Length, safe against overflow and underflow.
template <class S> S length(const S* a, int n, int stride = 1) {
    S largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, absolute(a[std::ptrdiff_t(i) * stride]));
    if (!(largest > 0) || !is_finite(largest)) return largest;
    S sum = 0;
    for (int i = 0; i < n; ++i) {
        const S share = a[std::ptrdiff_t(i) * stride] / largest;
        sum += share * share;
    }
    return largest * square_root(sum);
}

} // namespace

template <class S>
PivotedQr<S>::PivotedQr(int rows, int cols)
    : rows_(rows), cols_(cols), a_(at(rows) * at(cols)), beta_(at(cols)), gamma_(at(cols)), norm_(at(cols)),
      reference_(at(cols)), work_(at(std::max(rows, cols))), order_(at(cols)) {}

template <class S> int PivotedQr<S>::widest(int k) const {
    int p = k;
    for (int j = k + 1; j < cols_; ++j)
        if (norm_[at(j)] > norm_[at(p)]) p = j;
    return p;
}

template <class S> void PivotedQr<S>::swap_columns(int k, int p) {
    if (k == p) return;
    std::swap_ranges(column(k), column(k) + rows_, column(p));
    std::swap(norm_[at(k)], norm_[at(p)]);
    std::swap(reference_[at(k)], reference_[at(p)]);
    std::swap(order_[at(k)], order_[at(p)]);
}

// H = 1 - beta v v^T with H a = -sign(a_k) |a| e_k for the rest of column k, applied to the columns after it.
template <class S> void PivotedQr<S>::reflect_column(int k) {
    S* v = column(k) + k;
    const int n = rows_ - k;
    const S size = length(v, n);
    beta_[at(k)] = 0;
    if (!(size > 0)) return;
    const S head = v[0] > 0 ? -size : size;
    beta_[at(k)] = (head - v[0]) / head;
    const S inverse = 1 / (v[0] - head);
    for (int i = 1; i < n; ++i) v[i] *= inverse;
    v[0] = head;
    for (int j = k + 1; j < cols_; ++j) {
        S* a = column(j) + k;
        const S factor = beta_[at(k)] * (a[0] + dot(v + 1, a + 1, n - 1));
        a[0] -= factor;
        for (int i = 1; i < n; ++i) a[i] -= factor * v[i];
        update_norm(k, j);
    }
}

// What remains of column j without its entry in row k; afresh where too many digits have cancelled. [LAWN176]
template <class S> void PivotedQr<S>::update_norm(int k, int j) {
    S& norm = norm_[at(j)];
    if (norm == 0) return;
    const S share = column(j)[k] / norm;
    const S left = std::max(S(0), 1 - share * share);
    const S relative = norm / reference_[at(j)];
    if (left * relative * relative > square_root(epsilon<S>()))
        norm *= square_root(left);
    else
        norm = reference_[at(j)] = length(column(j) + k + 1, rows_ - k - 1);
}

template <class S> void PivotedQr<S>::factor(S tolerance) {
    for (int j = 0; j < cols_; ++j) {
        order_[at(j)] = j;
        norm_[at(j)] = reference_[at(j)] = length(column(j), rows_);
    }
    rank_ = 0;
    const int most = std::min(rows_, cols_);
    for (int k = 0; k < most; ++k) {
        swap_columns(k, widest(k));
        reflect_column(k);
        const S size = absolute(column(k)[k]);
        if (!(size > 0) || !is_finite(size) || !(size > tolerance * absolute(column(0)[0]))) break;
        rank_ = k + 1;
    }
    for (int k = rank_ - 1; k >= 0 && rank_ < cols_; --k) reflect_row(k);
}

// 1 - gamma v v^T from the right takes row k of [R11 R12], columns k and rank.., to a multiple of e_k.
template <class S> void PivotedQr<S>::reflect_row(int k) {
    gamma_[at(k)] = 0;
    const int n = cols_ - rank_;
    S* r = column(rank_) + k; // r[j * rows_]
    const S diagonal = column(k)[k], rest = length(r, n, rows_);
    if (!(rest > 0)) return;
    const S pair[2] = {diagonal, rest};
    const S size = length(pair, 2);
    const S head = diagonal > 0 ? -size : size;
    gamma_[at(k)] = (head - diagonal) / head;
    const S inverse = 1 / (diagonal - head);
    for (int j = 0; j < n; ++j) r[std::ptrdiff_t(j) * rows_] *= inverse;
    column(k)[k] = head;
    for (int i = 0; i < k; ++i) {
        S* a = column(rank_) + i;
        S sum = column(k)[i];
        for (int j = 0; j < n; ++j) sum += a[std::ptrdiff_t(j) * rows_] * r[std::ptrdiff_t(j) * rows_];
        sum *= gamma_[at(k)];
        column(k)[i] -= sum;
        for (int j = 0; j < n; ++j) a[std::ptrdiff_t(j) * rows_] -= sum * r[std::ptrdiff_t(j) * rows_];
    }
}

template <class S> void PivotedQr<S>::solve_min_norm(const S* b, S* x) {
    S* y = work_.data();
    std::copy_n(b, rows_, y);
    for (int k = 0; k < rank_; ++k) { // Q^T b
        const S* v = column(k) + k;
        const int n = rows_ - k;
        const S factor = beta_[at(k)] * (y[k] + dot(v + 1, y + k + 1, n - 1));
        y[k] -= factor;
        for (int i = 1; i < n; ++i) y[k + i] -= factor * v[i];
    }
    for (int k = rank_ - 1; k >= 0; --k) { // T^-1
        y[k] /= column(k)[k];
        for (int i = 0; i < k; ++i) y[i] -= column(k)[i] * y[k];
    }
    std::fill(y + rank_, y + cols_, S(0));
    apply_z(y);
    for (int k = 0; k < cols_; ++k) x[order_[at(k)]] = y[k];
}

// y = Z y
template <class S> void PivotedQr<S>::apply_z(S* y) {
    for (int k = 0; k < rank_ && rank_ < cols_; ++k) {
        const S* r = column(rank_) + k;
        S sum = y[k];
        for (int j = rank_; j < cols_; ++j) sum += r[std::ptrdiff_t(j - rank_) * rows_] * y[j];
        sum *= gamma_[at(k)];
        y[k] -= sum;
        for (int j = rank_; j < cols_; ++j) y[j] -= sum * r[std::ptrdiff_t(j - rank_) * rows_];
    }
}

template <class S> void PivotedQr<S>::kernel_vector(S* x) {
    if (cols_ == 0) return;
    S* y = work_.data();
    std::fill_n(y, cols_, S(0));
    const int last = std::min(rank_, cols_ - 1);
    y[last] = 1;
    if (rank_ < cols_) {
        apply_z(y);
    } else { // R y = r_last,last e_last
        for (int i = 0; i < last; ++i) y[i] = -column(last)[i];
        for (int k = last - 1; k >= 0; --k) {
            y[k] /= column(k)[k];
            for (int i = 0; i < k; ++i) y[i] -= column(k)[i] * y[k];
        }
    }
    const S size = length(y, cols_);
    for (int k = 0; k < cols_; ++k) x[order_[at(k)]] = y[k] / size;
}

// Gram-Schmidt, twice for each row so that what is left is orthogonal to working precision.
// Gram and Schmidt, twice; what is zero in a vector of the basis is left out, which for sparse rows is most of it.
template <class S> std::vector<int> dependent_rows(const S* a, int rows, int cols, S tolerance) {
    struct Entry {
        int column;
        S value;
    };
    std::vector<int> result;
    std::vector<std::vector<Entry>> basis;
    std::vector<S> row(at(cols));
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) row[at(j)] = a[std::ptrdiff_t(j) * rows + i];
        const S whole = length(row.data(), cols);
        for (int round = 0; round < 2; ++round)
            for (const std::vector<Entry>& b : basis) {
                S share = 0;
                for (const Entry& e : b) share += e.value * row[at(e.column)];
                if (share == S(0)) continue;
                for (const Entry& e : b) row[at(e.column)] -= share * e.value;
            }
        const S left = length(row.data(), cols);
        if (!(left > tolerance * whole) || !is_finite(left)) {
            result.push_back(i);
            continue;
        }
        std::vector<Entry>& b = basis.emplace_back();
        for (int j = 0; j < cols; ++j)
            if (row[at(j)] != S(0)) b.push_back({j, row[at(j)] / left});
    }
    return result;
}

template std::vector<int> dependent_rows(const double*, int, int, double);
template std::vector<int> dependent_rows(const Quad*, int, int, Quad);

template class PivotedQr<double>;
template class PivotedQr<Quad>;

} // namespace vessiot::linalg
