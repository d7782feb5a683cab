#include "solve/events/surface_rates.hpp"

#include <algorithm>
#include <limits>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/recorder.hpp"

namespace vessiot {

using namespace expr;

template <class S> SurfaceRates<S>::SurfaceRates(Compiled<S>& problem) : problem_(problem), w_(problem.n_tops()) {
    const Analysis& analysis = problem.analysis();
    const System& system = problem.system();
    Graph& g = *system.graph;
    const std::vector<ArrayId>& z = problem.prolongation().z.jets;
    const auto is_known = [&](NodeId node) {
        return std::ranges::all_of(dependencies(g, {node}), [&](ArrayId a) {
            return g.array(a).role != ArrayRole::unknown || std::ranges::find(z, a) != z.end();
        });
    };
    std::vector<std::size_t> first(system.held.size());
    for (std::size_t k = 1; k < first.size(); ++k) first[k] = first[k - 1] + system.held[k - 1].values.size();
    Direction D = total_derivative(g);
    std::vector<RowTemplate> templates;
    std::size_t n_rows = 0;
    for (const Surface& s : analysis.conditions->surfaces) {
        std::vector<NodeId> rates{D(s.value)};
        for (std::size_t j = 0; j + 1 < analysis.n_blocks(); ++j)
            rates.push_back(analysis.augmentation->derivative(j, s.value));
        const bool has_rates = std::ranges::all_of(rates, is_known);
        std::vector<std::size_t> places;
        g.index().for_each(s.domain, [&](const Env& env) {
            const std::int64_t at = g.address(system.held[s.held].array, s.target, env);
            places.push_back(first[s.held] + static_cast<std::size_t>(at));
            return true;
        });
        for (std::size_t k = 0; k < places.size(); ++k) {
            rows_.push_back({places[k], {}});
            for (std::size_t j = 0; j < rates.size() && has_rates; ++j)
                rows_.back().at.push_back(n_rows + j * places.size() + k);
        }
        if (!has_rates) continue;
        for (const NodeId rate : rates) {
            templates.push_back({s.domain, rate});
            needs_tops_ |= reads_tops(analysis, rate, "the rate of a condition");
        }
        n_rows += rates.size() * places.size();
    }
    values_.resize(n_rows);
    if (n_rows == 0) return;
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, templates, n);
    const ArrayId array = row_array(g, "surface_rates", blocks, n);
    function_.emplace(g, problem.jets().inputs(), std::vector<BufferSpec>{{"surface_rates", {array}}},
                      problem.evaluator());
    problem.jets().prepare(*function_);
}

template <class S> void SurfaceRates<S>::take(S t, const S* u) {
    if (!function_) return;
    if (needs_tops_ && problem_.distribution().tops(t, u, w_.data()) != PointStatus::good)
        std::fill(w_.begin(), w_.end(), std::numeric_limits<double>::quiet_NaN());
    S* outputs[] = {values_.data()};
    (*function_)(problem_.jets().at(t, u, w_.data()), outputs);
}

template <class S> std::optional<std::vector<S>> SurfaceRates<S>::moves(const std::vector<std::size_t>& places) const {
    std::optional<std::vector<S>> found;
    for (const Row& row : rows_) {
        if (std::ranges::find(places, row.place) == places.end()) continue;
        if (row.at.empty()) return std::nullopt;
        std::vector<S> moves;
        for (std::size_t j = 1; j < row.at.size(); ++j) {
            moves.push_back(-values_[row.at[j]] / values_[row.at[0]]);
            if (!linalg::is_finite(moves.back())) return std::nullopt;
        }
        const auto is_same = [](S a, S b) {
            return linalg::absolute(a - b) <= S(1e-6) * (linalg::absolute(a) + linalg::absolute(b));
        };
        if (found && !std::ranges::equal(*found, moves, is_same)) return std::nullopt;
        found = std::move(moves);
    }
    return found;
}

template class SurfaceRates<double>;
template class SurfaceRates<Quad>;

} // namespace vessiot
