// The start point of a system with conditions: it depends on their modes, and they on it.
#pragma once

#include <memory>

#include "solve/start/start.hpp"

namespace vessiot {

// Modes are looked for that agree with the start point which follows from them, from what is given or guessed. Where
// conditions depend on what the equations determine and nobody guessed, other modes may have a point of their own
// (abs(z) = 2): then the model has to choose. What is discrete and set by events that are looked at always agrees with
// the point as well.
//
// Of one problem; what it compiles for that serves all its runs. What is held begins as System::held says.
template <class S> class StartModes {
public:
    explicit StartModes(Compiled<S>& problem);
    ~StartModes();
    // Throws as make_start does.
    StartPoint<S> operator()(const Settings& options, Quad t);

private:
    struct Functions;
    StartPoint<S> with_discrete(const Settings& options, Quad t); // as it is

    Compiled<S>& problem_;
    std::unique_ptr<Functions> functions_;
};

extern template class StartModes<double>;
extern template class StartModes<Quad>;

} // namespace vessiot
