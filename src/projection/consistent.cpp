#include "projection/consistent.hpp"

#include <algorithm>
#include <map>

#include "linalg/normal_solver.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

constexpr double start_floor = 1e-12; // coordinates smaller than this count as if they had this size

// Some rows and the columns that may move for them.
template <class S> class Part {
public:
    // What nobody gave moves a thousand times more easily than what somebody gave.
    Part(const linalg::Pattern& all, std::vector<std::int32_t> rows, std::vector<std::int32_t> columns,
         const std::vector<Freedom>& freedom)
        : rows_(std::move(rows)), columns_(std::move(columns)), solver_(select(all)), entries_(std::ssize(source_)),
          b_(std::ssize(rows_)), d_(std::ssize(columns_)), weights_(std::ssize(columns_)) {
        for (std::size_t k = 0; k < columns_.size(); ++k)
            weights_[static_cast<std::int64_t>(k)] =
                freedom[static_cast<std::size_t>(columns_[k])] == Freedom::free ? S(1e6) : S(1);
    }

    // d with A d = f for the rows, the shortest; x -= damping d is what follows.
    void solve(const S* f, const S* entries) {
        for (std::size_t k = 0; k < source_.size(); ++k) entries_[static_cast<std::int64_t>(k)] = entries[source_[k]];
        solver_.factor(entries_.data(), weights_.data());
        for (std::size_t k = 0; k < rows_.size(); ++k) b_[static_cast<std::int64_t>(k)] = f[rows_[k]];
        solver_.solve_correction(b_.data(), d_.data());
    }
    void move(const S* from, S damping, S* to) const {
        for (std::size_t k = 0; k < columns_.size(); ++k)
            to[columns_[k]] = from[columns_[k]] - damping * d_[static_cast<std::int64_t>(k)];
    }
    S residual(const S* f, const S* size) const {
        S largest = 0;
        for (const std::int32_t k : rows_) {
            if (f[k] == S(0)) continue;
            const S r = linalg::absolute(f[k]) / size[k];
            if (!(r <= largest)) largest = r; // NaN stays
        }
        return largest;
    }
    bool is_solvable() const { return !columns_.empty(); }

private:
    linalg::Pattern select(const linalg::Pattern& all) {
        linalg::SubPattern part = linalg::select(all, rows_, columns_);
        source_ = std::move(part.source);
        return std::move(part.pattern);
    }

    std::vector<std::int32_t> rows_, columns_, source_;
    linalg::NormalSolver<S> solver_;
    linalg::Vector<S> entries_, b_, d_, weights_;
};

template <class S> class GaussNewton {
public:
    GaussNewton(Manifold<S>& manifold, S t, linalg::Vector<S>& u)
        : manifold_(manifold), t_(t), u_(u), trial_(u), f_(manifold.n_constraints()), size_(manifold.n_constraints()),
          entries_(manifold.pattern().entries()) {}

    // Newton's method for one part, steps halved until the residual falls.
    bool run(Part<S>& part, int& iterations) {
        const S tolerance = S(64) * linalg::epsilon<S>(), acceptable = S(20000) * linalg::epsilon<S>();
        S r = evaluate(part, u_.data());
        for (int k = 0; k < 50 && r > tolerance; ++k, ++iterations) {
            if (!part.is_solvable()) return r <= acceptable;
            part.solve(f_.data(), entries_.data());
            S damping = 1, next = 0;
            for (int halvings = 0;; ++halvings, damping /= S(2)) {
                std::copy(u_.begin(), u_.end(), trial_.begin());
                part.move(u_.data(), damping, trial_.data());
                next = evaluate(part, trial_.data());
                if (next < r) break;
                if (halvings == 12) return r <= acceptable;
            }
            swap(u_, trial_);
            r = next;
        }
        return r <= acceptable;
    }

private:
    S evaluate(const Part<S>& part, const S* u) {
        manifold_.df(t_, u, f_.data(), entries_.data());
        manifold_.sizes(t_, u, entries_.data(), S(start_floor), size_.data());
        return part.residual(f_.data(), size_.data());
    }

    Manifold<S>& manifold_;
    S t_;
    linalg::Vector<S>& u_;
    linalg::Vector<S> trial_, f_, size_, entries_; // those of the point evaluated last: u_ when a step begins
};

} // namespace

template <class S> std::vector<double> scaled_residuals(Manifold<S>& manifold, S t, const S* u) {
    linalg::Vector<S> f(manifold.n_constraints()), size(manifold.n_constraints()),
        entries(manifold.pattern().entries());
    manifold.df(t, u, f.data(), entries.data());
    manifold.sizes(t, u, entries.data(), S(start_floor), size.data());
    std::vector<double> result;
    for (std::int64_t k = 0; k < f.size(); ++k)
        result.push_back(f[k] == S(0) ? 0.0 : static_cast<double>(linalg::absolute(f[k]) / size[k]));
    return result;
}

