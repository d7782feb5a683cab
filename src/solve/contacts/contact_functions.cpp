#include "solve/contacts/contact_functions.hpp"

#include <algorithm>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "manifold/manifold.hpp"
#include "system/mechanics/contacts.hpp"
#include "system/mechanics/instances.hpp"
#include "system/mechanics/velocity_jets.hpp"

namespace vessiot {

using namespace expr;
using linalg::at;

namespace {

constexpr std::size_t n_values = 9; // of an instance: as Values has them

std::size_t held_place(const System& system, ArrayId array, std::int64_t element) {
    std::size_t first = 0;
    for (const Held& h : system.held) {
        if (h.array == array) break;
        first += h.values.size();
    }
    return first + static_cast<std::size_t>(element);
}

} // namespace

template <class S>
ContactFunctions<S>::ContactFunctions(Compiled<S>& problem) : problem_(problem), w_(problem.n_tops()) {
    find_instances();
    make_rates();
    make_values();
}

template <class S> void ContactFunctions<S>::find_instances() {
    const System& system = problem_.system();
    Graph& g = *system.graph;
    for_each_contact(system, [&](const Contact& c, const Env& env) {
        const std::int64_t element = g.address(c.mode, c.target, env);
        Instance i{.name = contact_name(system, c, env), .n_along = c.sliding.size()};
        i.mode = held_place(system, c.mode, element);
        i.margin = held_place(system, c.margin, element);
        i.reach = held_place(system, c.reach, element);
        for (std::size_t k = 0; k < c.sliding.size(); ++k)
            i.heading[k] = held_place(system, c.heading, g.address(c.heading, sliding_target(g, c, k), env));
        i.row = n_rows_;
        n_rows_ += 1 + c.sliding.size();
        instances_.push_back(std::move(i));
    });
}

template <class S> void ContactFunctions<S>::make_rates() {
    const System& system = problem_.system();
    const Prolongation& p = problem_.prolongation();
    Graph& g = *system.graph;
    Direction D = total_derivative(g);
    std::vector<RowTemplate> families;
    std::vector<std::int32_t> number;
    std::size_t first = 0; // instance of the contact
    for (const Contact& c : system.contacts) {
        const auto n = static_cast<std::size_t>(g.index().count(c.domain, std::int64_t{1} << 31));
        for (std::size_t k = 0; k <= c.sliding.size(); ++k) {
            families.push_back({c.domain, k == 0 ? D(c.gap) : c.sliding[k - 1]});
            for (std::size_t i = 0; i < n; ++i)
                number.push_back(static_cast<std::int32_t>(instances_[first + i].row + k));
        }
        first += n;
    }
    std::vector<std::int32_t> coordinate(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) coordinate[at(p.state[k])] = static_cast<std::int32_t>(k);
    RowFunctionOptions options{problem_.evaluator(), true, {}};
    Selection selection{static_cast<std::int64_t>(n_rows_), 0, number, {}};
    const VelocityJets velocities(system);
    for (std::size_t j = 0; j < p.z.jets.size(); ++j) {
        if (!velocities.contains(p.z.jets[j])) continue;
        options.columns.push_back(p.z.jets[j]);
        for (std::int64_t e = 0; e < g.array(p.z.jets[j]).size(); ++e) {
            const std::int32_t k = coordinate[at(p.z.first[j] + e)];
            selection.column.push_back(k < 0 ? -1 : static_cast<std::int32_t>(columns_.size()));
            if (k >= 0) columns_.push_back(k);
        }
    }
    selection.n_columns = std::ssize(columns_);
    rates_ = std::make_unique<RowFunction<S>>(g, problem_.jets(), families, selection, options);
    row_values_.resize(n_rows_);
    entries_.resize(static_cast<std::size_t>(rates_->pattern().entries()));
}

template <class S> void ContactFunctions<S>::make_values() {
    const System& system = problem_.system();
    Graph& g = *system.graph;
    IndexSpace& index = g.index();
    Direction D = total_derivative(g);
    std::vector<Contribution> elements;
    std::int64_t first = 0;
    for (const Contact& c : system.contacts) {
        std::vector<NodeId> nodes{c.gap, largest_term(g, c.gap), D(D(c.gap)), c.restitution, c.friction};
        for (std::size_t k = 0; k < 2; ++k)
            nodes.push_back(k < c.sliding.size() ? g.read(c.friction_force, sliding_target(g, c, k)) : g.zero());
        for (std::size_t k = 0; k < 2; ++k) nodes.push_back(k < c.sliding.size() ? D(c.sliding[k]) : g.zero());
        const FormId number = index.scale(instance_number(g, c.domain, first), static_cast<std::int64_t>(n_values));
        for (std::size_t k = 0; k < nodes.size(); ++k)
            elements.push_back(
                {c.domain, index.list({index.add(number, index.constant(static_cast<std::int64_t>(k)))}), nodes[k]});
        first += index.count(c.domain, std::int64_t{1} << 31);
    }
    all_.resize(instances_.size() * n_values);
    values_ = std::make_unique<Function<S>>(
        problem_.jets().compile(g, "contacts", std::ssize(all_), elements, problem_.evaluator()));
}

template <class S> bool ContactFunctions<S>::values(S t, const S* u, std::vector<Values>& to) {
    if (problem_.distribution().tops(t, u, w_.data()) != PointStatus::good) return false;
    std::fill(all_.begin(), all_.end(), S(0));
    call(*values_, problem_.jets().at(t, u, w_.data()), all_.data());
    to.resize(instances_.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        const S* v = all_.data() + i * n_values;
        to[i] = {v[0], v[1], v[2], v[3], v[4], {v[5], v[6]}, {v[7], v[8]}};
    }
    return std::ranges::all_of(all_, [](const S& v) { return linalg::is_finite(v); });
}

template <class S>
void ContactFunctions<S>::rates(S t, const S* u, std::vector<S>& rows, std::vector<linalg::Vector<S>>& gradients) {
    std::fill(row_values_.begin(), row_values_.end(), S(0));
    (*rates_)(problem_.jets().at(t, u), row_values_.data(), entries_.data());
    rows = row_values_;
    gradients.assign(n_rows_, linalg::Vector<S>(problem_.n_state() + 1));
    const linalg::Pattern& pattern = rates_->pattern();
    for (std::size_t j = 0; j < columns_.size(); ++j)
        for (std::int64_t e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e)
            gradients[at(pattern.row[at(e)])][columns_[j]] = entries_[at(e)];
}

template class ContactFunctions<double>;
template class ContactFunctions<Quad>;

} // namespace vessiot
