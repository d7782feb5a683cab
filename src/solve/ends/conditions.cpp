#include "solve/ends/conditions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "solve/start/given.hpp"
#include "system/constants.hpp"
#include "system/functions.hpp"

namespace vessiot {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// Calls visit(name) for every element that a statement names.
template <class Statement, class Visit> void for_names(const System& system, const Statement& s, const Visit& visit) {
    expr::Graph& g = *system.graph;
    g.index().for_each(s.domain, [&](const expr::Env& env) {
        const std::int64_t at = g.address(s.jet, s.target, env);
        visit(g.print_read(s.jet, g.indices_at(s.jet, at)));
        return true;
    });
}

// v' for v(p), p moved by h both ways.
double rate(Quad after, Quad before, Quad h) {
    return static_cast<double>((after - before) / (2 * h));
}

} // namespace

EndConditions::EndConditions(const System& system, const Settings& options, const Flow& flow)
    : system_(system), options_(options), names_(flow.names()), start_values_(system, system.start),
      end_values_(system, system.ends) {
    const Prolongation& p = flow.analysis().prolongation;
    const std::vector<std::string> all = coordinate_names(flow.analysis().system, p.z);
    std::vector<std::string> coordinates;
    for (const std::int32_t at : p.state) coordinates.push_back(all[static_cast<std::size_t>(at)]);
    StartFunctions<double> functions(flow.analysis().system);
    const Given<double> given = read_start(flow.analysis().system, p, options, functions);
    // the last statement for an element is the one that counts
    std::vector<std::size_t> place(coordinates.size(), none);
    std::size_t k = 0;
    for (const StartValue& s : system.start)
        for_names(system, s, [&](const std::string& name) {
            const auto found = std::ranges::find(coordinates, name);
            if (found != coordinates.end()) place[static_cast<std::size_t>(found - coordinates.begin())] = k;
            ++k;
        });
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
        const Freedom freedom = given.freedom(p, c);
        if (freedom != Freedom::given && freedom != Freedom::asked && freedom != Freedom::held) continue;
        start_.push_back(c);
        start_place_.push_back(freedom == Freedom::given ? place[c] : none);
        start_asked_.push_back(static_cast<double>(given.value[static_cast<std::size_t>(p.state[c])]));
    }
    const auto add = [&](const std::string& name, bool is_periodic, std::size_t number, const Location& where) {
        const auto found = std::ranges::find(names_, name);
        if (found == names_.end())
            throw InvalidInput(fmt::format(
                "line {} of {}: '{}' is no value of a solution, and cannot be given at the end; values are the "
                "unknowns with their derivatives below the highest that occur: {}",
                where.line, system.name, name, listed(names_)));
        rows_.push_back({static_cast<std::size_t>(found - names_.begin()), is_periodic, number});
    };
    std::size_t number = 0;
    for (const StartValue& s : system.ends)
        for_names(system, s, [&](const std::string& name) { add(name, false, number++, s.where); });
    for (const Hold& h : system.periodic)
        for_names(system, h, [&](const std::string& name) { add(name, true, 0, h.where); });
    for (const Parameter& parameter : system.parameters)
        follows_.push_back(!parameter.formula.empty() &&
                           evaluate_constants(system, parameter.formula) == parameter.values);
    for (const FreeParameter& f : system.free) follows_[f.parameter] = 0;
    // values that the constraints do not allow were moved onto them
    const std::vector<Quad> first = numbers(system);
    for (std::size_t c = 0; c < start_.size(); ++c)
        start_moved_.push_back(flow.is_start_moved() ? flow.start()[start_[c]] - static_cast<double>(first[2 + c]) : 0);
}

bool EndConditions::is_periodic() const {
    return !rows_.empty() && std::ranges::all_of(rows_, &Row::is_periodic);
}

std::string EndConditions::text(std::size_t row) const {
    const Row& r = rows_[row];
    return r.is_periodic ? fmt::format("{} periodic", names_[r.value]) : fmt::format("{} at the end", names_[r.value]);
}

std::vector<std::string> EndConditions::free_names() const {
    std::vector<std::string> names;
    for (const FreeParameter& f : system_.free) {
        const expr::ArrayId array = system_.parameters[f.parameter].array;
        names.push_back(system_.graph->print_read(array, system_.graph->indices_at(array, f.element)));
    }
    return names;
}

std::vector<Quad> EndConditions::guess() const {
    std::vector<Quad> values;
    for (const FreeParameter& f : system_.free)
        values.push_back(system_.parameters[f.parameter].values[static_cast<std::size_t>(f.element)]);
    return values;
}

System EndConditions::with(const std::vector<Quad>& free) const {
    System system = system_;
    for (std::size_t k = 0; k < free.size(); ++k)
        system.parameters[system.free[k].parameter].values[static_cast<std::size_t>(system.free[k].element)] = free[k];
    for (std::size_t p = 0; p < system.parameters.size(); ++p)
        if (follows_[p]) system.parameters[p].values = evaluate_constants(system, system.parameters[p].formula);
    return system;
}

std::vector<Quad> EndConditions::numbers(const System& system) const {
    const auto [t0, t1] = interval(system, options_);
    std::vector<Quad> all{t0, t1};
    const std::vector<Quad>& start = start_values_(system);
    for (std::size_t k = 0; k < start_.size(); ++k)
        all.push_back(start_place_[k] == none ? Quad(start_asked_[k]) : start[start_place_[k]]);
    for (const Quad v : end_values_(system)) all.push_back(v);
    return all;
}

EndValues EndConditions::values(const std::vector<double>& free) const {
    std::vector<Quad> p(free.begin(), free.end());
    const std::vector<Quad> here = numbers(with(p));
    const std::size_t n_start = start_.size(), n_end = here.size() - 2 - n_start;
    EndValues v{.t0 = static_cast<double>(here[0]), .t1 = static_cast<double>(here[1])};
    v.start_rates = Dense(n_start, p.size());
    v.end_rates = Dense(n_end, p.size());
    for (std::size_t k = 0; k < n_start; ++k) v.start.push_back(static_cast<double>(here[2 + k]) + start_moved_[k]);
    for (std::size_t k = 0; k < n_end; ++k) v.end.push_back(static_cast<double>(here[2 + n_start + k]));
    for (const Quad x : here)
        if (!linalg::is_finite(x)) throw InvalidInput("a value at an end of the interval is not finite");
    for (std::size_t j = 0; j < p.size(); ++j) {
        const Quad middle = p[j], h = Quad(1e-9) * std::max(linalg::absolute(middle), Quad(1e-3));
        p[j] = middle + h;
        const std::vector<Quad> after = numbers(with(p));
        p[j] = middle - h;
        const std::vector<Quad> before = numbers(with(p));
        p[j] = middle;
        if (after[0] != before[0])
            throw InvalidInput(fmt::format("the start of the interval depends on {}, which is free: a free parameter "
                                           "may move its end",
                                           free_names()[j]));
        v.t1_rate.push_back(rate(after[1], before[1], h));
        for (std::size_t k = 0; k < n_start; ++k) v.start_rates(k, j) = rate(after[2 + k], before[2 + k], h);
        for (std::size_t k = 0; k < n_end; ++k)
            v.end_rates(k, j) = rate(after[2 + n_start + k], before[2 + n_start + k], h);
    }
    return v;
}

} // namespace vessiot
