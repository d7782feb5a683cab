#include "system/mechanics/holonomic.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace vessiot {

using namespace expr;

namespace {

constexpr int not_there = -1;

// The rows and columns of a system that has the right shape.
struct Shape {
    std::vector<std::int32_t> motion;      // rows with second derivatives
    std::vector<std::int32_t> constraints; // rows with positions alone
    std::vector<std::int32_t> position;    // by column: number of the position element, for orders 0 and 2
    std::vector<std::int32_t> multiplier;  // by column: number of the multiplier
    std::int32_t n_positions = 0, n_multipliers = 0;
};

// Positions are the unknowns of order 2, multipliers those of order 0; there are no others.
std::optional<Shape> find_columns(const System& system, const SparseMatrix& df, const std::vector<JetColumn>& columns) {
    Shape s;
    s.position.assign(columns.size(), not_there);
    s.multiplier.assign(columns.size(), not_there);
    std::map<std::int64_t, std::int32_t> number; // of a position element
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const JetColumn& column = columns[c];
        const int order = system.unknowns[static_cast<std::size_t>(column.unknown)].order;
        if (order == 0) {
            s.multiplier[c] = s.n_multipliers++;
        } else if (order != 2) {
            return std::nullopt;
        } else if (column.order == 0) {
            s.position[c] = number[column.element] = s.n_positions++;
        } else if (column.order == 2) {
            s.position[c] = number.at(column.element);
            if (df.column_start[c] == df.column_start[c + 1]) return std::nullopt; // an element without q''
        }
    }
    if (s.n_multipliers == 0) return std::nullopt;
    return s;
}

// Each row is an equation of motion or a constraint, as many as there are positions and multipliers.
bool find_rows(Shape& s, const std::vector<JetColumn>& columns, const Rows& rows) {
    for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
        bool has_second = false, has_positions_only = true;
        for (std::int64_t k = rows.start[r]; k < rows.start[r + 1]; ++k) {
            const auto c = static_cast<std::size_t>(rows.entries[static_cast<std::size_t>(k)].column);
            has_second |= columns[c].order == 2;
            has_positions_only &= columns[c].order == 0 && s.position[c] != not_there;
        }
        if (has_second)
            s.motion.push_back(static_cast<std::int32_t>(r));
        else if (has_positions_only)
            s.constraints.push_back(static_cast<std::int32_t>(r));
        else
            return false;
    }
    return std::ssize(s.motion) == s.n_positions && std::ssize(s.constraints) == s.n_multipliers;
}

// q'' and lambda enter linearly, with coefficients that depend on q and t alone, masses on q' too: other second
// derivatives with respect to them vanish.
bool is_linear(const SparseMatrix& d2f, const Shape& s, const std::vector<JetColumn>& columns) {
    const auto is_multiplier = [&](std::size_t c) { return s.multiplier[c] != not_there; };
    const auto is_linear_pair = [&](std::size_t leading, std::size_t other) {
        if (is_multiplier(leading)) return columns[other].order == 0 && !is_multiplier(other);
        return columns[leading].order < 2 || (columns[other].order < 2 && !is_multiplier(other));
    };
    for (std::size_t c = 0; c < columns.size(); ++c)
        for (std::int64_t k = d2f.column_start[c]; k < d2f.column_start[c + 1]; ++k) {
            const auto r = static_cast<std::size_t>(d2f.row[static_cast<std::size_t>(k)]);
            if (!is_linear_pair(c, r) || !is_linear_pair(r, c)) return false;
        }
    return true;
}

// E, B and G at one point, by rows: pairs of a column number and a value.
using SparseRow = std::vector<std::pair<std::int32_t, Quad>>;
struct Numbers {
    std::vector<SparseRow> E, B, G; // rows: motion, motion, constraints; columns: positions, multipliers, positions
};

Quad find(const SparseRow& row, std::int32_t column) {
    const auto it = std::ranges::lower_bound(row, column, {}, &SparseRow::value_type::first);
    return it != row.end() && it->first == column ? it->second : Quad(0);
}

Numbers pick(const Shape& s, const std::vector<JetColumn>& columns, const Rows& rows, const std::vector<Quad>& df) {
    Numbers n;
    const auto row = [&](std::int32_t r, const auto& keep) {
        SparseRow result;
        for (std::int64_t k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
             ++k) {
            const RowEntry e = rows.entries[static_cast<std::size_t>(k)];
            const std::int32_t column = keep(static_cast<std::size_t>(e.column));
            if (column != not_there) result.emplace_back(column, df[static_cast<std::size_t>(e.entry)]);
        }
        return result;
    };
    for (const std::int32_t r : s.motion) {
        n.E.push_back(row(r, [&](std::size_t c) { return columns[c].order == 2 ? s.position[c] : not_there; }));
        n.B.push_back(row(r, [&](std::size_t c) { return s.multiplier[c]; }));
    }
    for (const std::int32_t r : s.constraints) n.G.push_back(row(r, [&](std::size_t c) { return s.position[c]; }));
    return n;
}

