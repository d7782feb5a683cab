#include "linalg/solver/square_solver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/scalar.hpp"
#include "linalg/sparse/band.hpp"
#include "linalg/sparse/ordering.hpp"
#include "linalg/sparse/sparse_lu.hpp"

namespace vessiot::linalg {

// One of the factorisations.
template <class S> class SquareSolver<S>::Part {
public:
    Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    virtual ~Part() = default;
    virtual bool factor(const S* entries) = 0;
    virtual void solve(S* b) = 0;
    virtual std::string_view kind() const = 0;
    virtual Real<S> pivot_ratio() const = 0;
    // Entries come in this order from now on; false where that cannot be had.
    virtual bool reorder(const std::vector<std::int32_t>& /*order*/) { return false; }
};

namespace {

template <class T> void permute(std::vector<T>& target, const std::vector<std::int32_t>& order) {
    std::vector<T> result;
    for (const std::int32_t k : order) result.push_back(target[at(k)]);
    target = std::move(result);
}

template <class S> class DensePart : public SquareSolver<S>::Part {
public:
    explicit DensePart(const Pattern& p) : lu_(static_cast<int>(p.rows)), target_(p.row.size()) {
        for (std::int64_t j = 0; j < p.columns; ++j)
            for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
                target_[at(k)] = static_cast<std::int32_t>(j * p.rows + p.row[at(k)]);
    }

    bool factor(const S* entries) override {
        S* a = lu_.matrix();
        std::fill_n(a, at(lu_.size()) * at(lu_.size()), S(0));
        for (std::size_t k = 0; k < target_.size(); ++k) a[target_[k]] = entries[k];
        return lu_.factor();
    }
    void solve(S* b) override { lu_.solve(b); }
    std::string_view kind() const override { return "dense"; }
    Real<S> pivot_ratio() const override { return lu_.pivot_ratio(); }
    bool reorder(const std::vector<std::int32_t>& order) override {
        permute(target_, order);
        return true;
    }

private:
    DenseLu<S> lu_;
    std::vector<std::int32_t> target_;
};

// Rows and columns in an order that makes the band narrow, and how wide it is then.
struct BandPlan {
    std::vector<std::int32_t> order; // empty: as they are
    std::int64_t lower = 0, upper = 0;
    std::int64_t storage = 0; // numbers held, with the fill of pivoting
};

template <class Visit> void for_each_place(const Pattern& p, const std::vector<std::int32_t>& order, Visit visit) {
    std::vector<std::int64_t> place(at(p.rows));
    for (std::size_t k = 0; k < place.size(); ++k) place[order.empty() ? k : at(order[k])] = std::int64_t(k);
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
            visit(place[at(p.row[at(k)])], place[at(j)]);
}

BandPlan plan_band(const Pattern& p, bool is_definite) {
    BandPlan plan;
    plan.order = reverse_cuthill_mckee(neighbours(p));
    // NOTE: the order of the rows as they come is kept where it is as good: no permutation of right-hand sides
    if (bandwidth(p, {}) <= bandwidth(p, plan.order)) plan.order.clear();
    for_each_place(p, plan.order, [&](std::int64_t i, std::int64_t j) {
        plan.lower = std::max(plan.lower, i - j);
        plan.upper = std::max(plan.upper, j - i);
    });
    plan.storage = p.rows * ((is_definite ? 1 : 2) * plan.lower + plan.upper + 1);
    return plan;
}

template <class S> class BandPart : public SquareSolver<S>::Part {
public:
    BandPart(const Pattern& p, BandPlan plan, bool is_definite)
        : lu_(p.rows, plan.lower, plan.upper, !is_definite), order_(std::move(plan.order)), work_(order_.size()) {
        target_.reserve(p.row.size());
        for_each_place(p, order_, [&](std::int64_t i, std::int64_t j) { target_.push_back(lu_.position(i, j)); });
        std::int64_t places = 0; // of the band that lie in the matrix
        for (std::int64_t i = 0; i < p.rows; ++i)
            places += std::min(i, plan.lower) + 1 + std::min(p.rows - 1 - i, plan.upper);
        is_full_ = is_definite && places == p.entries();
    }

    bool factor(const S* entries) override {
        if (!is_full_) lu_.set_zero();
        S* a = lu_.data();
        for (std::size_t k = 0; k < target_.size(); ++k) a[target_[k]] = entries[k];
        return lu_.factor();
    }

    void solve(S* b) override {
        if (order_.empty()) {
            lu_.solve(b);
            return;
        }
        for (std::size_t k = 0; k < order_.size(); ++k) work_[k] = b[order_[k]];
        lu_.solve(work_.data());
        for (std::size_t k = 0; k < order_.size(); ++k) b[order_[k]] = work_[k];
    }
    std::string_view kind() const override { return "band"; }
    Real<S> pivot_ratio() const override { return lu_.pivot_ratio(); }
    bool reorder(const std::vector<std::int32_t>& order) override {
        permute(target_, order);
        return true;
    }

private:
    BandLu<S> lu_;
    bool is_full_ = false; // every place of the band has an entry, and pivoting makes no others
    std::vector<std::int32_t> order_;
    std::vector<std::int64_t> target_;
    std::vector<S> work_;
};

template <class S> class SparsePart : public SquareSolver<S>::Part {
public:
    explicit SparsePart(const Pattern& p) : lu_(p) {}
    bool factor(const S* entries) override { return lu_.factor(entries); }
    void solve(S* b) override { lu_.solve(b); }
    std::string_view kind() const override { return "sparse"; }
    Real<S> pivot_ratio() const override { return lu_.pivot_ratio(); }

private:
    SparseLu<S> lu_;
};

// Entries are put in order before.
template <class S> class ReorderedPart : public SquareSolver<S>::Part {
public:
    ReorderedPart(std::unique_ptr<typename SquareSolver<S>::Part> inner, const std::vector<std::int32_t>& order)
        : inner_(std::move(inner)), order_(order), entries_(order.size()) {}
    bool factor(const S* entries) override {
        for (std::size_t k = 0; k < order_.size(); ++k) entries_[at(order_[k])] = entries[k];
        return inner_->factor(entries_.data());
    }
    void solve(S* b) override { inner_->solve(b); }
    std::string_view kind() const override { return inner_->kind(); }
    Real<S> pivot_ratio() const override { return inner_->pivot_ratio(); }

private:
    std::unique_ptr<typename SquareSolver<S>::Part> inner_;
    std::vector<std::int32_t> order_;
    std::vector<S> entries_;
};

// Multiplications of the band against those of the dense matrix decide for small ones, storage for large ones.
template <class S>
std::unique_ptr<typename SquareSolver<S>::Part> make_part(const Pattern& p, bool is_definite,
                                                          typename SquareSolver<S>::Work& work) {
    const std::int64_t n = p.rows;
    const auto size = static_cast<double>(n);
    work = {size * size * size / 3, size * size};
    if (n <= 8) return std::make_unique<DensePart<S>>(p);
    BandPlan plan = plan_band(p, is_definite);
    const bool is_slim = plan.storage <= n * n / 4;
    // NOTE: minimum degree does better than the band on nets, three times in two dimensions
    const auto lower = static_cast<double>(plan.lower), upper = static_cast<double>(plan.upper);
    if (is_slim) work = {size * lower * (lower + upper) / 3, size * (lower + upper)};
    if (n <= 40 && !is_slim) return std::make_unique<DensePart<S>>(p);
    // NOTE: with pivoting a band that is mostly zeros is slower than the sparse factorisation, however narrow it is
    const bool is_band = is_definite ? (plan.lower <= 16 && plan.upper <= 16) || plan.storage <= 4 * p.entries()
                                     : plan.storage <= 2 * p.entries();
    if (is_slim && is_band) return std::make_unique<BandPart<S>>(p, std::move(plan), is_definite);
    if (n <= 40 || (n <= 150 && 8 * p.entries() >= n * n)) return std::make_unique<DensePart<S>>(p);
    return std::make_unique<SparsePart<S>>(p);
}

} // namespace

template <class S>
SquareSolver<S>::SquareSolver(const Pattern& p, bool is_definite) : part_(make_part<S>(p, is_definite, work_)) {}
template <class S>
SquareSolver<S>::SquareSolver(const Pattern& p, bool is_definite, const std::vector<std::int32_t>& order)
    : part_(make_part<S>(p, is_definite, work_)) {
    if (!part_->reorder(order)) part_ = std::make_unique<ReorderedPart<S>>(std::move(part_), order);
}
template <class S> SquareSolver<S>::SquareSolver(SquareSolver&&) noexcept = default;
template <class S> SquareSolver<S>& SquareSolver<S>::operator=(SquareSolver&&) noexcept = default;
template <class S> SquareSolver<S>::~SquareSolver() = default;

template <class S> bool SquareSolver<S>::factor(const S* entries) {
    return part_->factor(entries);
}
template <class S> void SquareSolver<S>::solve(S* b) {
    part_->solve(b);
}
template <class S> std::string_view SquareSolver<S>::kind() const {
    return part_->kind();
}
template <class S> Real<S> SquareSolver<S>::pivot_ratio() const {
    return part_->pivot_ratio();
}

template class SquareSolver<double>;
template class SquareSolver<Quad>;
template class SquareSolver<Complex<double>>;
template class SquareSolver<Complex<Quad>>;

} // namespace vessiot::linalg
