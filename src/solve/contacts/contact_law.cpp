#include "solve/contacts/contact_law.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "system/mechanics/contacts.hpp"

namespace vessiot {

using linalg::absolute;

namespace {

constexpr double rest_share = 1e-12;   // of speeds: what is slower rests
constexpr double force_share = 1e-12;  // of forces: what is less does not push
constexpr double slip_share = 1e-10;   // of accelerations along a contact: what is less sticks
constexpr double heading_size = 1e-11; // of speeds

} // namespace

template <class S> S ContactLaw<S>::length(std::size_t i) const {
    return std::max(values_[i].terms, problem_.jets().held()[functions_.instances()[i].reach]);
}

template <class S> std::string ContactLaw<S>::check(std::size_t i) const {
    const Values& v = values_[i];
    const std::string& name = functions_.instances()[i].name;
    if (!(v.restitution >= S(0) && v.restitution <= S(1)))
        return fmt::format("the restitution of the contact '{}' is {:.6g}, but it lies between 0 (it stays) and 1 (no "
                           "speed is lost)",
                           name, static_cast<double>(v.restitution));
    if (!(v.friction >= S(0)))
        return fmt::format("the coefficient of friction of the contact '{}' is {:.6g}, but it cannot be negative", name,
                           static_cast<double>(v.friction));
    return "";
}

template <class S> void ContactLaw<S>::check_start(S t, const S* u) {
    if (!functions_.values(t, u, values_))
        throw InvalidInput("at the start point the accelerations that contacts need have no finite values");
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (const std::string wrong = check(i); !wrong.empty()) throw InvalidInput(wrong);
        held(functions_.instances()[i].reach) = absolute(values_[i].gap);
    }
    std::vector<std::string> overlaps;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        S size = values_[i].terms; // what an overlap is compared with
        for (std::int64_t j = 0; j < problem_.n_state(); ++j)
            if (impulses_.is_position()[linalg::at(j)]) size = std::max(size, absolute(u[j]) * S(1e-3));
        if (values_[i].gap < S(-1e-9) * size && absolute(values_[i].gap) > S(1e-14))
            overlaps.push_back(
                fmt::format("'{}' by {:.6g}", functions_.instances()[i].name, static_cast<double>(-values_[i].gap)));
    }
    if (overlaps.empty()) return;
    const std::size_t n = overlaps.size();
    if (n > 5) overlaps.resize(5);
    throw InvalidInput(fmt::format("at the start point {} overlap{}: {}{}. Move the start point to where the {} {} not "
                                   "negative",
                                   n == 1 ? "a contact" : fmt::format("{} contacts", n), n == 1 ? "s" : "",
                                   fmt::join(overlaps, ", "), n > 5 ? ", …" : "", n == 1 ? "gap" : "gaps",
                                   n == 1 ? "is" : "are"));
}

template <class S> bool ContactLaw<S>::touches(S t, const S* u) {
    if (!functions_.values(t, u, values_)) return false;
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (values_[i].gap <= near(i)) return true;
    return false;
}

template <class S> void ContactLaw<S>::let_go(S t, const S* u) {
    constexpr double share = 1e-9; // of speeds: what is slower was not set
    std::vector<S> rows;
    std::vector<linalg::Vector<S>> gradients;
    functions_.rates(t, u, rows, gradients);
    const bool has_gaps = functions_.values(t, u, values_);
    for (std::size_t i = 0; i < functions_.instances().size(); ++i) {
        const Instance& instance = functions_.instances()[i];
        if (held(instance.mode) == S(contact_free)) continue;
        if (has_gaps && values_[i].gap > near(i)) held(instance.mode) = S(contact_free);
        const std::size_t n = held(instance.mode) == S(contact_sticks) ? instance.n_along : 0;
        for (std::size_t row = instance.row; row <= instance.row + n; ++row) {
            S speed = 0;
            for (std::int64_t j = 0; j < problem_.n_state(); ++j)
                speed = std::max(speed, absolute(gradients[row][j] * u[j]));
            if (absolute(rows[row]) > S(share) * speed) held(instance.mode) = S(contact_free);
        }
    }
}