// The position whose equation each row of motion is: that of its only second derivative, or else by order.
std::vector<std::int32_t> pair_rows(const Numbers& n) {
    std::vector<std::int32_t> position(n.E.size());
    std::vector<char> is_taken(n.E.size(), 0);
    bool is_diagonal = true;
    for (std::size_t i = 0; i < n.E.size() && is_diagonal; ++i) {
        is_diagonal = n.E[i].size() == 1 && !is_taken[static_cast<std::size_t>(n.E[i][0].first)];
        if (!is_diagonal) break;
        position[i] = n.E[i][0].first;
        is_taken[static_cast<std::size_t>(position[i])] = 1;
    }
    if (!is_diagonal)
        for (std::size_t i = 0; i < position.size(); ++i) position[i] = static_cast<std::int32_t>(i);
    return position;
}

bool is_near(Quad a, Quad b) {
    const auto size = [](Quad x) { return x < 0 ? -x : x; };
    return size(a - b) <= Quad(1e-22) * std::max(size(a), size(b)); // of 34 digits, 12 for cancellation
}

bool are_parallel(const SparseRow& a, const SparseRow& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
        if (!is_near(a[k].second * b[0].second, a[0].second * b[k].second)) return false;
    return true;
}

// The constraint of each multiplier: one that contains the same positions, a parallel one if there is a choice.
std::optional<std::vector<std::int32_t>> pair_multipliers(const Shape& s, const Numbers& n,
                                                          const std::vector<std::int32_t>& position) {
    std::vector<SparseRow> columns(static_cast<std::size_t>(s.n_multipliers)); // of B, by position
    for (std::size_t i = 0; i < n.B.size(); ++i)
        for (const auto& [m, value] : n.B[i]) columns[static_cast<std::size_t>(m)].emplace_back(position[i], value);
    const auto pattern = [](const SparseRow& row) {
        std::vector<std::int32_t> p;
        for (const auto& [column, value] : row) p.push_back(column);
        return p;
    };
    std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> free; // constraints by pattern
    for (std::size_t c = 0; c < n.G.size(); ++c) free[pattern(n.G[c])].push_back(static_cast<std::int32_t>(c));
    std::vector<std::int32_t> constraint;
    for (SparseRow& column : columns) {
        std::ranges::sort(column, {}, &SparseRow::value_type::first);
        const auto it = free.find(pattern(column));
        if (column.empty() || it == free.end() || it->second.empty()) return std::nullopt;
        auto choice = std::ranges::find_if(
            it->second, [&](std::int32_t c) { return are_parallel(column, n.G[static_cast<std::size_t>(c)]); });
        if (choice == it->second.end()) choice = it->second.begin();
        constraint.push_back(*choice);
        it->second.erase(choice);
    }
    return constraint;
}

// Are there numbers d_i (rows) and s_k (multipliers) with  d_i B_ik = s_k G_ki,  d_i E_ij = d_j E_ji,  d_i E_ii > 0 (or
// all < 0) wherever rows are connected?
class Scaling {
public:
    explicit Scaling(std::size_t n) : edges_(n), value_(n, 0) {}

    // b = a * ratio
    bool add(std::size_t a, std::size_t b, Quad numerator, Quad denominator) {
        if (numerator == 0 && denominator == 0) return true;
        if (numerator == 0 || denominator == 0) return false;
        edges_[a].emplace_back(b, numerator / denominator);
        edges_[b].emplace_back(a, denominator / numerator);
        return true;
    }

