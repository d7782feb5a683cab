#include "solve/ends/shooting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

namespace {

constexpr double least_part = 1e-4; // of a damped step
constexpr double longest_step = 1;  // rms, in sizes of the coordinates
constexpr double first_cut = 0.03;  // singular values that lead nowhere, in what is left of the conditions
constexpr double enough = 0.05;     // of the tolerances
// along a family of solutions
constexpr double longest_slide = 0.5, least_slide = 1e-3; // rms as above; part of a step
constexpr double short_slide = 1e-5;                      // rms; distances are equal to rounding
constexpr double noise_of_slides = 100;                   // tolerances
constexpr int most_slides = 60;

// Q^T with Q^T a upper triangular, by Householder reflections; a becomes that.
Dense triangulate(Dense& a) {
    Dense q(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) q(i, i) = 1;
    const auto reflect = [](Dense& x, const std::vector<double>& v, std::size_t first, double beta) {
        for (std::size_t j = 0; j < x.columns; ++j) {
            double sum = 0;
            for (std::size_t i = first; i < x.rows; ++i) sum += v[i] * x(i, j);
            for (std::size_t i = first; i < x.rows; ++i) x(i, j) -= beta * sum * v[i];
        }
    };
    for (std::size_t k = 0; k < a.columns && k + 1 < a.rows; ++k) {
        std::vector<double> v(a.rows);
        double square = 0;
        for (std::size_t i = k; i < a.rows; ++i) {
            v[i] = a(i, k);
            square += v[i] * v[i];
        }
        if (square == 0) continue;
        v[k] += a(k, k) < 0 ? -std::sqrt(square) : std::sqrt(square);
        double length = 0;
        for (std::size_t i = k; i < a.rows; ++i) length += v[i] * v[i];
        if (length == 0) continue;
        reflect(a, v, k, 2 / length);
        reflect(q, v, k, 2 / length);
    }
    return q;
}

// a above b
Dense stacked(const Dense& a, const Dense& b) {
    Dense c(a.rows + b.rows, a.columns);
    std::ranges::copy(a.values, c.values.begin());
    std::ranges::copy(b.values, c.values.begin() + std::ssize(a.values));
    return c;
}

Dense rows_of(const Dense& a, std::size_t first, std::size_t n) {
    Dense c(n, a.columns);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) c(i, j) = a(first + i, j);
    return c;
}

Dense minus_identity(std::size_t n) {
    Dense c(n, n);
    for (std::size_t i = 0; i < n; ++i) c(i, i) = -1;
    return c;
}

} // namespace

Shooting::Shooting(Flow& flow, const EndConditions& conditions, double rtol, double atol, double flow_tolerance)
    : flow_(flow), conditions_(conditions), rtol_(rtol), atol_(atol),
      rank_tolerance_(std::clamp(1e3 * flow_tolerance, 1e-9, 1e-5)) {}

double Shooting::time(const ShootingState& state, std::size_t k) const {
    return k == state.places.size() ? ends_.t1 : ends_.t0 + state.places[k] * (ends_.t1 - ends_.t0);
}

// d_i: the largest |u_i| along the curve; of a coordinate that stays near 0, a part of the largest of all.
void Shooting::set_scale(const ShootingState& state) {
    scale_.assign(flow_.n(), 0);
    double largest = 0;
    for (const std::vector<double>& u : state.u)
        for (std::size_t i = 0; i < u.size(); ++i) {
            scale_[i] = std::max(scale_[i], std::abs(u[i]));
            largest = std::max(largest, scale_[i]);
        }
    if (largest == 0) largest = 1;
    for (double& d : scale_) d = std::max(d, 1e-2 * std::min(largest, 1.0));
    p_scale_.clear();
    for (const double p : state.p) p_scale_.push_back(std::max(std::abs(p), 1e-2));
}

// L_(k+1) (Phi_k(u_k) - u_(k+1))
std::vector<double> Shooting::jump(std::size_t k) const {
    std::vector<double> d(flow_.n());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = to_[k].u[i] - from_[k + 1].u[i];
    return product(basis_.empty() ? from_[k + 1].left : basis_[k + 1].left, d);
}

std::vector<double> Shooting::start_residuals() const {
    std::vector<double> r;
    for (std::size_t k = 0; k < conditions_.start().size(); ++k)
        r.push_back(from_[0].u[conditions_.start()[k]] - ends_.start[k]);
    return r;
}

