#include "projection/consistent.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_solver.hpp"

namespace vessiot {

namespace {

constexpr double start_floor = 1e-12; // coordinates smaller than this count as if they had this size
constexpr int most_at_random = 8;     // coordinates that are looked for from points at random
constexpr int n_at_random = 16;       // such points

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    double between(double low, double high) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return low + (high - low) * static_cast<double>(state_ >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

// Two values of a coordinate of two solutions, each found by iteration.
template <class S> bool is_near(S a, S b) {
    return linalg::absolute(a - b) <= S(1e-6) * (S(1e-3) + std::max(linalg::absolute(a), linalg::absolute(b)));
}

// Sizes of rows in whose inside larger numbers are rounded.
template <class S> void add_roundings(Manifold<S>& manifold, S t, const S* u, linalg::Vector<S>& size) {
    linalg::Vector<S> inside(size.size());
    manifold.roundings(t, u, inside.data());
    for (std::int64_t k = 0; k < size.size(); ++k) size[k] = std::max(size[k], inside[k]);
}

// What makes a move short: its numbers as they are, or in units in which all rows and columns are of one size. The
// latter takes a dense factorisation, and finds where sizes differ by many powers of ten.
enum class Lengths : std::uint8_t { as_they_are, scaled };
constexpr std::size_t most_scaled = 250000; // entries of a dense matrix

// Some rows and the columns that may move for them.
template <class S> class Part {
public:
    // What nobody gave moves a thousand times more easily than what somebody gave.
    Part(const linalg::Pattern& all, std::vector<std::int32_t> rows, std::vector<std::int32_t> columns,
         const std::vector<Freedom>& freedom, Lengths lengths)
        : rows_(std::move(rows)), columns_(std::move(columns)), pattern_(select(all)), entries_(std::ssize(source_)),
          b_(std::ssize(rows_)), d_(std::ssize(columns_)), weights_(std::ssize(columns_)) {
        for (std::size_t k = 0; k < columns_.size(); ++k)
            weights_[static_cast<std::int64_t>(k)] =
                freedom[static_cast<std::size_t>(columns_[k])] <= Freedom::free ? S(1e6) : S(1);
        if (lengths == Lengths::as_they_are)
            solver_.emplace(pattern_);
        else
            scaled_.emplace(static_cast<int>(pattern_.rows), static_cast<int>(pattern_.columns));
    }

    // d with A d = f for the rows, the shortest; x -= damping d is what follows.
    void solve(const S* f, const S* entries) {
        for (std::size_t k = 0; k < source_.size(); ++k) entries_[static_cast<std::int64_t>(k)] = entries[source_[k]];
        for (std::size_t k = 0; k < rows_.size(); ++k) b_[static_cast<std::int64_t>(k)] = f[rows_[k]];
        if (scaled_) return solve_scaled();
        solver_->factor(entries_.data(), weights_.data());
        solver_->solve_correction(b_.data(), d_.data());
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
    bool is_scaled() const { return scaled_.has_value(); }
    bool is_solvable() const { return !columns_.empty(); }

private:
    linalg::Pattern select(const linalg::Pattern& all) {
        linalg::SubPattern part = linalg::select(all, rows_, columns_);
        source_ = std::move(part.source);
        return std::move(part.pattern);
    }

    // R A C y = R f, d = C y: in rows and columns with largest entries near 1.
    void solve_scaled() {
        const std::int64_t m = pattern_.rows, n = pattern_.columns;
        std::vector<S> row(static_cast<std::size_t>(m), S(1)), column(static_cast<std::size_t>(n), S(1));
        const auto for_entries = [&](const auto& visit) {
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t e = pattern_.column_start[static_cast<std::size_t>(j)];
                     e < pattern_.column_start[static_cast<std::size_t>(j) + 1]; ++e)
                    visit(static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(e)]),
                          static_cast<std::size_t>(j), entries_[e]);
        };
        const auto divide = [](std::vector<S>& scale, const std::vector<S>& largest) {
            for (std::size_t k = 0; k < scale.size(); ++k)
                if (largest[k] > S(0)) scale[k] /= largest[k];
        };
        for (int round = 0; round < 3; ++round) {
            std::vector<S> largest(row.size(), S(0));
            for_entries([&](std::size_t i, std::size_t j, S a) {
                largest[i] = std::max(largest[i], linalg::absolute(row[i] * a * column[j]));
            });
            divide(row, largest);
            largest.assign(column.size(), S(0));
            for_entries([&](std::size_t i, std::size_t j, S a) {
                largest[j] = std::max(largest[j], linalg::absolute(row[i] * a * column[j]));
            });
            divide(column, largest);
        }
        for (std::size_t j = 0; j < column.size(); ++j)
            column[j] *= linalg::square_root(weights_[static_cast<std::int64_t>(j)] / S(1e6));
        std::fill_n(scaled_->matrix(), m * n, S(0));
        for_entries([&](std::size_t i, std::size_t j, S a) {
            scaled_->matrix()[static_cast<std::int64_t>(j) * m + static_cast<std::int64_t>(i)] = row[i] * a * column[j];
        });
        scaled_->factor(S(1e4) * linalg::epsilon<S>());
        for (std::int64_t i = 0; i < m; ++i) b_[i] *= row[static_cast<std::size_t>(i)];
        scaled_->solve_min_norm(b_.data(), d_.data());
        for (std::int64_t j = 0; j < n; ++j) d_[j] *= column[static_cast<std::size_t>(j)];
    }

