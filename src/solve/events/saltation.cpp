#include "solve/events/saltation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "projection/row_solver.hpp"
#include "solve/run/recorder.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

using namespace expr;
using linalg::at;

template <class S>
Saltation<S>::Saltation(Compiled<S>& problem)
    : problem_(problem), base_(*problem.base()), n_(base_.n_state()), n_blocks_(problem.analysis().n_blocks()),
      dtau_(n_blocks_ - 1), w_(problem.n_tops()), f_(n_ + 1), f_after_(n_ + 1) {
    make_events();
}

template <class S> void Saltation<S>::make_events() {
    const System& system = problem_.system();
    const Prolongation& p = problem_.prolongation();
    Graph& g = *system.graph;
    std::vector<std::int64_t> coordinate(at(p.z.size), -1); // by place in z
    for (std::size_t k = 0; k < p.state.size(); ++k) coordinate[at(p.state[k])] = static_cast<std::int64_t>(k);
    for (const Event& e : system.events) {
        EventRates rates;
        std::vector<RowTemplate> rows;
        for (const Reset& r : e.then) {
            if (system.find_held(r.jet)) {
                watch_held(r, rates);
                continue;
            }
            const auto jet = std::ranges::find(p.z.jets, r.jet);
            const std::int64_t first = p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
            rows.push_back({r.domain, r.value});
            g.index().for_each(r.domain, [&](const Env& env) {
                rates.coordinates.push_back(coordinate[at(first + g.address(r.jet, r.target, env))]);
                return true;
            });
        }
        if (!e.then.empty()) {
            if (e.every)
                rates.is_fixed = !depends(*e.every);
            else
                rates.crossing = make_rates({{g.index().scalar_domain(), e.value}});
            rates.values = make_rates(rows);
        }
        events_.push_back(std::move(rates));
    }
}

// Does it have derivatives by the variables?
template <class S> bool Saltation<S>::depends(NodeId value) {
    Graph& g = *problem_.system().graph;
    for (std::size_t j = 0; j < n_blocks_ - 1; ++j)
        if (!g.is_constant(problem_.analysis().augmentation->derivative(j, value), 0)) return true;
    return false;
}

// What is discrete has no derivatives: the values it gets must be numbers, the same for all parameters.
template <class S> void Saltation<S>::watch_held(const Reset& r, EventRates& rates) {
    Graph& g = *problem_.system().graph;
    rates.moves_held |= depends(r.value);
    rates.moves_held_in_time |= !g.is_constant(total_derivative(g)(r.value), 0);
}

// A rate that takes derivatives which the equations do not give is not known: 0, which no time follows from.
template <class S> typename Saltation<S>::Rates Saltation<S>::make_rates(const std::vector<RowTemplate>& rows) {
    Rates rates;
    if (rows.empty()) return rates;
    Graph& g = *problem_.system().graph;
    Augmentation& augmentation = *problem_.analysis().augmentation;
    const std::vector<ArrayId>& z = problem_.prolongation().z.jets;
    const auto is_known = [&](NodeId node) {
        return std::ranges::all_of(dependencies(g, {node}), [&](ArrayId a) {
            return g.array(a).role != ArrayRole::unknown || std::ranges::find(z, a) != z.end();
        });
    };
    Direction D = total_derivative(g);
    std::vector<RowTemplate> all;
    for (const RowTemplate& r : rows) {
        const NodeId rate = D(r.value);
        all.push_back({r.domain, is_known(rate) ? rate : g.zero()});
    }
    for (std::size_t j = 0; j < n_blocks_ - 1; ++j)
        for (const RowTemplate& r : rows) all.push_back({r.domain, augmentation.derivative(j, r.value)});
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, all, n);
    if (n == 0) return rates;
    rates.values.resize(at(n));
    rates.n = rates.values.size() / n_blocks_;
    rates.function.emplace(g, problem_.jets().inputs(),
                           std::vector<BufferSpec>{{"rates", {row_array(g, "rates", blocks, n)}}},
                           problem_.evaluator());
    problem_.jets().prepare(*rates.function);
    return rates;
}

template <class S> void Saltation<S>::evaluate(Rates& rates, S t, const S* u) {
    if (!rates.function) return;
    S* outputs[] = {rates.values.data()};
    (*rates.function)(problem_.jets().at(t, u, w_.data()), outputs);
}

template <class S> std::string Saltation<S>::refusal(const std::string& why) const {
    return fmt::format("derivatives of the solution are not known after {}: {}. Leave out --sensitivity", where_, why);
}

template <class S> bool Saltation<S>::find_directions(S t, const S* u) {
    return problem_.distribution().tops(t, u, w_.data()) == PointStatus::good &&
           base_.distribution().velocity(t, u, f_.data()) == PointStatus::good;
}

