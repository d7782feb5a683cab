#include "method/user/stage_solver.hpp"

#include <algorithm>
#include <stdexcept>

#include "linalg/dense/complex_schur.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"

namespace vessiot::method {

namespace {

using linalg::Complex;
using Number = Complex<Quad>;

constexpr double small_part = 1e-6; // of the largest r_ij, in the place of r_ii = 0

// Q and R by rows.
struct Triangular {
    std::size_t n = 0;
    std::vector<Number> q, r;
    bool is_real = true;
};

bool is_lower(const TableauView& t) {
    for (std::size_t i = 0; i < t.n_stages; ++i)
        for (std::size_t j = i + 1; j < t.n_stages; ++j)
            if (t.a[i * t.n_total + j] != 0) return false;
    return true;
}

Triangular backwards(const TableauView& t) {
    const std::size_t n = t.n_stages;
    Triangular result{n, std::vector<Number>(n * n), std::vector<Number>(n * n), true};
    for (std::size_t i = 0; i < n; ++i) {
        result.q[i * n + (n - 1 - i)] = Number(1);
        for (std::size_t j = 0; j < n; ++j) result.r[(n - 1 - i) * n + (n - 1 - j)] = Number(t.a[i * t.n_total + j]);
    }
    return result;
}

Triangular schur(const TableauView& t) {
    const std::size_t n = t.n_stages;
    linalg::ComplexSchur<Quad> form(static_cast<int>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) form.matrix()[j * n + i] = Number(t.a[i * t.n_total + j]);
    if (!form.factor()) throw std::runtime_error("the eigenvalues of a tableau were not found");
    Triangular result{n, std::vector<Number>(n * n), std::vector<Number>(n * n), true};
    Quad largest = 0, imaginary = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const Number q = form.q(static_cast<int>(i), static_cast<int>(j));
            const Number r = i <= j ? form.r(static_cast<int>(i), static_cast<int>(j)) : Number(0);
            result.q[i * n + j] = q;
            result.r[i * n + j] = r;
            largest = std::max({largest, linalg::absolute(q), linalg::absolute(r)});
            imaginary = std::max({imaginary, linalg::absolute(q.im), linalg::absolute(r.im)});
        }
    result.is_real = imaginary <= Quad(1e-25) * largest;
    return result;
}

template <class S> S conjugate(S x) {
    return x;
}
template <class S> Complex<S> conjugate(Complex<S> x) {
    return {x.re, -x.im};
}
template <class S> S real_part(S x) {
    return x;
}
template <class S> S real_part(Complex<S> x) {
    return x.re;
}

template <class T> T cast(Number x) {
    if constexpr (linalg::is_complex<T>)
        return T(static_cast<linalg::Real<T>>(x.re), static_cast<linalg::Real<T>>(x.im));
    else
        return static_cast<T>(x.re);
}

// T: S, or Complex<S>.
template <class S, class T> class StageSolverOf final : public StageSolver<S> {
public:
    StageSolverOf(const Triangular& form, std::int64_t n, const Linearised<S>& field, Coupling<S>* coupling)
        : n_stages_(form.n), n_(n), memory_(2 * n * static_cast<std::int64_t>(form.n)) {
        for (const Number x : form.q) q_.push_back(cast<T>(x));
        for (const Number x : form.r) r_.push_back(cast<T>(x));
        Quad largest = 0;
        for (const Number x : form.r) largest = std::max(largest, linalg::absolute(x));
        for (std::size_t i = 0; i < n_stages_; ++i) {
            Number d = form.r[i * n_stages_ + i];
            const bool is_zero = linalg::absolute(d) <= Quad(1e-20) * largest;
            if (is_zero) d = Number(Quad(small_part) * largest);
            const T value = cast<T>(d);
            diagonal_.push_back(value);
            const auto known = std::ranges::find(distinct_, value);
            solver_of_.push_back(static_cast<std::size_t>(known - distinct_.begin()));
            if (known != distinct_.end()) continue;
            distinct_.push_back(value);
            solvers_.push_back(std::make_unique<ShiftedSolver<T>>(field, coupling));
            if (!is_zero && filter_ == none) filter_ = distinct_.size() - 1;
        }
        if (filter_ == none) filter_ = 0;
    }

    bool factor(S h) override {
        for (std::size_t k = 0; k < solvers_.size(); ++k)
            if (!solvers_[k]->factor(distinct_[k] * T(h))) return false;
        return true;
    }

    void solve(const std::vector<S*>& r) override {
        for (std::size_t i = n_stages_; i-- > 0;) {
            T *x = solution(i), *y = moved(i);
            std::fill_n(x, n_, T(0));
            for (std::size_t k = 0; k < n_stages_; ++k) {
                const T q = conjugate(q_[k * n_stages_ + i]);
                if (q == T(0)) continue;
                for (std::int64_t m = 0; m < n_; ++m) x[m] += q * T(r[k][m]);
            }
            for (std::size_t j = i + 1; j < n_stages_; ++j) {
                const T factor = r_[i * n_stages_ + j];
                if (factor == T(0)) continue;
                for (std::int64_t m = 0; m < n_; ++m) x[m] += factor * moved(j)[m];
            }
            std::copy_n(x, n_, y);
            solvers_[solver_of_[i]]->solve(x);
            const T inverse = T(1) / diagonal_[i];
            for (std::int64_t m = 0; m < n_; ++m) y[m] = (x[m] - y[m]) * inverse; // h J x
        }
        for (std::size_t k = 0; k < n_stages_; ++k) {
            std::fill_n(r[k], n_, S(0));
            for (std::size_t i = 0; i < n_stages_; ++i) {
                const T q = q_[k * n_stages_ + i];
                if (q == T(0)) continue;
                for (std::int64_t m = 0; m < n_; ++m) r[k][m] += real_part(q * solution(i)[m]);
            }
        }
    }

    void filter(S* e) override {
        T* x = solution(0);
        for (std::int64_t m = 0; m < n_; ++m) x[m] = T(e[m]);
        solvers_[filter_]->solve(x);
        for (std::int64_t m = 0; m < n_; ++m) e[m] = real_part(x[m]);
    }

    std::int64_t n_factors() const override { return std::ssize(solvers_); }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    T* solution(std::size_t i) { return memory_.data() + static_cast<std::int64_t>(2 * i) * n_; }
    T* moved(std::size_t i) { return solution(i) + n_; }

    std::size_t n_stages_;
    std::int64_t n_;
    std::vector<T> q_, r_, diagonal_, distinct_;
    std::vector<std::size_t> solver_of_;
    std::size_t filter_ = none;
    std::vector<std::unique_ptr<ShiftedSolver<T>>> solvers_;
    linalg::Vector<T> memory_;
};

} // namespace

template <class S>
std::unique_ptr<StageSolver<S>> make_stage_solver(const TableauView& tableau, std::int64_t n,
                                                  const Linearised<S>& field, Coupling<S>* coupling) {
    const Triangular form = is_lower(tableau) ? backwards(tableau) : schur(tableau);
    if (form.is_real) return std::make_unique<StageSolverOf<S, S>>(form, n, field, coupling);
    return std::make_unique<StageSolverOf<S, Complex<S>>>(form, n, field, coupling);
}

template std::unique_ptr<StageSolver<double>> make_stage_solver(const TableauView&, std::int64_t,
                                                                const Linearised<double>&, Coupling<double>*);
template std::unique_ptr<StageSolver<Quad>> make_stage_solver(const TableauView&, std::int64_t, const Linearised<Quad>&,
                                                              Coupling<Quad>*);

} // namespace vessiot::method
