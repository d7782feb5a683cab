#include "linalg/dense/pencil.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/matrix.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

constexpr double rank_tolerance = 1e-22, nothing = 1e-26;

// By rows.
struct Small {
    int rows = 0, columns = 0;
    std::vector<Quad> v{};

    Small(int r, int c) : rows(r), columns(c), v(static_cast<std::size_t>(r * c)) {}
    Quad& operator()(int i, int j) { return v[static_cast<std::size_t>(i * columns + j)]; }
    Quad operator()(int i, int j) const { return v[static_cast<std::size_t>(i * columns + j)]; }
};

Small product(const Small& a, const Small& b) {
    Small c(a.rows, b.columns);
    multiply(a.rows, a.columns, b.columns, a.v.data(), b.v.data(), c.v.data());
    return c;
}

Small part(const Small& a, int first_row, int n_rows, int first_column, int n_columns) {
    Small b(n_rows, n_columns);
    for (int i = 0; i < n_rows; ++i)
        for (int j = 0; j < n_columns; ++j) b(i, j) = a(first_row + i, first_column + j);
    return b;
}

Small beside(const Small& a, const Small& b) {
    Small c(a.rows, a.columns + b.columns);
    for (int i = 0; i < c.rows; ++i)
        for (int j = 0; j < c.columns; ++j) c(i, j) = j < a.columns ? a(i, j) : b(i, j - a.columns);
    return c;
}

// A^-1 B; nothing where A is singular.
std::optional<Small> solved(const Small& a, const Small& b) {
    if (a.rows == 0) return b;
    DenseLu<Quad> lu(a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.rows; ++j) lu.matrix()[j * a.rows + i] = a(i, j);
    if (!lu.factor()) return std::nullopt;
    Small x(b.rows, b.columns);
    std::vector<Quad> column(static_cast<std::size_t>(b.rows));
    for (int j = 0; j < b.columns; ++j) {
        for (int i = 0; i < b.rows; ++i) column[static_cast<std::size_t>(i)] = b(i, j);
        lu.solve(column.data());
        for (int i = 0; i < b.rows; ++i) x(i, j) = column[static_cast<std::size_t>(i)];
    }
    return x;
}

Small one(int n) {
    Small a(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = 1;
    return a;
}

Quad largest_of(const std::vector<Quad>& v) {
    Quad largest = 0;
    for (const Quad& x : v) largest = std::max(largest, absolute(x));
    return largest;
}

// Ranks by singular values, and how near they were to being others.
class Ranks {
public:
    double gap() const { return gap_; }

    // Orthonormal: its columns span the kernel of A, beside numbers of this size.
    Small kernel(const Small& a, Quad size) {
        JacobiSvd<Quad> svd = factored(a, false);
        const int rank = count(svd, size);
        return vectors(svd, rank, a.columns - rank, a.columns);
    }
    // The same of the range, whose dimension is known.
    static Small range(const Small& a, int dimension) {
        if (dimension == 0) return Small(a.rows, 0);
        const JacobiSvd<Quad> svd = factored(a, true);
        return vectors(svd, 0, dimension, a.rows);
    }

private:
    static JacobiSvd<Quad> factored(const Small& a, bool is_transposed) {
        const int rows = is_transposed ? a.columns : a.rows, columns = is_transposed ? a.rows : a.columns;
        JacobiSvd<Quad> svd(rows, columns);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) svd.matrix()[j * rows + i] = is_transposed ? a(j, i) : a(i, j);
        svd.factor();
        return svd;
    }
    int count(const JacobiSvd<Quad>& svd, Quad size) {
        int rank = 0;
        for (const Quad& sigma : svd.values()) rank += sigma > Quad(rank_tolerance) * size;
        if (rank > 0)
            gap_ = std::min(gap_, static_cast<double>(svd.values()[static_cast<std::size_t>(rank) - 1] / size));
        return rank;
    }
    static Small vectors(const JacobiSvd<Quad>& svd, int first, int n, int length) {
        Small v(length, n);
        for (int k = 0; k < n; ++k)
            for (int i = 0; i < length; ++i) v(i, k) = svd.vector(first + k)[i];
        return v;
    }

    double gap_ = 1;
};