std::vector<double> Shooting::residuals() const {
    std::vector<double> r;
    for (const EndConditions::Row& row : conditions_.rows())
        r.push_back(to_.back().values[row.value] -
                    (row.is_periodic ? from_[0].values[row.value] : ends_.end[row.given]));
    return r;
}

std::vector<double> Shooting::condition_residuals() const {
    std::vector<double> all = start_residuals();
    for (std::size_t k = 0; k < all.size(); ++k) all[k] /= row_size_[k];
    const std::size_t n = all.size();
    for (const double r : residuals()) all.push_back(r);
    for (std::size_t k = n; k < all.size(); ++k) all[k] /= row_size_[k];
    return all;
}

double Shooting::growth() const {
    double largest = 0;
    for (std::size_t k = 0; k < to_.size(); ++k)
        for (std::size_t i = 0; i < flow_.n(); ++i)
            for (std::size_t j = 0; j < flow_.m(); ++j)
                largest = std::max(largest, std::abs(to_[k].change(i, j)) / scale_[i]);
    return largest;
}

double Shooting::widest_gap() const {
    double widest = 0;
    for (std::size_t k = 0; k + 1 < from_.size(); ++k)
        for (std::size_t i = 0; i < flow_.n(); ++i)
            widest = std::max(widest, std::abs(to_[k].u[i] - from_[k + 1].u[i]));
    return widest;
}

Dense Shooting::monodromy() const {
    Dense all;
    for (std::size_t k = 0; k < from_.size(); ++k) {
        const Dense& left = k + 1 < from_.size() ? from_[k + 1].left : from_[0].left;
        const Dense part = product(left, columns_of(to_[k].change, 0, flow_.m()));
        all = k == 0 ? part : product(part, all);
    }
    return all;
}

bool Shooting::evaluate(const ShootingState& state) {
    from_.clear();
    to_.clear();
    try {
        ends_ = conditions_.values(state.p);
        flow_.set_parameters(conditions_.with(std::vector<Quad>(state.p.begin(), state.p.end())));
        for (std::size_t k = 0; k < state.u.size(); ++k) {
            from_.push_back(flow_.at(time(state, k), state.u[k], scale_));
            to_.push_back(flow_.run(from_.back(), time(state, k + 1)));
            is_interrupted_ |= to_.back().is_interrupted;
            if (to_.back().is_good) continue;
            why_ = to_.back().message;
            return false;
        }
    } catch (const InvalidInput& e) {
        why_ = e.what();
        return false;
    }
    return true;
}

// The intervals, one after the other, into what they say about the first and the last point.
void Shooting::reduce() {
    basis_ = from_;
    ends_of_basis_ = ends_;
    const std::size_t m = flow_.m(), n = from_.size(), np = conditions_.n_free();
    eliminated_.clear();
    reflections_.clear();
    const auto by_point = [&](std::size_t k) { return product(from_[k + 1].left, columns_of(to_[k].change, 0, m)); };
    const auto by_parameters = [&](std::size_t k) { // L (dPhi P + dPhi/dp - P_(k+1))
        Dense change = columns_of(to_[k].change, m, np);
        for (std::size_t i = 0; i < change.values.size(); ++i) change.values[i] -= from_[k + 1].moved.values[i];
        return product(from_[k + 1].left, change);
    };
    if (n > 1) {
        relation_u_ = by_point(0);
        relation_v_ = minus_identity(m);
        relation_w_ = by_parameters(0);
    }
    for (std::size_t k = 1; k + 1 < n; ++k) {
        Dense pair = stacked(relation_v_, by_point(k));
        const Dense q = triangulate(pair);
        const Dense u = product(q, stacked(relation_u_, Dense(m, m)));
        const Dense v = product(q, stacked(Dense(m, m), minus_identity(m)));
        const Dense w = product(q, stacked(relation_w_, by_parameters(k)));
        eliminated_.push_back({rows_of(pair, 0, m), rows_of(u, 0, m), rows_of(v, 0, m), rows_of(w, 0, m), {}});
        relation_u_ = rows_of(u, m, m);
        relation_v_ = rows_of(v, m, m);
        relation_w_ = rows_of(w, m, m);
        reflections_.push_back(q);
    }
    make_small();
}

