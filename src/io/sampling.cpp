#include "io/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace vessiot::io {

namespace {

constexpr std::size_t smooth_points = 2000;     // of a line that is taken from the dense output
constexpr std::size_t most_smooth_names = 1000; // beyond, evaluating it takes too long for a picture

// The curve between the steps, so that long steps look round, too.
Table smooth_table(const Solution& sol) {
    const std::size_t n_steps = sol.trace.size();
    const std::size_t n_parts = std::max<std::size_t>(1, smooth_points / n_steps);
    const std::size_t stride = std::max<std::size_t>(1, n_steps / smooth_points);
    Table table{.t = {}, .values = {}, .width = sol.names.size()};
    // the curve is asked for by t, or by arclength: the sum of the steps
    const bool is_arclength = !sol.s.empty();
    std::vector<double> ends;
    double length = 0;
    for (const StepTrace& step : sol.trace) ends.push_back(is_arclength ? length += step.h : step.t);
    const auto add = [&](double tau) {
        const std::vector<double> row = sol(tau);
        table.t.push_back(is_arclength ? sol.t_at(tau) : tau);
        table.values.insert(table.values.end(), row.begin(), row.end());
    };
    // Where an event sets values, the curve goes on with those after it: the ones before it belong to the line too.
    std::size_t next_event = 0;
    const auto add_before_events = [&](double end) {
        for (; next_event < sol.events.size() && sol.events[next_event].t <= end; ++next_event) {
            const EventPoint& event = sol.events[next_event];
            if (event.t != end || event.values_after.empty() || event.values.size() != table.width) continue;
            table.t.push_back(end);
            table.values.insert(table.values.end(), event.values.begin(), event.values.end());
        }
    };
    double before = ends[0];
    add(before);
    for (std::size_t k = 0; k < n_steps; k += stride) {
        const double end = ends[std::min(k + stride, n_steps) - 1];
        if (end == before) continue; // the start point itself
        for (std::size_t i = 1; i < n_parts; ++i)
            add(before + (end - before) * static_cast<double>(i) / static_cast<double>(n_parts));
        if (!is_arclength && end > before) add_before_events(end);
        add(end);
        before = end;
    }
    return table;
}

Table reported_points(const Solution& sol) {
    return {.t = sol.t, .values = sol.numbers, .width = sol.names.size()};
}

} // namespace

std::vector<double> Table::column(std::size_t j) const {
    std::vector<double> result(t.size());
    for (std::size_t k = 0; k < t.size(); ++k) result[k] = values[k * width + j];
    return result;
}

Table table_of(const Solution& sol) {
    const bool is_smooth = sol.curve && !sol.trace.empty() && sol.names.size() <= most_smooth_names;
    if (!is_smooth) return reported_points(sol);
    try {
        return smooth_table(sol);
    } catch (const std::runtime_error&) { // somewhere on the way there is no value
        return reported_points(sol);
    }
}

void thin_out_peaks(std::vector<double>& x, std::vector<double>& y, bool is_upper_only) {
    if (x.size() <= most_points) return;
    const std::size_t piece = 2 * ((x.size() + most_points - 1) / most_points);
    std::vector<double> thin_x, thin_y;
    for (std::size_t first = 0; first < x.size(); first += piece) {
        const std::size_t last = std::min(first + piece, x.size());
        std::size_t low = first, high = first;
        for (std::size_t k = first; k < last; ++k) {
            if (y[k] < y[low] || std::isnan(y[low])) low = k;
            if (y[k] > y[high] || std::isnan(y[high])) high = k;
        }
        if (is_upper_only) low = high;
        for (const std::size_t k : {std::min(low, high), std::max(low, high)}) {
            thin_x.push_back(x[k]);
            thin_y.push_back(y[k]);
        }
    }
    x = std::move(thin_x);
    y = std::move(thin_y);
}

double thin_out_path(std::vector<double>& x, std::vector<double>& y, std::vector<double>& z, std::size_t most) {
    const auto scale = [](const std::vector<double>& values) { // 1 / extent
        double low = INFINITY, high = -INFINITY;
        for (const double v : values)
            if (std::isfinite(v)) {
                low = std::min(low, v);
                high = std::max(high, v);
            }
        return high > low ? 1 / (high - low) : 0;
    };
    const double sx = scale(x), sy = scale(y), sz = scale(z);
    const auto distance = [&](std::size_t a, std::size_t b) {
        const double dz = z.empty() ? 0 : sz * (z[a] - z[b]);
        return std::max({std::abs(sx * (x[a] - x[b])), std::abs(sy * (y[a] - y[b])), std::abs(dz)});
    };
    double least = 1e-3;
    std::vector<std::size_t> kept;
    for (; kept.empty() || kept.size() > most; least *= 2) {
        kept.assign(x.empty() ? 0 : 1, 0);
        for (std::size_t k = 1; k < x.size(); ++k) // NOTE: a point that is no number stays: it is a gap
            if (k + 1 == x.size() || !(distance(k, kept.back()) < least)) kept.push_back(k);
        if (kept.empty() || least > 1) break;
    }
    for (std::vector<double>* values : {&x, &y, &z}) {
        if (values->empty()) continue;
        for (std::size_t k = 0; k < kept.size(); ++k) (*values)[k] = (*values)[kept[k]];
        values->resize(kept.size());
    }
    return least / 2;
}

} // namespace vessiot::io
