// Models with their manifold and start point, and every projection by its name.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "lang/model.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"
#include "projection/chord.hpp"
#include "projection/inexact.hpp"
#include "projection/newton.hpp"
#include "projection/simplified.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"

namespace vessiot::test {

template <class S> struct OnManifold {
    Compiled<S> problem;
    S t = 0;
    linalg::Vector<S> x; // the start point

    explicit OnManifold(const System& system, SolveOptions options = {})
        : problem(std::make_shared<Analysis>(system, interpreted(options)), interpreted(options)) {
        const vessiot::StartPoint<S> start = make_start(problem, interpreted(options), S(0));
        x = linalg::Vector<S>(manifold().n_coordinates());
        for (std::int64_t j = 0; j < problem.n_state(); ++j) x[j] = start.u[j];
    }
    Manifold<S>& manifold() { return problem.manifold(); }

    // The start point, each coordinate moved by up to `distance`.
    linalg::Vector<S> moved(double distance, std::mt19937_64& random) const {
        linalg::Vector<S> a = x;
        for (S& c : a) c += S(std::uniform_real_distribution<double>(-distance, distance)(random));
        return a;
    }
    // The largest |f_i| at p over the size of its row at a.
    S residual(const linalg::Vector<S>& p, const linalg::Vector<S>& a) {
        linalg::Vector<S> f(manifold().n_constraints()), df(manifold().pattern().entries()), size(f.size());
        manifold().df(t, a.data(), f.data(), df.data());
        manifold().sizes(t, a.data(), df.data(), S(1e-9), size.data());
        manifold().f(t, p.data(), f.data());
        S largest = 0;
        for (std::int64_t i = 0; i < f.size(); ++i) {
            const S r = linalg::absolute(f[i]) / size[i];
            if (!(r <= largest)) largest = r;
        }
        return largest;
    }

private:
    static Settings interpreted(SolveOptions o) {
        o.backend = "interpreter";
        return settled(o);
    }
};

template <class S>
std::unique_ptr<Projection<S>> make_projection(const std::string& name, Manifold<S>& m,
                                               const ProjectionOptions& o = {}) {
    if (name == "newton") return std::make_unique<NewtonProjection<S>>(m, o);
    if (name == "chord") return std::make_unique<ChordProjection<S>>(m, o);
    if (name == "inexact") return std::make_unique<InexactProjection<S>>(m, o);
    return std::make_unique<SimplifiedProjection<S>>(m, o);
}

// Where the projection takes a point, in a step that began at the start point.
template <class S> struct Projected {
    linalg::Vector<S> p;
    ProjectionReport<S> report;
};

template <class S> Projected<S> project(Projection<S>& projection, const OnManifold<S>& m, linalg::Vector<S> a) {
    projection.begin_step(m.t, m.x.data());
    const ProjectionReport<S> report = projection.project(m.t, a.data());
    return {std::move(a), report};
}

template <class S> double largest(const linalg::Vector<S>& x) {
    S result = 0;
    for (const S& c : x) result = c == c ? std::max(result, linalg::absolute(c)) : c;
    return static_cast<double>(result);
}

template <class S> double distance(const linalg::Vector<S>& p, const linalg::Vector<S>& q) {
    linalg::Vector<S> d(p.size());
    for (std::int64_t j = 0; j < p.size(); ++j) d[j] = p[j] - q[j];
    return largest(d);
}

} // namespace vessiot::test
