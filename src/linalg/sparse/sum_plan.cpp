#include "linalg/sparse/sum_plan.hpp"

#include <algorithm>

#include "linalg/clones.hpp"

namespace vessiot::linalg {

namespace {

constexpr std::int64_t block = 512;       // numbers of a run that stay in the cache from one term to the next
constexpr std::int64_t shortest_mean = 6; // of runs, to be worth it

// How far an index goes from one sum to the next: 0 or 1, else -1.
std::int32_t step(std::int32_t from, std::int32_t to) {
    return to == from ? 0 : to == from + 1 ? 1 : -1;
}

// to_i = x_i y_i, or that added to it; and two such terms
template <class S>
inline __attribute__((always_inline)) void add_one_of(std::int64_t n, const S* __restrict x, const S* __restrict y,
                                                      bool is_first, S* __restrict to) {
    if (is_first)
        for (std::int64_t i = 0; i < n; ++i) to[i] = x[i] * y[i];
    else
        for (std::int64_t i = 0; i < n; ++i) to[i] += x[i] * y[i];
}

template <class S>
inline __attribute__((always_inline)) void add_two_of(std::int64_t n, const S* __restrict x, const S* __restrict y,
                                                      const S* __restrict v, const S* __restrict w, bool is_first,
                                                      S* __restrict to) {
    if (is_first)
        for (std::int64_t i = 0; i < n; ++i) to[i] = x[i] * y[i] + v[i] * w[i];
    else
        for (std::int64_t i = 0; i < n; ++i) to[i] = (to[i] + x[i] * y[i]) + v[i] * w[i];
}

VESSIOT_CLONES void add_one(std::int64_t n, const double* x, const double* y, bool is_first, double* to) {
    add_one_of(n, x, y, is_first, to);
}
VESSIOT_CLONES void add_two(std::int64_t n, const double* x, const double* y, const double* v, const double* w,
                            bool is_first, double* to) {
    add_two_of(n, x, y, v, w, is_first, to);
}
void add_one(std::int64_t n, const Quad* x, const Quad* y, bool is_first, Quad* to) {
    add_one_of(n, x, y, is_first, to);
}
void add_two(std::int64_t n, const Quad* x, const Quad* y, const Quad* v, const Quad* w, bool is_first, Quad* to) {
    add_two_of(n, x, y, v, w, is_first, to);
}

} // namespace

SumPlan::SumPlan(const std::vector<std::vector<Term>>& sums) : size_(static_cast<std::int64_t>(sums.size())) {
    for (std::size_t i = 0; i < sums.size();) {
        Run run{static_cast<std::int64_t>(i), 1, parts_.size(), sums[i].size()};
        for (const Term& t : sums[i]) parts_.push_back({t.a, t.b, 0, 0});
        for (std::size_t k = i + 1; k < sums.size() && sums[k].size() == run.n_parts; ++k, ++run.n) {
            bool fits = true;
            for (std::size_t p = 0; p < run.n_parts; ++p) {
                Part& part = parts_[run.part + p];
                const std::int32_t a_step = step(sums[k - 1][p].a, sums[k][p].a);
                const std::int32_t b_step = step(sums[k - 1][p].b, sums[k][p].b);
                const bool is_second = k == i + 1;
                fits &= a_step >= 0 && b_step >= 0 && (is_second || (a_step == part.a_step && b_step == part.b_step));
            }
            if (!fits) break;
            for (std::size_t p = 0; p < run.n_parts; ++p) {
                Part& part = parts_[run.part + p];
                part.a_step = sums[k][p].a - sums[k - 1][p].a;
                part.b_step = sums[k][p].b - sums[k - 1][p].b;
            }
        }
        i += static_cast<std::size_t>(run.n);
        runs_.push_back(run);
    }
    if (static_cast<std::int64_t>(runs_.size()) * shortest_mean <= size_) return;
    runs_.clear();
    parts_.clear();
    for (const auto& sum : sums) {
        count_.push_back(static_cast<std::int32_t>(sum.size()));
        terms_.insert(terms_.end(), sum.begin(), sum.end());
    }
}

template <class S> void SumPlan::compute(const S* a, const S* b, S* out) const {
    for (const Run& run : runs_) compute_run(run, a, b, out);
    const Term* term = terms_.data();
    for (std::size_t i = 0; i < count_.size(); ++i) {
        S sum = 0;
        for (const Term* end = term + count_[i]; term != end; ++term) sum += a[term->a] * b[term->b];
        out[i] = sum;
    }
}

// NOTE: term by term over a block of sums: loops of neighbours, which the compiler makes vector instructions of.
template <class S> void SumPlan::compute_run(const Run& run, const S* a, const S* b, S* out) const {
    for (std::int64_t first = 0; first < run.n; first += block) {
        const std::int64_t n = std::min(block, run.n - first);
        S* to = out + run.first + first;
        if (run.n_parts == 0) std::fill_n(to, n, S(0));
        for (std::size_t p = 0; p < run.n_parts; ++p) {
            const Part& part = parts_[run.part + p];
            const S* x = a + part.a + part.a_step * first;
            const S* y = b + part.b + part.b_step * first;
            if (part.a_step == 1 && part.b_step == 1) {
                const bool is_pair =
                    p + 1 < run.n_parts && parts_[run.part + p + 1].a_step == 1 && parts_[run.part + p + 1].b_step == 1;
                const Part& second = parts_[run.part + p + (is_pair ? 1 : 0)];
                if (is_pair)
                    add_two(n, x, y, a + second.a + first, b + second.b + first, p == 0, to);
                else
                    add_one(n, x, y, p == 0, to);
                p += is_pair ? 1 : 0;
            } else {
                if (p == 0) std::fill_n(to, n, S(0));
                for (std::int64_t i = 0; i < n; ++i) to[i] += x[part.a_step * i] * y[part.b_step * i];
            }
        }
    }
}

template void SumPlan::compute(const double*, const double*, double*) const;
template void SumPlan::compute(const Quad*, const Quad*, Quad*) const;

} // namespace vessiot::linalg
