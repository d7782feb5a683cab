// Runs that can go on in another process, with the same bits.
//
// Methods, projections and distributions keep what helps them at the next point: pivots, the last direction, a
// Jacobian, the polynomial of the last step. Instead of storing all that, a run with a checkpoint forgets it at seams,
// at its start and every checkpoint_steps accepted steps, whether or not a file is written there: what comes after a
// seam depends on the point, the size of the step and a few numbers alone (exchange() below). A file holds the state of
// a seam; a run that is resumed from it starts there as the uninterrupted one went on. [docs/decisions/0016]
//
// At a seam the state becomes text at most some ten times a second, and a file every checkpoint_every seconds; at the
// end of a run, however it ends, the last one is written. First the streams are brought to the disk, then the file: it
// never knows of more points than there are.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "solve/run/archive.hpp"
#include "solve/run/checkpoint.hpp"
#include "solve/run/parts/choice.hpp"
#include "solve/run/parts/conditions.hpp"
#include "solve/run/parts/events.hpp"
#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class Seams {
public:
    Seams(RunState<S>& run, RunEvents<S>& events, RunConditions<S>& conditions, MethodChoice<S>& choice);

    StreamHead stream_head() const;
    void check() const; // can the file be written? Throws
    void begin();       // the start is the first seam
    void after_step();  // a seam, where it is time for one
    void resume();      // from the file, instead of a start
    void finish();      // at the end of the run: the last state is in the file

private:
    using Clock = std::chrono::steady_clock;

    void look();                      // where the seam is
    void take_state(std::string& to); // all that a process must know to go on from here
    void restart();                   // at the seam: what follows depends on the state alone
    void save();                      // the last state that was taken
    void exchange(Archive& archive);
    void exchange_point(Archive& archive);
    void exchange_streams(Archive& archive);
    void exchange_solution(Archive& archive);
    void exchange_run(Archive& archive);
    void exchange_partition(Archive& archive);
    void exchange_counts(Archive& archive);

    RunState<S>& run_;
    RunEvents<S>& events_;
    RunConditions<S>& conditions_;
    MethodChoice<S>& choice_;
    linalg::Vector<S> point_, tangent_; // of the last seam
    S tau_ = 0;
    int mode_ = 0;
    std::string state_;    // there
    bool is_saved_ = true; // it is in the file, or there is none
    std::optional<RunIdentity> identity_;
    Clock::time_point last_save_, next_state_;
};

extern template class Seams<double>;
extern template class Seams<Quad>;

} // namespace vessiot
