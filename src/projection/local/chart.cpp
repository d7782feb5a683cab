#include "projection/local/chart.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/dense/column_choice.hpp"
#include "linalg/scalar.hpp"
#include "projection/kind.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;

namespace {

constexpr double worse = 2;     // a large partition is given up where its slope is so many times the one it had, or 1
constexpr std::int64_t few = 6; // vectors that the slope is looked at with

} // namespace

template <class S>
ChartProjection<S>::ChartProjection(Manifold<S>& manifold, const ProjectionOptions& options, Chart chart)
    : manifold_(manifold), chart_(chart), floor_(S(options.floor)),
      max_iterations_(options.stop == NewtonStop::increment ? options.max_iterations : 2 * options.max_iterations),
      convergence_(options), a_(manifold.n_coordinates()), f_(manifold.n_constraints()),
      entries_(manifold.pattern().entries()), size_(manifold.n_constraints()) {
    make_parts();
}

// NOTE: all constraints and coordinates in one part. Partitions of positions and velocities apart have smaller errors
// where velocities are large, but change more often, and the order is hard to see behind that.
template <class S> void ChartProjection<S>::make_parts() {
    std::vector<std::int32_t> rows(at(manifold_.n_constraints())), columns(at(manifold_.n_coordinates()));
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    if (!rows.empty()) parts_.push_back(make_part(std::move(rows), std::move(columns)));
}

template <class S>
typename ChartProjection<S>::Part ChartProjection<S>::make_part(std::vector<std::int32_t> rows,
                                                                std::vector<std::int32_t> columns) const {
    Part part{.rows = std::move(rows), .columns = std::move(columns)};
    linalg::SubPattern selected = linalg::select(manifold_.pattern(), part.rows, part.columns);
    part.pattern = std::move(selected.pattern);
    part.source = std::move(selected.source);
    part.entries = linalg::Vector<S>(part.pattern.entries());
    part.d = linalg::Vector<S>(part.pattern.columns);
    part.b = linalg::Vector<S>(part.pattern.rows);
    part.probe = linalg::Vector<S>(part.pattern.rows);
    if (chart_ == Chart::tangent) part.normal.emplace(part.pattern);
    return part;
}

template <class S> void ChartProjection<S>::begin_step(S tau, const S* x) {
    std::copy_n(x, a_.size(), a_.data());
    tau_ = tau;
    has_point_ = true;
    is_ready_ = false;
}

template <class S> void ChartProjection<S>::forget() {
    is_ready_ = has_point_ = false;
    for (Part& part : parts_) part.dependent.clear();
}

template <class S> std::vector<std::int32_t> ChartProjection<S>::dependent() const {
    std::vector<std::int32_t> all;
    for (const Part& part : parts_)
        for (const std::int32_t k : part.dependent) all.push_back(part.columns[at(k)]);
    return all;
}

// df there, and what is small.
template <class S> bool ChartProjection<S>::evaluate(S t, const S* x) {
    ++counts_.jacobians;
    manifold_.movable_df(t, x, f_.data(), entries_.data());
    manifold_.sizes(t, x, entries_.data(), floor_, size_.data());
    for (Part& part : parts_)
        for (std::size_t k = 0; k < part.source.size(); ++k)
            part.entries[static_cast<std::int64_t>(k)] = entries_[part.source[k]];
    return linalg::all_finite(entries_.data(), entries_.size()) && linalg::all_finite(f_.data(), f_.size());
}

template <class S> bool ChartProjection<S>::prepare() {
    is_ready_ = false;
    if (!evaluate(time_at(manifold_, tau_, a_.data()), a_.data())) return false;
    counts_.charts += chart_ == Chart::tangent;
    for (Part& part : parts_)
        if (!factor(part)) return false;
    is_ready_ = true;
    return true;
}

// NOTE: pivoting is cheap in a small system, and errors are larger in a worse chart.
template <class S> S ChartProjection<S>::limit(const Part& part) {
    return part.pattern.columns - part.pattern.rows <= few ? S(1) : S(worse);
}

template <class S> bool ChartProjection<S>::factor(Part& part) {
    ++counts_.factorisations;
    if (chart_ == Chart::tangent)
        return part.normal->factor(part.entries.data(), nullptr) || part.normal->leaves_out_rows();
    const bool is_kept =
        !part.dependent.empty() && factor_partition(part) && slope(part) <= limit(part) * std::max(S(1), part.slope);
    return is_kept || choose(part);
}

template <class S> bool ChartProjection<S>::choose(Part& part) {
    part.dependent = linalg::independent_columns(part.pattern, part.entries.data());
    if (part.dependent.empty()) return false;
    ++counts_.charts;
    std::vector<std::int32_t> rows(at(part.pattern.rows));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<std::int32_t>(k);
    linalg::SubPattern square = linalg::select(part.pattern, rows, part.dependent);
    part.square_source = std::move(square.source);
    part.square_entries = linalg::Vector<S>(square.pattern.entries());
    part.square.emplace(square.pattern);
    if (!factor_partition(part)) return false;
    part.slope = slope(part);
    return true;
}

template <class S> bool ChartProjection<S>::factor_partition(Part& part) {
    for (std::size_t k = 0; k < part.square_source.size(); ++k)
        part.square_entries[static_cast<std::int64_t>(k)] = part.entries[part.square_source[k]];
    return part.square->factor(part.square_entries.data());
}

