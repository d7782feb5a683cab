#include "solve/inspect/involutive.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "distribution/series/solution_series.hpp"
#include "expr/series/taylor.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "solve/problem/prepare.hpp"
#include "system/jet_columns.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_jets = 400;  // columns of D
constexpr double rank_tolerance = 1e-11; // that of completion

// Coefficients c_j of all unknowns along a solution: c[j][element].
using Jet = std::vector<std::vector<Quad>>;

// Solutions through the start point and through points near it, in the general formulation: there every unknown is a
// coordinate.
class NearbySolutions {
public:
    NearbySolutions(const System& system, Settings options, Quad t, int order)
        : prepared_(prepare<Quad>(system, in_jets(std::move(options)), t)), t_(t), order_(order) {
        const Analysis& a = *prepared_.analysis;
        const Prolongation& p = a.prolongation;
        std::vector<std::int32_t> at(static_cast<std::size_t>(p.z.size), -1);
        for (std::size_t k = 0; k < p.state.size(); ++k)
            at[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
        for (const Unknown& u : system.unknowns) {
            const ArrayId array = a.system.unknown(u.name)->array;
            const auto jet = static_cast<std::size_t>(std::ranges::find(p.z.jets, array) - p.z.jets.begin());
            for (std::int64_t e = 0; e < a.system.graph->array(array).size(); ++e)
                coordinate_.push_back(at[static_cast<std::size_t>(p.z.first[jet] + e)]);
        }
        series_ = make_solution_series<Quad>(a.system, p, prepared_.problem->jets(), prepared_.problem->distribution(),
                                             prepared_.problem->evaluator(), order);
    }

    std::vector<Jet> jets() {
        std::vector<Jet> found;
        const linalg::Vector<Quad>& u = prepared_.start.u;
        add(u, found);
        for (const double amount : {0.1, 0.01, 0.001})
            for (const auto& near : points_near(prepared_.problem->written_manifold(), t_, u, 2, amount, 0.3))
                if (found.size() < 3) add(near, found);
        return found;
    }

private:
    static Settings in_jets(Settings options) {
        options.formulation = Formulation::general;
        options.parametrisation = Parametrisation::time;
        options.distribution = nullptr;
        return options;
    }

    void add(const linalg::Vector<Quad>& u, std::vector<Jet>& found) {
        if (series_->begin(t_, u.data(), Quad(1), true) != PointStatus::good) return;
        if (series_->extend(order_) != PointStatus::good) return;
        Jet jet(static_cast<std::size_t>(order_) + 1);
        for (std::size_t j = 0; j < jet.size(); ++j)
            for (const std::int32_t k : coordinate_) jet[j].push_back(series_->coefficient(static_cast<int>(j))[k]);
        found.push_back(std::move(jet));
    }

    Prepared<Quad> prepared_;
    Quad t_;
    int order_;
    std::vector<std::int32_t> coordinate_; // by element of the unknowns
    std::unique_ptr<SolutionSeries<Quad>> series_;
};

// f and df of the equations as they are written, on power series.
class EquationSeries {
public:
    EquationSeries(const System& system, int max_order)
        : functions_(system, {.d2f = false, .evaluator = {.backend = expr::Backend::interpreter}}),
          columns_(jet_columns(system, functions_.coordinates())),
          taylor_(plan_taylor(functions_.function().lowered().kernel, {false, true, false, true, true},
                              {false, false, false, false, false}),
                  max_order),
          weights_(static_cast<std::size_t>(functions_.n_equations())) {
        taylor_.bind(parameters, functions_.parameters().data());
        taylor_.bind(weights, weights_.data());
        has_prologue_ = functions_.function().lowered().prologue != nullptr;
        if (has_prologue_) taylor_.bind(hoisted, functions_.function().slots()[hoisted]);
    }

    std::int64_t n_equations() const { return functions_.n_equations(); }
    const SparseMatrix& df() const { return functions_.df(); }
    const std::vector<JetColumn>& columns() const { return columns_; }

    // [A]_k of all entries of df, for k = 0 .. max_order. y^(l) has the coefficients (k + l)!/k! c_{k+l}.
    std::vector<std::vector<Quad>> evaluate(Quad t, const Jet& jet) {
        std::vector<std::vector<Quad>> entries;
        taylor_.coefficient(time, 0)[0] = t;
        if (taylor_.max_order() > 0) taylor_.coefficient(time, 1)[0] = Quad(1);
        for (int k = 0; k <= taylor_.max_order(); ++k) {
            Quad* const z = taylor_.coefficient(unknowns, k);
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                Quad value =
                    jet[static_cast<std::size_t>(k + columns_[c].order)][static_cast<std::size_t>(columns_[c].element)];
                for (int l = 1; l <= columns_[c].order; ++l) value *= Quad(k + l);
                z[c] = value;
            }
            taylor_.evaluate(k);
            entries.emplace_back(static_cast<std::size_t>(df().n_entries()));
            df().assemble(taylor_.coefficient(has_prologue_ ? hoisted + 2 : hoisted + 1, k), entries.back().data());
        }
        return entries;
    }

private:
    enum : std::uint32_t { time, parameters, unknowns, weights, hoisted }; // then f and df
    SystemFunctions<Quad> functions_;
    std::vector<JetColumn> columns_;
    Taylor<Quad> taylor_;
    std::vector<Quad> weights_;
    bool has_prologue_ = false;
};