// Singular values that vanish at an orbit are as large as what is left of the conditions on the way to it: directions
// that belong to them lead nowhere.
double Shooting::tolerance_of_rank() const {
    if (!conditions_.is_periodic()) return rank_tolerance_;
    double largest = 0;
    for (const double r : condition_residuals()) largest = std::max(largest, std::abs(r));
    for (std::size_t k = 0; k + 1 < from_.size(); ++k)
        for (const double r : jump(k)) largest = std::max(largest, std::abs(r));
    return std::clamp(cut_ * largest, rank_tolerance_, 0.1);
}

// The conditions and the relation, for delta_0, delta_(N-1) and dp / |p|.
void Shooting::make_small() {
    const std::size_t m = flow_.m(), np = conditions_.n_free(), n_points = from_.size() > 1 ? 2 : 1;
    const std::size_t n_start = conditions_.start().size(), n_rows = conditions_.rows().size();
    const std::size_t n_relation = n_points == 2 ? m : 0, last = (n_points - 1) * m, first_p = n_points * m;
    Dense a(n_start + n_rows + n_relation, first_p + np);
    row_size_.clear();
    for (std::size_t k = 0; k < n_start; ++k) {
        const std::size_t c = conditions_.start()[k];
        row_size_.push_back(scale_[c]);
        for (std::size_t j = 0; j < m; ++j) a(k, j) = from_[0].tangent(c, j) / scale_[c];
        for (std::size_t j = 0; j < np; ++j)
            a(k, first_p + j) = (from_[0].moved(c, j) - ends_.start_rates(k, j)) * p_scale_[j] / scale_[c];
    }
    for (std::size_t k = 0; k < n_rows; ++k) {
        const EndConditions::Row& row = conditions_.rows()[k];
        const FlowEnd& end = to_.back();
        const std::size_t r = n_start + k;
        for (std::size_t j = 0; j < m; ++j) a(r, last + j) += end.value_rates(row.value, j);
        for (std::size_t j = 0; j < np; ++j)
            a(r, first_p + j) = end.value_rates(row.value, m + j) + end.value_speeds[row.value] * ends_.t1_rate[j];
        for (std::size_t j = 0; row.is_periodic && j < m; ++j) a(r, j) -= from_[0].value_rates(row.value, j);
        for (std::size_t j = 0; j < np; ++j)
            a(r, first_p + j) -=
                row.is_periodic ? from_[0].value_rates(row.value, m + j) : ends_.end_rates(row.given, j);
        double size = std::max(std::abs(end.values[row.value]), std::abs(from_[0].values[row.value]));
        size = std::max(size, 1e-2);
        for (std::size_t j = 0; j < np; ++j) a(r, first_p + j) *= p_scale_[j];
        for (std::size_t j = 0; j < first_p + np; ++j) size = std::max(size, std::abs(a(r, j)));
        row_size_.push_back(size);
        for (std::size_t j = 0; j < first_p + np; ++j) a(r, j) /= size;
    }
    for (std::size_t i = 0; i < n_relation; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
            a(n_start + n_rows + i, j) = relation_u_(i, j);
            a(n_start + n_rows + i, m + j) = relation_v_(i, j);
        }
        for (std::size_t j = 0; j < np; ++j) a(n_start + n_rows + i, first_p + j) = relation_w_(i, j) * p_scale_[j];
    }
    small_ = std::make_unique<LeastSquares>(std::move(a), tolerance_of_rank(), 1.0);
    if (keeps_rank_) small_->take_rank(rank_ + n_relation);
    rank_ = small_->rank() - n_relation;
}

std::vector<std::vector<double>> Shooting::correction(const ShootingState* state, const Goal* goal) {
    const std::size_t m = flow_.m(), n = from_.size();
    std::vector<double> right = condition_residuals();
    for (double& r : right) r = -r;
    // the residuals of continuity on their way through the same reflections
    std::vector<std::vector<double>> kept;
    std::vector<double> q;
    if (n > 1) {
        q = jump(0);
        for (double& x : q) x = -x;
    }
    for (std::size_t k = 1; k + 1 < n; ++k) {
        std::vector<double> both = q;
        for (const double x : jump(k)) both.push_back(-x);
        both = product(reflections_[k - 1], both);
        kept.emplace_back(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(m));
        q.assign(both.begin() + static_cast<std::ptrdiff_t>(m), both.end());
    }
    right.insert(right.end(), q.begin(), q.end());
    std::vector<double> x = (*small_)(right);
    if (goal) go_towards(*goal, *state, x);
    return spread(x, kept);
}

