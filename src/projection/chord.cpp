#include "projection/chord.hpp"

#include "projection/kind.hpp"

namespace vessiot {

namespace {

template <class S> std::unique_ptr<Projection<S>> make_chord(const ProjectionParts<S>& p) {
    return std::make_unique<ChordProjection<S>>(p.manifold, p.options);
}

} // namespace

const ProjectionKind chord_projection{
    .name = "chord",
    .help = "the nearest point, with matrices that serve three iterations",
    .needs = "",
    .can = {.finds_nearest = true, .goes_by_increments = true, .carries_derivatives = true},
    .make_double = make_chord<double>,
    .make_quad = make_chord<Quad>};

} // namespace vessiot
