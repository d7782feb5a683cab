#include "sensitivity/variables.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/element_name.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/derivative.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::string_view start_prefix = "start:";

class Reader {
public:
    Reader(const System& system, const Conditions* conditions, std::vector<std::string>& notes)
        : system_(system), g_(*system.graph), notes_(notes) {
        std::vector<NodeId> roots;
        for (const Equation& e : system.equations) roots.push_back(e.residual);
        for (const Invariant& i : system.invariants) {
            roots.push_back(i.value);
            if (i.kept) roots.push_back(*i.kept);
        }
        for (const StartValue& s : system.start) roots.push_back(s.value);
        for (const StartValue& s : system.guesses) roots.push_back(s.value);
        for (const Output& o : system.outputs) roots.push_back(o.value);
        for (const Event& e : system.events) {
            roots.push_back(e.value);
            for (const Reset& r : e.then) roots.push_back(r.value);
        }
        if (conditions)
            for (const Surface& s : conditions->surfaces) roots.push_back(s.value);
        add_dependencies(roots, used_);
        if (system.from) add_dependencies({*system.from}, used_by_from_);
        if (system.to) add_dependencies({*system.to}, used_by_to_);
    }

    std::vector<SensitivityVariable> operator()(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (name == "all")
                add_all();
            else if (name.starts_with(start_prefix))
                add_start(name);
            else
                add_named(name);
        }
        return std::move(result_);
    }

