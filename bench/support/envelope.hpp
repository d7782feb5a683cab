// Error against time: the time at which an error is reached.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace vessiot::bench {

struct Point {
    double rtol = 0, error = 0, seconds = 0;
};

// Between the points of the lower envelope; infinite where it is not reached.
inline double time_at(std::vector<Point> points, double error) {
    std::ranges::sort(points, {}, &Point::error);
    double best = INFINITY;
    for (const Point& p : points)
        if (p.error <= error) best = std::min(best, p.seconds);
    // one point better than asked for and one worse: on the line between them
    for (const Point& p : points)
        for (const Point& q : points)
            if (p.error < error && q.error > error && q.seconds < p.seconds) {
                const double s = std::log(error / p.error) / std::log(q.error / p.error);
                best = std::min(best, std::exp((1 - s) * std::log(p.seconds) + s * std::log(q.seconds)));
            }
    return best;
}

} // namespace vessiot::bench
