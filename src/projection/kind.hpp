// The kinds of projections, in one table: what each is called, how it is made, what it needs and what it can do. All
// that asks for a projection by its name, or for what it can do, reads it here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "completion/prolongation.hpp"
#include "core/table.hpp"
#include "manifold/manifold.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"
#include "projection/ray/partition.hpp"
#include "system/system.hpp"

namespace vessiot {

// What a projection is made from. All but the options have to outlive it.
template <class S> struct ProjectionParts {
    const System& system;
    const Prolongation& prolongation;
    Manifold<S>& manifold;
    ProjectionOptions options{};
    RayRules rays{};                        // of those along rays
    std::shared_ptr<Partition> partition{}; // sets of coordinates, where it has them
    CoordinateName name{};                  // for messages
};

// What can be done with it, and which options act on it.
struct ProjectionAbilities {
    bool finds_nearest = false;       // its result is the nearest point: init, newton_start, newton_stop
    bool goes_along_rays = false;     // newton_tol, fallback; it depends on the start point
    bool goes_by_increments = false;  // newton_stop = increment, newton_tol
    bool has_forcing = false;         // forcing
    bool has_sets = false;            // of coordinates: partition
    bool has_charts = false;          // local coordinates, in which stages are made
    bool carries_derivatives = false; // of the solution: sensitivity
    bool projects = true;             // anything at all
};

struct ProjectionKind {
    template <class S> using Maker = std::unique_ptr<Projection<S>> (*)(const ProjectionParts<S>&);

    std::string_view name;
    std::string_view help;  // half a line
    std::string_view needs; // of the constraints; empty: nothing
    ProjectionAbilities can{};
    // They may throw InvalidInput where the constraints are not what it needs, and may return null: it does nothing.
    Maker<double> make_double;
    Maker<Quad> make_quad;

    template <class S> std::unique_ptr<Projection<S>> make(const ProjectionParts<S>& parts) const {
        if constexpr (std::is_same_v<S, double>)
            return make_double(parts);
        else
            return make_quad(parts);
    }
};

// In the order of help. Each stands at the end of the file that it is made in.
Table<ProjectionKind>& projection_table();

} // namespace vessiot
