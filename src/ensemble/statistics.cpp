#include "ensemble/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace vessiot::ensemble {

namespace {

constexpr double most_bytes = 8e9;

bool has(const EnsembleHead& head, Reduction::Kind kind) {
    return std::ranges::any_of(head.reduce, [&](const Reduction& r) { return r.kind == kind; });
}

std::vector<double> levels_of(const EnsembleHead& head) {
    std::vector<double> levels;
    for (const Reduction& r : head.reduce)
        if (r.kind == Reduction::Kind::quantile) levels.insert(levels.end(), r.levels.begin(), r.levels.end());
    std::ranges::sort(levels);
    const auto same = std::ranges::unique(levels);
    levels.erase(same.begin(), same.end());
    return levels;
}

} // namespace

bool is_possible(const Reduction& r) {
    constexpr std::int64_t most_bins = 10'000'000;
    if (r.kind == Reduction::Kind::histogram)
        return r.from < r.to && std::isfinite(r.to - r.from) && r.bins >= 1 && r.bins <= most_bins;
    return r.kind < Reduction::Kind::histogram &&
           std::ranges::all_of(r.levels, [](double p) { return p >= 0 && p <= 1; });
}

void Moments::add(double x) {
    if (n == 0) least = greatest = x;
    least = std::min(least, x);
    greatest = std::max(greatest, x);
    ++n;
    const double d = x - mean;
    mean += d / static_cast<double>(n);
    m2 += d * (x - mean);
}

void Moments::add(const Moments& other) {
    if (other.n == 0) return;
    if (n == 0) {
        *this = other;
        return;
    }
    const auto a = static_cast<double>(n), b = static_cast<double>(other.n);
    const double d = other.mean - mean;
    n += other.n;
    mean += d * b / (a + b);
    m2 += other.m2 + d * d * (a * b / (a + b));
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
}

Statistics::Statistics(const EnsembleHead& head) : head_(head), levels_(levels_of(head)) {
    if (head.reduce.empty()) return;
    if (!std::ranges::all_of(head.reduce, is_possible))
        throw InvalidInput("a statistic over members cannot be computed: levels of quantiles lie between 0 and 1; a "
                           "histogram has from < to, and one to ten million bins");
    if (head.is_ragged())
        throw InvalidInput(
            "statistics over members need the same points of all of them: --record last, --every or --at");
    const std::size_t n = head.n_points() * head.columns.size();
    all_.resize(n);
    if (has(head, Reduction::Kind::quantile)) {
        const double numbers = static_cast<double>(std::min<std::int64_t>(head.n_members, Quantiles::most_exact));
        const double bytes = 8 * numbers * static_cast<double>(n);
        if (bytes > most_bytes)
            throw InvalidInput(fmt::format("quantiles of {} values at {} points need {:.0f} GB: name fewer values with "
                                           "--outputs, or take fewer points",
                                           head.columns.size(), head.n_points(), bytes / 1e9));
        quantiles_.resize(n);
    }
    make_histograms();
}

void Statistics::make_histograms() {
    for (const Reduction& r : head_.reduce) {
        if (r.kind != Reduction::Kind::histogram) continue;
        const auto column = std::ranges::find(head_.columns, r.name);
        if (column == head_.columns.end())
            throw InvalidInput(fmt::format("the histogram is of '{}', which is not among what is kept: {}", r.name,
                                           fmt::join(head_.columns, ", ")));
        const double bytes = 8.0 * static_cast<double>(r.bins) * static_cast<double>(head_.n_points());
        if (bytes > most_bytes)
            throw InvalidInput(fmt::format("a histogram of {} bins at {} points needs {:.0f} GB: take fewer of them",
                                           r.bins, head_.n_points(), bytes / 1e9));
        for (std::size_t point = 0; point < head_.n_points(); ++point) {
            Counter counter{
                {r.name, r.from, r.to, 0, 0, {}}, static_cast<std::size_t>(column - head_.columns.begin()), point};
            counter.histogram.counts.assign(static_cast<std::size_t>(r.bins), 0);
            histograms_.push_back(std::move(counter));
        }
    }
}

void Statistics::count(Counter& counter, double x) {
    Histogram& h = counter.histogram;
    if (x < h.from) {
        ++h.below;
    } else if (x > h.to) {
        ++h.above;
    } else { // the last bin has its upper end
        const auto bins = static_cast<double>(h.counts.size());
        const double place = std::floor((x - h.from) / (h.to - h.from) * bins);
        ++h.counts[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1))];
    }
}

bool counts(const EnsembleHead& head, MemberStatus status) {
    return status == MemberStatus::success || status == MemberStatus::stopped ||
           (head.record == Record::points && status == MemberStatus::failed);
}

std::vector<Moments> sums_of(const EnsembleHead& head, const MemberBlock& block) {
    if (head.reduce.empty()) return {};
    const std::size_t n = head.n_points() * head.columns.size();
    std::vector<Moments> sums(n);
    for (std::size_t m = 0; m < block.status.size(); ++m) {
        if (!counts(head, block.status[m])) continue;
        const double* const row = block.values.data() + m * n;
        for (std::size_t k = 0; k < n; ++k)
            if (!std::isnan(row[k])) sums[k].add(row[k]);
    }
    return sums;
}

void Statistics::add(const MemberBlock& block, const std::vector<Moments>& sums) {
    const std::size_t columns = head_.columns.size(), n = all_.size();
    const bool has_numbers = !quantiles_.empty() || !histograms_.empty();
    for (std::size_t m = 0; has_numbers && m < block.status.size(); ++m) {
        if (!counts(head_, block.status[m])) continue;
        const double* const row = block.values.data() + m * n;
        for (std::size_t k = 0; k < quantiles_.size(); ++k)
            if (!std::isnan(row[k])) quantiles_[k].add(row[k]);
        for (Counter& counter : histograms_) {
            const double x = row[counter.point * columns + counter.column];
            if (!std::isnan(x)) count(counter, x);
        }
    }
    for (std::size_t k = 0; k < n; ++k) all_[k].add(sums[k]);
}

void Statistics::write(EnsembleResult& result) const {
    result.quantile_levels = levels_;
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Moments& m = all_[k];
        ColumnStatistics s{.count = m.n};
        s.mean = m.n > 0 ? m.mean : nothing;
        s.deviation = m.n > 1 ? std::sqrt(m.m2 / static_cast<double>(m.n - 1)) : nothing;
        s.least = m.n > 0 ? m.least : nothing;
        s.greatest = m.n > 0 ? m.greatest : nothing;
        if (!quantiles_.empty()) {
            s.quantiles = quantiles_[k].at(levels_);
            if (!quantiles_[k].is_exact()) result.are_quantiles_exact = false;
        }
        result.statistics.push_back(std::move(s));
    }
    for (const Counter& counter : histograms_) result.histograms.push_back(counter.histogram);
}

} // namespace vessiot::ensemble