std::vector<std::vector<double>> Shooting::spread(const std::vector<double>& x,
                                                  const std::vector<std::vector<double>>& kept) const {
    const std::size_t m = flow_.m(), n = from_.size(), np = conditions_.n_free();
    std::vector<std::vector<double>> d(n + 1, std::vector<double>(m));
    std::copy_n(x.begin(), m, d[0].begin());
    if (n > 1) std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(m), m, d[n - 1].begin());
    d[n].clear();
    for (std::size_t j = 0; j < np; ++j) d[n].push_back(x[(n > 1 ? 2 : 1) * m + j] * p_scale_[j]);
    for (std::size_t k = n - 1; k-- > 1;) { // R delta_k = q - U delta_0 - V delta_(k+1) - W dp
        const Eliminated& e = eliminated_[k - 1];
        const std::vector<double> a = product(e.u, d[0]), b = product(e.v, d[k + 1]), c = product(e.w, d[n]);
        for (std::size_t i = m; i-- > 0;) {
            double sum = kept[k - 1][i] - a[i] - b[i] - (np > 0 ? c[i] : 0);
            for (std::size_t j = i + 1; j < m; ++j) sum -= e.r(i, j) * d[k][j];
            d[k][i] = e.r(i, i) == 0 ? 0 : sum / e.r(i, i);
        }
    }
    return d;
}

std::vector<double> Shooting::change_of_start(const std::vector<double>& x) const {
    const std::size_t m = flow_.m(), n = flow_.n(), np = conditions_.n_free(), first_p = x.size() - np;
    std::vector<double> change(n + np);
    for (std::size_t j = 0; j < np; ++j) change[n + j] = x[first_p + j] * p_scale_[j];
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) change[i] += basis_[0].tangent(i, j) * x[j];
        for (std::size_t j = 0; j < np; ++j) change[i] += basis_[0].moved(i, j) * change[n + j];
    }
    return change;
}

// x + sum_k (b_k . g) n_k: n_k the kernel, combined so that its changes b_k of u_0 and p are orthonormal, and g what is
// left of the way to the goal after x.
void Shooting::go_towards(const Goal& goal, const ShootingState& state, std::vector<double>& x) const {
    std::vector<double> way = change_of_start(x);
    const std::size_t n = flow_.n();
    for (std::size_t i = 0; i < way.size(); ++i)
        way[i] = i < n ? goal.u[i] - state.u[0][i] - way[i] : goal.p[i - n] - state.p[i - n] - way[i];
    std::vector<std::vector<double>> done;
    for (std::vector<double> null : small_->kernel()) {
        std::vector<double> b = change_of_start(null);
        const auto dot = [](const auto& p, const auto& q) {
            return std::inner_product(p.begin(), p.end(), q.begin(), 0.0);
        };
        const double before = std::sqrt(dot(b, b));
        for (std::size_t k = 0; k < done.size(); k += 2) {
            const double part = dot(done[k], b);
            for (std::size_t i = 0; i < b.size(); ++i) b[i] -= part * done[k][i];
            for (std::size_t i = 0; i < null.size(); ++i) null[i] -= part * done[k + 1][i];
        }
        const double length = std::sqrt(dot(b, b));
        if (!(length > 1e-6 * before)) continue; // it moves what others move
        for (double& v : b) v /= length;
        for (double& v : null) v /= length;
        const double part = dot(b, way);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * null[i];
        done.push_back(std::move(b));
        done.push_back(std::move(null));
    }
}

