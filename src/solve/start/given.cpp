#include "solve/start/given.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/function.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;

namespace {

// Calls visit(position in z or -1, number of the instance) for every element that a statement names.
template <class Statement, class Visit>
void for_elements(const System& system, const Prolongation& p, const Statement& s, const Visit& visit) {
    const Graph& g = *system.graph;
    const auto jet = std::ranges::find(p.z.jets, s.jet);
    const std::int64_t first = jet == p.z.jets.end() ? -1 : p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
    g.index().for_each(s.domain, [&](const Env& env) {
        const std::int64_t address = g.address(s.jet, s.target, env);
        visit(first < 0 || address < 0 ? -1 : first + address);
        return true;
    });
}

// The number of a discrete quantity, and of its element.
std::optional<std::pair<std::size_t, std::int64_t>> find_held_element(const System& system, const std::string& name) {
    Graph& g = *system.graph;
    for (std::size_t k = 0; k < system.held.size(); ++k) {
        const Held& h = system.held[k];
        if (h.is_hidden || !name.starts_with(h.name)) continue;
        for (std::int64_t e = 0; e < g.array(h.array).size(); ++e)
            if (g.print_read(h.array, g.indices_at(h.array, e)) == name) return std::pair(k, e);
    }
    return std::nullopt;
}

// By element of z: is it an algebraic unknown, or a derivative of at least the order that its unknown has?
std::vector<char> determined_elements(const System& system, const Prolongation& p) {
    const Graph& g = *system.graph;
    std::vector<char> result(static_cast<std::size_t>(p.z.size), 1);
    for (const Unknown& u : system.unknowns) {
        ArrayId jet = u.array;
        for (int k = 0; k < u.order && jet != none; ++k, jet = g.array(jet).derivative) {
            const auto at = std::ranges::find(p.z.jets, jet);
            if (at == p.z.jets.end()) continue;
            const std::int64_t first = p.z.first[static_cast<std::size_t>(at - p.z.jets.begin())];
            std::fill_n(result.begin() + first, g.array(jet).size(), 0);
        }
    }
    return result;
}

// Positions in z of names: many are looked up in one table.
class Positions {
public:
    Positions(const System& system, const Prolongation& p) : system_(system), names_(coordinate_names(system, p.z)) {
        places_.reserve(names_.size());
        for (std::size_t k = 0; k < names_.size(); ++k) places_.emplace(names_[k], static_cast<std::int64_t>(k));
    }

    std::int64_t operator[](const std::string& name) const {
        if (const auto found = places_.find(name); found != places_.end()) return found->second;
        const auto near = nearest(name, std::vector<std::string_view>(names_.begin(), names_.end()));
        throw InvalidInput(fmt::format("'{}' is no unknown of {} and no derivative of one that a start value could be "
                                       "given for{}",
                                       name, system_.name,
                                       near ? fmt::format("; did you mean '{}'?", *near)
                                            : fmt::format(". It has: {}", listed(names_))));
    }

private:
    const System& system_;
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, std::int64_t> places_;
};

} // namespace

template <class S>
StatementValues<S>::StatementValues(const System& system, const std::vector<StartValue>& statements) {
    if (statements.empty()) return;
    Graph g = *system.graph;
    std::vector<RowTemplate> rows;
    for (const StartValue& s : statements) rows.push_back({s.domain, s.value});
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, rows, n);
    if (n == 0) return;
    BufferSpec parameters{"p", {}};
    for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
    EvaluatorOptions once;
    once.backend = expr::Backend::interpreter;
    function_.emplace(g, std::vector{parameters},
                      std::vector<BufferSpec>{{"values", {row_array(g, "start", blocks, n)}}}, once);
    values_.resize(static_cast<std::size_t>(n));
}

template <class S> const std::vector<S>& StatementValues<S>::operator()(const System& system) {
    if (!function_) return values_;
    parameters_.clear();
    for (const Parameter& p : system.parameters)
        for (const Quad v : p.values) parameters_.push_back(static_cast<S>(v));
    const S* inputs[] = {parameters_.data()};
    S* outputs[] = {values_.data()};
    function_->prepare(inputs);
    (*function_)(inputs, outputs);
    return values_;
}

std::vector<std::int64_t> positions_of(const System& system, const Prolongation& p,
                                       const std::vector<StartValue>& statements) {
    std::vector<std::int64_t> positions;
    for (const StartValue& s : statements)
        for_elements(system, p, s, [&](std::int64_t at) { positions.push_back(at); });
    return positions;
}

