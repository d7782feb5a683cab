#include "solve/watch/leap.hpp"

#include <algorithm>

#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_coordinates = 300;
constexpr double lost = 1e-4;          // of the longest step of the run: it creeps
constexpr double agreement = 0.02;     // of directions, relative
constexpr double largest_error = 1000; // of the polynomial of lower degree, and of the way back, in the tolerances

} // namespace

template <class S>
Leap<S>::Leap(Manifold<S>& manifold, Field<S>& field, std::int64_t n_state, S rtol, S atol)
    : manifold_(manifold), field_(field), n_state_(n_state), rtol_(rtol), atol_(atol),
      is_on_(manifold.n_constraints() > 0 && manifold.n_coordinates() <= most_coordinates) {
    if (!is_on_) return;
    const std::int64_t n = linalg::padded(field.size());
    first_ = linalg::Vector<S>(field.size());
    memory_ = linalg::Vector<S>(2 * n * static_cast<std::int64_t>(n_kept));
    S* next = memory_.data();
    for (Node& node : kept_) {
        node.x = next;
        node.dx = next + n;
        next += 2 * n;
    }
}

template <class S> typename Leap<S>::Node* Leap<S>::next_node(S tau) {
    if (!is_on_ || (n_ > 0 && last(0).tau == tau)) return nullptr;
    if (n_ > 0) longest_ = std::max(longest_, linalg::absolute(tau - last(0).tau));
    Node& node = kept_[n_++ % n_kept];
    node.tau = tau;
    last_try_ = 0;
    return &node;
}

template <class S> void Leap<S>::keep_first(const Node& node) {
    first_tau_ = node.tau;
    std::copy_n(node.x, field_.size(), first_.data());
    has_first_ = true;
}

template <class S> void Leap<S>::record(S tau, const S* x, const S* dx) {
    Node* const node = next_node(tau);
    if (!node) return;
    std::copy_n(x, field_.size(), node->x);
    std::copy_n(dx, field_.size(), node->dx);
    if (!has_first_) keep_first(*node);
}

template <class S> void Leap<S>::record(const Stretch<S>& s) {
    constexpr std::int64_t block = 8; // of which padded vectors are made: copied without a call
    const std::int64_t size = linalg::padded(field_.size());
    for (int k = 0; k < s.n; ++k) {
        Node* const node = next_node(s.steps[static_cast<std::size_t>(k)].tau);
        if (!node) continue;
        const S *const x = s.points.data() + k * size, *const dx = s.directions.data() + k * size;
        for (std::int64_t i = 0; i < size; i += block) {
            std::copy_n(x + i, block, node->x + i);
            std::copy_n(dx + i, block, node->dx + i);
        }
        if (!has_first_) keep_first(*node);
    }
}

template <class S> bool Leap<S>::is_slowed(S h) {
    const S size = linalg::absolute(h);
    if (is_on_ && has_gap_ && size < S(slow * (1 + 1e-9)) * longest_) was_blind_ = true;
    if (!is_on_ || has_gap_ || n_ < n_nodes + 1) return false;
    if (!(size < S(slow) * longest_)) return false; // none of those kept is longer
    S longest = 0;
    for (std::size_t k = 0; k + 1 < std::min(n_, n_kept); ++k)
        longest = std::max(longest, linalg::absolute(last(k).tau - last(k + 1).tau));
    return size < S(slow) * longest && (last_try_ == S(0) || size < last_try_ / S(4));
}

// The smallest singular value of df over the largest, rows of length 1.
template <class S> S Leap<S>::margin(S tau, const S* x) {
    const std::int64_t k = manifold_.n_constraints(), n = manifold_.n_coordinates();
    linalg::Vector<S> f(k), entries(manifold_.pattern().entries());
    manifold_.df(manifold_.has_t() ? x[n_state_] : tau, x, f.data(), entries.data());
    if (!linalg::all_finite(entries.data(), entries.size())) return S(0);
    linalg::JacobiSvd<S> svd(static_cast<int>(n), static_cast<int>(k)); // of the transpose
    S* a = svd.matrix();
    std::vector<S> dense(static_cast<std::size_t>(k * n));
    linalg::fill_dense(manifold_.pattern(), entries.data(), dense.data());
    for (std::int64_t i = 0; i < k; ++i) {
        S length = 0;
        for (std::int64_t j = 0; j < n; ++j)
            length += dense[static_cast<std::size_t>(j * k + i)] * dense[static_cast<std::size_t>(j * k + i)];
        length = linalg::square_root(length);
        for (std::int64_t j = 0; j < n; ++j)
            a[i * n + j] = length > S(0) ? dense[static_cast<std::size_t>(j * k + i)] / length : S(0);
    }
    if (!svd.factor()) return S(0);
    return svd.values()[static_cast<std::size_t>(k) - 1] / svd.values().front();
}

template <class S> S Leap<S>::usual() {
    if (!usual_) usual_ = margin(first_tau_, first_.data());
    if (*usual_ == S(0) && n_ > 0) usual_ = margin(last(std::min(n_, n_kept) - 1)); // the run began at a singular point
    return *usual_;
}

