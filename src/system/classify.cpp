#include "system/classify.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "linalg/scalar.hpp"
#include "linalg/solver/square_solver.hpp"
#include "system/jet_columns.hpp"
#include "system/mechanics/holonomic.hpp"
#include "system/mechanics/velocity_jets.hpp"

namespace vessiot {

using namespace expr;

namespace {

class Classifier {
public:
    Classifier(const System& system, SystemFunctions<double>& functions)
        : system_(system), functions_(functions), df_(functions.df()),
          columns_(jet_columns(system, functions.coordinates())), rows_(by_rows(df_)),
          varies_(varying_entries(*system.graph, df_)) {}

    Classification operator()() {
        count();
        result_.system_class = decide();
        result_.has_singular_masses = system_.lagrangian && has_singular_masses();
        assign_roles();
        return std::move(result_);
    }

private:
    void count() {
        for (const Unknown& u : system_.unknowns) {
            result_.order = std::max(result_.order, u.order);
            result_.n_unknowns += system_.graph->array(u.array).size();
        }
        result_.n_equations = functions_.n_equations();
        for (const Equation& e : system_.equations)
            result_.n_templates += system_.graph->index().count(e.domain, 0) > 0;
        if (result_.n_equations > result_.n_unknowns) result_.determination = Determination::overdetermined;
        if (result_.n_equations < result_.n_unknowns) result_.determination = Determination::underdetermined;
    }

    SystemClass decide() {
        if (result_.determination != Determination::square) return SystemClass::general;
        const bool has_written =
            std::ranges::any_of(system_.equations, [](const Equation& e) { return e.kind == EquationKind::written; });
        // forces, those of constraints of velocities too, make the flow of a hamiltonian another one, which methods for
        // such systems must not take for theirs
        if (system_.hamiltonian && !has_written && system_.forces.empty() && !VelocityJets(system_).are_constrained())
            return SystemClass::hamiltonian;
        if (is_explicit() && result_.order == 1 && !system_.matrices.empty()) return SystemClass::lie;
        if (is_explicit()) return system_.invariants.empty() ? SystemClass::explicit_ode : SystemClass::invariants;
        if (is_semi_explicit()) return SystemClass::semi_explicit;
        if (is_holonomic(system_, functions_, columns_, rows_)) return SystemClass::holonomic;
        return SystemClass::general;
    }

    // The matrix of the highest derivatives is triangular, after an exchange of rows and columns, with constants on the
    // diagonal: rows with one unsolved derivative are taken away until none is left.
    bool is_explicit() {
        const auto n = static_cast<std::size_t>(result_.n_equations);
        std::int64_t n_top = 0;
        for (const JetColumn& c : columns_) n_top += c.is_top;
        if (n_top != result_.n_unknowns) return false; // an algebraic unknown
        std::vector<std::int32_t> n_unsolved(n, 0);
        std::vector<char> is_solved(columns_.size(), 0);
        const auto for_top = [&](std::size_t row, const auto& visit) {
            for (std::int64_t k = rows_.start[row]; k < rows_.start[row + 1]; ++k) {
                const RowEntry& e = rows_.entries[static_cast<std::size_t>(k)];
                if (columns_[static_cast<std::size_t>(e.column)].is_top) visit(e);
            }
        };
        std::vector<std::size_t> ready;
        for (std::size_t r = 0; r < n; ++r) {
            for_top(r, [&](const RowEntry&) { ++n_unsolved[r]; });
            if (n_unsolved[r] == 1) ready.push_back(r);
        }
        std::size_t n_solved = 0;
        for (; n_solved < ready.size(); ++n_solved) {
            RowEntry pivot{-1, -1};
            for_top(ready[n_solved], [&](const RowEntry& e) {
                if (!is_solved[static_cast<std::size_t>(e.column)]) pivot = e;
            });
            if (pivot.column < 0 || !is_nonzero_constant(pivot.entry)) return false;
            const auto column = static_cast<std::size_t>(pivot.column);
            is_solved[column] = 1;
            for (std::int64_t k = df_.column_start[column]; k < df_.column_start[column + 1]; ++k) {
                const auto r = static_cast<std::size_t>(df_.row[static_cast<std::size_t>(k)]);
                if (--n_unsolved[r] == 1) ready.push_back(r);
            }
        }
        return n_solved == n;
    }

    bool is_semi_explicit() const {
        if (result_.order != 1) return false;
        for (std::size_t c = 0; c < columns_.size(); ++c)
            for (std::int64_t k = df_.column_start[c]; k < df_.column_start[c + 1]; ++k)
                if (columns_[c].is_top && varies_[static_cast<std::size_t>(k)]) return false;
        return true;
    }

    bool is_nonzero_constant(std::int32_t entry) {
        if (varies_[static_cast<std::size_t>(entry)]) return false;
        if (values_.empty()) evaluate();
        const double value = values_[static_cast<std::size_t>(entry)];
        return std::isfinite(value) && value != 0;
    }

    // df at some point: only entries that are the same everywhere are read.
    void evaluate() {
        values_ = evaluate_at(std::vector<double>(static_cast<std::size_t>(functions_.n_coordinates()), 0.5));
    }

