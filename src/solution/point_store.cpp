#include "solution/point_store.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace vessiot {

namespace {

constexpr std::int64_t most_numbers = std::int64_t{1} << 21;
constexpr std::int64_t most_steps = std::int64_t{1} << 20; // of a trace where all points are kept

// Rows 0, 2, 4, ... of `width` numbers each.
template <class T> void keep_every_second(std::vector<T>& list, std::size_t width) {
    if (width == 0) return;
    const std::size_t n = list.size() / width;
    for (std::size_t k = 1; 2 * k < n; ++k)
        std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(2 * k * width), width,
                    list.begin() + static_cast<std::ptrdiff_t>(k * width));
    list.resize((n + 1) / 2 * width);
}

void drop_last(std::vector<double>& list, std::size_t width) {
    list.resize(list.size() - std::min(list.size(), width));
}

// Calls visit(list, numbers of a point) for all that a point has.
template <class Visit> void for_columns(Solution& solution, const Visit& visit) {
    const std::size_t width = solution.names.size(), n_outputs = solution.output_names.size();
    const std::size_t n_variables = solution.sensitivity_names.size();
    visit(solution.t, 1);
    visit(solution.s, 1);
    visit(solution.numbers, width);
    visit(solution.output_numbers, n_outputs);
    visit(solution.sensitivities, n_variables * width);
    visit(solution.output_sensitivities, n_variables * n_outputs);
}

} // namespace

void PointStore::begin(const StreamHead& head) {
    const std::size_t n_blocks = head.sensitivity_names.size() + 1;
    const auto width = static_cast<std::int64_t>((head.names.size() + head.output_names.size()) * n_blocks) + 2;
    const std::int64_t most = keep_ == 0 ? 0 : std::max<std::int64_t>(2, std::min(keep_, most_numbers / width));
    has_s_ = head.has_s;
    points_ = Thinning(most);
    steps_ = Thinning(keep_ == 0 ? most_steps : std::max<std::int64_t>(2, keep_));
    most_events_ = most;
    n_events_ = 0;
}

void PointStore::add(Solution& solution, const StreamPoint& point) {
    points_.make_room(
        std::ssize(solution.t), [&] { for_columns(solution, drop_last); },
        [&] { for_columns(solution, keep_every_second<double>); });
    solution.n_points = points_.count();
    solution.t.push_back(point.t);
    if (has_s_) solution.s.push_back(point.s);
    const auto append = [](std::vector<double>& list, std::span<const double> row) {
        list.insert(list.end(), row.begin(), row.end());
    };
    append(solution.numbers, point.values);
    append(solution.output_numbers, point.outputs);
    append(solution.sensitivities, point.sensitivities);
    append(solution.output_sensitivities, point.output_sensitivities);
}

void PointStore::add_step(Solution& solution, const StepTrace& step) {
    steps_.make_room(
        std::ssize(solution.trace), [&] { solution.trace.pop_back(); }, [&] { keep_every_second(solution.trace, 1); });
    solution.trace.push_back(step);
}

void PointStore::add_event(Solution& solution, EventPoint event) {
    ++n_events_;
    if (most_events_ == 0 || n_events_ <= most_events_) solution.events.push_back(std::move(event));
}

void PointStore::end(Solution& solution) const {
    if (keep_ == 2) return; // the ends alone were asked for
    if (points_.stride() > 1)
        solution.notes.push_back(
            fmt::format("for plots and JSON 1 in {} of the {} points is kept; .csv and .h5 files have "
                        "all",
                        points_.stride(), points_.count()));
    if (n_events_ > std::ssize(solution.events))
        solution.notes.push_back(
            fmt::format("of {} events the first {} are kept; .h5 files have all", n_events_, solution.events.size()));
}

} // namespace vessiot