template <class S>
ConsistencyReport make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                                  Freedom mobile, bool by_stages) {
    struct Members {
        std::vector<std::int32_t> rows, columns, free;
    };
    std::map<int, Members> stages;
    const auto key = [&](int stage) { return by_stages ? stage : 0; };
    for (std::size_t k = 0; k < manifold.rows().size(); ++k)
        stages[key(manifold.rows()[k].stage)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < freedom.size(); ++k) {
        Members& members = stages[key(manifold.stages()[k])];
        if (freedom[k] <= mobile) members.columns.push_back(static_cast<std::int32_t>(k));
        if (freedom[k] == Freedom::free) members.free.push_back(static_cast<std::int32_t>(k));
    }
    ConsistencyReport report;
    linalg::Vector<S> moved = u;
    GaussNewton<S> newton(manifold, t, moved);
    report.is_consistent = true;
    for (auto& [stage, members] : stages) {
        if (members.rows.empty() || !report.is_consistent) continue;
        if (by_stages && !members.free.empty() && members.free != members.columns) {
            const linalg::Vector<S> before = moved;
            Part<S> part(manifold.pattern(), members.rows, members.free, freedom);
            if (newton.run(part, report.iterations)) continue;
            moved = before;
        }
        Part<S> part(manifold.pattern(), members.rows, members.columns, freedom);
        report.is_consistent = newton.run(part, report.iterations);
    }
    for (const double r : scaled_residuals(manifold, t, moved.data())) {
        report.residual = std::max(report.residual, r);
        report.is_consistent &= r <= 1e-10; // NaN is not
    }
    if (report.is_consistent) u = std::move(moved);
    return report;
}

template <class S>
bool make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                     const std::function<bool()>& choose) {
    const bool has_stages = manifold.has_stages() && !manifold.has_invariants();
    const auto moves = [&](Freedom mobile) {
        return (has_stages && make_consistent(manifold, t, u, freedom, mobile, true).is_consistent) ||
               make_consistent(manifold, t, u, freedom, mobile, false).is_consistent;
    };
    return moves(Freedom::free) || (choose && choose()) || moves(Freedom::given) || moves(Freedom::asked);
}

template <class S>
std::vector<linalg::Vector<S>> find_solutions(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                              const std::vector<Freedom>& freedom,
                                              const std::vector<std::int64_t>& open) {
    const bool has_stages = manifold.has_stages() && !manifold.has_invariants();
    S size = 1;
    for (std::size_t k = 0; k < freedom.size(); ++k)
        size = std::max(size, linalg::absolute(u[static_cast<std::int64_t>(k)]));
    std::vector<linalg::Vector<S>> found;
    for (const double guess : {1.0, -1.0, 0.3, -0.3}) {
        linalg::Vector<S> trial = u;
        for (const std::int64_t k : open) trial[k] = S(guess) * size;
        const bool is_found =
            (has_stages && make_consistent(manifold, t, trial, freedom, Freedom::free, true).is_consistent) ||
            make_consistent(manifold, t, trial, freedom, Freedom::free, false).is_consistent;
        const auto is_near = [&](const linalg::Vector<S>& other) {
            return std::ranges::all_of(open, [&](std::int64_t k) {
                return linalg::absolute(other[k] - trial[k]) <= S(1e-6) * (S(1) + linalg::absolute(trial[k]));
            });
        };
        if (is_found && std::ranges::none_of(found, is_near)) found.push_back(std::move(trial));
    }
    return found;
}

template <class S>
std::vector<linalg::Vector<S>> points_near(Manifold<S>& manifold, S t, const linalg::Vector<S>& u, int n, double amount,
                                           double floor, std::uint64_t seed) {
    const std::int64_t m = manifold.n_coordinates() - (manifold.has_t() ? 1 : 0);
    const std::vector<Freedom> all(static_cast<std::size_t>(m), Freedom::free);
    std::vector<linalg::Vector<S>> found;
    std::uint64_t random = seed;
    for (int trial = 0; trial < n; ++trial) {
        linalg::Vector<S> near = u;
        for (std::int64_t j = 0; j < m; ++j) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            const double r = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
            near[j] += S(amount * r) * (S(floor) + linalg::absolute(near[j]));
        }
        if (make_consistent(manifold, t, near, all, Freedom::free, false).is_consistent)
            found.push_back(std::move(near));
    }
    return found;
}

// clang-format off
#define VESSIOT_INSTANTIATE(S)                                                                                         \
    template ConsistencyReport make_consistent(Manifold<S>&, S, linalg::Vector<S>&, const std::vector<Freedom>&,       \
                                               Freedom, bool);                                                         \
    template bool make_consistent(Manifold<S>&, S, linalg::Vector<S>&, const std::vector<Freedom>&,                    \
                                  const std::function<bool()>&);                                                       \
    template std::vector<linalg::Vector<S>> find_solutions(Manifold<S>&, S, const linalg::Vector<S>&,                  \
                                                           const std::vector<Freedom>&,                                \
                                                           const std::vector<std::int64_t>&);                          \
    template std::vector<linalg::Vector<S>> points_near(Manifold<S>&, S, const linalg::Vector<S>&, int, double,        \
                                                        double, std::uint64_t);                                                       \
    template std::vector<double> scaled_residuals(Manifold<S>&, S, const S*)
// clang-format on
VESSIOT_INSTANTIATE(double);
VESSIOT_INSTANTIATE(expr::Quad);

} // namespace vessiot