template <class S>
std::string ContactLaw<S>::find_touching(std::span<const ContactEvent> met, const linalg::Vector<S>&) {
    touching_.clear();
    std::size_t n_rows = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const Instance& instance = functions_.instances()[i];
        S& reach = held(instance.reach);
        reach = std::max(reach, absolute(values_[i].gap));
        Touch c{.instance = i, .row = n_rows, .e = values_[i].restitution, .mu = values_[i].friction};
        c.was_closed = held(instance.mode) != S(contact_free);
        for (const ContactEvent& m : met) {
            if (m.instance != i) continue;
            c.is_hit |= m.change == ContactChange::hit;
            c.is_released |= m.change == ContactChange::release;
            c.has_stopped |= m.change == ContactChange::stick;
            if (m.change != ContactChange::slip) continue;
            const S a = values_[i].force[0], b = values_[i].force[1], size = linalg::square_root(a * a + b * b);
            c.has_given_slip = size > S(0);
            if (c.has_given_slip) c.slip[0] = -a / size, c.slip[1] = -b / size;
        }
        if (!c.was_closed && !c.is_hit && !(values_[i].gap <= near(i))) continue;
        if (c.was_closed) c.e = 0;
        if (std::string wrong = check(i); !wrong.empty()) return wrong;
        n_rows += 1 + instance.n_along;
        touching_.push_back(c);
    }
    return "";
}

// Rows of the touching contacts: velocities along them, and what unit impulses do.
template <class S> std::string ContactLaw<S>::linearise(const Circumstances& now, const linalg::Vector<S>& u) {
    std::vector<S> rows;
    std::vector<linalg::Vector<S>> gradients;
    functions_.rates(now.t, u.data(), rows, gradients);
    velocity_.clear();
    gradients_.clear();
    responses_.clear();
    if (!impulses_.linearise(now.t, u.data()))
        return contradiction(now.t, "the masses or the other constraints are singular there");
    for (const Touch& c : touching_) {
        const Instance& instance = functions_.instances()[c.instance];
        for (std::size_t k = 0; k <= instance.n_along; ++k) {
            velocity_.push_back(rows[instance.row + k]);
            gradients_.push_back(std::move(gradients[instance.row + k]));
            responses_.push_back(impulses_.response(gradients_.back()));
        }
    }
    const std::size_t m = velocity_.size();
    A_.assign(m * m, S(0));
    drift_.assign(m, S(0));
    speed_.assign(m, S(0));
    for (std::size_t i = 0; i < m; ++i) {
        S moved = 0;
        for (std::int64_t j = 0; j < problem_.n_state(); ++j) moved += gradients_[i][j] * u[j];
        drift_[i] = velocity_[i] - moved;
        for (std::size_t k = 0; k < m; ++k)
            for (std::int64_t j = 0; j < problem_.n_state(); ++j) A_[i * m + k] += gradients_[i][j] * responses_[k][j];
    }
    // NOTE: symmetric, but for round-off, which would make work of nothing
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < i; ++k) A_[i * m + k] = A_[k * m + i] = (A_[i * m + k] + A_[k * m + i]) / S(2);
    measure_speeds(u);
    return "";
}

template <class S> void ContactLaw<S>::measure_speeds(const linalg::Vector<S>& v) {
    for (std::size_t i = 0; i < speed_.size(); ++i) {
        S sum = absolute(drift_[i]);
        for (std::int64_t j = 0; j < problem_.n_state(); ++j) sum += absolute(gradients_[i][j] * v[j]);
        speed_[i] = std::max(speed_[i], sum);
    }
    // a speed v along a row has the energy v^2/(2 A_ii): what others have leaves its round-off along the gaps
    const std::size_t m = speed_.size();
    S energy = 0;
    for (std::size_t i = 0; i < m; ++i)
        if (A_[i * m + i] > S(0)) energy = std::max(energy, speed_[i] * speed_[i] / A_[i * m + i]);
    for (const Touch& c : touching_)
        speed_[c.row] = std::max(speed_[c.row], linalg::square_root(std::max(A_[c.row * m + c.row], S(0)) * energy));
}

template <class S>
void ContactLaw<S>::move(const std::vector<S>& p, const linalg::Vector<S>& before, linalg::Vector<S>& u) {
    u = before;
    for (std::size_t r = 0; r < p.size(); ++r)
        for (std::int64_t j = 0; j < problem_.n_state(); ++j) u[j] += p[r] * responses_[r][j];
}

template <class S> ContactRow<S> ContactLaw<S>::row_of(const Touch& c, bool has_velocity) const {
    const std::size_t n = functions_.instances()[c.instance].n_along;
    ContactRow<S> row{.normal = c.row, .along = {c.row + 1, c.row + 2}, .n_along = n, .mu = c.mu};
    if (n == 0 || !has_velocity) return row;
    if (c.has_given_slip) {
        row.slides = true;
        row.direction = {c.slip[0], c.slip[1]};
        return row;
    }
    if (c.has_stopped) return row;
    S size = 0, scale = 0;
    for (std::size_t k = 0; k < n; ++k) {
        size += velocity_[c.row + 1 + k] * velocity_[c.row + 1 + k];
        scale = std::max(scale, speed(c, 1 + k));
    }
    size = linalg::square_root(size);
    if (!(size > S(rest_share) * scale)) return row;
    row.slides = true;
    for (std::size_t k = 0; k < n; ++k) row.direction[k] = velocity_[c.row + 1 + k] / size;
    return row;
}