    std::vector<std::int32_t> rows_, columns_, source_;
    linalg::Pattern pattern_;
    std::optional<linalg::NormalSolver<S>> solver_;
    std::optional<linalg::PivotedQr<S>> scaled_; // in its place
    linalg::Vector<S> entries_, b_, d_, weights_;
};

template <class S> class GaussNewton {
public:
    GaussNewton(Manifold<S>& manifold, S t, linalg::Vector<S>& u)
        : manifold_(manifold), t_(t), u_(u), trial_(u), f_(manifold.n_constraints()), size_(manifold.n_constraints()),
          entries_(manifold.pattern().entries()) {}

    // Newton's method for one part, steps halved until the residual falls.
    bool run(Part<S>& part, int& iterations) {
        const S tolerance = S(64) * linalg::epsilon<S>();
        const S acceptable = S(part.is_scaled() ? 450000 : 20000) * linalg::epsilon<S>();
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
                if (halvings == 12) return r <= acceptable || is_rounding(part, acceptable);
            }
            swap(u_, trial_);
            r = next;
        }
        return r <= acceptable;
    }

private:
    // Is what is left no more than was rounded on the way to it?
    bool is_rounding(const Part<S>& part, S acceptable) {
        if (!(evaluate(part, u_.data()) < S(1))) return false;
        add_roundings(manifold_, t_, u_.data(), size_);
        return part.residual(f_.data(), size_.data()) <= acceptable;
    }

    S evaluate(const Part<S>& part, const S* u) {
        manifold_.df(t_, u, f_.data(), entries_.data());
        manifold_.sizes(t_, u, entries_.data(), S(start_floor), size_.data());
        if (part.is_scaled()) add_roundings(manifold_, t_, u, size_); // NOTE: else noise in a row stops the others
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
    const auto residual = [&](std::int64_t k) {
        return f[k] == S(0) ? 0.0 : static_cast<double>(linalg::absolute(f[k]) / size[k]);
    };
    constexpr double suspicious = 1e-12; // up to 1: small, and not as small as it should be
    bool is_any = false;
    for (std::int64_t k = 0; k < f.size(); ++k) is_any |= residual(k) > suspicious && residual(k) < 1;
    if (is_any) add_roundings(manifold, t, u, size);
    std::vector<double> result;
    for (std::int64_t k = 0; k < f.size(); ++k) result.push_back(residual(k));
    return result;
}