// To where the margin vanishes. It falls like the distance to that point, or, where velocities are constrained with the
// positions, like its square: whichever puts the point at the same place from the last two nodes and from those before.
// None where it does not fall.
template <class S> std::optional<S> Leap<S>::distance() {
    const S m[] = {margin(last(0)), margin(last(1)), margin(last(2))};
    is_lost_ = m[0] < std::min(S(1e-4) * usual(), linalg::square_root(linalg::epsilon<S>()) / S(10)) &&
               last_try_ < S(lost) * longest_;
    if (!(m[0] < m[1] && m[1] < m[2] && m[0] > S(0) && m[0] < S(0.02) * usual())) return std::nullopt;
    std::optional<S> best;
    S best_off = 0;
    for (const bool is_square : {false, true}) {
        const auto root = [&](std::size_t k) { return is_square ? linalg::square_root(m[k]) : m[k]; };
        const auto zero = [&](std::size_t k) { // of the line through two nodes
            return last(k).tau + (last(k).tau - last(k + 1).tau) * root(k) / (root(k + 1) - root(k));
        };
        const S found = zero(0) - last(0).tau, off = linalg::absolute(zero(0) - zero(1));
        if (best && off >= best_off) continue;
        best = found;
        best_off = off;
    }
    return best;
}

// The last one that is at least so far from the singular point, and earlier ones, about as far apart: what errors they
// have is not enlarged much then.
template <class S> bool Leap<S>::choose_nodes(S singular, S distance) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < std::min(n_, n_kept) && n < n_nodes; ++k) {
        const S from = n == 0 ? singular : chosen_[n - 1]->tau;
        if (linalg::absolute(from - last(k).tau) >= (n == 0 ? S(1) : S(1.5)) * distance) chosen_[n++] = &last(k);
    }
    return n == n_nodes;
}

// Hermite's polynomial through the chosen nodes, each with its derivative, by divided differences:
//   x[z_0] + x[z_0, z_1] (tau - z_0) + ...,   z = tau_0, tau_0, tau_1, tau_1, ...
template <class S>
void Leap<S>::extrapolate(std::size_t nodes, S tau, linalg::Vector<S>& x, linalg::Vector<S>& dx) const {
    const std::size_t n = 2 * nodes;
    std::array<S, 2 * n_nodes> z{}, c{};
    for (std::size_t k = 0; k < n; ++k) z[k] = chosen_[k / 2]->tau;
    for (std::int64_t i = 0; i < field_.size(); ++i) {
        for (std::size_t k = 0; k < n; ++k) c[k] = chosen_[k / 2]->x[i];
        for (std::size_t order = 1; order < n; ++order)
            for (std::size_t k = n - 1; k >= order; --k)
                c[k] = order == 1 && k % 2 == 1 ? chosen_[k / 2]->dx[i] : (c[k] - c[k - 1]) / (z[k] - z[k - order]);
        S value = 0, slope = 0;
        for (std::size_t k = n; k-- > 0;) {
            slope = slope * (tau - z[k]) + value;
            value = value * (tau - z[k]) + c[k];
        }
        x[i] = value;
        dx[i] = slope;
    }
}

template <class S> S Leap<S>::weighted(const linalg::Vector<S>& a, const linalg::Vector<S>& b) const {
    S largest = 0;
    for (std::int64_t i = 0; i < field_.size(); ++i)
        largest = std::max(largest, linalg::absolute(a[i] - b[i]) / (atol_ + rtol_ * linalg::absolute(a[i])));
    return largest;
}

template <class S> std::optional<Landing<S>> Leap<S>::attempt() {
    last_try_ = linalg::absolute(last(0).tau - last(1).tau);
    const std::optional<S> to_singular = distance();
    if (!to_singular || *to_singular == S(0)) return std::nullopt;
    // the nearer the point the worse are the nodes, the farther the worse is the polynomial: the best of a few
    std::optional<Landing<S>> best;
    S best_error = S(largest_error);
    for (const int factor : {1, 2, 4, 8, 16}) {
        Landing<S> landing{last(0).tau + S(1 + factor) * *to_singular, linalg::Vector<S>(field_.size()),
                           linalg::Vector<S>(field_.size()), last(0).tau + *to_singular};
        if (!choose_nodes(landing.singular, S(factor) * linalg::absolute(*to_singular))) break;
        const S error = land(landing);
        if (!(error < best_error)) continue;
        best_error = error;
        best = std::move(landing);
    }
    return best;
}

// On the manifold at landing.tau. How far the polynomial is from one of lower degree, in the tolerances; infinite where
// it leads elsewhere.
template <class S> S Leap<S>::land(Landing<S>& landing) {
    const S nowhere = S(1e300);
    const std::int64_t n = field_.size();
    linalg::Vector<S> ahead(n), rough(n), slope(n), rough_slope(n);
    extrapolate(n_nodes, landing.tau, ahead, slope);
    extrapolate(n_nodes - 1, landing.tau, rough, rough_slope);
    const S error = weighted(ahead, rough);
    if (!linalg::all_finite(ahead.data(), n) || !(error < S(largest_error))) return nowhere;
    const std::vector<Freedom> all(static_cast<std::size_t>(n_state_), Freedom::free);
    const S t = manifold_.has_t() ? ahead[n_state_] : landing.tau;
    landing.x = ahead;
    if (!make_consistent(manifold_, t, landing.x, all, Freedom::free, false).is_consistent) return nowhere;
    if (!(weighted(landing.x, ahead) < S(largest_error))) return nowhere;
    if (field_.direction(landing.tau, landing.x.data(), landing.dx.data()) != PointStatus::good) return nowhere;
    S off = 0, length = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        off += (landing.dx[i] - slope[i]) * (landing.dx[i] - slope[i]);
        length += slope[i] * slope[i];
    }
    return off <= S(agreement) * S(agreement) * length ? error : nowhere;
}

template class Leap<double>;
template class Leap<Quad>;

} // namespace vessiot