// ---- impacts ----

// Moreau's law with the coefficients as they are now.
template <class S> std::string ContactLaw<S>::strike(const linalg::Vector<S>& before, linalg::Vector<S>& u) {
    const std::vector<S> from = velocity_;
    ContactProblem<S> problem{from.size(), A_, from, {}};
    bool has_lowered = false;
    while (true) {
        problem.b = from;
        problem.contacts.clear();
        S least = 1, most = 0;
        for (const Touch& c : touching_) {
            problem.contacts.push_back(row_of(c, false));
            problem.b[c.row] += c.e * std::min(from[c.row], S(0));
            if (!(from[c.row] < S(0))) continue;
            least = std::min(least, c.e);
            most = std::max(most, c.e);
        }
        const std::optional<std::vector<S>> p = problem.solve();
        if (!p) return "no impulses satisfy the laws of contact there";
        problem.b = from;
        const std::vector<S> y = problem.result(*p);
        if (most > S(0) && gains_energy(*p, y)) {
            const S lowered = least < most ? least : S(0);
            if (!has_lowered)
                note_ =
                    fmt::format("with its coefficients of restitution the impact of {} would make energy: they "
                                "are lowered to {:.6g} there",
                                functions_.instances()[touching_.front().instance].name, static_cast<double>(lowered));
            has_lowered = true;
            for (Touch& c : touching_) c.e = std::min(c.e, lowered);
            continue;
        }
        velocity_ = y;
        for (std::size_t i = 0; i < y.size(); ++i) { // what impulses leave of it is round-off of what they do
            S sum = 0;
            for (std::size_t k = 0; k < y.size(); ++k) sum += absolute(A_[i * y.size() + k] * (*p)[k]);
            speed_[i] = std::max(speed_[i], sum);
        }
        move(*p, before, u);
        measure_speeds(u);
        return "";
    }
}

// T+ - T- = p (u- + u+)/2, of contacts that do not move.
template <class S> bool ContactLaw<S>::gains_energy(const std::vector<S>& p, const std::vector<S>& y) const {
    S gain = 0, size = 0;
    for (std::size_t r = 0; r < p.size(); ++r) {
        if (p[r] != S(0) && absolute(drift_[r]) > S(rest_share) * speed_[r]) return false;
        gain += p[r] * (velocity_[r] + y[r]) / S(2);
        size += absolute(p[r]) * (absolute(velocity_[r]) + absolute(y[r]));
    }
    return gain > S(1e-12) * size;
}

template <class S>
std::string ContactLaw<S>::pass_impact(const Circumstances& now, const linalg::Vector<S>& before,
                                       linalg::Vector<S>& u) {
    const auto approaches = [&](const Touch& c) {
        return velocity_[c.row] < -S(rest_share) * speed(c) || (c.is_hit && velocity_[c.row] < S(0));
    };
    was_impact_ = std::ranges::any_of(touching_, approaches);
    if (!was_impact_) return find_forces(now, u);
    if (now.settles)
        for (Touch& c : touching_) c.e = 0;
    const std::vector<S> from = velocity_;
    for (std::size_t k = 0; k <= touching_.size(); ++k) { // each round settles one at least
        velocity_ = from;
        if (std::string wrong = strike(before, u); !wrong.empty()) return contradiction(now.t, wrong);
        if (std::string wrong = find_forces(now, u); !wrong.empty()) return wrong;
        if (!settle(now)) break;
    }
    return "";
}

// A bounce to the speed u+ under the acceleration -a takes 2 u+/a, and all that follow 1/(1 - e) times that.
template <class S> bool ContactLaw<S>::settle(const Circumstances& now) {
    bool has_some = false;
    for (Touch& c : touching_) {
        const S up = velocity_[c.row], down = result_[c.row];
        if (c.rests || c.e == S(0) || !(up > S(0)) || !(down < S(0))) continue;
        const S flight = S(-2) * up / down;
        // u+^2/(2 a) is how high it goes: less than the gap can be told
        const bool is_low = -up * up / (S(2) * down) <= S(256) * linalg::epsilon<S>() * values_[c.instance].terms;
        const bool is_last = is_low || flight <= S(64) * linalg::epsilon<S>() * absolute(now.t) ||
                             (c.e < S(1) && flight <= (S(1) - c.e) * now.shortest);
        if (!is_last) continue;
        c.e = 0;
        has_some = true;
    }
    return has_some;
}

