#include "projection/local/group.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "projection/kind.hpp"
#include "system/groups.hpp"

namespace vessiot {

using linalg::at;

template <class S>
GroupProjection<S>::GroupProjection(const System& system, const Prolongation& p, Manifold<S>& manifold,
                                    const ProjectionOptions& options)
    : manifold_(manifold), max_iterations_(options.max_iterations) {
    std::int64_t n_equations = 0;
    std::vector<std::int64_t> state_at(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int64_t>(k);
    for (const MatrixUnknown& m : system.matrices) {
        n_equations += count_group_equations(system, m);
        if (m.group == MatrixGroup::none || m.group == MatrixGroup::gl) continue;
        const auto jet = static_cast<std::size_t>(std::ranges::find(p.z.jets, m.array) - p.z.jets.begin());
        const std::int64_t first = state_at[at(p.z.first[jet])];
        for (std::int64_t k = 0; k < count_matrices(system, m); ++k)
            blocks_.push_back({first + k * m.rows * m.columns, MatrixGroupNumbers<S>(m.group, m.rows, m.columns)});
    }
    if (blocks_.empty() || n_equations != manifold.n_constraints())
        throw InvalidInput("--projection group is for models whose only constraints are the groups of their matrices, "
                           "as in: matrix Y[3,3] in SO(3). Use --projection simplified, or leave it out.");
}

template <class S> ProjectionReport<S> GroupProjection<S>::project(S, S* x) {
    ProjectionReport<S> report;
    for (Block& b : blocks_) {
        const std::int64_t size = b.group.rows() * b.group.columns();
        S square = 1; // |Y|^2, which round-off is measured by
        for (std::int64_t e = 0; e < size; ++e) square = std::max(square, x[b.at + e] * x[b.at + e]);
        S before = -1;
        for (int k = 0;; ++k) {
            const S defect = b.group.defect(x + b.at);
            const bool is_small = defect <= S(8) * linalg::epsilon<S>() * square;
            if (is_small || (before >= S(0) && defect > before / S(2) && defect <= S(1e-10) * square)) {
                report.residual = std::max(report.residual, defect);
                break;
            }
            report.status = defect == defect ? PointStatus::not_converged : PointStatus::not_finite;
            // NOTE: the iterations converge from defects below about 1; far off they may run away.
            if (!(defect == defect) || k == max_iterations_ || (before >= S(0) && defect > S(4) * before))
                return report;
            before = defect;
            b.group.correct(x + b.at, k > 0);
            ++report.iterations;
        }
    }
    report.status = PointStatus::good;
    return report;
}

template class GroupProjection<double>;
template class GroupProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_group(const ProjectionParts<S>& p) {
    return std::make_unique<GroupProjection<S>>(p.system, p.prolongation, p.manifold, p.options);
}

} // namespace

const ProjectionKind group_projection{.name = "group",
                                      .help = "matrices back into their groups, by formulas of their own",
                                      .needs = "matrices in groups, and no other constraints",
                                      .can = {},
                                      .make_double = make_group<double>,
                                      .make_quad = make_group<Quad>};

} // namespace vessiot
