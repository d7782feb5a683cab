// One curve in progress: stepped by hand, on the constraints at every point.
//
//     vessiot::Integrator run = problem.begin({.start = {{"x", 0.6}}});
//     while (run.t() < 5 && run.step()) use(run["x"]);
//     run.advance(7.5);                               // to this t exactly
//     auto sol = run.solution();                      // what was computed so far
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot {

// For one thread at a time.
class Integrator {
public:
    class Work; // the run
    explicit Integrator(std::unique_ptr<Work> work);
    Integrator(Integrator&&) noexcept;
    Integrator& operator=(Integrator&&) noexcept;
    ~Integrator();

    // To the end of the next accepted step. False where the run is over: at the end of its interval, at an event that
    // stops it, or where it cannot go on; status() and message() say which.
    bool step();
    // To this t, between the current point and the end of the interval: as many steps as it takes, and then the curve
    // of the last one, projected onto the constraints. The steps are those of a run without stops. False where the run
    // is over before. Throws InvalidInput where t lies behind the current point, or past the end.
    bool advance(double t);

    double t() const;
    std::span<const double> point() const; // in the order of names()
    double operator[](std::string_view name) const;
    const std::vector<std::string>& names() const;
    // The derivatives of point() by t, where the curve goes from here; NaN for unknowns that equations without their
    // derivatives determine, of which the direction field says nothing. Throws InvalidInput where there is none.
    std::vector<double> direction();
    double residual() const; // of the constraints at the current point, the largest
    bool is_over() const;
    Status status() const;
    const std::string& message() const;
    // What was computed so far, to the end of the last step, as a solve that ended there would give it; the run can go
    // on.
    Solution solution() const;

private:
    std::unique_ptr<Work> work_;
};

} // namespace vessiot
