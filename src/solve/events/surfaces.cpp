#include "solve/events/surfaces.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "expr/functions/vmath.hpp"
#include "expr/table/number_list.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/recorder.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr int most_settlings = 20;

const std::vector<Surface>& surfaces_of(const Analysis& analysis) {
    static const std::vector<Surface> none;
    return analysis.conditions ? analysis.conditions->surfaces : none;
}

} // namespace

template <class S>
Surfaces<S>::Surfaces(Compiled<S>& problem, S direction, S end, const EvaluatorOptions& evaluator)
    : problem_(problem), surfaces_(surfaces_of(problem.analysis())), times_(problem.system(), direction, end),
      w_(problem.n_tops()) {
    const System& system = problem.system();
    std::vector<std::size_t> first(system.held.size()), watched;
    std::size_t n = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
        first[k] = n;
        n += system.held[k].values.size();
    }
    Graph& g = *system.graph;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const Surface& s = surfaces_[k];
        const bool is_ahead = s.is_of_time && !problem.analysis().is_arclength;
        if (!is_ahead) watched.push_back(k);
        g.index().for_each(s.domain, [&](const Env& env) {
            const std::int64_t at = g.address(system.held[s.held].array, s.target, env);
            const std::size_t position = first[s.held] + static_cast<std::size_t>(at);
            if (is_ahead) {
                times_.add(s, env, position);
                return true;
            }
            functions_.push_back({rows_.size()});
            if (s.kind != SurfaceKind::sign) functions_.push_back({rows_.size(), true});
            rows_.push_back({s.kind, k, position, env});
            return true;
        });
    }
    row_values_.resize(rows_.size());
    work_.resize(functions_.size());
    scale_.resize(functions_.size());
    if (!watched.empty()) compile(watched, evaluator);
}

template <class S> void Surfaces<S>::renew(S direction, S end) {
    times_.renew(direction, end);
    std::ranges::fill(scale_, S(0));
    assumed_.clear();
    open_.reset();
}

template <class S>
void Surfaces<S>::compile(const std::vector<std::size_t>& watched, const EvaluatorOptions& evaluator) {
    Graph& g = *problem_.system().graph;
    std::vector<RowTemplate> values, terms;
    for (const std::size_t k : watched) {
        const Surface& s = surfaces_[k];
        needs_tops_ |= reads_tops(problem_.analysis(), s.value, fmt::format("the condition {}", g.print(s.condition)));
        values.push_back({s.domain, s.value});
        terms.push_back({s.domain, largest_term(g, s.value)});
    }
    const auto make = [&](const std::string& name, const std::vector<RowTemplate>& rows,
                          std::optional<expr::Function<S>>& function) {
        std::int64_t n = 0;
        const std::vector<RowBlock> blocks = row_blocks(g, rows, n);
        const ArrayId array = row_array(g, name, blocks, n);
        function.emplace(g, problem_.jets().inputs(), std::vector<BufferSpec>{{name, {array}}}, evaluator);
        problem_.jets().prepare(*function);
    };
    make("surfaces", values, values_);
    make("surface_terms", terms, terms_);
}

template <class S> std::vector<NodeId> Surfaces<S>::expressions() const {
    constexpr std::size_t most = 2000;
    std::vector<NodeId> all;
    if (functions_.size() > most) return all;
    Graph& g = *problem_.system().graph;
    for (const Function& f : functions_) {
        const Row& row = rows_[f.row];
        const Surface& s = surfaces_[row.surface];
        VarMap map;
        for (const VarId v : g.index().domain(s.domain).vars)
            map[v] = g.index().constant(row.env[static_cast<std::size_t>(g.index().loop_var(v).level)]);
        NodeId value = g.substitute(s.value, map);
        if (row.kind == SurfaceKind::floor) {
            const NodeId mode = g.read(problem_.system().held[s.held].array, g.index().substitute_list(s.target, map));
            value = g.sub(g.sub(value, mode), g.integer(f.is_upper ? 1 : 0));
        }
        if (row.kind == SurfaceKind::places) {
            const NodeId mode = g.read(problem_.system().held[s.held].array, g.index().substitute_list(s.target, map));
            const NodeId place = f.is_upper ? mode : g.sub(mode, g.one());
            // NOTE: of the mode itself, which is a number, and not of place, which rounding makes an interval
            const NodeId n = g.integer(static_cast<std::int64_t>(list_of(g, s.condition).size()));
            const NodeId is_there = f.is_upper ? g.apply(Op::less, mode, n) : g.apply(Op::less, g.zero(), mode);
            value = g.select(is_there, g.sub(value, pick(g, list_of(g, s.condition), place)),
                             g.integer(f.is_upper ? -1 : 1));
        }
        all.push_back(value);
    }
    return all;
}

