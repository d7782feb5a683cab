#include "io/pictures/bars.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "io/pictures/shapes.hpp"
#include "system/functions.hpp"
#include "system/jet_columns.hpp"

namespace vessiot::io {

namespace {

constexpr std::int64_t most_coordinates = 20'000; // of a system that is looked at
constexpr std::size_t most_samples = 60;
constexpr double same = 1e-6; // relative; distances of a good solution agree better

using Point3 = std::array<double, 3>;

class Bars {
public:
    Bars(const Solution& solution, const MovingPoints& points) : sol_(solution), points_(points) {
        const std::size_t n = std::min(sol_.t.size(), most_samples);
        for (std::size_t k = 0; k < n; ++k) samples_.push_back(n == 1 ? 0 : k * (sol_.t.size() - 1) / (n - 1));
    }

    // By the points in an equation.
    std::optional<Bar> bar(const std::set<std::size_t>& of) const {
        if (samples_.size() < 2) return std::nullopt;
        const std::size_t a = *of.begin();
        Bar bar{.a = a};
        if (of.size() == 2) bar.b = *of.rbegin();
        if (of.size() == 1 && !keeps_distance(bar)) {
            const auto centre = common_centre(a);
            if (!centre) return std::nullopt;
            bar.place = *centre;
        }
        return keeps_distance(bar) ? std::optional(bar) : std::nullopt;
    }

private:
    Point3 place(std::size_t point, std::size_t sample) const {
        Point3 p{};
        const std::vector<std::size_t>& columns = points_.columns[point];
        for (std::size_t d = 0; d < columns.size(); ++d)
            p[d] = sol_.numbers[samples_[sample] * sol_.names.size() + columns[d]];
        return p;
    }

    bool keeps_distance(const Bar& bar) const {
        double low = INFINITY, high = 0;
        for (std::size_t k = 0; k < samples_.size(); ++k) {
            const Point3 p = place(bar.a, k), q = bar.b ? place(*bar.b, k) : bar.place;
            const double l = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
            low = std::min(low, l);
            high = std::max(high, l);
        }
        return high > 0 && high - low <= same * high;
    }

    // Of a circle or a sphere that the point moves on: 2 (r_k - r_0) c = |r_k|^2 - |r_0|^2, by least squares. Nothing
    // where the positions do not determine it.
    std::optional<Point3> common_centre(std::size_t point) const {
        const std::size_t n = points_.columns[point].size();
        double a[3][4] = {};
        const Point3 first = place(point, 0);
        for (std::size_t k = 1; k < samples_.size(); ++k) {
            const Point3 p = place(point, k);
            double row[4] = {};
            for (std::size_t d = 0; d < n; ++d) {
                row[d] = 2 * (p[d] - first[d]);
                row[n] += p[d] * p[d] - first[d] * first[d];
            }
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= n; ++j) a[i][j] += row[i] * row[j];
        }
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, a[i][i]);
        for (std::size_t i = 0; i < n; ++i) { // elimination; the matrix is positive
            if (!(a[i][i] > 1e-9 * largest)) return std::nullopt;
            for (std::size_t r = 0; r < n; ++r) {
                if (r == i) continue;
                const double factor = a[r][i] / a[i][i];
                for (std::size_t j = i; j <= n; ++j) a[r][j] -= factor * a[i][j];
            }
        }
        Point3 centre{};
        for (std::size_t i = 0; i < n; ++i) centre[i] = a[i][n] / a[i][i];
        return centre;
    }

    const Solution& sol_;
    const MovingPoints& points_;
    std::vector<std::size_t> samples_;
};

} // namespace

std::vector<Bar> find_bars(const Solution& sol, const System& system) {
    std::vector<Bar> result;
    const auto points = moving_points(sol);
    const Coordinates z = jet_coordinates(system);
    if (!points || z.size > most_coordinates) return result;
    std::map<std::string, std::size_t> point_of;
    for (std::size_t k = 0; k < points->columns.size(); ++k)
        for (const std::size_t c : points->columns[k]) point_of[sol.names[c]] = k;
    const std::vector<std::string> names = coordinate_names(system, z);
    std::int64_t n_rows = 0;
    const std::vector<expr::RowBlock> blocks = residual_rows(system, n_rows);
    const Rows rows = by_rows(expr::jacobian(*system.graph, blocks, n_rows, z.jets));
    const std::size_t n = points->axes.size();
    const Bars bars(sol, *points);
    std::set<std::set<std::size_t>> known;
    for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
        const auto size = static_cast<std::size_t>(rows.size(r));
        if (size != n && size != 2 * n) continue;
        std::set<std::size_t> of;
        bool has_others = false;
        for (std::int64_t e = rows.start[r]; e < rows.start[r + 1]; ++e) {
            const auto it =
                point_of.find(names[static_cast<std::size_t>(rows.entries[static_cast<std::size_t>(e)].column)]);
            if (it == point_of.end())
                has_others = true;
            else
                of.insert(it->second);
        }
        if (has_others || of.size() * n != size || !known.insert(of).second) continue;
        if (const auto bar = bars.bar(of)) result.push_back(*bar);
    }
    return result;
}

} // namespace vessiot::io