private:
    void add_dependencies(const std::vector<NodeId>& roots, std::set<ArrayId>& arrays) const {
        for (const ArrayId a : dependencies(g_, roots)) arrays.insert(a);
    }

    // The parameter and all that are computed from it.
    std::set<ArrayId> moved_by(std::size_t parameter) const {
        std::set<ArrayId> moved{system_.parameters[parameter].array};
        for (bool grows = true; grows;) {
            grows = false;
            for (const Parameter& p : system_.parameters) {
                if (moved.contains(p.array) || p.formula.empty()) continue;
                const std::vector<ArrayId> from = dependencies(g_, p.formula);
                if (std::ranges::none_of(from, [&](ArrayId a) { return moved.contains(a); })) continue;
                moved.insert(p.array);
                grows = true;
            }
        }
        return moved;
    }

    static bool meet(const std::set<ArrayId>& a, const std::set<ArrayId>& b) {
        return std::ranges::any_of(a, [&](ArrayId x) { return b.contains(x); });
    }

    // Sizes, loops and indices are made of it, or of what is computed from it.
    const Parameter* structure_of(const std::set<ArrayId>& moved) const {
        for (const Parameter& p : system_.parameters)
            if (p.is_structural && moved.contains(p.array)) return &p;
        return nullptr;
    }

    // What is discrete, and starts with a value that is made of it.
    const Held* discrete_of(const std::set<ArrayId>& moved) const {
        for (const Held& h : system_.held) {
            const std::vector<ArrayId> from = dependencies(g_, h.formula);
            if (std::ranges::any_of(from, [&](ArrayId a) { return moved.contains(a); })) return &h;
        }
        return nullptr;
    }

    void add(SensitivityVariable variable) {
        if (std::ranges::find(result_, variable.name, &SensitivityVariable::name) == result_.end())
            result_.push_back(std::move(variable));
    }

    void add_elements(std::size_t k) {
        const Parameter& p = system_.parameters[k];
        for (std::size_t e = 0; e < p.values.size(); ++e) add_element(k, static_cast<std::int64_t>(e));
    }

    void add_element(std::size_t k, std::int64_t e) {
        const Parameter& p = system_.parameters[k];
        const auto value = static_cast<double>(p.values[static_cast<std::size_t>(e)]);
        add({g_.print_read(p.array, g_.indices_at(p.array, e)), k, e, {}, std::abs(value)});
    }

    void add_all() {
        const std::size_t before = result_.size();
        for (std::size_t k = 0; k < system_.parameters.size(); ++k) {
            const std::set<ArrayId> moved = moved_by(k);
            if (meet(moved, used_) && !structure_of(moved) && !meet(moved, used_by_from_) && !discrete_of(moved))
                add_elements(k);
        }
        if (result_.size() == before)
            throw InvalidInput(fmt::format("--sensitivity all: {} has no parameter that its solution could be "
                                           "differentiated by. Start values are named start:x",
                                           system_.name));
    }

    void add_start(const std::string& name) {
        std::string coordinate = name.substr(start_prefix.size());
        std::erase(coordinate, ' ');
        if (coordinate.empty())
            throw InvalidInput("--sensitivity start: needs an unknown, or a derivative of one, as in start:x'");
        const std::string base = array_name(coordinate);
        if (std::ranges::find(system_.held, base, &Held::name) != system_.held.end()) fail_discrete(name, base);
        add({fmt::format("{}{}", start_prefix, coordinate), SensitivityVariable::no_parameter, 0, coordinate, 0});
    }

    void add_named(const std::string& name) {
        const std::string base = array_name(name);
        const auto it = std::ranges::find(system_.parameters, base, &Parameter::name);
        if (it == system_.parameters.end()) fail_unknown(name);
        const auto k = static_cast<std::size_t>(it - system_.parameters.begin());
        const std::set<ArrayId> moved = moved_by(k);
        check(name, moved);
        if (base == name) return add_elements(k);
        std::string compact = name;
        std::erase(compact, ' ');
        const auto same = [&](std::int64_t e) {
            std::string text = g_.print_read(it->array, g_.indices_at(it->array, e));
            std::erase(text, ' ');
            return text == compact;
        };
        for (std::size_t e = 0; e < it->values.size(); ++e)
            if (same(static_cast<std::int64_t>(e))) return add_element(k, static_cast<std::int64_t>(e));
        throw InvalidInput(fmt::format("--sensitivity {}: {} has no such element; its size is {}", name, base,
                                       it->values.size() == 1 && g_.array(it->array).extent.empty()
                                           ? "that of a single number"
                                           : fmt::format("{}", fmt::join(g_.array(it->array).extent, " x "))));
    }

    void check(const std::string& name, const std::set<ArrayId>& moved) {
        if (const Parameter* p = structure_of(moved))
            throw InvalidInput(fmt::format(
                "--sensitivity {}: sizes, loops or indices of {} are made of '{}', so that it cannot change "
                "by a small amount. Ask for another parameter",
                name, system_.name, p->name));
        if (const Held* h = discrete_of(moved)) fail_discrete(name, h->name);
        if (meet(moved, used_by_from_))
            throw InvalidInput(fmt::format("--sensitivity {}: the start of the interval depends on it, and derivatives "
                                           "are taken at a fixed {}. Give the start with --from",
                                           name, system_.independent_name));
        if (meet(moved, used_)) return;
        notes_.push_back(meet(moved, used_by_to_)
                             ? fmt::format("sensitivity: '{}' enters only in the end of the interval; at a fixed {} "
                                           "nothing depends on it, and its sensitivities are 0",
                                           name, system_.independent_name)
                             : fmt::format("sensitivity: nothing that is solved depends on '{}': its sensitivities "
                                           "are 0",
                                           name));
    }

    [[noreturn]] static void fail_discrete(const std::string& name, const std::string& discrete) {
        throw InvalidInput(fmt::format("--sensitivity {}: derivatives by the values of what is discrete, such as '{}', "
                                       "are not computed. Make it a parameter, or leave this out",
                                       name, discrete));
    }

    [[noreturn]] void fail_unknown(const std::string& name) const {
        std::vector<std::string> known;
        for (const Parameter& p : system_.parameters) known.push_back(p.name);
        if (system_.unknown(name.substr(0, name.find_first_of("['"))))
            throw InvalidInput(
                fmt::format("--sensitivity {0}: '{0}' is an unknown, not a parameter. Its start value is "
                            "named start:{0}",
                            name));
        const auto near = nearest(name, known);
        const std::string list =
            known.empty() ? "It has none; start values are named start:x" : "It has: " + first_names(known);
        throw InvalidInput(fmt::format("--sensitivity {}: {} has no parameter '{}'{} {}", name, system_.name, name,
                                       near ? fmt::format("; did you mean '{}'?", *near) : ".", list));
    }

    const System& system_;
    Graph& g_;
    std::vector<std::string>& notes_;
    std::set<ArrayId> used_, used_by_from_, used_by_to_;
    std::vector<SensitivityVariable> result_;
};

} // namespace

std::vector<SensitivityVariable> sensitivity_variables(const System& system, const Conditions* conditions,
                                                       const std::vector<std::string>& names,
                                                       std::vector<std::string>& notes) {
    return Reader(system, conditions, notes)(names);
}

} // namespace vessiot
