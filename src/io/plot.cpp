#include "io/plot.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/temporary_folder.hpp"
#include "io/figure.hpp"
#include "solution/output_file.hpp"

namespace vessiot::io {

namespace fs = std::filesystem;

namespace {

std::string last_line(const fs::path& log) {
    std::ifstream file(log);
    std::string line, last;
    while (std::getline(file, line))
        if (line.find_first_not_of(" ^\t") != std::string::npos) last = line;
    return last.empty() ? "it says nothing" : last;
}

std::string whole_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// NOTE: gnuplot says nothing where the disk is full; the last words of a picture tell.
bool is_complete(std::string_view picture) {
    const std::string_view end = picture.substr(picture.size() - std::min<std::size_t>(picture.size(), 16));
    return end.find("</svg>") != end.npos || end.find("IEND") != end.npos;
}

// NOTE: without a shell, so that no name needs quotes; -d leaves the user's own settings out.
void run_gnuplot(const fs::path& script, const fs::path& log, const std::string& path) {
    std::string program = "gnuplot", defaults = "-d", file = script.string();
    std::array<char*, 4> arguments{program.data(), defaults.data(), file.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t process = 0;
    const int error = posix_spawnp(&process, "gnuplot", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw OutputFailed(
            error == ENOENT
                ? fmt::format("{} cannot be drawn: there is no gnuplot; on Debian, install gnuplot-nox", path)
                : fmt::format("{} cannot be drawn: gnuplot cannot be started: {}", path, std::strerror(error)));
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw OutputFailed(fmt::format("{} cannot be drawn; gnuplot: {}", path, last_line(log)));
    }
}

} // namespace

bool is_plot_name(std::string_view path) {
    return path.ends_with(".svg") || path.ends_with(".png");
}

void draw(const PlotScript& make_script, const std::string& path) try {
    if (!is_plot_name(path))
        throw InvalidInput(fmt::format("a plot is a file that ends with .svg or .png, but found '{}'", path));
    OutputFile file(path);
    const TemporaryFolder folder; // for the script and for what gnuplot says
    const fs::path script = folder.path() / "plot.gp", log = folder.path() / "log", drawn = folder.path() / "drawn";
    OutputFile script_file(script.string());
    script_file.write(make_script(path.ends_with(".svg"), drawn.string()));
    script_file.finish();
    run_gnuplot(script, log, path);
    const std::string picture = whole_file(drawn);
    if (!is_complete(picture)) {
        throw OutputFailed(fmt::format("{} cannot be drawn; gnuplot: {}", path, last_line(log)));
    }
    file.write(picture);
    file.finish();
} catch (const std::system_error& e) {
    throw OutputFailed(fmt::format("{} cannot be drawn: {}", path, e.what()));
}

void write_plot(const Solution& solution, const std::string& path, const std::vector<AxisNames>& axes,
                const std::vector<Bar>& bars) {
    if (!is_plot_name(path)) {
        throw InvalidInput(fmt::format("a plot is a file that ends with .svg or .png, but found '{}'", path));
    }
    const Figure figure = make_figure(solution, axes, bars);
    if (figure.panels.empty()) throw OutputFailed(fmt::format("{} cannot be drawn: there are no points", path));
    draw([&](bool is_svg, const std::string& output) { return plot_script(figure, is_svg, output); }, path);
}

} // namespace vessiot::io
