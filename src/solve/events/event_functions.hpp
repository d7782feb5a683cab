// The expressions of the model's events at points of the curve, and what events set.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "expr/graph/function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class EventFunctions {
public:
    // Throws InvalidInput where an event reads a derivative that the equations do not give, or sets what they do.
    explicit EventFunctions(Compiled<S>& problem);

    std::size_t size() const { return n_; }
    // lhs - rhs of each, and its largest term. Not finite where the tops that it reads have no value. Do not allocate.
    void values(S t, const S* u, S* v);
    void terms(S t, const S* u, S* v);
    // d/dt of each along the solution, for those that end a step; not finite where that is not known.
    void rates(S t, const S* u, S* v);

    bool has_reset(std::size_t event) const { return resets_[event].function.has_value(); }
    bool has_resets() const;
    // Does it end a step: by what it sets, or with the run?
    bool ends_step(std::size_t event) const { return is_stop_[event] || has_reset(event) || contact(event); }
    // What happens at a contact there; null for other events.
    const ContactEvent* contact(std::size_t event) const {
        const Event& e = problem_.system().events[event];
        return e.contact ? &*e.contact : nullptr;
    }
    // The coordinates that an event sets, and what to, at the point where it is met.
    const std::vector<std::int64_t>& coordinates(std::size_t event) const { return resets_[event].coordinates; }
    const std::vector<S>& assigned(std::size_t event, S t, const S* u);
    // Would it change anything there?
    bool changes(std::size_t event, S t, const S* u);
    // Those that are looked at always.
    std::vector<std::size_t> always() const;
    // What an event makes of discrete quantities is set, but where it is the same number everywhere. Does that change
    // anything?
    bool set_discrete_at_start(std::size_t event, S t, const S* u);
    // The same of what it guesses; -1 where that is no coordinate, but follows from the others at once.
    const std::vector<std::int64_t>& guessed_coordinates(std::size_t event) const {
        return guesses_[event].coordinates;
    }
    const std::vector<S>& guessed(std::size_t event, S t, const S* u);
    // Sets what is discrete to what the last call of assigned() found. Empty where that is done; else the name of what
    // would not be finite.
    std::string set_discrete(std::size_t event);
    // The times between events, with the parameters of the system as they are now.
    void set_intervals();
    // The time between two events; 0: it happens at crossings.
    S interval(std::size_t event) const { return intervals_[event]; }

private:
    struct ResetFunction {
        std::vector<std::int64_t> coordinates{};
        std::optional<expr::Function<S>> function{};
        std::vector<std::size_t> held{}; // what is discrete, by its number among what is held
        std::vector<char> is_constant{}; // beside them: set to a number that is the same everywhere
        std::vector<S> all{}, values{};  // all: of the coordinates, then of what is discrete
        bool needs_tops = false;
    };
    ResetFunction make_reset(const Event& event, const std::vector<Reset>& resets, bool is_guess);
    void make_rates();
    void evaluate(expr::Function<S>& function, bool needs_tops, S t, const S* u, S* v);

    Compiled<S>& problem_;
    std::size_t n_;
    bool needs_tops_ = false, rates_need_tops_ = false;
    std::optional<expr::Function<S>> values_, terms_, rates_;
    std::vector<char> is_stop_, has_rate_;
    std::vector<ResetFunction> resets_, guesses_;
    std::vector<S> intervals_;
    linalg::Vector<S> w_;
};

extern template class EventFunctions<double>;
extern template class EventFunctions<Quad>;

} // namespace vessiot
