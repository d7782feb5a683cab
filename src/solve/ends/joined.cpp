#include "solve/ends/joined.hpp"

#include <algorithm>
#include <iterator>

#include "solution/curve.hpp"

namespace vessiot {

namespace {

class JoinedCurve final : public Solution::Curve {
public:
    JoinedCurve(std::shared_ptr<const Curve> a, std::shared_ptr<const Curve> b) : a_(std::move(a)), b_(std::move(b)) {}

    double from() const override { return a_->from(); }
    double to() const override { return b_->to(); }
    std::vector<double> at(double tau) const override { return part(tau).at(tau); }
    std::vector<double> sensitivities(double tau) const override { return part(tau).sensitivities(tau); }
    double t_at(double tau) const override { return tau; }

private:
    const Curve& part(double tau) const {
        const bool is_first = b_->to() >= b_->from() ? tau < b_->from() : tau > b_->from();
        return is_first ? *a_ : *b_;
    }

    std::shared_ptr<const Curve> a_, b_;
};

template <class T> void extend(std::vector<T>& list, const std::vector<T>& more, std::size_t first) {
    list.insert(list.end(), more.begin() + static_cast<std::ptrdiff_t>(std::min(first, more.size())), more.end());
}

} // namespace

void append(Solution& s, Solution&& next, bool has_start) {
    const std::size_t first = has_start && !next.t.empty() ? 1 : 0;
    extend(s.t, next.t, first);
    extend(s.numbers, next.numbers, first * s.names.size());
    extend(s.output_numbers, next.output_numbers, first * s.output_names.size());
    extend(s.events, next.events, 0);
    extend(s.trace, next.trace, 0);
    s.n_points += next.n_points - static_cast<std::int64_t>(first);
    s.constraint_residual_max = std::max(s.constraint_residual_max, next.constraint_residual_max);
    s.constraint_residual_absolute = std::max(s.constraint_residual_absolute, next.constraint_residual_absolute);
    s.invariant_drift_max = std::max(s.invariant_drift_max, next.invariant_drift_max);
    Stats &a = s.stats, &b = next.stats;
    for (const StatsCount& count : stats_counts)
        if (count.at != &Stats::newton_max) a.*count.at += b.*count.at;
    a.newton_max = std::max(a.newton_max, b.newton_max);
    for (const StatsSeconds& seconds : stats_seconds)
        if (seconds.at != &Seconds::total) a.seconds.*seconds.at += b.seconds.*seconds.at;
    s.status = next.status;
    s.message = next.message;
    if (s.curve && next.curve)
        s.curve = std::make_shared<JoinedCurve>(s.curve, next.curve);
    else
        s.curve = nullptr;
}

} // namespace vessiot
