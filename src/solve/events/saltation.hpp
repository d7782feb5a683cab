// How derivatives of the solution change where an event sets values.
//
// The event g = 0 is met at tau(p), with dtau/dp = -(g_u s + g_p)/(dg/dt). With u+ = R(t, u, p) what it makes of a
// point, and u' = f before and f+ after it, the derivatives s = du/dp at fixed t become
//
//     s+ = dR - f+ dtau,     dR = R_u (s + f dtau) + R_t dtau + R_p,     d = d/dp
//
// Coordinates that are set have dR from their formulas; those that stay have s + f dtau. The others (algebraic ones,
// and such as constraints determine) follow from the derivatives of the constraints, df s + f_p = 0, where these are as
// many.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/graph/function.hpp"
#include "linalg/vector.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

// The functions say why derivatives cannot be had; nothing where they can. They take memory.
template <class S> class Saltation {
public:
    // The problem with derivatives.
    explicit Saltation(Compiled<S>& problem);

    // At the point (t, u) where an event is met, before it.
    std::string begin(std::size_t event, S t, const S* u);
    // u is the point after it, without derivatives (those before it are there still), which it gets here. `follows`:
    // the coordinates that are not set and neither stay.
    std::string finish(S t, const std::vector<char>& follows, linalg::Vector<S>& u);
    // Conditions have switched since, at the point behind the event.
    std::string settle(S t, linalg::Vector<S>& u);

private:
    // The rate and the derivatives of rows of formulas: d/dt, d/dp_1, d/dp_2, ... of all of them, one after the other.
    struct Rates {
        std::optional<expr::Function<S>> function{};
        std::size_t n = 0;
        std::vector<S> values{};
    };
    struct EventRates {
        Rates crossing, values;
        std::vector<std::int64_t> coordinates{}; // that are set
        bool is_fixed = false;                   // it happens at times that do not depend on the variables
        bool moves_held = false, moves_held_in_time = false;
    };
    void make_events();
    bool depends(expr::NodeId value);
    void watch_held(const Reset& r, EventRates& rates);
    Rates make_rates(const std::vector<RowTemplate>& rows);
    void evaluate(Rates& rates, S t, const S* u);
    bool find_directions(S t, const S* u); // w and f
    bool turn(S t, linalg::Vector<S>& u);  // s += (f - f+) dtau; false where there is no f+
    std::string solve_rows(S t, const std::vector<char>& follows, linalg::Vector<S>& u);
    std::string refusal(const std::string& why) const;

    Compiled<S>& problem_;
    Compiled<S>& base_;
    std::int64_t n_; // coordinates of a block
    std::size_t n_blocks_;
    std::vector<EventRates> events_;
    std::vector<char> follows_; // at the last event
    std::size_t event_ = 0;     // that is met
    std::string where_;         // what is met: "the event 'ground'"
    std::vector<S> dtau_;       // by variable
    linalg::Vector<S> w_, f_, f_after_;
};

extern template class Saltation<double>;
extern template class Saltation<Quad>;

} // namespace vessiot
