#include "projection/kind.hpp"

#include "projection/chord.hpp"
#include "projection/inexact.hpp"
#include "projection/local/chart.hpp"
#include "projection/local/group.hpp"
#include "projection/newton.hpp"
#include "projection/post.hpp"
#include "projection/ray/gradient_ray.hpp"
#include "projection/ray/ray.hpp"
#include "projection/simplified.hpp"

namespace vessiot {

namespace {

template <class S> std::unique_ptr<Projection<S>> make_none(const ProjectionParts<S>&) {
    return nullptr;
}

} // namespace

Table<ProjectionKind>& projection_table() {
    static Table<ProjectionKind> table{
        simplified_projection,   //
        newton_projection,       //
        chord_projection,        //
        inexact_projection,      //
        ray_projection,          //
        gradient_ray_projection, //
        post_projection,         //
        group_projection,        //
        partition_projection,    //
        tangent_projection,      //
        {.name = "none",
         .help = "points stay where the method puts them",
         .needs = "",
         .can = {.carries_derivatives = true, .projects = false},
         .make_double = make_none<double>,
         .make_quad = make_none<Quad>},
    };
    return table;
}

} // namespace vessiot