// Newton's matrix at x: the point that is looked for stays the same.
template <class S> void ChartProjection<S>::renew(Part& part, S t, const S* x) {
    ++counts_.jacobians;
    ++counts_.factorisations;
    manifold_.movable_df(t, x, f_.data(), entries_.data());
    for (std::size_t k = 0; k < part.source.size(); ++k)
        part.entries[static_cast<std::int64_t>(k)] = entries_[part.source[k]];
    factor_partition(part); // where that is singular, the iteration fails
}

// The largest |(d y_2 / d y_1) r| over some r: the unit vectors where there are few y_1, else vectors of +-1.
template <class S> S ChartProjection<S>::slope(Part& part) {
    const std::int64_t n_free = part.pattern.columns - part.pattern.rows;
    const bool is_small = n_free <= few;
    S largest = 0;
    for (std::int64_t probe = 0; probe < (is_small ? n_free : few / 2); ++probe) {
        std::fill(part.probe.begin(), part.probe.end(), S(0));
        auto next = part.dependent.begin();
        std::int64_t k = 0; // number among y_1
        for (std::int64_t j = 0; j < part.pattern.columns; ++j) {
            if (next != part.dependent.end() && *next == j) {
                ++next;
                continue;
            }
            const S r = is_small ? S(k == probe) : S((k * (probe + 1) + k / 7) % 3 == 1 ? -1 : 1);
            ++k;
            for (std::int64_t e = part.pattern.column_start[at(j)]; e < part.pattern.column_start[at(j + 1)]; ++e)
                part.probe[part.pattern.row[at(e)]] += r * part.entries[e];
        }
        part.square->solve(part.probe.data());
        for (const S& p : part.probe)
            if (!(absolute(p) <= largest)) largest = absolute(p); // NaN stays
    }
    return largest;
}

template <class S> S ChartProjection<S>::largest_residual(const Part& part) const {
    S largest = 0;
    for (const std::int32_t k : part.rows) {
        if (f_[k] == S(0)) continue;
        const S r = absolute(f_[k]) / size_[k];
        if (!(r <= largest)) largest = r; // NaN stays
    }
    return largest;
}

template <class S> void ChartProjection<S>::correct(Part& part, S* x) {
    for (std::size_t k = 0; k < part.rows.size(); ++k) part.b[static_cast<std::int64_t>(k)] = f_[part.rows[k]];
    if (chart_ == Chart::tangent) {
        part.normal->solve_correction(part.b.data(), part.d.data());
    } else {
        part.square->solve(part.b.data());
        std::fill(part.d.begin(), part.d.end(), S(0));
        for (std::size_t k = 0; k < part.dependent.size(); ++k)
            part.d[part.dependent[k]] = part.b[static_cast<std::int64_t>(k)];
    }
    for (std::size_t k = 0; k < part.columns.size(); ++k) x[part.columns[k]] -= part.d[static_cast<std::int64_t>(k)];
}

template <class S> ProjectionReport<S> ChartProjection<S>::project(S tau, S* x) {
    ProjectionReport<S> report;
    if (parts_.empty()) return report;
    if (!has_point_) begin_step(tau, x);
    if (!is_ready_ && !prepare()) {
        report.status =
            linalg::all_finite(entries_.data(), entries_.size()) ? PointStatus::singular : PointStatus::not_finite;
        return report;
    }
    convergence_.restart();
    manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    for (std::size_t k = 0; k < parts_.size();) {
        Part& part = parts_[k];
        const S r = largest_residual(part);
        if (convergence_.is_reached(r)) {
            convergence_.restart();
            ++k;
            continue;
        }
        report.status = r == r ? PointStatus::not_converged : PointStatus::not_finite;
        if (convergence_.is_hopeless(r) || report.iterations == max_iterations_) {
            part.dependent.clear(); // another chart, next time
            return report;
        }
        const bool is_long = report.iterations % 8 == 7; // as happens in quadruple precision
        if (chart_ == Chart::partition && (convergence_.is_slow(r) || is_long))
            renew(part, time_at(manifold_, tau, x), x);
        correct(part, x);
        convergence_.correct(r, x, manifold_.n_coordinates(), part.d.data(), part.d.size(),
                             [&](std::int64_t j) { return part.columns[at(j)]; });
        ++report.iterations;
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    }
    report.status = PointStatus::good;
    for (const S& r : f_) report.residual = std::max(report.residual, absolute(r));
    return report;
}

template class ChartProjection<double>;
template class ChartProjection<Quad>;

namespace {

template <class S, Chart chart> std::unique_ptr<Projection<S>> make_chart(const ProjectionParts<S>& p) {
    return std::make_unique<ChartProjection<S>>(p.manifold, p.options, chart);
}

} // namespace

const ProjectionKind partition_projection{
    .name = "partition",
    .help = "local coordinates: some of the unknowns, by generalised coordinate partitioning (WH82)",
    .needs = "",
    .can = {.goes_by_increments = true, .has_charts = true},
    .make_double = make_chart<double, Chart::partition>,
    .make_quad = make_chart<Quad, Chart::partition>};

const ProjectionKind tangent_projection{.name = "tangent",
                                        .help = "local coordinates in the tangent space (PR91)",
                                        .needs = "",
                                        .can = {.goes_by_increments = true, .has_charts = true},
                                        .make_double = make_chart<double, Chart::tangent>,
                                        .make_quad = make_chart<Quad, Chart::tangent>};

} // namespace vessiot
