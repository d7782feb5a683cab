#include "manifold/manifold.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "expr/graph/op.hpp"
#include "linalg/scalar.hpp"
#include "manifold/rounding.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

using namespace expr;

namespace {

void add_terms(Graph& g, NodeId n, NodeId factor, std::vector<NodeId>& terms) {
    const Node x = g.node(n);
    switch (x.op) {
    case Op::add:
    case Op::sub:
        add_terms(g, x.a, factor, terms);
        add_terms(g, x.b, factor, terms);
        return;
    case Op::neg: add_terms(g, x.a, factor, terms); return;
    case Op::mul:
        if (!g.node(x.a).varies) return add_terms(g, x.b, g.mul(factor, x.a), terms);
        if (!g.node(x.b).varies) return add_terms(g, x.a, g.mul(factor, x.b), terms);
        break;
    case Op::div:
        if (!g.node(x.b).varies) return add_terms(g, x.a, g.div(factor, x.b), terms);
        break;
    default: break;
    }
    terms.push_back(g.mul(factor, n));
}

} // namespace

std::vector<NodeId> additive_terms(Graph& g, NodeId n) {
    std::vector<NodeId> terms;
    add_terms(g, n, g.one(), terms);
    return terms;
}

NodeId largest_term(Graph& g, NodeId n) {
    NodeId largest = g.zero();
    for (const NodeId term : additive_terms(g, n)) largest = g.apply(Op::max, largest, g.apply(Op::abs, term));
    return largest;
}

// I minus the value it is kept at, for every instance; read where the model does not give it.
template <class S> std::vector<RowTemplate> Manifold<S>::invariant_families() {
    Graph& g = *system_.graph;
    std::vector<RowTemplate> values;
    for (const Invariant& i : system_.invariants) values.push_back({i.domain, i.value});
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, values, n);
    std::vector<RowTemplate> result;
    std::size_t block = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const Invariant& i = system_.invariants[k];
        if (g.index().count(i.domain, 1) == 0) continue;
        const RowBlock& b = blocks[block++];
        NodeId kept = 0;
        if (i.kept) {
            kept = *i.kept;
        } else {
            const ArrayId shape = g.define("rows", b.lo, b.extent, {});
            const FormId row =
                g.index().add(g.address_form(shape, b.contributions[0].target), g.index().constant(b.first));
            kept = g.read(jets_.kept_array(), g.index().list({row}));
        }
        result.push_back({i.domain, g.sub(i.value, kept)});
        const std::int64_t count = g.index().count(i.domain, std::int64_t{1} << 40);
        for (std::int64_t m = 0; m < count; ++m) rows_.push_back({ConstraintKind::invariant, k, 0, m, 0});
    }
    return result;
}

template <class S> std::vector<RowTemplate> Manifold<S>::families(const Prolongation& p) {
    std::vector<RowTemplate> result;
    selection_.row.assign(static_cast<std::size_t>(p.constraints.n_rows), -1);
    std::size_t selected = 0;
    for (const RowFamily& f : p.constraints.families) {
        result.push_back({f.domain, f.residual});
        for (; selected < p.constraints.selected.size() && p.constraints.selected[selected] < f.first + f.count;
             ++selected) {
            const std::int64_t row = p.constraints.selected[selected];
            const std::int32_t c = p.offsets.c[static_cast<std::size_t>(p.constraints.equation[selected])];
            selection_.row[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(rows_.size());
            const bool is_written = f.order == 0 && system_.equations[f.equation].kind != EquationKind::consequence;
            rows_.push_back({is_written ? ConstraintKind::written : ConstraintKind::hidden, f.equation, f.order,
                             row - f.first, f.order - c});
        }
    }
    if (has_invariants_) {
        const std::size_t before = rows_.size();
        for (const RowTemplate& i : invariant_families()) result.push_back(i);
        for (std::size_t k = before; k < rows_.size(); ++k) selection_.row.push_back(static_cast<std::int32_t>(k));
    }
    selection_.n_rows = std::ssize(rows_);
    return result;
}

template <class S> std::vector<RowTemplate> Manifold<S>::largest_terms(const std::vector<RowTemplate>& rows) const {
    std::vector<RowTemplate> result;
    for (const RowTemplate& r : rows) result.push_back({r.domain, largest_term(*system_.graph, r.value)});
    return result;
}

template <class S>
Manifold<S>::Manifold(const System& system, const Prolongation& p, Jets<S>& jets, const ManifoldOptions& options)
    : system_(system), jets_(jets), has_t_(options.has_t),
      has_invariants_(options.has_invariants && count_invariants(system) > 0), has_levels_(!p.is_general),
      evaluator_(options.evaluator) {
    Graph& g = *system.graph;
    templates_ = families(p);
    n_columns_ = p.n_state() + (has_t_ ? 1 : 0);
    columns_ = p.z.jets;
    columns_.push_back(system.independent);
    selection_.column.assign(static_cast<std::size_t>(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k)
        selection_.column[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
    selection_.column.push_back(has_t_ ? static_cast<std::int32_t>(p.n_state()) : -1);
    selection_.n_columns = n_columns_;

    only_f_.emplace(g, jets, templates_, selection_, RowFunctionOptions{evaluator_, false, {}});
    with_df_.emplace(g, jets, templates_, selection_, RowFunctionOptions{evaluator_, true, columns_});
    terms_.emplace(g, jets, largest_terms(templates_), selection_, RowFunctionOptions{evaluator_, false, {}});

    // order - d_j of each coordinate: its derivatives are followed up to the top
    std::vector<int> to_top(static_cast<std::size_t>(p.z.size), 0);
    for (std::size_t k = p.state.size(); k-- > 0;)
        to_top[static_cast<std::size_t>(p.state[k])] = to_top[static_cast<std::size_t>(p.next[k])] - 1;
    for (const std::int32_t at : p.state) levels_.push_back(to_top[static_cast<std::size_t>(at)]);
    if (has_t_) levels_.push_back(0);
    fixed_ = find_fixed(system, p, rows_, levels_, has_levels_, pattern());
}

template <class S> void Manifold<S>::f(S t, const S* u, S* f) {
    if (!rows_.empty()) (*only_f_)(jets_.at(t, u), f, nullptr);
}

template <class S> void Manifold<S>::df(S t, const S* u, S* f, S* entries) {
    if (!rows_.empty()) (*with_df_)(jets_.at(t, u), f, entries);
}

template <class S> void Manifold<S>::terms(S t, const S* u, S* largest) {
    if (!rows_.empty()) (*terms_)(jets_.at(t, u), largest, nullptr);
}

template <class S> void Manifold<S>::roundings(S t, const S* u, S* size) {
    if (rows_.empty()) return;
    Graph& g = *system_.graph;
    if (!roundings_) {
        std::vector<RowTemplate> rows;
        for (const RowTemplate& r : templates_) rows.push_back({r.domain, rounded_size(g, r.value)});
        EvaluatorOptions interpreted; // a few evaluations only
        interpreted.backend = expr::Backend::interpreter;
        roundings_.emplace(g, jets_, rows, selection_, RowFunctionOptions{interpreted, false, {}});
    }
    (*roundings_)(jets_.at(t, u), size, nullptr);
}

template <class S> void Manifold<S>::sizes(S t, const S* u, const S* entries, S floor, S* size) {
    terms(t, u, size);
    sizes(size, u, entries, floor, size);
}

template <class S> void Manifold<S>::sizes(const S* terms, const S* u, const S* entries, S floor, S* size) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) size[i] = terms[i] / S(16);
    const linalg::Pattern& p = pattern();
    for (std::int64_t j = 0; j < p.columns; ++j) {
        const S weight = linalg::absolute(u[j]) + floor;
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)];
             e < p.column_start[static_cast<std::size_t>(j) + 1]; ++e) {
            S& largest = size[p.row[static_cast<std::size_t>(e)]];
            largest = std::max(largest, linalg::absolute(entries[e]) * weight);
        }
    }
}

