#include "solve/inspect/kronecker.hpp"

#include <algorithm>

#include "linalg/dense/complex_schur.hpp"
#include "system/functions.hpp"
#include "system/jet_columns.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_of_pencil = 30;

// A and B by rows, from the entries of df.
struct Pencil {
    std::vector<std::string> names{};
    std::vector<Quad> a{}, b{};

    std::int64_t n() const { return std::ssize(names); }
};

std::optional<Pencil> pencil_of(const System& system, SystemFunctions<Quad>& functions) {
    const std::vector<JetColumn> columns = jet_columns(system, functions.coordinates());
    const std::vector<std::string> names = coordinate_names(system, functions.coordinates());
    const auto order_of = [&](const JetColumn& c) {
        return system.unknowns[static_cast<std::size_t>(c.unknown)].order;
    };
    Pencil pencil;
    std::vector<std::int64_t> place(columns.size(), -1); // in u
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c].order < std::max(1, order_of(columns[c]))) {
            place[c] = pencil.n();
            pencil.names.push_back(names[c]);
        }
    // the derivative of the same element, one order lower
    const auto below = [&](std::size_t c) {
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (columns[k].element == columns[c].element && columns[k].order + 1 == columns[c].order) return place[k];
        return std::int64_t{-1};
    };
    const std::int64_t n = pencil.n();
    if (n == 0 || n > most_of_pencil) return std::nullopt;
    pencil.a.assign(static_cast<std::size_t>(n * n), 0);
    pencil.b = pencil.a;
    std::vector<Quad> z(columns.size()), f(static_cast<std::size_t>(functions.n_equations())), mu(f.size()),
        local(functions.df().position.size()), df(static_cast<std::size_t>(functions.df().n_entries()));
    functions(Quad(0), z.data(), mu.data(), f.data(), local.data(), nullptr);
    functions.df().assemble(local.data(), df.data());
    const auto at = [&](std::int64_t row, std::int64_t column) { return static_cast<std::size_t>(row * n + column); };
    const Rows rows = by_rows(functions.df());
    std::int64_t row = 0;
    for (; row < functions.n_equations(); ++row)
        for (std::int64_t k = rows.start[static_cast<std::size_t>(row)];
             k < rows.start[static_cast<std::size_t>(row) + 1]; ++k) {
            const RowEntry e = rows.entries[static_cast<std::size_t>(k)];
            const auto c = static_cast<std::size_t>(e.column);
            if (place[c] >= 0)
                pencil.a[at(row, place[c])] += df[static_cast<std::size_t>(e.entry)];
            else
                pencil.b[at(row, below(c))] += df[static_cast<std::size_t>(e.entry)];
        }
    for (std::size_t c = 0; c < columns.size(); ++c) // y^(k-1)' - y^(k) = 0
        if (place[c] >= 0 && columns[c].order > 0 && row < n) {
            pencil.b[at(row, below(c))] = 1;
            pencil.a[at(row, place[c])] = -1;
            ++row;
        }
    return row == n ? std::optional(pencil) : std::nullopt;
}

std::vector<std::complex<double>> eigenvalues_of(const linalg::PencilForm& form) {
    linalg::ComplexSchur<Quad> schur(form.n_regular);
    for (int i = 0; i < form.n_regular; ++i)
        for (int j = 0; j < form.n_regular; ++j)
            schur.matrix()[j * form.n_regular + i] = -form.c[static_cast<std::size_t>(i * form.n_regular + j)];
    std::vector<std::complex<double>> result;
    if (form.n_regular == 0 || !schur.factor()) return result;
    for (int k = 0; k < form.n_regular; ++k) {
        const auto value = schur.eigenvalue(k);
        result.emplace_back(static_cast<double>(value.re), static_cast<double>(value.im));
    }
    std::ranges::sort(result, [](const auto& x, const auto& y) {
        return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
    });
    return result;
}

} // namespace

std::optional<KroneckerForm> kronecker_form(const System& system) {
    std::int64_t n_unknowns = 0;
    for (const Unknown& u : system.unknowns) n_unknowns += system.graph->array(u.array).size();
    if (n_unknowns > most_of_pencil) return std::nullopt;
    SystemFunctions<Quad> functions(system, {.evaluator = {.backend = expr::Backend::interpreter}});
    if (functions.n_equations() != n_unknowns || functions.d2f().n_entries() > 0) return std::nullopt;
    const std::vector<char> varies = varying_entries(*system.graph, functions.df());
    if (std::ranges::find(varies, char{1}) != varies.end()) return std::nullopt;
    const auto pencil = pencil_of(system, functions);
    if (!pencil) return std::nullopt;
    KroneckerForm result{.names = pencil->names,
                         .form = linalg::weierstrass_form(static_cast<int>(pencil->n()), pencil->a, pencil->b)};
    if (result.form) result.eigenvalues = eigenvalues_of(*result.form);
    return result;
}

} // namespace vessiot
