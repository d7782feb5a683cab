#include "reproduce/drawing.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/plot.hpp"
#include "io/sampling.hpp"
#include "solution/output_file.hpp"

namespace vessiot::reproduce {

namespace {

// Points that are told apart in a picture.
io::Line thinned(io::Line line) {
    io::thin_out_path(line.x, line.y, line.z, io::most_points);
    return line;
}

// NOTE: without a shell, so that no name needs quotes; -d leaves the user's own settings out.
void run_gnuplot(const std::string& script) {
    std::string program = "gnuplot", defaults = "-d", file = script;
    char* arguments[] = {program.data(), defaults.data(), file.data(), nullptr};
    pid_t process = 0;
    const int error = posix_spawnp(&process, "gnuplot", nullptr, nullptr, arguments, environ);
    if (error != 0)
        throw OutputFailed(fmt::format("{} cannot be drawn: gnuplot cannot be started: {}; on Debian, install "
                                       "gnuplot-nox",
                                       script, std::strerror(error)));
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw OutputFailed(fmt::format("gnuplot cannot draw {}", script));
}

} // namespace

io::Panel over_time(const Solution& solution, const std::vector<std::string>& names, const std::string& y_label) {
    io::Panel panel{.kind = io::PanelKind::over_time, .x_label = solution.independent, .y_label = y_label};
    for (const std::string& name : names) {
        io::Line line{names.size() > 1 ? name : "", solution.t, solution.column(name)};
        io::thin_out_peaks(line.x, line.y);
        panel.lines.push_back(std::move(line));
    }
    return panel;
}

io::Panel trajectory(const Solution& solution, const std::vector<std::string>& names) {
    io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = names.at(0), .y_label = names.at(1)};
    io::Line line{"", solution.column(names[0]), solution.column(names[1])};
    if (names.size() > 2) {
        panel.z_label = names[2];
        line.z = solution.column(names[2]);
    }
    panel.lines.push_back(thinned(std::move(line)));
    return panel;
}

io::Panel shadow(const Solution& solution, const std::vector<std::string>& names) {
    io::Panel panel = trajectory(solution, {names.at(0), names.at(1)});
    panel.kind = io::PanelKind::over_time; // the place to the left
    panel.has_room = panel.has_equal_axes = true;
    return panel;
}

io::Panel step_sizes(const Solution& solution) {
    io::Panel panel{.kind = io::PanelKind::step, .x_label = solution.independent, .y_label = "h"};
    io::Line line{"", {}, {}};
    for (const StepTrace& step : solution.trace) {
        if (step.h == 0) continue; // the start
        line.x.push_back(step.t);
        line.y.push_back(step.h);
    }
    io::thin_out_peaks(line.x, line.y);
    panel.is_log_y = true;
    panel.has_points = true;
    panel.lines.push_back(std::move(line));
    return panel;
}

io::Panel configuration(const Solution& solution, std::size_t point) {
    io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = "x", .y_label = "y"};
    io::Line line{"", {}, {}};
    const auto row = solution.row(point);
    for (std::size_t j = 0; j < solution.names.size(); ++j) {
        const std::string& name = solution.names[j];
        if (name.ends_with('\'')) continue;
        if (name.starts_with("x[")) line.x.push_back(row[j]);
        if (name.starts_with("y[")) line.y.push_back(row[j]);
    }
    panel.has_equal_axes = panel.has_room = panel.has_points = true;
    panel.lines.push_back(std::move(line));
    return panel;
}

void write_figure(const io::Figure& figure, const std::string& path) {
    const std::string script = path.substr(0, path.rfind('.')) + ".gp";
    OutputFile file(script);
    file.write(io::plot_script(figure, path.ends_with(".svg"), path));
    file.finish();
    run_gnuplot(script);
    std::error_code error;
    std::filesystem::remove(script, error);
}

} // namespace vessiot::reproduce
