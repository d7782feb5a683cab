#include "system/groups.hpp"

#include <array>

#include <fmt/format.h>

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t largest_determinant = 4, largest_product = 32;

constexpr std::array words{GroupWord{MatrixGroup::gl, "GL", 1}, GroupWord{MatrixGroup::sl, "SL", 1},
                           GroupWord{MatrixGroup::o, "O", 1},   GroupWord{MatrixGroup::so, "SO", 1},
                           GroupWord{MatrixGroup::sp, "Sp", 1}, GroupWord{MatrixGroup::stiefel, "Stiefel", 2},
                           GroupWord{MatrixGroup::se, "SE", 1}};

class GroupEquations {
public:
    // The indices of a family become loop variables of its equations.
    GroupEquations(System& system, const MatrixUnknown& m) : system_(system), g_(*system.graph), m_(m) {
        IndexSpace& index = g_.index();
        const std::vector<std::int64_t>& extent = g_.array(m.array).extent;
        std::vector<VarId> vars;
        for (std::size_t k = 0; k + 2 < extent.size(); ++k)
            vars.push_back(index.loop_var("i", static_cast<int>(k), index.constant(1), index.constant(extent[k])));
        for (const VarId v : vars) family_.push_back(index.var(v));
        domain_ = vars.empty() ? index.scalar_domain() : index.domain(vars);
    }

    void add() {
        switch (m_.group) {
        case MatrixGroup::none:
        case MatrixGroup::gl: return;
        case MatrixGroup::sl:
            if (m_.rows <= largest_determinant) add_determinant();
            return;
        case MatrixGroup::o:
        case MatrixGroup::so:
        case MatrixGroup::stiefel: return add_orthogonality(m_.rows, m_.columns);
        case MatrixGroup::se: add_orthogonality(m_.rows - 1, m_.columns - 1); return add_last_row();
        case MatrixGroup::sp: return add_symplecticity();
        }
    }

private:
    NodeId y(std::int64_t i, std::int64_t j) const { // from 0
        IndexSpace& index = g_.index();
        std::vector<FormId> at = family_;
        at.push_back(index.constant(i + 1));
        at.push_back(index.constant(j + 1));
        return g_.read(m_.array, index.list(at));
    }

    void invariant(NodeId value, Quad kept, const std::string& text) {
        system_.invariants.push_back({domain_, value, g_.constant(kept), text, m_.where});
    }

    // y_i^T y_j = (i == j), i <= j, of the first rows and columns
    void add_orthogonality(std::int64_t rows, std::int64_t columns) {
        if (columns > largest_product) return;
        const std::string text =
            m_.group == MatrixGroup::se
                ? fmt::format("equation transpose(R)*R = identity({1}) of the rotation R in {0}", m_.name, columns)
                : fmt::format("equation transpose({0})*{0} = identity({1})", m_.name, columns);
        for (std::int64_t i = 0; i < columns; ++i)
            for (std::int64_t j = i; j < columns; ++j) {
                NodeId sum = g_.zero();
                for (std::int64_t k = 0; k < rows; ++k) sum = g_.add(sum, g_.mul(y(k, i), y(k, j)));
                invariant(sum, i == j ? Quad(1) : Quad(0), text);
            }
    }

    // The last row is (0 .. 0 1).
    void add_last_row() {
        if (m_.columns - 1 > largest_product) return;
        const std::int64_t last = m_.rows - 1;
        const std::string text = fmt::format("last row of {} = [0, .., 0, 1]", m_.name);
        for (std::int64_t j = 0; j <= last; ++j) invariant(y(last, j), j == last ? Quad(1) : Quad(0), text);
    }

    // y_i^T J y_j = J_ij, i < j
    void add_symplecticity() {
        if (m_.columns > largest_product) return;
        const std::int64_t half = m_.rows / 2;
        const std::string text = fmt::format("equation transpose({0})*J*{0} = J", m_.name);
        for (std::int64_t i = 0; i < m_.columns; ++i)
            for (std::int64_t j = i + 1; j < m_.columns; ++j) {
                NodeId sum = g_.zero();
                for (std::int64_t k = 0; k < half; ++k) {
                    sum = g_.add(sum, g_.mul(y(k, i), y(half + k, j)));
                    sum = g_.sub(sum, g_.mul(y(half + k, i), y(k, j)));
                }
                invariant(sum, j == i + half ? Quad(1) : Quad(0), text);
            }
    }