template <class S> bool Saltation<S>::turn(S t, linalg::Vector<S>& u) {
    if (base_.distribution().velocity(t, u.data(), f_after_.data()) != PointStatus::good) return false;
    for (std::size_t j = 1; j < n_blocks_; ++j) {
        S* s = u.data() + static_cast<std::int64_t>(j) * n_;
        for (std::int64_t k = 0; k < n_; ++k)
            if (f_[k] != f_after_[k]) s[k] += (f_[k] - f_after_[k]) * dtau_[j - 1];
    }
    return true;
}

template <class S> std::string Saltation<S>::begin(std::size_t event, S t, const S* u) {
    event_ = event;
    where_ = fmt::format("the event '{}'", problem_.system().events[event].name);
    EventRates& e = events_[event];
    if (!find_directions(t, u)) return refusal("the solution has no direction there");
    evaluate(e.crossing, t, u);
    evaluate(e.values, t, u);
    if (!e.is_fixed && e.crossing.values.empty())
        return refusal("the times at which it happens depend on the parameters");
    for (std::size_t j = 1; j < n_blocks_; ++j)
        dtau_[j - 1] = e.is_fixed ? S(0) : -e.crossing.values[j] / e.crossing.values[0];
    const bool is_still = std::ranges::all_of(dtau_, [](S d) { return d == S(0); });
    if (e.moves_held || (e.moves_held_in_time && !is_still))
        return refusal(
            "it gives a discrete quantity a value that depends on the parameters, and what is discrete has no "
            "derivatives");
    if (!linalg::all_finite(dtau_.data(), std::ssize(dtau_)))
        return refusal("it is touched, not crossed, or its rate is not known");
    return "";
}

template <class S> std::string Saltation<S>::finish(S t, const std::vector<char>& follows, linalg::Vector<S>& u) {
    const EventRates& e = events_[event_];
    follows_ = follows;
    std::ranges::copy(base_.jets().held(), problem_.jets().held().begin());
    if (!turn(t, u)) return refusal("the solution has no direction after it");
    for (std::size_t j = 1; j < n_blocks_; ++j)
        for (std::size_t k = 0; k < e.coordinates.size(); ++k) {
            const std::int64_t c = e.coordinates[k];
            u[static_cast<std::int64_t>(j) * n_ + c] =
                e.values.values[j * e.values.n + k] + (e.values.values[k] - f_after_[c]) * dtau_[j - 1];
        }
    return solve_rows(t, follows_, u);
}

template <class S> std::string Saltation<S>::settle(S t, linalg::Vector<S>& u) {
    swap(f_, f_after_);
    if (!turn(t, u)) return refusal("the solution has no direction after it");
    return solve_rows(t, follows_, u);
}

// df s + f_p = 0 for what follows, block by block.
template <class S> std::string Saltation<S>::solve_rows(S t, const std::vector<char>& follows, linalg::Vector<S>& u) {
    Manifold<S>& all = problem_.manifold();
    const linalg::Pattern& pattern = base_.written_manifold().pattern();
    const std::int64_t n_rows = base_.written_manifold().n_constraints();
    std::vector<char> is_wanted(at(n_rows), 0);
    std::vector<std::int32_t> columns;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < follows.size(); ++k) {
        if (!follows[k] || pattern.column_start[k] == pattern.column_start[k + 1]) continue;
        columns.push_back(static_cast<std::int32_t>(k));
        names.push_back(base_.analysis().name_of(base_.prolongation().state[k]));
        for (std::int64_t i = pattern.column_start[k]; i < pattern.column_start[k + 1]; ++i)
            is_wanted[at(pattern.row[at(i)])] = 1;
    }
    const auto n_wanted = std::ranges::count(is_wanted, 1);
    if (n_wanted != std::ssize(columns))
        return refusal(
            fmt::format("{} follow from what it sets by impulses or the shortest way, of which no derivatives "
                        "are made",
                        listed(names)));
    for (std::size_t j = 1; j < n_blocks_; ++j) {
        std::vector<std::int32_t> rows, here, block;
        const auto row = static_cast<std::int32_t>(static_cast<std::int64_t>(j) * n_rows);
        for (std::int32_t k = 0; k < n_rows; ++k) {
            block.push_back(row + k);
            if (is_wanted[at(k)]) rows.push_back(row + k);
        }
        for (const std::int32_t k : columns)
            here.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(j) * n_) + k);
        if (!rows.empty() && !RowSolver<S>(all, rows, here, u).solve(t, u))
            return refusal("the constraints do not determine those of " + listed(names));
        if (!(relative_residual(all, block, t, u, u) <= S(1e-8)))
            return refusal("what it sets satisfies the constraints here, but not for values nearby");
    }
    return "";
}

template class Saltation<double>;
template class Saltation<Quad>;

} // namespace vessiot
