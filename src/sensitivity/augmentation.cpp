#include "sensitivity/augmentation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

using namespace expr;
using linalg::at;

namespace {

constexpr std::size_t most_nodes = 4'000'000; // of the graph, more than before

} // namespace

Augmentation::Augmentation(const System& system, const Prolongation& p, std::vector<SensitivityVariable> by)
    : base_(system), system_(system), from_(p), prolongation_(p), by_(std::move(by)), jets_(by_.size()) {
    const std::size_t limit = base_.graph->n_nodes() + most_nodes;
    for (std::size_t j = 0; j < by_.size(); ++j) {
        add_unknowns(j);
        directions_.push_back(std::make_unique<Direction>(
            *base_.graph, [this, j](ArrayId a) { return tangent(j, a); }, "_" + by_[j].name));
        add_rows(j);
        if (base_.graph->n_nodes() > limit)
            throw InvalidInput(fmt::format("the derivatives of the equations of {} by {} variables fill more than {} "
                                           "million operations: ask for fewer at a time",
                                           base_.name, by_.size(), most_nodes / 1'000'000));
    }
    add_coordinates();
}

// ---- d/dp_j ----

std::uint32_t Augmentation::tangent(std::size_t j, ArrayId a) {
    switch (base_.graph->array(a).role) {
    case ArrayRole::unknown: {
        if (!jets_[j].contains(a)) follow_jets(j);
        return jets_[j].at(a);
    }
    case ArrayRole::parameter: return parameter_tangent(j, a);
    default: return none;
    }
}

// 1 for the parameter itself; the derivative of its formula for one that is computed from it.
std::uint32_t Augmentation::parameter_tangent(std::size_t j, ArrayId a) {
    const SensitivityVariable& variable = by_[j];
    if (variable.is_start()) return none;
    Graph& g = *base_.graph;
    const Array shape = g.array(a);
    const std::string name = fmt::format("{}_{}", shape.name, variable.name);
    if (base_.parameters[variable.parameter].array == a) {
        if (shape.extent.empty()) return Direction::unit;
        return g.define(name, shape.lo, shape.extent,
                        {{g.index().scalar_domain(), g.indices_at(a, variable.element), g.one()}});
    }
    const auto it = std::ranges::find(base_.parameters, a, &Parameter::array);
    if (it == base_.parameters.end()) return none;
    std::vector<Contribution> moved;
    for (std::size_t k = 0; k < it->formula.size(); ++k) {
        const NodeId d = derivative(j, it->formula[k]);
        if (!g.is_constant(d, 0))
            moved.push_back({g.index().scalar_domain(), g.indices_at(a, static_cast<std::int64_t>(k)), d});
    }
    return moved.empty() ? none : g.define(name, shape.lo, shape.extent, moved);
}

// ---- the system ----

void Augmentation::add_unknowns(std::size_t j) {
    Graph& g = *base_.graph;
    for (const Unknown& u : base_.unknowns) {
        const Array shape = g.array(u.array);
        Unknown s = u;
        s.name = fmt::format("d({})/d({})", u.name, by_[j].name);
        s.array = g.add_array({.name = s.name, .role = ArrayRole::unknown, .lo = shape.lo, .extent = shape.extent});
        s.where = {};
        jets_[j][u.array] = s.array;
        system_.unknowns.push_back(std::move(s));
    }
    follow_jets(j);
}

// Pairs the derivatives that the graph has by now.
void Augmentation::follow_jets(std::size_t j) {
    Graph& g = *base_.graph;
    for (const Unknown& u : base_.unknowns)
        for (ArrayId y = u.array; g.array(y).derivative != none; y = g.array(y).derivative)
            jets_[j][g.array(y).derivative] = g.derivative(jets_[j].at(y));
}

