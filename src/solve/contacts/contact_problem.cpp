#include "solve/contacts/contact_problem.hpp"

#include <algorithm>

#include "linalg/lemke.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;

namespace {

constexpr int most_turns = 100;

// The variables of the complementarity problem: impulses over combinations of rows (p = C z), and the speeds sigma.
template <class S> class Pyramids {
public:
    explicit Pyramids(const ContactProblem<S>& problem) : p_(problem), frames_(problem.contacts.size(), {S(1), S(0)}) {}

    std::optional<std::vector<S>> solve() {
        std::optional<std::vector<S>> last;
        for (int k = 0; k < most_turns; ++k) {
            std::optional<std::vector<S>> found = solve_once();
            if (!found) return last;
            const bool is_turned = turn(*found);
            last = std::move(found);
            if (!is_turned) break;
        }
        return last;
    }

private:
    struct Variable {
        std::size_t contact;
        enum class Kind { normal, along, speed } kind;
        std::array<S, 2> direction{}; // of `along`
    };

    void collect() {
        variables_.clear();
        using Kind = typename Variable::Kind;
        for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
            const ContactRow<S>& c = p_.contacts[i];
            variables_.push_back({i, Kind::normal});
            if (c.slides || c.n_along == 0) continue;
            const S x = frames_[i][0], y = frames_[i][1];
            variables_.push_back({i, Kind::along, {x, y}});
            variables_.push_back({i, Kind::along, {-x, -y}});
            if (c.n_along == 2) {
                variables_.push_back({i, Kind::along, {-y, x}});
                variables_.push_back({i, Kind::along, {y, -x}});
            }
            variables_.push_back({i, Kind::speed});
        }
    }

    // The rows that an impulse acts along: C e_k.
    void add_combination(const Variable& v, S factor, std::vector<S>& rows) const {
        const ContactRow<S>& c = p_.contacts[v.contact];
        using Kind = typename Variable::Kind;
        if (v.kind == Kind::normal) {
            rows[c.normal] += factor;
            for (std::size_t k = 0; c.slides && k < c.n_along; ++k) rows[c.along[k]] -= factor * c.mu * c.direction[k];
        } else if (v.kind == Kind::along) {
            for (std::size_t k = 0; k < c.n_along; ++k) rows[c.along[k]] += factor * v.direction[k];
        }
    }

    // What is not negative: y_n, sigma + d y_t, or mu p_n - sum beta; the part of y.
    S of_rows(const Variable& v, const std::vector<S>& y) const {
        const ContactRow<S>& c = p_.contacts[v.contact];
        using Kind = typename Variable::Kind;
        if (v.kind == Kind::normal) return y[c.normal];
        S sum = 0;
        for (std::size_t k = 0; v.kind == Kind::along && k < c.n_along; ++k) sum += v.direction[k] * y[c.along[k]];
        return sum;
    }

    // The rest of it: what other variables of the same contact add.
    S directly(const Variable& to, const Variable& from) const {
        using Kind = typename Variable::Kind;
        if (to.contact != from.contact) return S(0);
        if (to.kind == Kind::along && from.kind == Kind::speed) return S(1);
        if (to.kind != Kind::speed) return S(0);
        if (from.kind == Kind::normal) return p_.contacts[to.contact].mu;
        return from.kind == Kind::along ? S(-1) : S(0);
    }

    std::optional<std::vector<S>> solve_once() {
        collect();
        const std::size_t n = variables_.size(), m = p_.n_rows;
        std::vector<S> W(n * n, S(0)), q(n), rows(m), y(m);
        for (std::size_t k = 0; k < n; ++k) {
            std::fill(rows.begin(), rows.end(), S(0));
            add_combination(variables_[k], S(1), rows);
            for (std::size_t i = 0; i < m; ++i) {
                y[i] = 0;
                for (std::size_t j = 0; j < m; ++j) y[i] += p_.A[i * m + j] * rows[j];
            }
            for (std::size_t i = 0; i < n; ++i)
                W[i * n + k] = of_rows(variables_[i], y) + directly(variables_[i], variables_[k]);
            q[k] = of_rows(variables_[k], p_.b);
        }
        const std::optional<std::vector<S>> z = linalg::solve_lcp(W, q);
        if (!z) return std::nullopt;
        std::vector<S> p(m, S(0));
        for (std::size_t k = 0; k < n; ++k) add_combination(variables_[k], (*z)[k], p);
        return p;
    }

    // Frames of two rows along the friction found; false where they were there already.
    bool turn(const std::vector<S>& p) {
        bool is_turned = false;
        for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
            const ContactRow<S>& c = p_.contacts[i];
            if (c.slides || c.n_along < 2) continue;
            const S x = p[c.along[0]], y = p[c.along[1]], size = linalg::square_root(x * x + y * y);
            if (!(size > S(0))) continue;
            const S off = absolute(frames_[i][0] * y - frames_[i][1] * x) / size;
            if (off <= S(8) * linalg::epsilon<S>()) continue;
            frames_[i] = {x / size, y / size};
            is_turned = true;
        }
        return is_turned;
    }

    const ContactProblem<S>& p_;
    std::vector<std::array<S, 2>> frames_;
    std::vector<Variable> variables_;
};

} // namespace

template <class S> std::optional<std::vector<S>> ContactProblem<S>::solve() const {
    return Pyramids<S>(*this).solve();
}

template <class S> std::vector<S> ContactProblem<S>::result(const std::vector<S>& p) const {
    std::vector<S> y = b;
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t j = 0; j < n_rows; ++j) y[i] += A[i * n_rows + j] * p[j];
    return y;
}

template struct ContactProblem<double>;
template struct ContactProblem<Quad>;

} // namespace vessiot