template <class S>
std::map<int, Group> make_groups(Manifold<S>& manifold, const std::vector<Freedom>& freedom, Freedom mobile,
                                 Groups groups) {
    const linalg::Pattern& p = manifold.pattern();
    std::vector<char> has_computed(manifold.rows().size(), 0), has_mobile = has_computed;
    for (std::size_t j = 0; j < freedom.size(); ++j)
        for (std::int64_t e = p.column_start[j]; e < p.column_start[j + 1]; ++e) {
            const auto i = static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)]);
            has_computed[i] |= static_cast<char>(freedom[j] == Freedom::computed);
            has_mobile[i] |= static_cast<char>(freedom[j] <= mobile);
        }
    const auto key = [&](int level, bool is_computed) {
        return groups == Groups::levels ? level : groups == Groups::rest && is_computed ? 1 : 0;
    };
    std::map<int, Group> result;
    for (std::size_t k = 0; k < manifold.rows().size(); ++k)
        if (has_mobile[k]) // the others can only be satisfied already
            result[key(manifold.rows()[k].level, has_computed[k] != 0)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < freedom.size(); ++k) {
        const auto column = static_cast<std::int32_t>(k);
        Group& group = result[key(manifold.levels()[k], freedom[k] == Freedom::computed)];
        if (freedom[k] <= mobile) group.columns.push_back(column);
        if (freedom[k] <= Freedom::free) group.free.push_back(column);
        if (freedom[k] == Freedom::computed) group.computed.push_back(column);
    }
    return result;
}

namespace {

template <class S>
ConsistencyReport move_onto(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                            Freedom mobile, Groups groups, Lengths lengths = Lengths::as_they_are) {
    ConsistencyReport report;
    linalg::Vector<S> moved = u;
    GaussNewton<S> newton(manifold, t, moved);
    report.is_consistent = true;
    for (const auto& [key, group] : make_groups(manifold, freedom, mobile, groups)) {
        if (group.rows.empty()) continue;
        const auto attempt = [&](const std::vector<std::int32_t>& columns) {
            if (lengths == Lengths::scaled && group.rows.size() * columns.size() > most_scaled) return false;
            const linalg::Vector<S> before = moved;
            Part<S> part(manifold.pattern(), group.rows, columns, freedom, lengths);
            if (newton.run(part, report.iterations)) return true;
            moved = before;
            return false;
        };
        if (groups == Groups::levels) {
            if (!group.computed.empty() && group.computed != group.columns && attempt(group.computed)) continue;
            if (group.free.size() > group.computed.size() && group.free != group.columns && attempt(group.free))
                continue;
        }
        report.is_consistent = attempt(group.columns);
        if (!report.is_consistent) break;
    }
    for (const double r : scaled_residuals(manifold, t, moved.data())) {
        report.residual = std::max(report.residual, r);
        report.is_consistent &= r <= 1e-10; // NaN is not
    }
    if (report.is_consistent) u = std::move(moved);
    return report;
}

} // namespace

template <class S>
ConsistencyReport make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                                  Freedom mobile, bool by_levels) {
    return move_onto(manifold, t, u, freedom, mobile, by_levels ? Groups::levels : Groups::one);
}

template <class S>
bool make_consistent(Manifold<S>& manifold, S t, linalg::Vector<S>& u, const std::vector<Freedom>& freedom,
                     const std::function<bool()>& choose) {
    const bool has_levels = manifold.has_levels() && !manifold.has_invariants();
    const bool has_computed = std::ranges::find(freedom, Freedom::computed) != freedom.end();
    const auto moves = [&](Freedom mobile, Lengths lengths = Lengths::as_they_are) {
        const auto attempt = [&](Groups groups) {
            return move_onto(manifold, t, u, freedom, mobile, groups, lengths).is_consistent;
        };
        return (has_levels && attempt(Groups::levels)) || (has_computed && attempt(Groups::rest)) ||
               attempt(Groups::one);
    };
    if (has_computed && move_onto(manifold, t, u, freedom, Freedom::computed, Groups::one).is_consistent) return true;
    if (moves(Freedom::free) || (choose && choose()) || moves(Freedom::given) || moves(Freedom::asked)) return true;
    return moves(Freedom::free, Lengths::scaled) || moves(Freedom::given, Lengths::scaled) ||
           moves(Freedom::asked, Lengths::scaled);
}

