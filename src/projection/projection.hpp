// A projection: a smooth map onto the manifold that leaves its points where they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifold/field.hpp"

namespace vessiot {

template <class S> struct ProjectionReport {
    PointStatus status = PointStatus::good;
    int iterations = 0;
    S residual = 0; // largest |f_i| afterwards, absolute
};

struct ProjectionCounts {
    std::int64_t jacobians = 0, factorisations = 0;
    std::int64_t charts = 0;    // of local coordinates, chosen so far
    std::int64_t fallbacks = 0; // rays that missed the manifold, so that the nearest point was taken
    double first_fallback = 0;  // tau

    template <class Visit> static void visit(const Visit& visit) {
        visit("jacobians", &ProjectionCounts::jacobians);
        visit("factorisations", &ProjectionCounts::factorisations);
        visit("charts", &ProjectionCounts::charts);
        visit("fallbacks", &ProjectionCounts::fallbacks);
    }
};

// Newton's method with df as it was at the point that is projected, for one set of rows and coordinates after the other
// or for all of them together: what a step can do by itself where nothing special happens.
template <class S> struct FrozenRule {
    bool is_joint = false;
    S floor = 0, tolerance = 0; // of residuals, beside the sizes of rows (Manifold::sizes)
};

template <class S> class Projection {
public:
    Projection() = default;
    Projection(const Projection&) = delete;
    Projection& operator=(const Projection&) = delete;
    virtual ~Projection() = default;

    virtual std::string_view name() const = 0;
    // Are positions moved by position constraints only, then velocities by theirs, and so on?
    virtual bool goes_by_levels() const { return false; }
    // Is it the nearest point that is found?
    virtual bool finds_nearest() const { return false; }
    // A step begins at x, a point of the manifold: what all its projections share may be forgotten now, and made
    // anew by the first of them.
    virtual void begin_step(S tau, const S* x) = 0;
    // Told before the step that began last begins once more, from the same point with another size: what was learned
    // in the attempt that was rejected may be of points far off.
    virtual void retry() {}
    // What was learned at other points is forgotten, so that the next projection depends on its own point alone.
    virtual void forget() {}
    // For another run: it forgets, and counts from zero.
    virtual void renew() {
        forget();
        counts_ = {};
    }
    // Moves x onto the manifold; where that fails x is anything. Does not allocate.
    virtual ProjectionReport<S> project(S tau, S* x) = 0;
    // The rule that its points follow wherever that converges at once; none where there is no such rule.
    virtual std::optional<FrozenRule<S>> frozen_rule() const { return std::nullopt; }
    // Why the last one failed, for messages; empty where there is no more to say than its report does.
    virtual std::string failure() const { return {}; }

    virtual const ProjectionCounts& counts() const { return counts_; }
    // What the summary of a run says of so many projections with these counts; empty where there is nothing to say.
    virtual std::string note(const ProjectionCounts& /*counts*/, std::int64_t /*n_projections*/,
                             std::string_view /*independent*/) const {
        return {};
    }

protected:
    ProjectionCounts counts_;
};

} // namespace vessiot
