#include "system/mechanics/poisson.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "expr/kernel/lower.hpp"
#include "linalg/scalar.hpp"
#include "system/functions.hpp"

namespace vessiot {

using namespace expr;

namespace {

// B and d_l B_jk as numbers.
class PoissonMatrix {
public:
    PoissonMatrix(const System& system, const PoissonStructure& poisson)
        : system_(system), poisson_(poisson), n_(poisson.coordinates.size()) {
        Graph& g = *system.graph;
        values_ = poisson.matrix;
        place_.assign(n_ * n_ * n_, none_);
        for (std::size_t jk = 0; jk < n_ * n_; ++jk)
            for (std::size_t l = 0; l < n_; ++l) {
                const NodeId d =
                    partial_derivative(g, poisson.matrix[jk], poisson.coordinates[l].array, poisson.coordinates[l].at);
                if (g.is_constant(d, 0)) continue;
                place_[jk * n_ + l] = values_.size();
                values_.push_back(d);
            }
        BufferSpec parameters{"p", {}};
        for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
        for (const Held& h : system.held) parameters.arrays.push_back(h.array);
        BufferSpec unknowns{"y", {}};
        for (const Unknown& u : system.unknowns) {
            unknowns.arrays.push_back(u.array);
            n_unknowns_ += static_cast<std::size_t>(g.array(u.array).size());
        }
        std::vector<RowTemplate> rows;
        for (const NodeId v : values_) rows.push_back({g.index().scalar_domain(), v});
        std::int64_t n_rows = 0;
        const std::vector<RowBlock> blocks = row_blocks(g, rows, n_rows);
        function_.emplace(g, std::vector<BufferSpec>{{"t", {system.independent}}, parameters, unknowns},
                          std::vector<BufferSpec>{{"B", {row_array(g, "B", blocks, n_rows)}}},
                          EvaluatorOptions{.backend = expr::Backend::interpreter});
        constants_ = parameter_values(system);
        const std::vector<Quad> held = held_values(system);
        constants_.insert(constants_.end(), held.begin(), held.end());
        const Quad* inputs[3] = {nullptr, constants_.data(), nullptr};
        function_->prepare(inputs);
        numbers_.resize(values_.size());
        point_.resize(n_unknowns_);
    }

    // False where something is not finite there.
    template <class Random> bool evaluate(double lowest, double highest, Random& random) {
        std::uniform_real_distribution<double> uniform(lowest, highest);
        for (Quad& y : point_) y = uniform(random);
        const Quad t = uniform(random);
        const Quad* inputs[3] = {&t, constants_.data(), point_.data()};
        Quad* outputs[1] = {numbers_.data()};
        (*function_)(inputs, outputs);
        return linalg::all_finite(numbers_.data(), static_cast<std::int64_t>(numbers_.size()));
    }

    Quad b(std::size_t i, std::size_t j) const { return numbers_[i * n_ + j]; }
    Quad d(std::size_t l, std::size_t j, std::size_t k) const {
        const std::size_t at = place_[(j * n_ + k) * n_ + l];
        return at == none_ ? Quad(0) : numbers_[at];
    }
    std::size_t n() const { return n_; }

    std::string name(std::size_t i) const {
        const auto& c = poisson_.coordinates[i];
        return system_.graph->print(system_.graph->read(c.array, c.at));
    }
    // "y1 = 0.7, y2 = 1.2", the first few coordinates
    std::string point_text() const {
        std::string text;
        for (std::size_t i = 0; i < std::min<std::size_t>(n_, 6); ++i)
            text += fmt::format("{}{} = {:.6g}", i == 0 ? "" : ", ", name(i), static_cast<double>(value_of(i)));
        return n_ > 6 ? text + ", …" : text;
    }

private:
    Quad value_of(std::size_t i) const {
        const auto& c = poisson_.coordinates[i];
        std::size_t first = 0;
        for (const Unknown& u : system_.unknowns) {
            if (u.array == c.array) break;
            first += static_cast<std::size_t>(system_.graph->array(u.array).size());
        }
        return point_[first + static_cast<std::size_t>(system_.graph->address(c.array, c.at, {}))];
    }