// The same columns space, with ones and zeros in as many rows as there are columns.
Small with_ones(Small a) {
    std::vector<int> pivots;
    for (int k = 0; k < a.columns; ++k) {
        int row = -1, column = k;
        for (int i = 0; i < a.rows; ++i)
            for (int j = k; j < a.columns; ++j)
                if (std::ranges::find(pivots, i) == pivots.end() &&
                    (row < 0 || absolute(a(i, j)) > absolute(a(row, column)) * Quad(1.0001))) {
                    row = i;
                    column = j;
                }
        pivots.push_back(row);
        for (int i = 0; i < a.rows; ++i) std::swap(a(i, k), a(i, column));
        const Quad pivot = a(row, k);
        for (int i = 0; i < a.rows; ++i) a(i, k) /= pivot;
        for (int j = 0; j < a.columns; ++j) {
            if (j == k) continue;
            const Quad factor = a(row, j);
            for (int i = 0; i < a.rows; ++i) a(i, j) -= factor * a(i, k);
        }
    }
    // in the order of these rows
    std::vector<int> order(pivots.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int k) { return pivots[static_cast<std::size_t>(k)]; });
    Small sorted(a.rows, a.columns);
    for (int j = 0; j < a.columns; ++j)
        for (int i = 0; i < a.rows; ++i) {
            const Quad value = a(i, order[static_cast<std::size_t>(j)]);
            sorted(i, j) = absolute(value) < Quad(nothing) ? Quad(0) : value;
        }
    return sorted;
}

// x - K K^T x for the columns of a, K orthonormal
Small without(const Small& k, Small a) {
    for (int j = 0; j < a.columns; ++j)
        for (int l = 0; l < k.columns; ++l) {
            Quad dot = 0;
            for (int i = 0; i < a.rows; ++i) dot += k(i, l) * a(i, j);
            for (int i = 0; i < a.rows; ++i) a(i, j) -= dot * k(i, l);
        }
    return a;
}

// The kernels of M, M^2, ..., up to the one that grows no more; orthonormal. Beside `size` its noise is nothing.
std::vector<Small> kernels(const Small& m, Quad size, Ranks& ranks) {
    std::vector<Small> all{Small(m.rows, 0)};
    while (true) {
        Small next = ranks.kernel(without(all.back(), m), size);
        if (next.columns <= all.back().columns) break;
        all.push_back(std::move(next));
    }
    all.erase(all.begin());
    return all;
}

struct Chains {
    Small basis;
    std::vector<int> sizes{};
};

// A basis in which nilpotent M has ones above the diagonal: for each x at the top of a chain ..., M x, x. Tops of level
// j are those of K_j that neither K_(j-1) nor longer chains reach.
Chains chains(const Small& m, Quad size, Ranks& ranks) {
    const std::vector<Small> levels = kernels(m, size, ranks);
    Chains result{Small(m.rows, 0), {}};
    std::vector<Small> reached; // by chain: what it has at the level in question
    for (std::size_t j = levels.size(); j-- > 0;) {
        for (Small& x : reached) x = product(m, x);
        const Small below = j == 0 ? Small(m.rows, 0) : levels[j - 1];
        Small taken = below;
        for (const Small& x : reached) taken = beside(taken, x);
        const Small candidates = with_ones(levels[j]);
        while (taken.columns < levels[j].columns) {
            const Small basis = Ranks::range(taken, taken.columns), rest = without(basis, without(basis, candidates));
            int best = 0;
            Quad largest = 0;
            for (int k = 0; k < rest.columns; ++k) {
                Quad square = 0;
                for (int i = 0; i < rest.rows; ++i) square += rest(i, k) * rest(i, k);
                if (square > largest * Quad(1.0001)) {
                    largest = square;
                    best = k;
                }
            }
            Small x = part(candidates, 0, m.rows, best, 1);
            taken = beside(taken, x);
            reached.push_back(x);
            Small chain = x;
            for (std::size_t k = 0; k < j; ++k) {
                x = product(m, x);
                chain = beside(x, chain);
            }
            result.basis = beside(result.basis, chain);
            result.sizes.push_back(static_cast<int>(j) + 1);
        }
    }
    return result;
}

// M = (A + c B)^-1 B for the best of a few c.
struct Shifted {
    Quad c = 0;
    double ratio = 0;
    Small sum, m;
};

std::optional<Shifted> shifted(const Small& a, const Small& b) {
    const Quad size = largest_of(b.v) > 0 && largest_of(a.v) > 0 ? largest_of(a.v) / largest_of(b.v) : Quad(1);
    std::optional<Shifted> best;
    for (int k = 0; k <= a.rows + 2; ++k) { // det(A + c B) has at most n zeros
        const Quad c = Quad(k % 2 == 0 ? k / 2 : -(k / 2 + 1)) * size;
        Shifted s{c, 0, Small(a.rows, a.rows), Small(a.rows, a.rows)};
        for (std::size_t i = 0; i < s.sum.v.size(); ++i) s.sum.v[i] = a.v[i] + c * b.v[i];
        DenseLu<Quad> lu(a.rows);
        for (int i = 0; i < a.rows; ++i)
            for (int j = 0; j < a.rows; ++j) lu.matrix()[j * a.rows + i] = s.sum(i, j);
        if (!lu.factor() || static_cast<double>(lu.pivot_ratio()) < rank_tolerance) continue;
        s.ratio = static_cast<double>(lu.pivot_ratio());
        if (!best || s.ratio > 2 * best->ratio) best = std::move(s);
    }
    if (!best) return std::nullopt;
    const auto m = solved(best->sum, b);
    if (!m) return std::nullopt;
    best->m = *m;
    return best;
}