System with_held_start(const System& system, const Settings& options) {
    System result = system;
    if (result.held.empty()) return result;
    const std::vector<Quad> values = StatementValues<Quad>(system, system.start)(system);
    const Graph& g = *system.graph;
    std::size_t k = 0;
    for (const StartValue& s : system.start) {
        const auto held = std::ranges::find(result.held, s.jet, &Held::array);
        g.index().for_each(s.domain, [&](const Env& env) {
            const Quad value = values[k++];
            if (held == result.held.end()) return true;
            held->values[static_cast<std::size_t>(g.address(s.jet, s.target, env))] = value;
            return true;
        });
    }
    for (const auto& [name, value] : options.start)
        if (const auto found = find_held_element(system, name))
            result.held[found->first].values[static_cast<std::size_t>(found->second)] = Quad(value);
    return result;
}

template <class S> Freedom Given<S>::freedom(const Prolongation& p, std::size_t k) const {
    const auto at = static_cast<std::size_t>(p.state[k]);
    if (is_held[at]) return Freedom::held;
    if (is_computed[at]) return Freedom::computed;
    if (is_asked[at]) return Freedom::asked;
    return is_given[at] ? Freedom::given : Freedom::free;
}

template <class S>
Given<S> read_start(const System& system, const Prolongation& p, const Settings& options,
                    StartFunctions<S>& functions) {
    const auto n = static_cast<std::size_t>(p.z.size);
    const std::vector<char> none(n, 0);
    Given<S> given{std::vector<S>(n, S(0)), none, none, none, none, determined_elements(system, p)};
    const auto fill = [&](const std::vector<StartValue>& statements, const std::vector<S>& values,
                          std::vector<char>& flags) {
        std::size_t k = 0;
        for (const StartValue& s : statements)
            for_elements(system, p, s, [&](std::int64_t at) {
                const S value = values[k++];
                if (at < 0) return;
                if (!linalg::is_finite(value)) {
                    throw InvalidInput(fmt::format("line {} of {}: the start value of {} is not finite: {}",
                                                   s.where.line, system.name, name_of(system, p, at),
                                                   static_cast<double>(value)));
                }
                given.value[static_cast<std::size_t>(at)] = value;
                flags[static_cast<std::size_t>(at)] = 1;
            });
    };
    fill(system.guesses, functions.guesses(system), given.is_guessed);
    std::optional<Positions> positions; // by name
    if (!options.guess.empty() || !options.start.empty()) positions.emplace(system, p);
    for (const auto& [name, value] : options.guess) {
        const auto at = static_cast<std::size_t>((*positions)[name]);
        given.value[at] = S(value);
        given.is_guessed[at] = 1;
    }
    fill(system.start, functions.start(system), given.is_given);
    for (const auto& [name, value] : options.start) {
        if (find_held_element(system, name)) continue;
        const auto at = static_cast<std::size_t>((*positions)[name]);
        given.value[at] = S(value);
        given.is_given[at] = given.is_asked[at] = 1;
    }
    for (const Hold& h : system.holds)
        for_elements(system, p, h, [&](std::int64_t at) {
            if (at >= 0) given.is_held[static_cast<std::size_t>(at)] = 1;
        });
    return given;
}

std::vector<Freedom> freedom_at_jumps(const System& system, const Prolongation& p) {
    const std::vector<char> is_determined = determined_elements(system, p);
    std::vector<Freedom> freedom;
    for (const std::int32_t at : p.state)
        freedom.push_back(is_determined[static_cast<std::size_t>(at)] ? Freedom::free : Freedom::given);
    return freedom;
}

std::string name_of(const System& system, const Prolongation& p, std::int64_t position) {
    const auto k = static_cast<std::size_t>(std::ranges::upper_bound(p.z.first, position) - p.z.first.begin()) - 1;
    Graph& g = *system.graph;
    const ArrayId jet = p.z.jets[k];
    return g.print_read(jet, g.indices_at(jet, position - p.z.first[k]));
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 5); ++k) text += (k ? ", " : "") + names[k];
    if (names.size() > 5) text += fmt::format(" and {} more", names.size() - 5);
    return text;
}

std::int64_t position_of(const System& system, const Prolongation& p, const std::string& name) {
    return Positions(system, p)[name];
}

template class StatementValues<double>;
template class StatementValues<Quad>;
template struct Given<double>;
template struct Given<Quad>;
template Given<double> read_start(const System&, const Prolongation&, const Settings&, StartFunctions<double>&);
template Given<Quad> read_start(const System&, const Prolongation&, const Settings&, StartFunctions<Quad>&);

} // namespace vessiot
