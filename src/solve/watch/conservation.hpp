// What the flow must keep, since the projection imposes it: invariants, and, of more equations than unknowns, all of
// them. At a point of the manifold with the direction V the rate of each is
//
//   df_i(V) = sum_j df_ij u_j' + df_i/dt,     r_i + sum_j A_ij w_j  of an equation for the tops that was not solved
//
// which is round-off where the flow keeps it. Over the sum of the sizes of its parts it is about 1 for a quantity that
// has nothing to do with the flow.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "distribution/distribution.hpp"
#include "linalg/vector.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class Conservation {
public:
    // What is looked at: invariants; and of systems with more equations than unknowns the constraints, and equations
    // for the tops that are no derivatives of constraints.
    struct Parts {
        bool has_invariants = true, has_tops = true;
    };
    Conservation(Compiled<S>& problem, const Parts& parts, const Settings& options);

    std::size_t size() const { return rows_.size(); }
    bool is_invariant(std::size_t k) const { return rows_[k].is_invariant; }
    // Those of the manifold, where rates are all that may_exceed() looks at.
    std::optional<std::vector<std::int32_t>> plain_rows() const;
    std::string text(std::size_t k) const;

    // At a point with u' = du; in arclength both with t as their last coordinate. False where there is no direction.
    // Does not allocate.
    bool evaluate(S t, const S* u, const S* du);
    // May a relative rate be above `noticed`? Cheaper than to evaluate them.
    bool may_exceed(double noticed, S t, const S* u, const S* du);
    // Is a relative rate above `noticed` found again at points that differ by round-off only, on the manifold? Takes
    // memory, and is the last point looked at then.
    bool is_real(std::size_t k, double noticed, S t, const S* u);
    // Of the last point:
    S rate(std::size_t k) const { return found_[k].rate; }
    double relative(std::size_t k) const { return found_[k].relative; }
    S slack(std::size_t k) const { return found_[k].slack; } // its change by an error of the size of the tolerances

private:
    struct Row {
        bool is_top = false; // an equation for the tops; else a row of the manifold
        bool is_invariant = false;
        std::int32_t number = 0;
    };
    struct Found {
        S rate = 0, slack = 0;
        double relative = 0;
    };
    struct Sum {
        S rate = 0, parts = 0, norm = 0, slack = 0;
    };
    void add_rows(bool with_invariants);
    void add_top_rows();
    void add(Sum& sum, S entry, S u, S du) const;
    void rates_of_rows(S t, const S* u, const S* du);
    bool rates_of_tops(S t, const S* u);
    Found conclude(const Sum& sum, S size) const;

    Compiled<S>& problem_;
    Manifold<S>& manifold_;
    std::optional<TopEquations<S>> equations_; // for the tops, where some are left out
    S rtol_, atol_, speed_ = 0, length_ = 0;
    bool depends_on_t_ = false, has_tops_ = false;
    std::vector<Row> rows_;
    std::vector<Found> found_;
    std::vector<std::int32_t> below_; // by top: the coordinate that it is the derivative of, -1 for none
    std::vector<Sum> sums_;
    linalg::Vector<S> f_, before_, size_, entries_, w_;
};

// Along a run: how much the projection has taken away from what is imposed, where that is no round-off.
template <class S> class ConservationWatch {
public:
    // Nothing is watched where nothing is imposed but what was derived from the equations.
    ConservationWatch(Compiled<S>& problem, const Settings& options);

    bool is_on() const { return conservation_.size() > 0; }
    // For another run.
    void renew() {
        has_gap_ = was_blind_ = false;
        std::ranges::fill(taken_, S(0));
        std::ranges::fill(n_false_, 0);
        has_last_ = false;
        last_h_ = S(0);
        n_alert_ = 0;
    }
    // Is a step with this number and size one to look at? Some are always, and for a while after steps that suddenly
    // get short: so does what is broken for a short time only.
    bool is_due(std::int64_t step, S h) {
        if (linalg::absolute(h) < last_h_ / S(2)) n_alert_ = 16;
        last_h_ = linalg::absolute(h);
        const bool is_alert = n_alert_ > 0 && --n_alert_ % 4 == 0;
        return is_alert || step % 64 == 0 || (step <= 512 && step % 16 == 0) || (step <= 32 && step % 2 == 0);
    }
    // Rows of the manifold that are watched, where these are all and their rates are sums over df: nothing was noticed
    // where relative rates are below `noticed`.
    static constexpr double noticed = 1e-4;
    std::optional<std::vector<std::int32_t>> plain_rows() const { return conservation_.plain_rows(); }
    // Steps were made elsewhere, in which nothing was noticed.
    void pass() { has_gap_ = true; }
    // Was something noticed after that?
    bool was_blind() const { return was_blind_; }
    // At a point tau after the last one looked at; the message where something was broken by more than the tolerances.
    // Allocates only where that seems to be so.
    std::optional<std::string> look(S tau, S t, const S* u, const S* du);

private:
    std::string message(std::size_t k, S t) const;

    Compiled<S>& problem_;
    Conservation<S> conservation_;
    std::vector<S> taken_; // away from each
    std::vector<int> n_false_;
    S last_ = 0, last_h_ = 0;
    int n_alert_ = 0; // steps
    bool has_last_ = false, has_gap_ = false, was_blind_ = false;
};

extern template class Conservation<double>;
extern template class Conservation<Quad>;
extern template class ConservationWatch<double>;
extern template class ConservationWatch<Quad>;

} // namespace vessiot
