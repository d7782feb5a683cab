#include "distribution/series/arclength_series.hpp"

#include <algorithm>
#include <vector>

#include "distribution/series/jet_series.hpp"
#include "distribution/series/top_rows.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr double full_rank = 1e-12; // smaller pivots say that the tangent is not unique

// xi(eta) with d xi / d eta = q(xi)^(-1/2), q_0 = 1, and its powers.
template <class S> class Reparametrisation {
public:
    explicit Reparametrisation(int max_order) : n_(static_cast<std::size_t>(max_order) + 1) {
        for (std::vector<S>* list : {&root_, &inverse_, &xi_}) list->resize(n_);
        power_.resize(n_ * n_);
    }
    void begin() {
        std::ranges::fill(xi_, S(0));
        std::ranges::fill(power_, S(0));
        power(0, 0) = 1;
    }
    // Takes q_k, and finds xi_(k+1) with the coefficients k + 1 of its powers.
    void add(int order, S q) {
        const auto k = static_cast<std::size_t>(order);
        root_[k] = k == 0 ? linalg::square_root(q) : q;
        for (std::size_t j = 1; j < k; ++j) root_[k] -= root_[j] * root_[k - j];
        if (k > 0) root_[k] /= 2 * root_[0];
        inverse_[k] = k == 0 ? 1 / root_[0] : S(0);
        for (std::size_t j = 1; j <= k; ++j) inverse_[k] -= root_[j] * inverse_[k - j];
        if (k > 0) inverse_[k] /= root_[0];
        S rate = 0; // coefficient k of q(xi)^(-1/2)
        for (std::size_t m = 0; m <= k; ++m) rate += inverse_[m] * power(m, k);
        xi_[k + 1] = rate / S(k + 1);
        for (std::size_t m = 1; m <= k + 1; ++m)
            for (std::size_t j = 1; j <= k + 1; ++j) power(m, k + 1) += xi_[j] * power(m - 1, k + 1 - j);
    }
    // Coefficient k of xi^m.
    S of_power(int m, int k) { return power(static_cast<std::size_t>(m), static_cast<std::size_t>(k)); }

private:
    S& power(std::size_t m, std::size_t k) { return power_[m * n_ + k]; }

    std::size_t n_;
    std::vector<S> root_, inverse_, xi_, power_;
};