void Augmentation::add_rows(std::size_t j) {
    Graph& g = *base_.graph;
    const std::string& name = by_[j].name;
    for (const Equation& e : base_.equations) {
        Equation d = e;
        d.residual = d.lhs = derivative(j, e.residual);
        d.rhs = g.zero();
        d.text = fmt::format("d/d({}) of ({})", name, describe_equation(base_, e).text);
        system_.equations.push_back(std::move(d));
    }
    for (const Invariant& i : base_.invariants) {
        Invariant d = i;
        d.value = derivative(j, i.value);
        if (i.kept) d.kept = derivative(j, *i.kept);
        d.text = fmt::format("invariant d/d({}) of ({})", name, i.text.empty() ? g.print(i.value) : i.text);
        system_.invariants.push_back(std::move(d));
    }
    for (const Output& o : base_.outputs)
        system_.outputs.push_back({fmt::format("d({})/d({})", o.name, name), derivative(j, o.value), o.where});
    add_row_set(j, from_.constraints, prolongation_.constraints);
    add_row_set(j, from_.tops, prolongation_.tops);
    prolongation_.offsets.c.insert(prolongation_.offsets.c.end(), from_.offsets.c.begin(), from_.offsets.c.end());
    prolongation_.offsets.d.insert(prolongation_.offsets.d.end(), from_.offsets.d.begin(), from_.offsets.d.end());
}

void Augmentation::add_row_set(std::size_t j, const RowSet& from, RowSet& to) {
    const auto block = static_cast<std::int64_t>(j) + 1;
    const std::int64_t first = block * from.n_rows;
    for (RowFamily f : from.families) {
        f.equation += at(block) * base_.equations.size();
        f.residual = derivative(j, f.residual);
        f.first += first;
        to.families.push_back(f);
    }
    const std::int64_t first_equation = block * std::ssize(from_.offsets.c);
    for (const std::int32_t row : from.selected) to.selected.push_back(static_cast<std::int32_t>(first + row));
    for (const std::int32_t e : from.equation) to.equation.push_back(static_cast<std::int32_t>(first_equation + e));
    to.n_rows += from.n_rows;
}

// Coordinates of all blocks first where the arrays of a block are all coordinates or all tops.
void Augmentation::add_coordinates() {
    Graph& g = *base_.graph;
    const std::int64_t n_blocks = std::ssize(by_) + 1, n = from_.n_state();
    const bool is_split = from_.is_contiguous;
    const auto place = [&](std::int64_t block, std::int64_t z) {
        if (!is_split) return block * from_.z.size + z;
        return z < n ? block * n + z : n_blocks * n + block * from_.n_tops() + (z - n);
    };
    const auto place_32 = [&](std::int64_t block, std::int64_t z) {
        return static_cast<std::int32_t>(place(block, z));
    };
    Prolongation& p = prolongation_;
    p.z = {};
    p.state.clear();
    p.top.clear();
    p.next.clear();
    std::map<std::int64_t, ArrayId> jets; // by place
    for (std::int64_t b = 0; b < n_blocks; ++b) {
        for (std::size_t k = 0; k < from_.z.jets.size(); ++k) {
            const ArrayId y = from_.z.jets[k];
            if (g.array(y).size() == 0) continue;
            if (b > 0 && !jets_[at(b - 1)].contains(y)) follow_jets(at(b - 1));
            jets[place(b, from_.z.first[k])] = b == 0 ? y : jets_[at(b - 1)].at(y);
        }
        for (const std::int32_t z : from_.state) p.state.push_back(place_32(b, z));
        for (const std::int32_t z : from_.top) p.top.push_back(place_32(b, z));
        for (const std::int32_t z : from_.next) p.next.push_back(place_32(b, z));
    }
    for (const auto& [first, jet] : jets) {
        p.z.jets.push_back(jet);
        p.z.first.push_back(first);
        p.z.size += g.array(jet).size();
    }
}

// ---- what is computed ----

std::vector<Contribution> Augmentation::with_derivatives(const std::vector<Contribution>& elements, std::int64_t size) {
    IndexSpace& index = base_.graph->index();
    std::vector<Contribution> result = elements;
    for (std::size_t j = 0; j < by_.size(); ++j)
        for (const Contribution& c : elements) {
            const FormId shift = index.constant((static_cast<std::int64_t>(j) + 1) * size);
            const FormId target = index.add(index.forms(c.target)[0], shift);
            result.push_back({c.domain, index.list({target}), derivative(j, c.body)});
        }
    return result;
}

ExplicitTops Augmentation::with_derivatives(const ExplicitTops& tops) {
    return {with_derivatives(tops.tops, from_.n_tops()), with_derivatives(tops.velocity, from_.n_state()),
            tops.is_eliminated};
}

System Augmentation::start_derivatives(std::size_t j) {
    System result = base_;
    for (std::vector<StartValue>* values : {&result.start, &result.guesses})
        for (StartValue& s : *values) s.value = derivative(j, s.value);
    return result;
}

} // namespace vessiot
