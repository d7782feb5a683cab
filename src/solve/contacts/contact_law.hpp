// What happens to contacts at a point of the curve: impacts, rest, release, stick and slip
// (system/mechanics/contacts.hpp).
//
// Contacts that touch there are looked at together. Where one approaches, impulses change the velocities by Moreau's
// law,
//     M dv = J^T p,    0 <= u+ + e u-  _|_  p >= 0    along the gaps, with Coulomb's law for impulses along them;
// where the law would make energy (different coefficients, or friction with restitution), all coefficients of the
// impact are lowered to the smallest, then to 0. A bounce that would be followed by ever smaller ones within the time
// `shortest` is the last: its coefficient is 0. Contacts that touch and do not separate have forces by the same problem
// with accelerations in place of velocities; what pushes stays closed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "linalg/vector.hpp"
#include "solve/contacts/contact_functions.hpp"
#include "solve/contacts/contact_problem.hpp"
#include "solve/events/impulse.hpp"

namespace vessiot {

template <class S> class ContactLaw {
public:
    ContactLaw(Compiled<S>& problem, Impulses<S>& impulses)
        : problem_(problem), impulses_(impulses), functions_(problem) {}

    // What a run says of itself.
    struct Circumstances {
        S t = 0;
        S shortest = 0;       // time, below which nothing more is told apart
        S span = 0;           // of the whole run
        bool settles = false; // impacts follow each other within `shortest`: the last one
    };

    // Throws InvalidInput where contacts overlap at the start, or coefficients make no sense there.
    void check_start(S t, const S* u);
    // Does one touch at this point?
    bool touches(S t, const S* u);
    // Values were set: contacts that rest or stick, and are to move now or do not touch any more, are free, for
    // operator() to find what they do.
    void let_go(S t, const S* u);
    // Changes the modes, and the velocities of u. Empty where that is done, else why not. Takes memory.
    std::string operator()(const Circumstances& now, std::span<const ContactEvent> met, linalg::Vector<S>& u);
    bool was_impact() const { return was_impact_; } // the last time
    const std::string& note() const { return note_; }

private:
    using Values = typename ContactFunctions<S>::Values;
    using Instance = typename ContactFunctions<S>::Instance;

    // A contact that touches.
    struct Touch {
        std::size_t instance = 0;
        std::size_t row = 0; // of its gap among the rows of the problem
        bool is_hit = false, was_closed = false, is_released = false, has_stopped = false;
        bool has_given_slip = false; // at the limit of sticking: the direction is that of the force
        S slip[2] = {0, 0};
        S e = 0, mu = 0;
        bool rests = false; // after an impact, if any
    };

    S& held(std::size_t place) { return problem_.jets().held()[place]; }
    S length(std::size_t i) const; // what gaps are compared with
    S near(std::size_t i) const { return S(1e-10) * length(i); }
    std::string find_touching(std::span<const ContactEvent> met, const linalg::Vector<S>& u);
    std::string check(std::size_t i) const;
    std::string linearise(const Circumstances& now, const linalg::Vector<S>& u);
    void measure_speeds(const linalg::Vector<S>& v);
    S speed(const Touch& c, std::size_t k = 0) const { return speed_[c.row + k]; } // what is small against it is zero
    std::string pass_impact(const Circumstances& now, const linalg::Vector<S>& before, linalg::Vector<S>& u);
    std::string strike(const linalg::Vector<S>& before, linalg::Vector<S>& u);
    bool gains_energy(const std::vector<S>& p, const std::vector<S>& y) const;
    void stop_sliding(linalg::Vector<S>& u);
    void move(const std::vector<S>& p, const linalg::Vector<S>& before, linalg::Vector<S>& u);
    std::string find_forces(const Circumstances& now, const linalg::Vector<S>& u);
    std::optional<std::vector<S>> forces_of(const std::vector<char>& is_in);
    ContactRow<S> row_of(const Touch& c, bool has_velocity) const;
    bool settle(const Circumstances& now);
    void set_modes(const Circumstances& now);
    void leave_out_dependent();
    std::string contradiction(S t, const std::string& what) const;

    Compiled<S>& problem_;
    Impulses<S>& impulses_;
    ContactFunctions<S> functions_;
    std::vector<Values> values_;
    std::vector<Touch> touching_;
    std::vector<linalg::Vector<S>> gradients_, responses_; // by row of the problem
    std::vector<S> A_, velocity_, drift_, speed_;          // velocity_: along the rows, now; drift_: without motion
    std::vector<S> acceleration_, force_, result_;         // of the contacts that rest: b, p, y
    S size_ = 1;                                           // of positions
    bool was_impact_ = false;
    std::string note_;
};

extern template class ContactLaw<double>;
extern template class ContactLaw<Quad>;

} // namespace vessiot