template <class S> class ArclengthSeries final : public SolutionSeries<S> {
public:
    ArclengthSeries(const System& system, const Prolongation& p, Jets<S>& jets, Distribution<S>& distribution,
                    Field<S>& field, const EvaluatorOptions& evaluator, int max_order)
        : distribution_(distribution), field_(field), p_(p), n_(p.n_state()), n_tops_(p.n_tops()),
          n_equations_(p.n_equations()), stride_(linalg::padded(n_ + 1)), max_order_(max_order),
          matrix_(system, p, jets, evaluator), rows_(*system.graph, jets, top_row_templates(p), all_rows(p.tops.n_rows),
                                                     {interpreted(evaluator), false, {}}),
          whole_(rows_.function(), jets, p, evaluator.backend, max_order, true),
          fixed_(rows_.function(), jets, p, evaluator.backend, max_order, false),
          qr_(static_cast<int>(n_equations_) + 1, static_cast<int>(n_tops_) + 1), scale_of_row_(n_equations_ + 1),
          xi_(max_order), tangent_(n_ + 1), entries_(matrix_.pattern().entries()), r_(n_equations_),
          b_(n_equations_ + 1), solution_(n_tops_ + 1), theta_(max_order + 1), x_(stride_ * (max_order + 1)) {
        std::vector<std::int32_t> state_at(linalg::at(p.z.size), -1), top_at = state_at;
        for (std::size_t k = 0; k < p.state.size(); ++k)
            state_at[linalg::at(p.state[k])] = static_cast<std::int32_t>(k);
        for (std::size_t k = 0; k < p.top.size(); ++k) top_at[linalg::at(p.top[k])] = static_cast<std::int32_t>(k);
        for (const std::int32_t z : p.next) {
            const std::int32_t top = top_at[linalg::at(z)];
            next_.push_back({top >= 0 ? top : state_at[linalg::at(z)], top >= 0});
        }
    }

    PointStatus begin(S, const S* x, S scale, bool is_forward) override {
        order_ = 0;
        length_ = scale;
        PointStatus status = field_.direction(S(0), x, tangent_.data());
        if (status != PointStatus::good) return status;
        if (!linalg::all_finite(tangent_.data(), n_ + 1)) return PointStatus::not_finite;
        std::copy_n(x, n_ + 1, at(x_.in_sigma, 0));
        std::copy_n(x, n_ + 1, at(x_.in_s, 0));
        whole_.begin(x[n_], S(0), is_forward);
        fixed_.begin(x[n_], S(0), is_forward);
        xi_.begin();
        status = factor(x);
        return status == PointStatus::good ? extend(1) : status;
    }

    PointStatus extend(int order) override {
        for (; order_ < order; ++order_) {
            distribution_.count_evaluations(1);
            solve(order_);
            const S *d = at(x_.slope, order_), factor = length_ / S(order_ + 1);
            S* const next = at(x_.in_sigma, order_ + 1);
            for (std::int64_t i = 0; i <= n_; ++i) next[i] = factor * d[i];
            S q = 0; // coefficient of |x'|^2
            for (int j = 0; j <= order_; ++j) {
                const S *a = at(x_.slope, j), *b = at(x_.slope, order_ - j);
                for (std::int64_t i = 0; i <= n_; ++i) q += a[i] * b[i];
            }
            xi_.add(order_, q);
            S* const to = at(x_.in_s, order_ + 1);
            std::fill_n(to, n_ + 1, S(0));
            for (int m = 1; m <= order_ + 1; ++m) {
                const S power = xi_.of_power(m, order_ + 1), *from = at(x_.in_sigma, m);
                for (std::int64_t i = 0; i <= n_; ++i) to[i] += power * from[i];
            }
            if (!linalg::all_finite(to, n_ + 1)) return PointStatus::not_finite;
        }
        return PointStatus::good;
    }

    const S* coefficient(int k) const override { return x_.in_s.data() + k * stride_; }
    int max_order() const override { return max_order_; }

private:
    struct Next { // u_i' is a coordinate, times theta, or a top
        std::int32_t at;
        bool is_top;
    };

    struct Coefficients {
        explicit Coefficients(std::int64_t n) : in_sigma(n), slope(n), in_s(n) {}
        linalg::Vector<S> in_sigma, slope, in_s; // of x, of x' by sigma, of x in arclength
    };

    S* at(linalg::Vector<S>& list, int k) { return list.data() + k * stride_; }

    // (A r; l), rows to largest entry 1.
    PointStatus factor(const S* x) {
        matrix_(x[n_], x, r_.data(), entries_.data());
        if (!linalg::all_finite(r_.data(), n_equations_) || !linalg::all_finite(entries_.data(), entries_.size()))
            return PointStatus::not_finite;
        const std::int64_t rows = n_equations_ + 1;
        S* const a = qr_.matrix();
        std::fill_n(a, rows * (n_tops_ + 1), S(0));
        const linalg::Pattern& pattern = matrix_.pattern();
        for (std::int64_t c = 0; c < pattern.columns; ++c)
            for (std::int64_t e = pattern.column_start[linalg::at(c)]; e < pattern.column_start[linalg::at(c + 1)]; ++e)
                a[c * rows + pattern.row[linalg::at(e)]] = entries_[e];
        for (std::int64_t i = 0; i < n_equations_; ++i) a[n_tops_ * rows + i] = r_[i];
        a[n_tops_ * rows + n_equations_] = tangent_[n_];
        for (std::size_t i = 0; i < next_.size(); ++i) {
            const S l = tangent_[static_cast<std::int64_t>(i)];
            if (next_[i].is_top)
                a[next_[i].at * rows + n_equations_] += l;
            else
                a[n_tops_ * rows + n_equations_] += l * x[next_[i].at];
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            S largest = 0;
            for (std::int64_t c = 0; c <= n_tops_; ++c) largest = std::max(largest, linalg::absolute(a[c * rows + i]));
            scale_of_row_[i] = largest > S(0) ? S(1) / largest : S(1);
            for (std::int64_t c = 0; c <= n_tops_; ++c) a[c * rows + i] *= scale_of_row_[i];
        }
        qr_.factor(S(full_rank));
        const bool is_full = qr_.rank() == n_tops_ + 1 || distribution_.deficient_rank(); // multipliers not unique
        return is_full ? PointStatus::good : PointStatus::singular;
    }

    // Coefficient k of x' by sigma, where those of x are known up to k.
    void solve(int k) {
        const S* const x = at(x_.in_sigma, k);
        if (k > 0) whole_.reevaluate(k - 1); // with the tops that were found then
        for (JetSeries<S>* series : {&whole_, &fixed_}) {
            series->set_time(k, x[n_]);
            series->set_state(k, x);
            series->set_tops(k, nullptr);
            series->evaluate(k);
        }
        const S *f = whole_.output(k), *r = fixed_.output(k);
        for (std::size_t i = 0; i < p_.tops.selected.size(); ++i) {
            const auto from = p_.tops.selected[i];
            S sum = f[from] - r[from];
            for (int j = 0; j < k; ++j) sum += theta_[j] * fixed_.output(k - j)[from];
            b_[p_.tops.equation[i]] = -sum;
        }
        S last = k == 0 ? 1 : 0;
        for (std::size_t i = 0; i < next_.size(); ++i)
            if (!next_[i].is_top) last -= tangent_[static_cast<std::int64_t>(i)] * shifted(next_[i].at, k);
        b_[n_equations_] = last;
        for (std::int64_t i = 0; i <= n_equations_; ++i) b_[i] *= scale_of_row_[i];
        qr_.solve_min_norm(b_.data(), solution_.data());
        whole_.set_tops(k, solution_.data());
        theta_[k] = solution_[n_tops_];
        S* const d = at(x_.slope, k);
        for (std::size_t i = 0; i < next_.size(); ++i) {
            const std::int32_t from = next_[i].at;
            d[i] = next_[i].is_top ? solution_[from] : shifted(from, k) + theta_[k] * x_.in_sigma[from];
        }
        d[n_] = theta_[k];
    }

    // sum_(j<k) theta_j u_(k-j)
    S shifted(std::int32_t coordinate, int k) {
        S sum = 0;
        for (int j = 0; j < k; ++j) sum += theta_[j] * at(x_.in_sigma, k - j)[coordinate];
        return sum;
    }

    Distribution<S>& distribution_;
    Field<S>& field_;
    const Prolongation& p_;
    std::int64_t n_, n_tops_, n_equations_, stride_;
    int max_order_, order_ = 0;
    S length_ = 1; // T
    TopSystem<S> matrix_;
    RowFunction<S> rows_;
    JetSeries<S> whole_, fixed_; // F, and r: with w and without
    linalg::PivotedQr<S> qr_;
    linalg::Vector<S> scale_of_row_;
    Reparametrisation<S> xi_;
    std::vector<Next> next_;
    linalg::Vector<S> tangent_, entries_, r_, b_, solution_, theta_;
    Coefficients x_;
};

} // namespace

template <class S>
std::unique_ptr<SolutionSeries<S>> make_arclength_series(const System& system, const Prolongation& p, Jets<S>& jets,
                                                         Distribution<S>& distribution, Field<S>& field,
                                                         const EvaluatorOptions& evaluator, int max_order) {
    return std::make_unique<ArclengthSeries<S>>(system, p, jets, distribution, field, evaluator, max_order);
}

template std::unique_ptr<SolutionSeries<double>> make_arclength_series(const System&, const Prolongation&,
                                                                       Jets<double>&, Distribution<double>&,
                                                                       Field<double>&, const EvaluatorOptions&, int);
template std::unique_ptr<SolutionSeries<Quad>> make_arclength_series(const System&, const Prolongation&, Jets<Quad>&,
                                                                     Distribution<Quad>&, Field<Quad>&,
                                                                     const EvaluatorOptions&, int);

} // namespace vessiot
