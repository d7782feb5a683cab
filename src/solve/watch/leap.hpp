// Over a point where the constraints become dependent, and two branches of the manifold cross.
//
// On its own branch the curve is smooth there, but directions and projections near the point are as bad as df is
// singular, and a run that comes closer with smaller and smaller steps may leave on the other branch. So the last
// accepted points, with their directions, make a polynomial (Hermite's), which is followed to the other side: about as
// far behind the point as the run is before it, by the smallest singular value of df, which falls linearly. Put back on
// the manifold, the landing counts if the polynomial is accurate there and its derivative is the direction of the
// field.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "manifold/manifold.hpp"
#include "method/stepper.hpp"

namespace vessiot {

template <class S> struct Landing {
    S tau = 0;               // where it is again on the curve
    linalg::Vector<S> x, dx; // there
    S singular = 0;          // where the constraints are dependent, about
};

template <class S> class Leap {
public:
    // Nothing is recorded for manifolds without constraints and for large ones.
    Leap(Manifold<S>& manifold, Field<S>& field, std::int64_t n_state, S rtol, S atol);

    // An accepted point with its direction. Does not allocate after the first.
    void record(S tau, const S* x, const S* dx);
    // Those of a stretch.
    void record(const Stretch<S>& stretch);
    void forget() { n_ = 0; }
    // Steps that were made elsewhere, the longest of this size: points are missing from here on.
    void pass(S longest) {
        n_ = 0;
        longest_ = std::max(longest_, longest);
        has_gap_ = true;
    }
    // Was it asked for what is missing?
    bool was_blind() const { return was_blind_; }
    // All but what is usual on this curve, which exchange() stores.
    void restart() {
        n_ = 0;
        last_try_ = 0;
        is_lost_ = false;
    }
    // For another run.
    void renew() {
        restart();
        has_first_ = false;
        usual_.reset();
        longest_ = 0;
        has_gap_ = was_blind_ = false;
    }
    template <class Archive> void exchange(Archive& archive) {
        archive("has_first", has_first_);
        archive("first_tau", first_tau_);
        archive("first", first_);
        archive("longest", longest_);
    }
    static constexpr double slow = 0.05; // of the longest step among the last ones
    S longest() const { return longest_; }
    // Is a step of h much smaller than those before?
    bool is_slowed(S h);
    // Takes memory; rarely called.
    std::optional<Landing<S>> attempt();
    // Was the last attempt so near that the branches cannot be told from each other?
    bool is_lost() const { return is_lost_; }
    // Is df nearly of lower rank at the last point?
    bool is_near() { return n_ > 0 && margin(last(0)) < S(1e-3) * usual(); }

private:
    static constexpr std::size_t n_nodes = 4, n_kept = 64;
    struct Node {
        S tau = 0;
        S *x = nullptr, *dx = nullptr; // in memory_
    };
    const Node& last(std::size_t k) const { return kept_[(n_ - 1 - k) % n_kept]; }
    Node* next_node(S tau); // null where nothing is to be kept
    void keep_first(const Node& node);
    S margin(S tau, const S* x);
    S margin(const Node& node) { return margin(node.tau, node.x); }
    S usual(); // margin at the first point of the run: what is small is measured by it
    std::optional<S> distance();
    bool choose_nodes(S singular, S distance);
    S land(Landing<S>& landing);
    void extrapolate(std::size_t nodes, S tau, linalg::Vector<S>& x, linalg::Vector<S>& dx) const;
    S weighted(const linalg::Vector<S>& a, const linalg::Vector<S>& b) const;

    Manifold<S>& manifold_;
    Field<S>& field_;
    std::int64_t n_state_;
    S rtol_, atol_;
    bool is_on_, is_lost_ = false, has_gap_ = false, was_blind_ = false;
    linalg::Vector<S> memory_;
    std::array<Node, n_kept> kept_; // a ring
    std::size_t n_ = 0;             // recorded in all
    std::array<const Node*, n_nodes> chosen_{};
    S last_try_ = 0;          // step at which it was tried last
    linalg::Vector<S> first_; // point of the run
    S first_tau_ = 0;
    bool has_first_ = false;
    std::optional<S> usual_; // NOTE: found when it is first needed: a singular value costs more than many steps
    S longest_ = 0;          // step of all
};

extern template class Leap<double>;
extern template class Leap<Quad>;

} // namespace vessiot
