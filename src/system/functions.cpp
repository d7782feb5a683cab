#include "system/functions.hpp"

#include "expr/graph/derivative.hpp"

namespace vessiot {

using namespace expr;

Coordinates jet_coordinates(const System& system) {
    Coordinates z;
    for (const Unknown& u : system.unknowns) {
        ArrayId jet = u.array;
        for (int k = 0; k <= u.order; ++k) {
            z.jets.push_back(jet);
            z.first.push_back(z.size);
            z.size += system.graph->array(jet).size();
            if (k < u.order) jet = system.graph->derivative(jet);
        }
    }
    return z;
}

std::vector<std::string> coordinate_names(const System& system, const Coordinates& z) {
    std::vector<std::string> names;
    Graph& g = *system.graph;
    for (ArrayId jet : z.jets)
        for (std::int64_t k = 0; k < g.array(jet).size(); ++k) names.push_back(g.print_read(jet, g.indices_at(jet, k)));
    return names;
}

std::vector<RowBlock> row_blocks(Graph& g, const std::vector<RowTemplate>& families, std::int64_t& n_rows) {
    // rows of a family: consecutive numbers over its bounding box; an irregular domain through a table of numbers
    std::vector<RowBlock> rows;
    IndexSpace& index = g.index();
    n_rows = 0;
    for (const RowTemplate& e : families) {
        std::vector<std::int64_t> lo, hi, extent;
        if (!index.bounding_box(e.domain, lo, hi)) continue;
        std::vector<FormId> at;
        const std::vector<VarId> vars = index.domain(e.domain).vars;
        for (std::size_t k = 0; k < vars.size(); ++k) {
            at.push_back(index.var(vars[k]));
            extent.push_back(hi[k] - lo[k] + 1);
        }
        if (index.is_box(e.domain)) {
            rows.push_back({{{e.domain, index.list(at), e.value}}, lo, extent, n_rows});
        } else {
            IndexTable table{"row", extent, {}};
            std::int64_t size = 1, count = 0;
            for (auto n : extent) size *= n;
            table.values.assign(static_cast<std::size_t>(size), 0);
            index.for_each(e.domain, [&](const Env& env) {
                std::int64_t address = 0;
                for (std::size_t k = 0; k < vars.size(); ++k)
                    address =
                        address * extent[k] + env[static_cast<std::size_t>(index.loop_var(vars[k]).level)] - lo[k];
                table.values[static_cast<std::size_t>(address)] = ++count;
                return true;
            });
            for (std::size_t k = 0; k < vars.size(); ++k) at[k] = index.add(at[k], index.constant(1 - lo[k]));
            const FormId row = index.lookup(index.table(std::move(table)), index.list(at));
            rows.push_back({{{e.domain, index.list({row}), e.value}}, {1}, {count}, n_rows});
        }
        n_rows += index.count(e.domain, std::int64_t{1} << 40);
    }
    return rows;
}

ArrayId row_array(Graph& g, const std::string& name, const std::vector<RowBlock>& rows, std::int64_t n_rows) {
    std::vector<Contribution> all;
    for (const RowBlock& b : rows) {
        const ArrayId shape = g.define("rows", b.lo, b.extent, {});
        for (const Contribution& c : b.contributions) {
            const FormId row = g.index().add(g.address_form(shape, c.target), g.index().constant(b.first));
            all.push_back({c.domain, g.index().list({row}), c.body});
        }
    }
    return g.define(name, {0}, {n_rows}, std::move(all), true);
}

void expand_small_rows(Graph& g, std::vector<RowBlock>& rows, std::int64_t limit) {
    std::vector<Contribution> all;
    for (const RowBlock& b : rows) all.insert(all.end(), b.contributions.begin(), b.contributions.end());
    if (limit > 0 && expanded_size(g, all, limit) <= limit)
        for (RowBlock& b : rows) b.contributions = expand(g, b.contributions);
}

std::vector<RowBlock> residual_rows(const System& system, std::int64_t& n_rows) {
    std::vector<RowTemplate> families;
    for (const Equation& e : system.equations) families.push_back({e.domain, e.residual});
    return row_blocks(*system.graph, families, n_rows);
}

std::vector<Quad> parameter_values(const System& system) {
    std::vector<Quad> values;
    for (const Parameter& p : system.parameters) values.insert(values.end(), p.values.begin(), p.values.end());
    return values;
}

std::vector<Quad> held_values(const System& system) {
    std::vector<Quad> values;
    for (const Held& h : system.held) values.insert(values.end(), h.values.begin(), h.values.end());
    return values;
}

template <class S>
SystemFunctions<S>::SystemFunctions(const System& system, const FunctionsOptions& options)
    : coordinates_(jet_coordinates(system)), has_df_(options.df), has_d2f_(options.d2f) {
    Graph& g = *system.graph;
    std::vector<RowBlock> rows = residual_rows(system, n_equations_);
    expand_small_rows(g, rows, options.lowering.expand_limit / 3); // df and d2f come on top

    BufferSpec parameters{"p", {}};
    for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
    for (const Held& h : system.held) parameters.arrays.push_back(h.array);
    const ArrayId mu = g.add_array({.name = "mu", .role = ArrayRole::auxiliary, .extent = {n_equations_}});
    const std::vector<BufferSpec> inputs{
        {"t", {system.independent}}, parameters, {"z", coordinates_.jets}, {"mu", {mu}}};
    std::vector<BufferSpec> outputs;
    outputs.push_back({"f", {row_array(g, "f", rows, n_equations_)}});
    if (has_df_) {
        df_ = jacobian(g, rows, n_equations_, coordinates_.jets);
        outputs.push_back({"df", {}});
        if (df_.values != none) outputs.back().arrays.push_back(df_.values);
    }
    if (has_d2f_) {
        d2f_ = hessian(g, rows, mu, coordinates_.jets);
        outputs.push_back({"d2f", {}});
        if (d2f_.values != none) outputs.back().arrays.push_back(d2f_.values);
    }
    for (Quad v : parameter_values(system)) parameters_.push_back(static_cast<S>(v));
    for (Quad v : held_values(system)) parameters_.push_back(static_cast<S>(v));
    function_.emplace(g, inputs, outputs, options.evaluator, options.lowering);
    prepare();
}

template <class S> void SystemFunctions<S>::prepare() {
    const S* inputs[4] = {nullptr, parameters_.data(), nullptr, nullptr};
    function_->prepare(inputs);
}

template <class S> void SystemFunctions<S>::operator()(S t, const S* z, const S* mu, S* f, S* df_local, S* d2f_local) {
    const S* inputs[4] = {&t, parameters_.data(), z, mu};
    S* outputs[3] = {f};
    std::size_t n = 1;
    if (has_df_) outputs[n++] = df_local;
    if (has_d2f_) outputs[n++] = d2f_local;
    (*function_)(inputs, outputs);
}

template class SystemFunctions<double>;
template class SystemFunctions<Quad>;

} // namespace vessiot
