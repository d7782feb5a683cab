#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "sensitivity/tangent_projection.hpp"
#include "solve/sensitivity/sensitivity.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

using linalg::at;

namespace {

// A s = -f_p for one block: the residual r = A s + f_p is known, and changes by A ds.
template <class S> class LinearStart {
public:
    LinearStart(Manifold<S>& base, S t, const S* u) : base_(base), entries_(base.pattern().entries()) {
        linalg::Vector<S> f(base.n_constraints());
        base.df(t, u, f.data(), entries_.data());
        has_levels_ = base.has_levels() && !base.has_invariants();
    }

    // Makes s consistent; the size of a row is what its residual is small beside. False where that cannot be.
    bool operator()(linalg::Vector<S>& s, linalg::Vector<S>& r, const linalg::Vector<S>& size,
                    const std::vector<Freedom>& freedom) const {
        for (const Freedom mobile : {Freedom::computed, Freedom::free, Freedom::given, Freedom::asked})
            for (const Groups groups : {Groups::levels, Groups::rest, Groups::one})
                if ((has_levels_ || groups != Groups::levels) && attempt(s, r, size, freedom, mobile, groups))
                    return true;
        return false;
    }

private:
    bool attempt(linalg::Vector<S>& s, linalg::Vector<S>& r, const linalg::Vector<S>& size,
                 const std::vector<Freedom>& freedom, Freedom mobile, Groups groups) const {
        linalg::Vector<S> moved = s, left = r;
        for (const auto& [key, m] : make_groups(base_, freedom, mobile, groups)) {
            if (m.rows.empty()) continue;
            const bool by_levels = groups == Groups::levels;
            if (by_levels && m.computed != m.columns && solve(m.rows, m.computed, freedom, moved, left, size)) continue;
            if (by_levels && m.free != m.columns && solve(m.rows, m.free, freedom, moved, left, size)) continue;
            if (!solve(m.rows, m.columns, freedom, moved, left, size)) return false;
        }
        const linalg::Vector<S> sizes = sizes_at(moved, s, size);
        for (std::int64_t i = 0; i < left.size(); ++i)
            if (!is_small(left[i], sizes[i])) return false;
        s = std::move(moved);
        r = std::move(left);
        return true;
    }

    static bool is_small(S r, S size) { return linalg::absolute(r) <= S(1e-9) * size; }

    // The largest term of each row: those known, and those of A s, where a change far below the largest one counts as
    // round-off of that.
    linalg::Vector<S> sizes_at(const linalg::Vector<S>& s, const linalg::Vector<S>& before,
                               const linalg::Vector<S>& known) const {
        linalg::Vector<S> result = known;
        S largest = 0;
        for (std::int64_t j = 0; j < s.size(); ++j)
            largest = std::max({largest, linalg::absolute(s[j]), linalg::absolute(before[j])});
        const linalg::Pattern& a = base_.pattern();
        for (std::int64_t j = 0; j < a.columns; ++j) {
            const S size = std::max(linalg::absolute(s[j]), S(1e-4) * largest);
            for (std::int64_t e = a.column_start[at(j)]; e < a.column_start[at(j + 1)]; ++e)
                result[a.row[at(e)]] = std::max(result[a.row[at(e)]], linalg::absolute(entries_[e]) * size);
        }
        return result;
    }

    // These rows by the shortest change of these columns; s and r stay as they were where that fails.
    bool solve(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns,
               const std::vector<Freedom>& freedom, linalg::Vector<S>& s, linalg::Vector<S>& r,
               const linalg::Vector<S>& size) const {
        const auto is_done = [&](const linalg::Vector<S>& residual, const linalg::Vector<S>& at_point) {
            const linalg::Vector<S> sizes = sizes_at(at_point, s, size);
            return std::ranges::all_of(rows, [&](std::int32_t i) { return is_small(residual[i], sizes[i]); });
        };
        if (std::ranges::all_of(rows, [&](std::int32_t i) { return r[i] == S(0); })) return true;
        if (columns.empty()) return is_done(r, s);
        const auto [part, source] = linalg::select(base_.pattern(), rows, columns);
        linalg::Vector<S> entries(part.entries()), weights(part.columns), b(part.rows), d(part.columns);
        for (std::size_t k = 0; k < source.size(); ++k) entries[static_cast<std::int64_t>(k)] = entries_[source[k]];
        for (std::size_t k = 0; k < columns.size(); ++k) // as in consistent.cpp
            weights[static_cast<std::int64_t>(k)] = freedom[at(columns[k])] <= Freedom::free ? S(1e6) : S(1);
        linalg::NormalSolver<S> solver(part);
        if (!solver.factor(entries.data(), weights.data()) && !solver.leaves_out_rows()) return is_done(r, s);
        linalg::Vector<S> moved = s, left = r;
        for (int k = 0; k < 3; ++k) { // the normal equations lose digits, which the next correction finds
            for (std::size_t i = 0; i < rows.size(); ++i) b[static_cast<std::int64_t>(i)] = left[rows[i]];
            solver.solve_correction(b.data(), d.data());
            for (std::size_t c = 0; c < columns.size(); ++c)
                move(columns[c], d[static_cast<std::int64_t>(c)], moved, left);
        }
        if (!is_done(left, moved)) return false;
        s = std::move(moved);
        r = std::move(left);
        return true;
    }

    void move(std::int32_t column, S d, linalg::Vector<S>& s, linalg::Vector<S>& r) const {
        const linalg::Pattern& a = base_.pattern();
        s[column] -= d;
        for (std::int64_t e = a.column_start[at(column)]; e < a.column_start[at(column + 1)]; ++e)
            r[a.row[at(e)]] -= entries_[e] * d;
    }

    Manifold<S>& base_;
    linalg::Vector<S> entries_;
    bool has_levels_;
};

template <class S> class Differentiated {
public:
    Differentiated(Compiled<S>& problem, const Settings& options, S t, bool is_moved, linalg::Vector<S>& x,
                   std::vector<std::string>& notes)
        : problem_(problem), base_(*problem.base()), analysis_(base_.analysis()),
          augmentation_(*problem.analysis().augmentation), options_(options), t_(t), is_moved_(is_moved), x_(x),
          notes_(notes), n_(base_.n_state()), given_(read_start<S>(analysis_.system, analysis_.prolongation, options)) {
    }

    void run() {
        std::vector<std::vector<Freedom>> freedom;
        for (std::size_t j = 0; j < augmentation_.by().size(); ++j) freedom.push_back(place(j));
        set_known_kept_values();
        const bool has_invariants = problem_.manifold().has_invariants();
        satisfy(base_.written_manifold(), freedom);
        if (has_invariants) {
            take_kept_values();
            satisfy(base_.manifold(), freedom);
            take_kept_values();
        }
        note_lost();
    }

private:
    S* block(std::size_t j) { return x_.data() + (static_cast<std::int64_t>(j) + 1) * n_; }

    // The derivatives of what is given.
    std::vector<Freedom> place(std::size_t j) {
        const SensitivityVariable& variable = augmentation_.by()[j];
        const Prolongation& p = analysis_.prolongation;
        Settings constant = options_;
        for (auto& [name, value] : constant.start) value = 0;
        const Given<S> rates = [&] {
            try {
                return read_start<S>(augmentation_.start_derivatives(j), p, constant);
            } catch (const InvalidInput& e) {
                throw InvalidInput(fmt::format("the derivative of a start value by {}: {}", variable.name, e.what()));
            }
        }();
        std::vector<Freedom> freedom;
        for (std::size_t k = 0; k < p.state.size(); ++k) {
            block(j)[k] = rates.value[at(p.state[k])];
            freedom.push_back(given_.freedom(p, k));
        }
        if (is_moved_) {
            if (variable.is_start()) coordinate(variable); // there must be one
            std::ranges::copy(differentiate_moved_start(base_, options_, t_, x_.data(), variable), block(j));
            std::ranges::replace(freedom, Freedom::given, Freedom::free); // what is left is round-off
        }
        if (!variable.is_start() || is_moved_) return freedom;
        const std::size_t k = coordinate(variable);
        block(j)[k] = S(1);
        if (freedom[k] != Freedom::held && freedom[k] != Freedom::computed) freedom[k] = Freedom::asked;
        return freedom;
    }

    std::size_t coordinate(const SensitivityVariable& variable) const {
        const Prolongation& p = analysis_.prolongation;
        const std::int64_t z = position_of(analysis_.system, p, variable.coordinate);
        const auto it = std::ranges::find(p.state, static_cast<std::int32_t>(z));
        if (it == p.state.end())
            throw InvalidInput(fmt::format("--sensitivity {}: {} follows from the equations, and has no start value of "
                                           "its own",
                                           variable.name, variable.coordinate));
        return static_cast<std::size_t>(it - p.state.begin());
    }

    void set_known_kept_values() {
        const std::span<S> values = base_.jets().kept();
        std::ranges::copy(values, problem_.jets().kept().begin());
    }

    // Kept values of the derivatives of invariants whose value the model does not give: what they are at the start
    // point.
    void take_kept_values() {
        Manifold<S>& m = problem_.manifold();
        const std::span<S> values = problem_.jets().kept();
        const std::size_t n_known = base_.jets().kept().size();
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(n_known), values.end(), S(0));
        linalg::Vector<S> f(m.n_constraints());
        m.f(t_, x_.data(), f.data());
        const std::int64_t first = m.n_constraints() - std::ssize(values);
        for (std::size_t k = n_known; k < values.size(); ++k) {
            const std::int64_t row = first + static_cast<std::int64_t>(k);
            if (!problem_.system().invariants[m.rows()[at(row)].source].kept) values[k] = f[row];
        }
    }