template <class S> const NumberList& Surfaces<S>::places(const Row& row) const {
    return list_of(*problem_.system().graph, surfaces_[row.surface].condition);
}

template <class S> std::optional<S> Surfaces<S>::threshold(const Row& row, bool is_upper) const {
    const S n = mode(row) + S(is_upper ? 1 : 0);
    if (row.kind == SurfaceKind::sign) return S(0);
    if (row.kind == SurfaceKind::floor) return n;
    const std::vector<S>& numbers = places(row).template numbers<S>();
    if (n < S(1) || n > static_cast<S>(numbers.size())) return std::nullopt;
    return numbers[static_cast<std::size_t>(n) - 1];
}

template <class S> bool Surfaces<S>::is_nearer(std::size_t function, S value) const {
    const Row& row = rows_[functions_[function].row];
    const auto lower = threshold(row, false), upper = threshold(row, true);
    return !lower || !upper || linalg::absolute(value) < (*upper - *lower) / S(2);
}

template <class S> void Surfaces<S>::evaluate(std::optional<expr::Function<S>>& function, S t, const S* u, S* v) {
    if (!function) return;
    if (needs_tops_ && problem_.distribution().tops(t, u, w_.data()) != PointStatus::good)
        std::fill(w_.begin(), w_.end(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < assumed_.size(); ++k)
        if (linalg::is_finite(assumed_[k])) w_[static_cast<std::int64_t>(k)] = assumed_[k];
    S* outputs[] = {v};
    (*function)(problem_.jets().at(t, u, w_.data()), outputs);
}

template <class S> void Surfaces<S>::values(S t, const S* u, S* v) {
    evaluate(values_, t, u, row_values_.data());
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        const Row& row = rows_[functions_[f].row];
        const auto from = threshold(row, functions_[f].is_upper);
        v[f] = from ? row_values_[functions_[f].row] - *from : S(functions_[f].is_upper ? -1 : 1);
    }
}

template <class S> void Surfaces<S>::terms(S t, const S* u, S* v) {
    evaluate(terms_, t, u, row_values_.data());
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        const Row& row = rows_[functions_[f].row];
        v[f] = row_values_[functions_[f].row];
        if (row.kind == SurfaceKind::floor) v[f] = std::max(v[f], linalg::absolute(mode(row)) + S(1));
        if (row.kind == SurfaceKind::places)
            v[f] = std::max(v[f], linalg::absolute(threshold(row, functions_[f].is_upper).value_or(S(0))));
        if (linalg::is_finite(v[f])) scale_[f] = std::max(scale_[f], v[f]);
    }
}

template <class S> int Surfaces<S>::side(std::size_t function) const {
    const Function& f = functions_[function];
    if (rows_[f.row].kind != SurfaceKind::sign) return f.is_upper ? -1 : 1;
    return sign_of(mode(rows_[f.row]));
}

template <class S> S Surfaces<S>::beyond(std::size_t function, int sign) const {
    const Function& f = functions_[function];
    const S now = mode(rows_[f.row]);
    if (rows_[f.row].kind != SurfaceKind::sign) return now + S(f.is_upper ? 1 : -1);
    return now == S(0) ? S(sign) : -now;
}

template <class S> void Surfaces<S>::write(std::size_t position, S value) {
    problem_.jets().held()[position] = value;
    if (problem_.base()) problem_.base()->jets().held()[position] = value;
}

