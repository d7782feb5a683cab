// What an event with `then` does to a point of the curve: some coordinates get new values, and the rest is made
// consistent with them.
//
// The values set stay as they are. What follows:
//   - positions, and other coordinates with derivatives, stay; where constraints among these make them move, by as
//     little as possible and level after level (positions by position constraints, then velocities by theirs);
//   - velocities of a lagrangian, momenta of a hamiltonian, by impulses (impulse.hpp);
//   - what is algebraic is continued: from its value before, while all others go from before to after
//     (row_solver.hpp); or it is looked for from a guess.
// Where that does not lead to a point, all that is not set moves together. The values of invariants that the model does
// not give are taken anew. Derivatives of the solution jump with it (saltation.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linalg/vector.hpp"
#include "projection/consistent.hpp"
#include "projection/row_solver.hpp"
#include "solve/contacts/contact_law.hpp"
#include "solve/events/event_functions.hpp"
#include "solve/events/impulse.hpp"
#include "solve/events/saltation.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class Jump {
public:
    // The events are those of the problem; with derivatives of the solution, which `saltation` is for, of the one
    // without them.
    Jump(Compiled<S>& problem, EventFunctions<S>& events, Saltation<S>* saltation);

    // The jump of an event from u at t, with what is discrete. Empty where it is done; else why there is no such point,
    // and u is as it was before. Takes memory.
    std::string operator()(std::size_t event, S t, linalg::Vector<S>& u);
    // The same at a point where contacts are met: an impact, or other modes.
    std::string touch(const typename ContactLaw<S>::Circumstances& now, std::span<const ContactEvent> met,
                      linalg::Vector<S>& u);
    ContactLaw<S>* contacts() { return contacts_ ? &*contacts_ : nullptr; } // null where there are none
    // What is to be said of the last jump: another solution than the continued one was taken. Empty for nothing.
    const std::string& note() const { return note_; }

private:
    // The jump that is made: the point before, that after as far as it is known, and what may move.
    struct Move {
        std::size_t event;
        S t;
        linalg::Vector<S> from, to;
        std::vector<Freedom> freedom;
        std::vector<char> is_set;
        std::vector<S> held_from, held_to; // what is constant between events
        std::vector<S> guesses;            // of EventFunctions::guessed_coordinates
    };
    std::string jump(std::size_t event, S t, linalg::Vector<S>& u);
    std::string set_values(Move& move);
    std::string follow(Move& move);
    bool follow_levels(Move& move);
    bool follow_broken(Move& move, const std::vector<std::int32_t>& rows);
    bool follow_rows(Move& move, const std::vector<std::int32_t>& rows);
    bool follow_velocities(Move& move);
    bool continue_algebraic(Move& move);
    bool choose(Move& move, RowSolver<S>& solver, const std::vector<std::int32_t>& columns, linalg::Vector<S>& at);
    bool is_consistent(Move& move);
    bool move_together(Move& move);
    std::string values_of(const linalg::Vector<S>& u, const std::vector<std::int32_t>& columns) const;
    std::string contradiction(std::size_t event, Manifold<S>& manifold, S t, const S* u) const;
    std::string not_finite(std::size_t event, S value, std::size_t k) const;

    Compiled<S>& all_;     // with derivatives of the solution, where there are any
    Compiled<S>& problem_; // without
    EventFunctions<S>& events_;
    Saltation<S>* saltation_;
    std::unique_ptr<Impulses<S>> impulses_; // null where there are none
    std::optional<ContactLaw<S>> contacts_;
    std::vector<Freedom> usual_; // of the coordinates that are not set
    std::vector<char> follows_;  // of the last jump: coordinates that were not set and may have moved
    std::string note_;
};

extern template class Jump<double>;
extern template class Jump<Quad>;

} // namespace vessiot