// ---- rest ----

// The forces of the contacts in the problem, with those that slide sliding. `is_in` by touching contact.
template <class S> std::optional<std::vector<S>> ContactLaw<S>::forces_of(const std::vector<char>& is_in) {
    ContactProblem<S> problem{acceleration_.size(), A_, acceleration_, {}};
    for (std::size_t k = 0; k < touching_.size(); ++k)
        if (is_in[k]) problem.contacts.push_back(row_of(touching_[k], true));
    std::optional<std::vector<S>> p = problem.solve();
    if (p) result_ = problem.result(*p);
    return p;
}

template <class S> std::string ContactLaw<S>::find_forces(const Circumstances& now, const linalg::Vector<S>& u) {
    std::vector<Values> values;
    if (!functions_.values(now.t, u.data(), values))
        return contradiction(now.t, "the accelerations there have no finite values");
    acceleration_.clear();
    std::vector<char> is_in;
    for (Touch& c : touching_) {
        const Values& v = values[c.instance];
        acceleration_.push_back(v.acceleration);
        for (std::size_t k = 0; k < functions_.instances()[c.instance].n_along; ++k)
            acceleration_.push_back(v.slide_rate[k]);
        const bool is_still = velocity_[c.row] * now.span <= linalg::epsilon<S>() * length(c.instance);
        c.rests = is_still || velocity_[c.row] <= S(rest_share) * speed(c);
        is_in.push_back(c.rests && !c.is_released);
    }
    std::optional<std::vector<S>> p = forces_of(is_in);
    for (std::size_t k = 0; p && k < touching_.size(); ++k) { // one that is let go at F = 0 may be pressed by others
        const Touch& c = touching_[k];
        if (is_in[k] || !c.rests) continue;
        S size = absolute(acceleration_[c.row]);
        for (std::size_t r = 0; r < p->size(); ++r)
            size = std::max(size, absolute(A_[c.row * p->size() + r] * (*p)[r]));
        if (!(result_[c.row] < S(-1e-9) * size)) continue;
        is_in[k] = 1;
        p = forces_of(is_in);
    }
    if (!p)
        return contradiction(now.t, "no forces satisfy the laws of contact there (as with a rod that is pushed "
                                    "over a rough floor); less friction may help");
    force_ = std::move(*p);
    return "";
}

// What has come to rest along its velocities: what is left of speed is taken away, A_tt p_t = -v_t.
template <class S> void ContactLaw<S>::stop_sliding(linalg::Vector<S>& u) {
    const std::size_t m = velocity_.size();
    for (const Touch& c : touching_) {
        const std::size_t n = functions_.instances()[c.instance].n_along, a = c.row + 1, b = c.row + n;
        if (!c.has_stopped || n == 0) continue;
        const S side = n == 2 ? A_[a * m + b] : S(0), other = n == 2 ? A_[b * m + b] : S(1);
        const S last = n == 2 ? velocity_[b] : S(0), det = A_[a * m + a] * other - side * side;
        if (!(det > S(0))) continue;
        std::vector<S> p(m, S(0));
        if (n == 2) p[b] = (side * velocity_[a] - A_[a * m + a] * last) / det;
        p[a] = (side * last - other * velocity_[a]) / det;
        move(p, linalg::Vector<S>(u), u);
        for (std::size_t r = 0; r < m; ++r)
            for (std::size_t k = a; k <= b; ++k) velocity_[r] += A_[r * m + k] * p[k];
    }
}