    void satisfy(Manifold<S>& base, const std::vector<std::vector<Freedom>>& freedom) {
        if (base.n_constraints() == 0) return;
        const LinearStart<S> make_consistent(base, t_, x_.data());
        Manifold<S>& all = problem_.manifold();
        const std::vector<std::int32_t> row_of = rows_of_blocks(base_.manifold(), all);
        const std::int64_t k = base.n_constraints(), stride = base_.manifold().n_constraints();
        linalg::Vector<S> f(all.n_constraints()), terms(all.n_constraints()), s(n_), r(k), size(k);
        all.f(t_, x_.data(), f.data());
        all.terms(t_, x_.data(), terms.data());
        if (!linalg::all_finite(f.data(), f.size()))
            throw InvalidInput("the derivatives of the constraints by the variables of --sensitivity have no value at "
                               "the start point: it is at the edge of the domain of a function. Start elsewhere");
        for (std::size_t j = 0; j < freedom.size(); ++j) {
            std::copy_n(block(j), n_, s.data());
            for (std::int64_t i = 0; i < k; ++i) {
                const std::int32_t row = row_of[at((static_cast<std::int64_t>(j) + 1) * stride + i)];
                r[i] = f[row];
                size[i] = std::max(terms[row], linalg::absolute(f[row]));
            }
            if (!make_consistent(s, r, size, freedom[j])) fail(j);
            std::copy_n(s.data(), n_, block(j));
        }
    }