template <class S> const SparseMatrix& Manifold<S>::curvature_matrix() {
    if (curvature_) return curvature_->matrix;
    curvature_ = std::make_unique<Curvature>();
    Graph& g = *system_.graph;
    std::int64_t n_all = 0;
    std::vector<RowBlock> rows = row_blocks(g, templates_, n_all);
    expand_small_rows(g, rows, LowerOptions{}.expand_limit / 3);
    const ArrayId mu = g.add_array({.name = "mu", .role = ArrayRole::auxiliary, .lo = {0}, .extent = {n_all}});
    curvature_->matrix = hessian(g, rows, mu, columns_);
    curvature_->inputs = jets_.inputs();
    curvature_->inputs.push_back({"mu", {mu}});
    BufferSpec output{"d2f", {}};
    if (curvature_->matrix.values != none) output.arrays.push_back(curvature_->matrix.values);
    curvature_->function.emplace(g, curvature_->inputs, std::vector{output}, evaluator_);
    jets_.prepare(*curvature_->function);
    curvature_->mu.resize(static_cast<std::size_t>(n_all));
    curvature_->local.resize(curvature_->matrix.position.size());
    const SparseMatrix& m = curvature_->matrix;
    const auto never_moves = [&](std::size_t column) {
        return selection_.column[column] >= 0 && is_fixed(selection_.column[column]);
    };
    for (std::size_t j = 0; !fixed_.left_out.empty() && j + 1 < m.column_start.size(); ++j)
        for (std::int64_t e = m.column_start[j]; e < m.column_start[j + 1]; ++e)
            if (never_moves(j) || never_moves(static_cast<std::size_t>(m.row[static_cast<std::size_t>(e)])))
                curvature_->left_out.push_back(e);
    return curvature_->matrix;
}

template <class S> void Manifold<S>::curvature(S t, const S* u, const S* mu, S* entries) {
    for (std::size_t k = 0; k < selection_.row.size(); ++k)
        curvature_->mu[k] = selection_.row[k] >= 0 ? mu[selection_.row[k]] : S(0);
    const S* inputs[6] = {};
    std::copy_n(jets_.at(t, u), 5, inputs);
    inputs[5] = curvature_->mu.data();
    S* output = curvature_->local.data();
    (*curvature_->function)(inputs, &output);
    curvature_->matrix.assemble(curvature_->local.data(), entries);
    for (const std::int64_t e : curvature_->left_out) entries[e] = S(0);
}

template <class S> std::string Manifold<S>::equation_text(std::int64_t row) const {
    const ConstraintRow& r = rows_[static_cast<std::size_t>(row)];
    if (r.kind == ConstraintKind::invariant) {
        const Invariant& i = system_.invariants[r.source];
        return i.text.empty() ? "the invariant " + system_.graph->print(i.value) : "the " + i.text;
    }
    const StatementText equation = describe_equation(system_, system_.equations[r.source]);
    std::string text = shortened(equation.text, 120);
    if (equation.count > 1) text += fmt::format(" (number {} of {})", r.instance + 1, equation.count);
    return text;
}

template <class S> std::string Manifold<S>::text(std::int64_t row) const {
    const ConstraintRow& r = rows_[static_cast<std::size_t>(row)];
    const std::string text = equation_text(row);
    if (r.order == 0) return text;
    return fmt::format("the {}derivative of {}", r.order == 1 ? "" : r.order == 2 ? "second " : "higher ", text);
}

template class Manifold<double>;
template class Manifold<Quad>;

} // namespace vessiot