// D for s differentiations, its columns by j and element; rows and columns scaled to largest entries about 1.
struct DerivativeArray {
    std::int64_t rows, columns;
    std::vector<Quad> d; // column-major

    Quad& at(std::int64_t i, std::int64_t c) { return d[static_cast<std::size_t>(c * rows + i)]; }

    void scale() {
        for (int sweep = 0; sweep < 4; ++sweep) {
            for (std::int64_t i = 0; i < rows; ++i) scale_line(&at(i, 0), columns, rows);
            for (std::int64_t c = 0; c < columns; ++c) scale_line(&at(0, c), rows, 1);
        }
    }

    static void scale_line(Quad* line, std::int64_t n, std::int64_t step) {
        Quad largest = 0;
        for (std::int64_t k = 0; k < n; ++k) largest = std::max(largest, linalg::absolute(line[k * step]));
        if (largest > 0)
            for (std::int64_t k = 0; k < n; ++k) line[k * step] /= largest;
    }

    int rank_from(std::int64_t column, std::int64_t end) const {
        if (column >= end) return 0;
        linalg::PivotedQr<double> qr(static_cast<int>(rows), static_cast<int>(end - column));
        std::transform(d.begin() + column * rows, d.begin() + end * rows, qr.matrix(),
                       [](const Quad& x) { return static_cast<double>(x); });
        qr.factor(rank_tolerance);
        return qr.rank();
    }
};

DerivativeArray derivative_array(const EquationSeries& f, const std::vector<std::vector<Quad>>& a, std::int64_t m,
                                 int q, int s) {
    const std::int64_t n = f.n_equations();
    DerivativeArray result{n * (s + 1), m * (q + s + 1), {}};
    result.d.assign(static_cast<std::size_t>(result.rows * result.columns), Quad(0));
    const Rows rows = by_rows(f.df());
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t e = rows.start[static_cast<std::size_t>(i)]; e < rows.start[static_cast<std::size_t>(i) + 1];
             ++e) {
            const RowEntry& entry = rows.entries[static_cast<std::size_t>(e)];
            const JetColumn& y = f.columns()[static_cast<std::size_t>(entry.column)];
            for (int k = 0; k <= s; ++k)
                for (int j = y.order; j <= y.order + k; ++j) {
                    Quad factor = 1;
                    for (int l = 0; l < y.order; ++l) factor *= Quad(j - l); // j!/(j-l)!
                    result.at(k * n + i, j * m + y.element) +=
                        factor * a[static_cast<std::size_t>(k - j + y.order)][static_cast<std::size_t>(entry.entry)];
                }
        }
    return result;
}

} // namespace

std::optional<InvolutiveForm> involutive_form(const System& system, const Settings& options, Quad t, int index) {
    InvolutiveForm form;
    std::int64_t m = 0;
    for (const Unknown& u : system.unknowns) {
        m += system.graph->array(u.array).size();
        form.order = std::max(form.order, u.order);
    }
    const int q = form.order, most = index + q + 2; // differentiations
    if (m * (q + most + 1) > most_jets) return std::nullopt;
    form.jet_dimension = 1 + m * (q + 1);
    try {
        const std::vector<Jet> jets = NearbySolutions(system, options, t, q + most).jets();
        if (jets.empty()) return std::nullopt;
        EquationSeries f(system, most);
        std::vector<std::vector<std::vector<Quad>>> entries;
        for (const Jet& jet : jets) entries.push_back(f.evaluate(t, jet));
        for (int s = 0; s <= most; ++s) {
            std::array<int, 3> rank{}; // of B, [Q B], D
            for (const auto& a : entries) {
                DerivativeArray d = derivative_array(f, a, m, q, s);
                d.scale();
                for (std::size_t k = 0; k < 3; ++k)
                    rank[k] = std::max(rank[k], d.rank_from(k == 2 ? 0 : m * (q + 1 - static_cast<int>(k)), d.columns));
            }
            const InvolutiveForm::Projection now{form.jet_dimension - (rank[2] - rank[0]), m - (rank[1] - rank[0])};
            if (s > 0 && now.dimension == form.projections.back().dimension) return form;
            form.projections.push_back(now);
        }
    } catch (const InvalidInput&) { // said in other words by the inspection
    }
    return std::nullopt;
}

} // namespace vessiot