    std::vector<double> evaluate_somewhere() const {
        std::mt19937 random(1); // fixed: the answer is the same every time
        std::uniform_real_distribution<double> uniform(0.2, 0.9);
        std::vector<double> z(static_cast<std::size_t>(functions_.n_coordinates()));
        for (double& v : z) v = uniform(random);
        return evaluate_at(z);
    }

    std::vector<double> evaluate_at(const std::vector<double>& z) const {
        const std::vector<double> mu(static_cast<std::size_t>(functions_.n_equations()), 1);
        std::vector<double> f(mu.size()), local(df_.position.size()), second(functions_.d2f().position.size());
        functions_(0.5, z.data(), mu.data(), f.data(), local.data(), second.data());
        std::vector<double> df(static_cast<std::size_t>(df_.n_entries()));
        df_.assemble(local.data(), df.data());
        return df;
    }

    // The matrix of the second derivatives, at a point that is as good as any. One that is diagonal is regular.
    bool has_singular_masses() const {
        std::vector<std::int32_t> second, motion;
        bool is_diagonal = true;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].order != 2) continue;
            second.push_back(static_cast<std::int32_t>(c));
            is_diagonal &= df_.column_start[c + 1] - df_.column_start[c] == 1;
            for (std::int64_t k = df_.column_start[c]; k < df_.column_start[c + 1]; ++k)
                motion.push_back(df_.row[static_cast<std::size_t>(k)]);
        }
        const auto n_entries = std::ssize(motion), n = std::ssize(second);
        std::ranges::sort(motion);
        const auto rest = std::ranges::unique(motion);
        motion.erase(rest.begin(), rest.end());
        const bool is_large = n > 300 && n_entries > 30 * n;
        if (is_diagonal || is_large || std::ssize(motion) != n) return false;
        const linalg::Pattern all{df_.rows, df_.columns, df_.column_start, df_.row};
        const linalg::SubPattern masses = linalg::select(all, motion, second);
        const std::vector<double> df = evaluate_somewhere();
        std::vector<double> entries;
        for (const std::int32_t k : masses.source) entries.push_back(df[static_cast<std::size_t>(k)]);
        if (!linalg::all_finite(entries.data(), std::ssize(entries))) return false;
        linalg::SquareSolver<double> solver(masses.pattern);
        return !solver.factor(entries.data()) || solver.pivot_ratio() < 1e-13;
    }

    void assign_roles() {
        std::vector<char> is_differentiated(static_cast<std::size_t>(result_.n_unknowns), 0);
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c].order > 0 && df_.column_start[c + 1] > df_.column_start[c])
                is_differentiated[static_cast<std::size_t>(columns_[c].element)] = 1;
        std::size_t element = 0;
        for (const Unknown& u : system_.unknowns) {
            UnknownClass c;
            const std::int64_t size = system_.graph->array(u.array).size();
            for (std::int64_t k = 0; k < size; ++k) c.n_algebraic += !is_differentiated[element++];
            const bool is_multiplier =
                u.is_multiplier || (u.order == 0 && result_.system_class == SystemClass::holonomic);
            if (is_multiplier)
                c.role = UnknownRole::multiplier;
            else if (u.order == 0)
                c.role = UnknownRole::algebraic;
            result_.n_algebraic += c.n_algebraic;
            result_.n_multipliers += is_multiplier ? size : 0;
            result_.unknowns.push_back(c);
        }
    }

    const System& system_;
    SystemFunctions<double>& functions_;
    const SparseMatrix& df_;
    std::vector<JetColumn> columns_;
    Rows rows_;
    std::vector<char> varies_; // by entry of df
    std::vector<double> values_;
    Classification result_;
};

} // namespace

std::string_view name(SystemClass c) {
    switch (c) {
    case SystemClass::explicit_ode: return "explicit";
    case SystemClass::semi_explicit: return "semi_explicit";
    case SystemClass::invariants: return "invariants";
    case SystemClass::holonomic: return "holonomic";
    case SystemClass::hamiltonian: return "hamiltonian";
    case SystemClass::lie: return "lie";
    case SystemClass::general: break;
    }
    return "general";
}

std::string_view name(UnknownRole role) {
    switch (role) {
    case UnknownRole::differential: return "differential";
    case UnknownRole::algebraic: return "algebraic";
    case UnknownRole::multiplier: break;
    }
    return "multiplier";
}

Classification classify(const System& system, SystemFunctions<double>& functions) {
    return Classifier(system, functions)();
}

Classification classify(const System& system) {
    // NOTE: a function of the user with n arguments and n results has n^3 second derivatives, each of them a node: they
    // are made where they are read, in systems that may be mechanical.
    const bool has_second = std::ranges::any_of(system.unknowns, [](const Unknown& u) { return u.order > 1; });
    SystemFunctions<double> functions(
        system, {.d2f = has_second || !system.graph->has_externals(), .evaluator = {.backend = Backend::interpreter}});
    return classify(system, functions);
}

} // namespace vessiot
