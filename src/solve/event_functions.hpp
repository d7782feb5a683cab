// The expressions of the model's events at points of the curve, and what events set.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "expr/function.hpp"
#include "solve/problem.hpp"

namespace vessiot {

template <class S> class EventFunctions {
public:
    // Throws InvalidInput where an event reads a derivative that the equations do not give, or sets what they do.
    explicit EventFunctions(Problem<S>& problem);

    std::size_t size() const { return n_; }
    // lhs - rhs of each, and its largest term. Not finite where the tops that it reads have no value. Do not allocate.
    void values(S t, const S* u, S* v);
    void terms(S t, const S* u, S* v);

    bool has_reset(std::size_t event) const { return !resets_[event].coordinates.empty(); }
    bool has_resets() const;
    // The coordinates that an event sets, and what to, at the point where it is met.
    const std::vector<std::int64_t>& coordinates(std::size_t event) const { return resets_[event].coordinates; }
    const std::vector<S>& assigned(std::size_t event, S t, const S* u);

private:
    struct ResetFunction {
        std::vector<std::int64_t> coordinates{};
        std::optional<expr::Function<S>> function{};
        std::vector<S> values{};
        bool needs_tops = false;
    };
    ResetFunction make_reset(const Event& event);
    void evaluate(expr::Function<S>& function, bool needs_tops, S t, const S* u, S* v);

    Problem<S>& problem_;
    std::size_t n_;
    bool needs_tops_ = false;
    std::optional<expr::Function<S>> values_, terms_;
    std::vector<ResetFunction> resets_;
    linalg::Vector<S> w_;
};

extern template class EventFunctions<double>;
extern template class EventFunctions<expr::Quad>;

} // namespace vessiot
