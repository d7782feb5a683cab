// Would a system be of the same class with other parameters? The class depends on numbers in few places: whether a
// derivative that is constant vanishes, and of mechanical systems whether forces belong to constraints. What has to be
// compiled to find out is compiled once, when a parameter that may decide changes.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solve/problem/compiled.hpp"
#include "system/functions.hpp"

namespace vessiot {

// The values of all parameters, in their order.
void set_values(System& system, const std::vector<Quad>& values);

// The class of a system, again and again with other numbers.
class ClassAnew {
public:
    // Of a system with a graph of its own.
    explicit ClassAnew(System own)
        : system_(std::move(own)), functions_(system_, {.evaluator = {.backend = expr::Backend::interpreter}}) {}
    // With these values of all parameters and of what is held.
    Classification operator()(const std::vector<Quad>& parameters, const std::vector<Held>& held);

private:
    System system_;
    SystemFunctions<double> functions_;
};

class ClassCheck {
public:
    // `now`: what the class was found for, with the values that its parameters had then.
    bool is_alike(const Analysis& now, const std::vector<Quad>& before, const std::vector<Quad>& parameters);
    // May the class be another one where these parameters (elements of all, in their order) have other values?
    bool may_differ(const Analysis& now, const std::vector<std::size_t>& elements);

private:
    // Those that stand in derivatives of the equations.
    void find_deciding_parameters(const Analysis& now);

    std::optional<std::vector<char>> decides_; // by parameter
    std::optional<ClassAnew> class_;
};

} // namespace vessiot