// u_k + part (T delta + P dp + V dt), back on the manifold; the first point with its conditions.
ShootingState Shooting::moved(const ShootingState& state, const std::vector<std::vector<double>>& d, double part) {
    ShootingState next = state;
    const std::size_t n = state.u.size();
    for (std::size_t j = 0; j < state.p.size(); ++j) next.p[j] += part * d[n][j];
    const EndValues before = ends_of_basis_;
    const EndValues after = conditions_.values(next.p);
    flow_.set_parameters(conditions_.with(std::vector<Quad>(next.p.begin(), next.p.end())));
    for (std::size_t k = 0; k < n; ++k) {
        const std::vector<double> tangent = product(basis_[k].tangent, d[k]);
        const std::vector<double> follows = product(basis_[k].moved, d[n]);
        const double dt = state.places[k] * (after.t1 - before.t1);
        for (std::size_t i = 0; i < flow_.n(); ++i)
            next.u[k][i] += part * (tangent[i] + (state.p.empty() ? 0 : follows[i])) + dt * basis_[k].direction[i];
        const double t = after.t0 + state.places[k] * (after.t1 - after.t0);
        std::vector<std::pair<std::size_t, double>> fixed;
        if (k == 0)
            for (std::size_t c = 0; c < conditions_.start().size(); ++c) {
                const std::size_t at = conditions_.start()[c];
                // as far as the step goes
                const double now = state.u[0][at], wanted = after.start[c];
                fixed.emplace_back(at, now + part * (wanted - now));
            }
        if (!flow_.project(t, next.u[k], scale_, fixed))
            throw InvalidInput("a point was moved to where no point on the constraints is near");
    }
    return next;
}

double Shooting::size(const std::vector<std::vector<double>>& d) const {
    double square = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k + 1 < d.size(); ++k)
        for (const double x : d[k]) {
            square += x * x;
            ++count;
        }
    for (std::size_t j = 0; j < d.back().size(); ++j, ++count) square += std::pow(d.back()[j] / p_scale_[j], 2);
    return std::sqrt(square / static_cast<double>(std::max<std::size_t>(count, 1)));
}

// The largest change of a coordinate or parameter, in tolerances.
double Shooting::tolerances(const std::vector<std::vector<double>>& d) const {
    double worst = 0;
    for (std::size_t k = 0; k + 1 < d.size(); ++k) {
        const std::vector<double> tangent = product(basis_[k].tangent, d[k]);
        for (std::size_t i = 0; i < tangent.size(); ++i)
            worst = std::max(worst, std::abs(tangent[i]) / (atol_ + rtol_ * scale_[i]));
    }
    for (std::size_t j = 0; j < d.back().size(); ++j)
        worst = std::max(worst, std::abs(d.back()[j]) / (atol_ + rtol_ * p_scale_[j]));
    return worst;
}

Shooting::Outcome Shooting::solve(ShootingState& state, int most_iterations) {
    basis_.clear();
    cut_ = first_cut;
    set_scale(state);
    if (!evaluate(state)) return is_interrupted_ ? Outcome::interrupted : Outcome::failed;
    double part = 1, before = 0;
    for (int k = 0; k < most_iterations; ++k) {
        ++n_iterations_;
        reduce();
        const std::vector<std::vector<double>> d = correction();
        const double length = size(d), measured = tolerances(d);
        if (measured <= 1 && tolerance_of_rank() > rank_tolerance_) { // what was left out is needed
            cut_ /= 10;
            continue;
        }
        if (!std::isfinite(length)) {
            why_ = "the corrections are not finite";
            return Outcome::failed;
        }
        // what is left is the round-off of the runs
        const bool is_noise = k > 2 && measured <= 20 * enough && length >= before / 2;
        part = std::min(1.0, 4 * part);
        if (length > longest_step) part = std::min(part, longest_step / length);
        for (;; part /= 2) {
            if (part < least_part) {
                constexpr std::string_view stuck = "Newton's method does not get nearer";
                const bool is_said = why_.starts_with(stuck); // of an earlier try with these conditions
                const std::string why = is_said ? why_ : fmt::format("{}{}{}", stuck, why_.empty() ? "" : ": ", why_);
                basis_.clear();
                evaluate(state); // for what is said about it
                why_ = why;
                return Outcome::failed;
            }
            try {
                const ShootingState next = moved(state, d, part);
                why_.clear();
                if (evaluate(next)) {
                    const bool is_small = measured <= enough || is_noise;
                    if (is_small || size(correction()) <= (1 - part / 4) * length) {
                        state = next;
                        if (is_small && part == 1.0) {
                            basis_.clear();
                            return Outcome::converged;
                        }
                        break;
                    }
                }
                if (is_interrupted_) return Outcome::interrupted;
            } catch (const InvalidInput& e) {
                why_ = e.what();
            }
        }
        before = length;
        basis_.clear();
        const std::vector<double> old = scale_, old_p = p_scale_;
        set_scale(state);
        const auto is_near = [](double x, double y) { return x <= 5 * y && y <= 5 * x; };
        if (std::ranges::equal(scale_, old, is_near) && std::ranges::equal(p_scale_, old_p, is_near)) {
            scale_ = old; // what was evaluated with it serves
            p_scale_ = old_p;
        } else if (!evaluate(state)) {
            return is_interrupted_ ? Outcome::interrupted : Outcome::failed;
        }
    }
    why_ = fmt::format("Newton's method did not converge in {} iterations", most_iterations);
    return Outcome::failed;
}