template <class S> void ContactLaw<S>::set_modes(const Circumstances& now) {
    S largest = 0;
    for (const S& a : acceleration_) largest = std::max(largest, absolute(a));
    for (const Touch& c : touching_) {
        const Instance& instance = functions_.instances()[c.instance];
        const std::size_t m = acceleration_.size();
        S& margin = held(instance.margin);
        margin = 0;
        const S unit = A_[c.row * m + c.row];
        const bool pushes = c.rests && force_[c.row] * unit > S(force_share) * largest;
        if (!pushes) {
            // what touches without a push, or leaves with no speed, is not to be met again by round-off
            if (c.rests)
                margin = std::max(S(1e-12) * std::max(length(c.instance), size_), S(-2) * values_[c.instance].gap);
            continue;
        }
        S& mode = held(instance.mode);
        mode = contact_slides;
        if (instance.n_along == 0) continue;
        const ContactRow<S> row = row_of(c, true);
        S direction[2] = {row.direction[0], row.direction[1]}, size = 0, pushed = 0, pace = 0;
        for (std::size_t k = 0; k < instance.n_along; ++k) {
            const std::size_t r = c.row + 1 + k;
            size += result_[r] * result_[r];
            pushed = std::max({pushed, absolute(acceleration_[r]), absolute(A_[r * m + r] * force_[r])});
            pace = std::max(pace, speed_[r]);
        }
        size = linalg::square_root(size);
        if (!row.slides && !(size > S(slip_share) * pushed)) {
            mode = contact_sticks;
            continue;
        }
        for (std::size_t k = 0; !row.slides && k < instance.n_along; ++k) direction[k] = result_[c.row + 1 + k] / size;
        if (!(pace > S(0))) pace = std::max(pushed * now.span, S(1e-300)) * S(1e-3);
        if (instance.n_along == 1) {
            held(instance.heading[0]) = direction[0] < S(0) ? S(-1) : S(1);
            if (!(absolute(velocity_[c.row + 1]) > S(1e-6) * pace)) margin = S(1e-13) * pace;
            continue;
        }
        for (std::size_t k = 0; k < 2; ++k) held(instance.heading[k]) = S(heading_size) * pace * direction[k];
    }
}

// Contacts that stick along one velocity which others fix already carry no friction of their own: their rows would be
// dependent. Where those others come to their limit, the problem is solved anew for all.
template <class S> void ContactLaw<S>::leave_out_dependent() {
    const std::size_t m = acceleration_.size();
    std::vector<std::vector<S>> factors; // rows of Cholesky's factor of A over the rows taken
    std::vector<std::size_t> taken;
    const auto is_new = [&](std::size_t r) {
        std::vector<S> row;
        S rest = A_[r * m + r];
        for (std::size_t k = 0; k < taken.size(); ++k) {
            S x = A_[r * m + taken[k]];
            for (std::size_t j = 0; j < k; ++j) x -= row[j] * factors[k][j];
            row.push_back(x / factors[k][k]);
            rest -= row.back() * row.back();
        }
        if (!(rest > S(1e-10) * A_[r * m + r])) return false;
        row.push_back(linalg::square_root(rest));
        factors.push_back(std::move(row));
        taken.push_back(r);
        return true;
    };
    for (const Touch& c : touching_)
        if (held(functions_.instances()[c.instance].mode) != S(contact_free)) is_new(c.row);
    for (const Touch& c : touching_) {
        const Instance& instance = functions_.instances()[c.instance];
        if (held(instance.mode) != S(contact_sticks)) continue;
        bool is_free = true;
        for (std::size_t k = 0; k < instance.n_along; ++k) is_free = is_new(c.row + 1 + k) && is_free;
        if (is_free || instance.n_along != 1) continue;
        held(instance.mode) = contact_slides;
        held(instance.heading[0]) = 0;
        held(instance.margin) = 1;
    }
}

template <class S> std::string ContactLaw<S>::contradiction(S t, const std::string& what) const {
    std::vector<std::string> names;
    for (const Touch& c : touching_) names.push_back("'" + functions_.instances()[c.instance].name + "'");
    if (names.size() > 5) names.resize(5), names.push_back("…");
    return fmt::format("the contacts {} contradict each other or the constraints at {} = {:.10g}: {}",
                       fmt::join(names, ", "), problem_.system().independent_name, static_cast<double>(t), what);
}

template <class S>
std::string ContactLaw<S>::operator()(const Circumstances& now, std::span<const ContactEvent> met,
                                      linalg::Vector<S>& u) {
    note_.clear();
    was_impact_ = false;
    if (!functions_.values(now.t, u.data(), values_)) return contradiction(now.t, "forces have no finite values there");
    if (std::string wrong = find_touching(met, u); !wrong.empty()) return wrong;
    if (touching_.empty()) return "";
    size_ = 0;
    for (std::int64_t j = 0; j < problem_.n_state(); ++j)
        if (impulses_.is_position()[linalg::at(j)]) size_ = std::max(size_, absolute(u[j]));
    if (size_ == S(0)) size_ = 1;
    // without the contacts, as they are now; all that touch have a part in what follows
    for (const Instance& i : functions_.instances()) held(i.mode) = contact_free;
    if (std::string wrong = linearise(now, u); !wrong.empty()) return wrong;
    stop_sliding(u);
    const linalg::Vector<S> before = u;
    if (std::string wrong = pass_impact(now, before, u); !wrong.empty()) return wrong;
    set_modes(now);
    leave_out_dependent();
    return "";
}

template class ContactLaw<double>;
template class ContactLaw<Quad>;

} // namespace vessiot
