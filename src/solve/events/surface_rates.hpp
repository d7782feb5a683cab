// How the time at which a condition switches moves with what the solution is differentiated by: on the surface
//     g(t, y, p) = 0       dt/dp = -(g_y s + g_p) / (g_t + g_y y')
// and with it how the derivatives s of the solution go on, where y' jumps there from v to v+:
//     s+ = s + (v - v+) dt/dp
#pragma once

#include <optional>
#include <vector>

#include "expr/graph/function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class SurfaceRates {
public:
    // Of a problem with derivatives of the solution.
    explicit SurfaceRates(Compiled<S>& problem);

    // At a point, with the modes before it switches.
    void take(S t, const S* u);
    // dt/dp of what switches there: the places in what is held that change. None where several things switch that move
    // in different ways, or where the rate of one is zero.
    std::optional<std::vector<S>> moves(const std::vector<std::size_t>& places) const;

private:
    struct Row {
        std::size_t place;
        std::vector<std::size_t> at; // g' and the derivatives of g by each variable; empty where they have no value
    };
    Compiled<S>& problem_;
    std::vector<Row> rows_;
    std::optional<expr::Function<S>> function_;
    std::vector<S> values_;
    bool needs_tops_ = false;
    linalg::Vector<S> w_;
};

extern template class SurfaceRates<double>;
extern template class SurfaceRates<Quad>;

} // namespace vessiot