    [[noreturn]] void fail(std::size_t j) const {
        throw InvalidInput(fmt::format(
            "the start point cannot follow a change of {}: with what is held, and where the constraints are "
            "dependent, no derivative of it satisfies the constraints. Hold fewer unknowns, or start "
            "elsewhere",
            augmentation_.by()[j].name));
    }

    // A start value that the constraints do not leave free.
    void note_lost() {
        for (std::size_t j = 0; j < augmentation_.by().size(); ++j) {
            const SensitivityVariable& v = augmentation_.by()[j];
            if (!v.is_start()) continue;
            const auto own = static_cast<double>(block(j)[coordinate(v)]);
            if (std::abs(own - 1) > 1e-9)
                notes_.push_back(fmt::format("sensitivity: the constraints do not leave the start value of {0} free: "
                                             "moved by 1, to first order, {0} itself moves by {1:.6g}",
                                             v.coordinate, own));
        }
    }

    Compiled<S>& problem_;
    Compiled<S>& base_;
    const Analysis& analysis_; // of the system itself
    Augmentation& augmentation_;
    const Settings& options_;
    S t_;
    bool is_moved_;
    linalg::Vector<S>& x_;
    std::vector<std::string>& notes_;
    std::int64_t n_;
    Given<S> given_;
};

} // namespace

template <class S>
void differentiate_start(Compiled<S>& problem, const Settings& options, S t, bool is_moved, linalg::Vector<S>& x,
                         std::vector<std::string>& notes) {
    Differentiated<S>(problem, options, t, is_moved, x, notes).run();
}

template void differentiate_start(Compiled<double>&, const Settings&, double, bool, linalg::Vector<double>&,
                                  std::vector<std::string>&);
template void differentiate_start(Compiled<Quad>&, const Settings&, Quad, bool, linalg::Vector<Quad>&,
                                  std::vector<std::string>&);

} // namespace vessiot