template <class S>
std::vector<linalg::Vector<S>> find_solutions(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                              const std::vector<Freedom>& freedom,
                                              const std::vector<std::int64_t>& open) {
    const bool has_levels = manifold.has_levels() && !manifold.has_invariants();
    S size = 1;
    for (std::size_t k = 0; k < freedom.size(); ++k)
        size = std::max(size, linalg::absolute(u[static_cast<std::int64_t>(k)]));
    std::vector<linalg::Vector<S>> found;
    linalg::Vector<S> trial = u;
    const auto attempt = [&] {
        const bool is_found =
            (has_levels && make_consistent(manifold, t, trial, freedom, Freedom::free, true).is_consistent) ||
            make_consistent(manifold, t, trial, freedom, Freedom::free, false).is_consistent;
        const auto is_same = [&](const linalg::Vector<S>& other) {
            return std::ranges::all_of(open, [&](std::int64_t k) { return is_near(other[k], trial[k]); });
        };
        if (is_found && std::ranges::none_of(found, is_same)) found.push_back(trial);
    };
    for (const double guess : {1.0, -1.0, 0.3, -0.3}) {
        trial = u;
        for (const std::int64_t k : open) trial[k] = S(guess) * size;
        attempt();
    }
    if (std::ssize(open) > most_at_random) return found;
    // sizes between a tenth and ten times the largest coordinate
    Random random(2);
    for (int k = 0; k < n_at_random; ++k) {
        trial = u;
        for (const std::int64_t j : open)
            trial[j] = S(std::pow(10 * static_cast<double>(size), random.between(0, 1)) * random.between(-1, 1));
        attempt();
    }
    return found;
}

template <class S>
std::vector<char> determined(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                             const std::vector<std::int64_t>& open) {
    const std::int64_t k = manifold.n_constraints(), n = std::ssize(open);
    linalg::Vector<S> f(k), entries(manifold.pattern().entries());
    manifold.df(t, u.data(), f.data(), entries.data());
    std::vector<S> row_size(static_cast<std::size_t>(k), S(0));
    for (std::int64_t e = 0; e < entries.size(); ++e) {
        S& size = row_size[static_cast<std::size_t>(manifold.pattern().row[static_cast<std::size_t>(e)])];
        size = std::max(size, linalg::absolute(entries[e]));
    }
    std::vector<S> a(static_cast<std::size_t>(k * n), S(0)); // the columns, rows scaled to largest entry 1
    const std::vector<std::int64_t>& start = manifold.pattern().column_start;
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t e = start[static_cast<std::size_t>(open[static_cast<std::size_t>(j)])];
             e < start[static_cast<std::size_t>(open[static_cast<std::size_t>(j)]) + 1]; ++e) {
            const std::int32_t i = manifold.pattern().row[static_cast<std::size_t>(e)];
            if (entries[e] != S(0))
                a[static_cast<std::size_t>(j * k + i)] = entries[e] / row_size[static_cast<std::size_t>(i)];
        }
    linalg::PivotedQr<S> qr(static_cast<int>(k), static_cast<int>(n));
    std::ranges::copy(a, qr.matrix());
    qr.factor(S(1e-5));
    std::vector<char> result(open.size(), 1);
    if (qr.rank() == n) return result;
    // a unit vector is in the space of the rows where the shortest solution of A x = A e is itself
    std::vector<S> x(open.size());
    for (std::int64_t j = 0; j < n; ++j) {
        qr.solve_min_norm(a.data() + j * k, x.data());
        result[static_cast<std::size_t>(j)] = x[static_cast<std::size_t>(j)] > S(0.999);
    }
    return result;
}