bool Shooting::slide(ShootingState& state, const std::vector<double>& u, const std::vector<double>& p) {
    if (rank_ >= unknowns()) return true;
    const ShootingState old = state;
    keeps_rank_ = true;
    const bool is_found = slide_to({u, p}, state);
    keeps_rank_ = false;
    basis_.clear();
    if (is_found) return true;
    state = old;
    evaluate(state);
    return false;
}

// Along the family, which is curved, and back onto it; steps are halved where the distance does not become smaller.
bool Shooting::slide_to(const Goal& goal, ShootingState& state) {
    double part = 1, before = 1;
    for (int k = 0; k < most_slides; ++k) {
        basis_.clear();
        reduce();
        const std::vector<std::vector<double>> d = correction(&state, &goal);
        const double length = size(d), measured = tolerances(d), distance = goal.distance(state);
        if (!std::isfinite(length)) return false;
        const bool is_short = length < short_slide;
        if (measured <= enough || (is_short && length > before / 2 && measured <= noise_of_slides)) return true;
        before = length;
        const std::vector<FlowPoint> basis = basis_;
        const EndValues ends = ends_of_basis_;
        for (part = std::min({1.0, 2 * part, longest_slide / length});; part /= 2) {
            ShootingState next;
            if (back_on_family(state, d, part, next) && (is_short || goal.distance(next) < distance)) {
                state = std::move(next);
                break;
            }
            if (is_interrupted_) return false;
            if (part < least_slide) return false;
            basis_ = basis;
            ends_of_basis_ = ends;
        }
    }
    return false;
}

bool Shooting::back_on_family(const ShootingState& state, const std::vector<std::vector<double>>& d, double part,
                              ShootingState& next) {
    const double length = part * size(d);
    try {
        next = moved(state, d, part);
        for (int k = 0; k < 4; ++k) {
            basis_.clear();
            if (!evaluate(next)) return false;
            reduce();
            const std::vector<std::vector<double>> rest = correction();
            if (!(size(rest) < length)) return tolerances(rest) <= noise_of_slides;
            if (size(rest) < 1e-3 * length || tolerances(rest) <= enough) return true;
            next = moved(next, rest, 1);
        }
    } catch (const InvalidInput&) {
    }
    return false;
}

double Shooting::Goal::distance(const ShootingState& state) const {
    double square = 0;
    for (std::size_t i = 0; i < u.size(); ++i) square += (state.u[0][i] - u[i]) * (state.u[0][i] - u[i]);
    for (std::size_t j = 0; j < p.size(); ++j) square += (state.p[j] - p[j]) * (state.p[j] - p[j]);
    return std::sqrt(square);
}

bool Shooting::follow(const std::vector<double>& u, const std::vector<double>& p, std::size_t n, ShootingState& state) {
    state = {{}, {u}, p};
    basis_.clear();
    set_scale(state);
    ends_ = conditions_.values(p);
    flow_.set_parameters(conditions_.with(std::vector<Quad>(p.begin(), p.end())));
    for (std::size_t k = 0; k < n; ++k) state.places.push_back(static_cast<double>(k) / static_cast<double>(n));
    double largest = 1;
    for (const double x : u) largest = std::max(largest, std::abs(x));
    try {
        for (std::size_t k = 0; k + 1 < n; ++k) {
            const FlowEnd end = flow_.run(flow_.at(time(state, k), state.u[k], scale_), time(state, k + 1));
            is_interrupted_ |= end.is_interrupted;
            if (!end.is_good) return false;
            double size = 0;
            for (const double x : end.u) size = std::max(size, std::abs(x));
            if (size > 1e3 * largest) return false; // it runs away
            state.u.push_back(end.u);
        }
    } catch (const InvalidInput&) {
        return false;
    }
    return true;
}

} // namespace vessiot
