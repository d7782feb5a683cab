#include "distribution/series/solution_series.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "distribution/series/jet_series.hpp"
#include "distribution/series/top_rows.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

using namespace expr;

namespace {

// What all forms share: the coefficients of u.
template <class S> class SeriesBase : public SolutionSeries<S> {
public:
    SeriesBase(Distribution<S>& distribution, int max_order)
        : distribution_(distribution), n_(distribution.n_state()),
          stride_(static_cast<std::size_t>(linalg::padded(n_))), max_order_(max_order),
          u_(linalg::padded(n_) * (max_order + 1)) {}

    PointStatus begin(S t, const S* u, S scale, bool is_forward) final {
        std::copy_n(u, n_, at(0));
        scale_ = scale;
        order_ = 0;
        const PointStatus status = start(t, u, is_forward);
        return status == PointStatus::good ? extend(1) : status;
    }

    PointStatus extend(int order) final {
        for (; order_ < order; ++order_) {
            const S* du = derivative(order_);
            distribution_.count_evaluations(1);
            const S factor = scale_ / S(order_ + 1);
            S* const next = at(order_ + 1);
            for (std::int64_t i = 0; i < n_; ++i) next[i] = factor * du[i];
            if (!linalg::all_finite(next, n_)) return PointStatus::not_finite;
        }
        return PointStatus::good;
    }

    const S* coefficient(int k) const final { return u_.data() + static_cast<std::size_t>(k) * stride_; }
    int max_order() const final { return max_order_; }

protected:
    // At the first point: what does not belong to an order.
    virtual PointStatus start(S t, const S* u, bool is_forward) = 0;
    // Coefficient k of u', where those of u are known up to k.
    virtual const S* derivative(int k) = 0;

    std::int64_t n_state() const { return n_; }
    S scale() const { return scale_; }
    Distribution<S>& distribution_;

private:
    S* at(int k) { return u_.data() + static_cast<std::size_t>(k) * stride_; }

    std::int64_t n_;
    std::size_t stride_;
    int max_order_, order_ = 0;
    S scale_ = 1;
    linalg::Vector<S> u_;
};

// u' as a function of t and u.
template <class S> class ExplicitSeries final : public SeriesBase<S> {
public:
    ExplicitSeries(const System& system, const Prolongation& p, Jets<S>& jets, Distribution<S>& distribution,
                   const ExplicitTops& formulas, const EvaluatorOptions& evaluator, int max_order)
        : SeriesBase<S>(distribution, max_order),
          velocity_(jets.compile(*system.graph, "velocity", p.n_state(), formulas.velocity, interpreted(evaluator))),
          series_(velocity_, jets, p, evaluator.backend, max_order, false) {}

private:
    PointStatus start(S t, const S*, bool is_forward) override {
        series_.begin(t, this->scale(), is_forward);
        return PointStatus::good;
    }
    const S* derivative(int k) override {
        series_.set_state(k, this->coefficient(k));
        series_.evaluate(k);
        return series_.output(k);
    }

    Function<S> velocity_;
    JetSeries<S> series_;
};

// A_0 x = b at every order: by a factorisation of the square matrix, or the shortest solution.
template <class S> class TopSolver {
public:
    TopSolver(const linalg::Pattern& pattern, bool is_square, bool is_definite) : pattern_(pattern) {
        if (is_square)
            square_.emplace(pattern, is_definite);
        else
            qr_.emplace(static_cast<int>(pattern.rows), static_cast<int>(pattern.columns));
        scale_ = linalg::Vector<S>(pattern.rows);
    }

    bool factor(const S* entries) {
        if (square_) return square_->factor(entries);
        S* const a = qr_->matrix();
        linalg::fill_dense(pattern_, entries, a);
        for (std::int64_t i = 0; i < pattern_.rows; ++i) { // rows to largest entry 1
            S largest = 0;
            for (std::int64_t c = 0; c < pattern_.columns; ++c)
                largest = std::max(largest, linalg::absolute(a[c * pattern_.rows + i]));
            scale_[i] = largest > S(0) ? S(1) / largest : S(1);
            for (std::int64_t c = 0; c < pattern_.columns; ++c) a[c * pattern_.rows + i] *= scale_[i];
        }
        qr_->factor(S(1e-9));
        if (rank_ == 0) rank_ = qr_->rank();
        return qr_->rank() == rank_; // that of the first point
    }

    // b has as many numbers as there are rows, and is changed; x as there are columns.
    void solve(S* b, S* x) {
        if (square_) {
            square_->solve(b);
            std::copy_n(b, pattern_.columns, x);
            return;
        }
        for (std::int64_t i = 0; i < pattern_.rows; ++i) b[i] *= scale_[i];
        qr_->solve_min_norm(b, x);
    }

private:
    const linalg::Pattern& pattern_;
    std::optional<linalg::SquareSolver<S>> square_;
    std::optional<linalg::PivotedQr<S>> qr_;
    linalg::Vector<S> scale_;
    int rank_ = 0;
};

// All tops by one linear system.
template <class S> class SolvedSeries final : public SeriesBase<S> {
public:
    SolvedSeries(const System& system, const Prolongation& p, Jets<S>& jets, Distribution<S>& distribution,
                 const EvaluatorOptions& evaluator, bool is_square, int max_order)
        : SeriesBase<S>(distribution, max_order), p_(p), matrix_(system, p, jets, evaluator),
          rows_(*system.graph, jets, top_row_templates(p), all_rows(p.tops.n_rows),
                {interpreted(evaluator), false, {}}),
          series_(rows_.function(), jets, p, evaluator.backend, max_order, true),
          solver_(matrix_.pattern(), is_square, false), entries_(matrix_.pattern().entries()), b_(p.n_equations()),
          w_(p.n_tops()), du_(p.n_state()) {
        std::vector<std::int32_t> state_at(static_cast<std::size_t>(p.z.size), -1), top_at = state_at;
        for (std::size_t k = 0; k < p.state.size(); ++k)
            state_at[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
        for (std::size_t k = 0; k < p.top.size(); ++k)
            top_at[static_cast<std::size_t>(p.top[k])] = static_cast<std::int32_t>(k);
        for (const std::int32_t z : p.next) {
            const auto at = static_cast<std::size_t>(z);
            next_.push_back({top_at[at] >= 0 ? top_at[at] : state_at[at], top_at[at] >= 0});
        }
    }

private:
    struct Next { // u_i' is a coordinate or a top
        std::int32_t at;
        bool is_top;
    };

    PointStatus start(S t, const S* u, bool is_forward) override {
        series_.begin(t, this->scale(), is_forward);
        matrix_(t, u, b_.data(), entries_.data());
        if (!all_finite(b_.data(), b_.size()) || !all_finite(entries_.data(), entries_.size()))
            return PointStatus::not_finite;
        return solver_.factor(entries_.data()) ? PointStatus::good : PointStatus::singular;
    }

    const S* derivative(int k) override {
        if (k > 0) series_.reevaluate(k - 1); // with the tops that were found then
        series_.set_state(k, this->coefficient(k));
        series_.set_tops(k, nullptr);
        series_.evaluate(k);
        const S* f = series_.output(k);
        for (std::size_t i = 0; i < p_.tops.selected.size(); ++i) b_[p_.tops.equation[i]] = -f[p_.tops.selected[i]];
        solver_.solve(b_.data(), w_.data());
        series_.set_tops(k, w_.data());
        const S* u = this->coefficient(k);
        for (std::size_t i = 0; i < next_.size(); ++i)
            du_[static_cast<std::int64_t>(i)] = next_[i].is_top ? w_[next_[i].at] : u[next_[i].at];
        return du_.data();
    }

    const Prolongation& p_;
    TopSystem<S> matrix_;
    RowFunction<S> rows_;
    JetSeries<S> series_;
    TopSolver<S> solver_;
    std::vector<Next> next_;
    linalg::Vector<S> entries_, b_, w_, du_;
};

// Multipliers by r + S l = 0, then u'.
template <class S> class SchurSeries final : public SeriesBase<S> {
public:
    SchurSeries(const System& system, const Prolongation& p, Jets<S>& jets, Distribution<S>& distribution,
                const KktTops& tops, const EvaluatorOptions& evaluator, int max_order)
        : SeriesBase<S>(distribution, max_order), jets_(jets),
          matrix_(*system.graph, jets, tops.rows, selection(*system.graph, tops), {evaluator, true, tops.multipliers}),
          rows_(*system.graph, jets, tops.rows, all_rows(matrix_.n_rows()), {interpreted(evaluator), false, {}}),
          velocity_(jets.compile(*system.graph, "velocity", p.n_state(), tops.velocity, interpreted(evaluator))),
          row_series_(rows_.function(), jets, p, evaluator.backend, max_order, true),
          velocity_series_(velocity_, jets, p, evaluator.backend, max_order, false),
          // NOTE: with pivoting: what is mechanical is known to the distribution, and costs little to do without here
          solver_(matrix_.pattern(), true, false), entries_(matrix_.pattern().entries()), b_(matrix_.n_rows()),
          w_(p.n_tops()) {
        std::int64_t from = 0;
        for (std::size_t k = 0; k < tops.multipliers.size(); ++k) {
            const std::int64_t n = system.graph->array(tops.multipliers[k]).size();
            runs_.push_back({from, tops.first[k], n});
            from += n;
        }
    }

private:
    struct Run { // l[from ..] are the tops w[to ..]
        std::int64_t from, to, n;
    };

    static Selection selection(const Graph& g, const KktTops& tops) {
        std::int64_t n = 0;
        for (const ArrayId l : tops.multipliers) n += g.array(l).size();
        Selection s = all_rows(n);
        s.n_columns = n;
        s.column = s.row;
        return s;
    }

    PointStatus start(S t, const S* u, bool is_forward) override {
        row_series_.begin(t, this->scale(), is_forward);
        velocity_series_.begin(t, this->scale(), is_forward);
        matrix_(jets_.at(t, u), b_.data(), entries_.data());
        if (!all_finite(b_.data(), b_.size()) || !all_finite(entries_.data(), entries_.size()))
            return PointStatus::not_finite;
        return solver_.factor(entries_.data()) ? PointStatus::good : PointStatus::singular;
    }

    const S* derivative(int k) override {
        if (k > 0) row_series_.reevaluate(k - 1);
        row_series_.set_state(k, this->coefficient(k));
        row_series_.set_tops(k, nullptr);
        row_series_.evaluate(k);
        const S* r = row_series_.output(k);
        for (std::int64_t i = 0; i < b_.size(); ++i) b_[i] = -r[i];
        solver_.solve(b_.data(), b_.data());
        for (const Run& run : runs_) std::copy_n(b_.data() + run.from, run.n, w_.data() + run.to);
        row_series_.set_tops(k, w_.data());
        velocity_series_.set_state(k, this->coefficient(k));
        velocity_series_.set_tops(k, w_.data());
        velocity_series_.evaluate(k);
        return velocity_series_.output(k);
    }

    Jets<S>& jets_;
    RowFunction<S> matrix_, rows_;
    Function<S> velocity_;
    JetSeries<S> row_series_, velocity_series_;
    TopSolver<S> solver_;
    std::vector<Run> runs_;
    linalg::Vector<S> entries_, b_, w_;
};

} // namespace

template <class S>
std::unique_ptr<SolutionSeries<S>> make_solution_series(const System& system, const Prolongation& p, Jets<S>& jets,
                                                        Distribution<S>& distribution,
                                                        const EvaluatorOptions& evaluator, int max_order) {
    if (const ExplicitTops* formulas = distribution.formulas())
        return std::make_unique<ExplicitSeries<S>>(system, p, jets, distribution, *formulas, evaluator, max_order);
    if (distribution.solves_for_multipliers())
        if (const auto tops = kkt_tops(system, p))
            return std::make_unique<SchurSeries<S>>(system, p, jets, distribution, *tops, evaluator, max_order);
    const bool is_square = p.n_equations() == p.n_tops() && !distribution.deficient_rank();
    return std::make_unique<SolvedSeries<S>>(system, p, jets, distribution, evaluator, is_square, max_order);
}

template std::unique_ptr<SolutionSeries<double>> make_solution_series(const System&, const Prolongation&, Jets<double>&,
                                                                      Distribution<double>&, const EvaluatorOptions&,
                                                                      int);
template std::unique_ptr<SolutionSeries<Quad>> make_solution_series(const System&, const Prolongation&, Jets<Quad>&,
                                                                    Distribution<Quad>&, const EvaluatorOptions&, int);

} // namespace vessiot