template <class S>
std::vector<std::vector<std::int64_t>> nonlinear_blocks(Manifold<S>& manifold, S t, const linalg::Vector<S>& u,
                                                        const std::vector<std::int64_t>& open) {
    const linalg::Pattern& p = manifold.pattern();
    linalg::Vector<S> f(manifold.n_constraints()), here(p.entries()), there(p.entries()), other = u;
    Random random(3);
    for (const std::int64_t k : open) other[k] += S(random.between(0.1, 0.4)) * (S(1) + linalg::absolute(u[k]));
    manifold.df(t, u.data(), f.data(), here.data());
    manifold.df(t, other.data(), f.data(), there.data());
    std::vector<std::size_t> block(open.size()); // the number of one of its members
    std::vector<char> is_nonlinear(open.size(), 0);
    std::map<std::int32_t, std::size_t> block_of_row;
    for (std::size_t j = 0; j < open.size(); ++j) {
        block[j] = j;
        const auto column = static_cast<std::size_t>(open[j]);
        for (std::int64_t e = p.column_start[column]; e < p.column_start[column + 1]; ++e) {
            const S change = linalg::absolute(here[e] - there[e]);
            is_nonlinear[j] |= static_cast<char>(!(change <= S(1e-12) * linalg::absolute(here[e])));
            const auto [row, is_new] = block_of_row.try_emplace(p.row[static_cast<std::size_t>(e)], j);
            if (!is_new) std::ranges::replace(block, std::size_t(block[row->second]), std::size_t(block[j]));
        }
    }
    std::map<std::size_t, std::vector<std::int64_t>> members;
    for (std::size_t j = 0; j < open.size(); ++j)
        if (std::ranges::any_of(std::views::iota(std::size_t{0}, open.size()),
                                [&](std::size_t i) { return block[i] == block[j] && is_nonlinear[i]; }))
            members[block[j]].push_back(open[j]);
    std::vector<std::vector<std::int64_t>> result;
    for (auto& [number, block_members] : members) result.push_back(std::move(block_members));
    return result;
}

template <class S>
std::vector<linalg::Vector<S>> points_near(Manifold<S>& manifold, S t, const linalg::Vector<S>& u, int n, double amount,
                                           double floor, std::uint64_t seed) {
    const std::int64_t m = manifold.n_coordinates() - (manifold.has_t() ? 1 : 0);
    const std::vector<Freedom> all(static_cast<std::size_t>(m), Freedom::free);
    std::vector<linalg::Vector<S>> found;
    Random random(seed);
    for (int trial = 0; trial < n; ++trial) {
        linalg::Vector<S> near = u;
        for (std::int64_t j = 0; j < m; ++j)
            near[j] += S(amount * random.between(-0.5, 0.5)) * (S(floor) + linalg::absolute(near[j]));
        if (make_consistent(manifold, t, near, all, Freedom::free, false).is_consistent)
            found.push_back(std::move(near));
    }
    return found;
}

// clang-format off
#define VESSIOT_INSTANTIATE(S)                                                                                         \
    template std::map<int, Group> make_groups(Manifold<S>&, const std::vector<Freedom>&, Freedom, Groups);             \
    template ConsistencyReport make_consistent(Manifold<S>&, S, linalg::Vector<S>&, const std::vector<Freedom>&,       \
                                               Freedom, bool);                                                         \
    template bool make_consistent(Manifold<S>&, S, linalg::Vector<S>&, const std::vector<Freedom>&,                    \
                                  const std::function<bool()>&);                                                       \
    template std::vector<linalg::Vector<S>> find_solutions(Manifold<S>&, S, const linalg::Vector<S>&,                  \
                                                           const std::vector<Freedom>&,                                \
                                                           const std::vector<std::int64_t>&);                          \
    template std::vector<linalg::Vector<S>> points_near(Manifold<S>&, S, const linalg::Vector<S>&, int, double,        \
                                                        double, std::uint64_t);                                                       \
    template std::vector<char> determined(Manifold<S>&, S, const linalg::Vector<S>&,                                   \
                                          const std::vector<std::int64_t>&);                                           \
    template std::vector<std::vector<std::int64_t>> nonlinear_blocks(                                                  \
        Manifold<S>&, S, const linalg::Vector<S>&, const std::vector<std::int64_t>&);                                  \
    template std::vector<double> scaled_residuals(Manifold<S>&, S, const S*)
// clang-format on
VESSIOT_INSTANTIATE(double);
VESSIOT_INSTANTIATE(Quad);

} // namespace vessiot