// Beyond the last point of a table that has no values there the run ends.
template <class S> void Surfaces<S>::check_table(const Row& row, S mode) const {
    if (row.kind != SurfaceKind::places) return;
    const NumberList& list = places(row);
    if (!list.is_last_open() || (mode > S(0) && mode < static_cast<S>(list.size()))) return;
    Graph& g = *problem_.system().graph;
    const Surface& s = surfaces_[row.surface];
    VarMap map;
    for (const VarId v : g.index().domain(s.domain).vars)
        map[v] = g.index().constant(row.env[static_cast<std::size_t>(g.index().loop_var(v).level)]);
    throw std::runtime_error(fmt::format("the table '{}' has values {} only, and {} = {:.8g}", list.text().name,
                                         list.text().limits, g.print(g.substitute(s.value, map)),
                                         mode > S(0) ? list.text().hi : list.text().lo));
}

template <class S> void Surfaces<S>::set(std::size_t function, S mode) {
    check_table(rows_[functions_[function].row], mode);
    write(rows_[functions_[function].row].position, mode);
}

template <class S> S Surfaces<S>::new_mode(const Row& row, S g) const {
    if (row.kind == SurfaceKind::floor) return expr::apply<S>(Op::floor, g);
    return static_cast<S>(places(row).locate(g));
}

template <class S> bool Surfaces<S>::update(const S* v, bool is_start, std::span<const Switching<S>> group) {
    bool has_changed = false;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        const Row& row = rows_[functions_[f].row];
        const auto is_set = [&](const Switching<S>& s) { return is_same(s.function, f); };
        if (functions_[f].is_upper || !linalg::is_finite(v[f]) || std::ranges::any_of(group, is_set)) continue;
        const S before = mode(row);
        S now = before;
        const S zero_size = is_start ? zero(f) : near_zero(f);
        if (row.kind != SurfaceKind::sign) {
            const S g = row_values_[functions_[f].row];
            const auto lower = threshold(row, false), upper = threshold(row, true);
            const bool is_inside = (!lower || g - *lower >= -zero_size) && (!upper || g - *upper <= zero_size);
            if (!is_inside || is_start) now = new_mode(row, g);
        } else if (linalg::absolute(v[f]) > zero_size) {
            now = S(sign_of(v[f]));
        } else if (is_start) {
            now = S(0);
        }
        if (now == before) continue;
        write(row.position, now);
        has_changed = true;
        open_ = f;
    }
    return has_changed;
}

template <class S> bool Surfaces<S>::settle(S t, const S* u, bool is_start, std::span<const Switching<S>> group) {
    const std::span<S> held = problem_.jets().held();
    for (int k = 0; k < most_settlings; ++k) {
        bool has_changed = times_.set_modes(t, held);
        if (problem_.base()) std::ranges::copy(held, problem_.base()->jets().held().begin());
        terms(t, u, work_.data());
        values(t, u, work_.data());
        has_changed |= update(work_.data(), is_start, group);
        if (!has_changed) return true;
    }
    return false;
}

template <class S> bool Surfaces<S>::fits(S t, const S* u) {
    terms(t, u, work_.data());
    values(t, u, work_.data());
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        if (!linalg::is_finite(work_[f])) return false;
        const int is = linalg::absolute(work_[f]) <= near_zero(f) ? 0 : sign_of(work_[f]);
        if (is != 0 && is != side(f)) return false;
    }
    return true;
}

template <class S> std::vector<std::size_t> Surfaces<S>::reading(const std::vector<ArrayId>& arrays) const {
    const Graph& g = *problem_.system().graph;
    std::vector<char> reads(surfaces_.size());
    for (std::size_t k = 0; k < surfaces_.size(); ++k)
        reads[k] = std::ranges::any_of(dependencies(g, {surfaces_[k].value}),
                                       [&](ArrayId a) { return std::ranges::find(arrays, a) != arrays.end(); });
    std::vector<std::size_t> found;
    for (std::size_t f = 0; f < functions_.size(); ++f)
        if (!functions_[f].is_upper && reads[rows_[functions_[f].row].surface]) found.push_back(f);
    return found;
}

template <class S> std::string Surfaces<S>::text(std::size_t function) const {
    const Row& row = rows_[functions_[function].row];
    return condition_text(*problem_.system().graph, surfaces_[row.surface], row.env);
}

template class Surfaces<double>;
template class Surfaces<Quad>;

} // namespace vessiot