    // `diagonal` has E_ii of the rows, which are the first nodes. The first row of those that are connected has d =
    // +-1.
    bool is_consistent(const std::vector<Quad>& diagonal) {
        for (std::size_t root = 0; root < diagonal.size(); ++root) {
            if (value_[root] != 0) continue;
            value_[root] = diagonal[root] < 0 ? -1 : 1;
            std::vector<std::size_t> queue{root};
            for (std::size_t head = 0; head < queue.size(); ++head) {
                const std::size_t a = queue[head];
                if (a < diagonal.size() && !(value_[a] * diagonal[a] > 0)) return false;
                for (const auto& [b, ratio] : edges_[a]) {
                    if (value_[b] == 0) {
                        value_[b] = value_[a] * ratio;
                        queue.push_back(b);
                    } else if (!is_near(value_[b], value_[a] * ratio)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    std::vector<Quad> values(std::size_t n) const {
        return {value_.begin(), value_.begin() + static_cast<std::ptrdiff_t>(n)};
    }

private:
    std::vector<std::vector<std::pair<std::size_t, Quad>>> edges_;
    std::vector<Quad> value_;
};

// D, if there is one.
std::optional<std::vector<Quad>> row_factors(const Shape& s, const Numbers& n) {
    const std::vector<std::int32_t> position = pair_rows(n);
    const auto constraint = pair_multipliers(s, n, position);
    if (!constraint) return std::nullopt;
    const std::size_t n_rows = n.E.size();
    std::vector<std::size_t> row_of(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) row_of[static_cast<std::size_t>(position[i])] = i;
    Scaling scaling(n_rows + static_cast<std::size_t>(s.n_multipliers));
    std::vector<Quad> diagonal;
    for (std::size_t i = 0; i < n_rows; ++i) {
        diagonal.push_back(find(n.E[i], position[i]));
        for (const auto& [m, value] : n.B[i]) {
            const auto c = static_cast<std::size_t>((*constraint)[static_cast<std::size_t>(m)]);
            if (!scaling.add(i, n_rows + static_cast<std::size_t>(m), value, find(n.G[c], position[i])))
                return std::nullopt;
        }
        for (const auto& [p, value] : n.E[i]) {
            const std::size_t j = row_of[static_cast<std::size_t>(p)];
            if (j != i && !scaling.add(i, j, value, find(n.E[j], position[i]))) return std::nullopt;
        }
    }
    if (!scaling.is_consistent(diagonal)) return std::nullopt;
    return scaling.values(n_rows);
}

bool is_finite(const std::vector<Quad>& values) {
    return std::ranges::all_of(values, [](Quad v) { return v - v == 0; });
}

// Do masses depend on velocities?
bool has_velocities(const SparseMatrix& d2f, const std::vector<JetColumn>& columns) {
    for (std::size_t c = 0; c < columns.size(); ++c)
        for (std::int64_t k = d2f.column_start[c]; k < d2f.column_start[c + 1]; ++k) {
            const auto r = static_cast<std::size_t>(d2f.row[static_cast<std::size_t>(k)]);
            if (columns[c].order + columns[r].order == 3) return true;
        }
    return false;
}

// Two points where df is finite decide; functions with a small domain get several chances. Masses that depend on
// velocities are looked at everywhere: a factor x' is a mass in one direction only.
bool fits_at_random_points(const System& system, const Shape& s, const std::vector<JetColumn>& columns,
                           const Rows& rows, bool looks_everywhere) {
    SystemFunctions<Quad> functions(system, {.d2f = false, .evaluator = {.backend = Backend::interpreter}});
    std::vector<Quad> z(static_cast<std::size_t>(functions.n_coordinates()));
    std::vector<Quad> f(static_cast<std::size_t>(functions.n_equations()));
    std::vector<Quad> local(functions.df().position.size()), df(static_cast<std::size_t>(functions.df().n_entries()));
    constexpr std::pair<double, double> ranges[] = {{0.2, 0.9},  {-1, 1},    {1.1, 1.9},
                                                    {0.01, 0.3}, {-2, -0.1}, {-0.3, -0.01}};
    std::mt19937 random(1); // fixed: the answer is the same every time
    std::optional<std::vector<Quad>> first;
    int n_fitting = 0;
    for (const auto& [lo, hi] : ranges) {
        std::uniform_real_distribution<double> uniform(lo, hi);
        for (Quad& v : z) v = uniform(random);
        functions(uniform(random), z.data(), nullptr, f.data(), local.data(), nullptr);
        functions.df().assemble(local.data(), df.data());
        if (!is_finite(df)) continue;
        auto factors = row_factors(s, pick(s, columns, rows, df));
        if (!factors) return false;
        if (first && !std::ranges::equal(*first, *factors, is_near)) return false; // D is constant: masses, not forces
        if (++n_fitting == 2 && !looks_everywhere) return true;
        if (!first) first = std::move(factors);
    }
    return n_fitting >= 2;
}

} // namespace

bool is_holonomic(const System& system, const SystemFunctions<double>& functions, const std::vector<JetColumn>& columns,
                  const Rows& rows) {
    auto shape = find_columns(system, functions.df(), columns);
    if (!shape || !find_rows(*shape, columns, rows) || !is_linear(functions.d2f(), *shape, columns)) return false;
    const bool is_derived = system.lagrangian && std::ranges::none_of(system.equations, [](const Equation& e) {
                                return e.kind == EquationKind::written;
                            });
    const bool looks_everywhere = has_velocities(functions.d2f(), columns);
    return (is_derived && !looks_everywhere) || fits_at_random_points(system, *shape, columns, rows, looks_everywhere);
}

} // namespace vessiot