void clean(std::vector<Quad>& v) {
    const Quad small = Quad(nothing) * std::max(Quad(1), largest_of(v));
    for (Quad& x : v)
        if (absolute(x) < small) x = 0;
}

double misfit(const Small& found, const Small& wanted) {
    Quad off = 0;
    for (std::size_t i = 0; i < found.v.size(); ++i) off = std::max(off, absolute(found.v[i] - wanted.v[i]));
    return static_cast<double>(off);
}

// diag(C, 1), and diag(1, N)
Small wanted_of_a(int n, const Small& c) {
    Small result = one(n);
    for (int i = 0; i < c.rows; ++i)
        for (int k = 0; k < c.rows; ++k) result(i, k) = c(i, k);
    return result;
}

Small wanted_of_b(int n, int n_regular, const std::vector<int>& blocks) {
    Small result(n, n);
    for (int i = 0; i < n_regular; ++i) result(i, i) = 1;
    int first = n_regular;
    for (const int size : blocks) {
        for (int i = 1; i < size; ++i) result(first + i - 1, first + i) = 1;
        first += size;
    }
    return result;
}

Small above(const Small& a, const Small& b) {
    Small c(a.rows + b.rows, a.columns);
    for (int i = 0; i < c.rows; ++i)
        for (int k = 0; k < c.columns; ++k) c(i, k) = i < a.rows ? a(i, k) : b(i - a.rows, k);
    return c;
}

} // namespace

std::optional<PencilForm> weierstrass_form(int n, const std::vector<Quad>& a_entries,
                                           const std::vector<Quad>& b_entries) {
    Small a(n, n), b(n, n);
    a.v = a_entries;
    b.v = b_entries;
    const auto s = shifted(a, b);
    if (!s) return std::nullopt;
    Ranks ranks;
    const Quad size = largest_of(s->m.v);
    const std::vector<Small> levels = kernels(s->m, size, ranks);
    const int n_nilpotent = levels.empty() ? 0 : levels.back().columns, r = n - n_nilpotent;
    Small range = one(n);
    for (const Small& level : levels) range = Ranks::range(product(s->m, range), n - level.columns);
    Small q = beside(with_ones(range), levels.empty() ? Small(n, 0) : with_ones(levels.back()));
    const auto j = solved(q, product(s->m, q));
    if (!j) return std::nullopt;
    const Small j1 = part(*j, 0, r, 0, r), j2 = part(*j, r, n_nilpotent, r, n_nilpotent);
    Small shift = one(n_nilpotent); // 1 - c J2
    for (std::size_t i = 0; i < shift.v.size(); ++i) shift.v[i] -= s->c * j2.v[i];
    const auto inverse = solved(j1, one(r)), nilpotent = solved(shift, j2), before = solved(product(s->sum, q), one(n));
    if (!inverse || !nilpotent || !before) return std::nullopt;
    const Chains found = chains(*nilpotent, size, ranks);
    if (found.basis.columns != n_nilpotent) return std::nullopt;
    // the basis of the chains, for N
    const Small qk = product(part(q, 0, n, r, n_nilpotent), found.basis);
    q = beside(part(q, 0, n, 0, r), qk);
    const auto lower = solved(product(shift, found.basis), part(*before, r, n_nilpotent, 0, n));
    if (!lower) return std::nullopt;
    Small p = above(product(*inverse, part(*before, 0, r, 0, n)), *lower), c = *inverse;
    for (int i = 0; i < r; ++i) c(i, i) -= s->c; // J1^-1 - c
    PencilForm form{.n = n, .n_regular = r, .blocks = found.sizes, .gap = ranks.gap()};
    form.residual = std::max(misfit(product(product(p, a), q), wanted_of_a(n, c)),
                             misfit(product(product(p, b), q), wanted_of_b(n, r, form.blocks))) /
                    std::max(1.0, static_cast<double>(largest_of(c.v)));
    const auto q_inverse = solved(q, one(n));
    form.condition = q_inverse ? static_cast<double>(largest_of(q.v) * largest_of(q_inverse->v)) * n : 0;
    form.p = std::move(p.v);
    form.q = std::move(q.v);
    form.c = std::move(c.v);
    for (std::vector<Quad>* m : {&form.p, &form.q, &form.c}) clean(*m);
    return form;
}

} // namespace vessiot::linalg