    static constexpr std::size_t none_ = static_cast<std::size_t>(-1);
    const System& system_;
    const PoissonStructure& poisson_;
    std::size_t n_, n_unknowns_ = 0;
    std::vector<NodeId> values_;     // B, then derivatives that do not vanish
    std::vector<std::size_t> place_; // of d_l B_jk among them
    std::optional<Function<Quad>> function_;
    std::vector<Quad> constants_, numbers_, point_;
};

// Without the arrays that gradients by elements are made of.
NodeId written_out(Graph& g, NodeId n) {
    NodeId sum = g.zero();
    for (const Contribution& c : expand(g, {{g.index().scalar_domain(), g.index().list({}), n}}))
        sum = g.add(sum, c.body);
    return sum;
}

// A force acts on one coordinate: a family of them is written out.
void expand_forces(System& system) {
    Graph& g = *system.graph;
    std::vector<Force> all;
    for (const Force& f : system.forces)
        for (const Contribution& c : expand(g, {{f.domain, f.target, f.value}}))
            all.push_back({f.unknown, g.index().scalar_domain(), c.target, c.body, f.where});
    system.forces = std::move(all);
}

constexpr double round_off = 1e-20; // relative to the terms, in quadruple precision; decimals of parameters cancel too

std::optional<std::string> antisymmetry_defect(const PoissonMatrix& m) {
    for (std::size_t i = 0; i < m.n(); ++i)
        for (std::size_t j = i; j < m.n(); ++j) {
            const Quad sum = m.b(i, j) + m.b(j, i);
            if (linalg::absolute(sum) <= round_off * (linalg::absolute(m.b(i, j)) + linalg::absolute(m.b(j, i))))
                continue;
            return fmt::format("a Poisson matrix is antisymmetric, but the elements [{0},{1}] and [{1},{0}] of this "
                               "one are {2:.6g} and {3:.6g}, which add up to {4:.6g} instead of 0, at {5}",
                               i + 1, j + 1, static_cast<double>(m.b(i, j)), static_cast<double>(m.b(j, i)),
                               static_cast<double>(sum), m.point_text());
        }
    return std::nullopt;
}

std::optional<std::string> jacobi_defect(const PoissonMatrix& m) {
    const std::size_t n = m.n();
    double worst = 0;
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            for (std::size_t k = j + 1; k < n; ++k) {
                Quad sum = 0, size = 0;
                for (std::size_t l = 0; l < n; ++l)
                    for (const Quad term :
                         {m.b(i, l) * m.d(l, j, k), m.b(j, l) * m.d(l, k, i), m.b(k, l) * m.d(l, i, j)}) {
                        sum += term;
                        size += linalg::absolute(term);
                    }
                const auto defect = static_cast<double>(linalg::absolute(sum));
                if (!(linalg::absolute(sum) > round_off * size) || defect <= worst) continue;
                worst = defect;
                text = fmt::format("a Poisson matrix satisfies the Jacobi identity, but with this one "
                                   "{{{0},{{{1},{2}}}}} + {{{1},{{{2},{0}}}}} + {{{2},{{{0},{1}}}}} is {3:.6g} instead "
                                   "of 0 (its terms {4:.3g} together), at {5}",
                                   m.name(i), m.name(j), m.name(k), static_cast<double>(sum), static_cast<double>(size),
                                   m.point_text());
            }
    return text.empty() ? std::nullopt : std::optional(text);
}

} // namespace

std::optional<std::string> poisson_defect(const System& system, const PoissonStructure& poisson) {
    PoissonMatrix matrix(system, poisson);
    std::mt19937 random(1); // fixed: the answer is the same every time
    // positive values first, where roots and logarithms are defined
    for (const auto& [lowest, highest] : {std::pair{0.5, 1.5}, std::pair{1.5, 3.0}, std::pair{-1.5, 1.5}}) {
        if (!matrix.evaluate(lowest, highest, random)) continue;
        if (auto defect = antisymmetry_defect(matrix)) return defect;
        if (auto defect = jacobi_defect(matrix)) return defect;
    }
    return std::nullopt;
}

void derive_poisson(System& system, const PoissonStructure& poisson, Location where) {
    Graph& g = *system.graph;
    expand_forces(system);
    const std::size_t n = poisson.coordinates.size();
    std::vector<NodeId> gradient;
    for (const auto& c : poisson.coordinates)
        gradient.push_back(partial_derivative(g, poisson.hamiltonian, c.array, c.at));
    for (std::size_t i = 0; i < n; ++i) {
        const auto& y = poisson.coordinates[i];
        NodeId rate = g.zero(); // (B grad H)_i + force
        for (std::size_t j = 0; j < n; ++j) rate = g.add(rate, g.mul(poisson.matrix[i * n + j], gradient[j]));
        for (const Force& f : system.forces)
            if (f.unknown == y.array && f.domain == g.index().scalar_domain() && f.target == y.at)
                rate = g.add(rate, f.value);
        rate = written_out(g, rate);
        const NodeId lhs = g.read(g.derivative(y.array), y.at);
        system.equations.push_back({.kind = EquationKind::motion,
                                    .domain = g.index().scalar_domain(),
                                    .residual = g.sub(lhs, rate),
                                    .lhs = lhs,
                                    .rhs = rate,
                                    .text = {},
                                    .where = where});
    }
    system.forces.clear();
    system.hamiltonian.reset();
}

} // namespace vessiot