    void add_determinant() {
        std::vector<std::int64_t> columns;
        for (std::int64_t j = 0; j < m_.columns; ++j) columns.push_back(j);
        invariant(determinant(0, columns), 1, fmt::format("equation det({}) = 1", m_.name));
    }

    // Of the rows from `row` on in these columns, by the first of them.
    NodeId determinant(std::int64_t row, const std::vector<std::int64_t>& columns) {
        if (columns.size() == 1) return y(row, columns[0]);
        NodeId sum = g_.zero();
        for (std::size_t k = 0; k < columns.size(); ++k) {
            std::vector<std::int64_t> rest = columns;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
            const NodeId term = g_.mul(y(row, columns[k]), determinant(row + 1, rest));
            sum = k % 2 == 0 ? g_.add(sum, term) : g_.sub(sum, term);
        }
        return sum;
    }

    System& system_;
    Graph& g_;
    const MatrixUnknown& m_;
    std::vector<FormId> family_; // which matrix
    DomainId domain_ = 0;
};

std::int64_t equations_of_one(const MatrixUnknown& m) {
    switch (m.group) {
    case MatrixGroup::sl: return m.rows <= largest_determinant ? 1 : 0;
    case MatrixGroup::o:
    case MatrixGroup::so:
    case MatrixGroup::stiefel: return m.columns <= largest_product ? m.columns * (m.columns + 1) / 2 : 0;
    case MatrixGroup::se: return m.columns - 1 <= largest_product ? (m.columns - 1) * m.columns / 2 + m.columns : 0;
    case MatrixGroup::sp: return m.columns <= largest_product ? m.columns * (m.columns - 1) / 2 : 0;
    case MatrixGroup::none:
    case MatrixGroup::gl: break;
    }
    return 0;
}

} // namespace

std::span<const GroupWord> group_words() {
    return words;
}

std::string_view name(MatrixGroup group) {
    for (const GroupWord& w : words)
        if (w.group == group) return w.word;
    return "none";
}

std::string group_mismatch(MatrixGroup group, std::span<const std::int64_t> sizes, std::int64_t rows,
                           std::int64_t columns) {
    const std::string_view word = name(group);
    if (group == MatrixGroup::stiefel) {
        if (sizes[0] != rows || sizes[1] != columns)
            return fmt::format("the matrix is {} x {}, but {}({},{}) has matrices of {} x {}", rows, columns, word,
                               sizes[0], sizes[1], sizes[0], sizes[1]);
        if (columns > rows)
            return fmt::format("{} columns of length {} cannot be orthonormal: a matrix in {}(n,k) has k <= n", columns,
                               rows, word);
        return "";
    }
    const std::int64_t n = group == MatrixGroup::se ? sizes[0] + 1 : sizes[0];
    if (rows != columns || n != rows)
        return fmt::format("the matrix is {} x {}, but {}({}) has matrices of {} x {}", rows, columns, word, sizes[0],
                           n, n);
    if (group == MatrixGroup::sp && rows % 2 != 0)
        return fmt::format("{}({}) is no group: symplectic matrices have an even number of rows", word, rows);
    return "";
}

std::int64_t count_matrices(const System& system, const MatrixUnknown& m) {
    const std::vector<std::int64_t>& extent = system.graph->array(m.array).extent;
    std::int64_t n = 1;
    for (std::size_t k = 0; k + 2 < extent.size(); ++k) n *= extent[k];
    return n;
}

std::int64_t count_group_equations(const System& system, const MatrixUnknown& m) {
    return count_matrices(system, m) * equations_of_one(m);
}

void add_group(System& system, const MatrixUnknown& matrix) {
    system.matrices.push_back(matrix);
    GroupEquations(system, matrix).add();
}

} // namespace vessiot
