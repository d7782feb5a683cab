// The words of gnuplot for a figure.
//
// Two rows: the unknowns over t and the trajectory above, how the run went (residual, step sizes) in a lower row. All
// places are fractions of the picture. Text is never `enhanced`: x[1]' and a_b are shown as they are.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "io/figure.hpp"
#include "io/plot.hpp"
#include "io/text_writer.hpp"

namespace vessiot::io {

namespace {

// Told apart by people who do not see all colours, too (after Okabe and Ito), dark enough for lines on white.
constexpr std::string_view colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                        "#E69F00", "#56B4E9", "#6A3D9A", "#555555"};

struct Place {
    double left, right, bottom, top;
};

class Script {
public:
    Script(const Figure& figure, bool is_svg, const std::string& output) : figure_(figure) {
        text_ = plot_head(is_svg, output);
    }

    std::string operator()() {
        for (const Panel& panel : figure_.panels) data(panel);
        text_ += "set multiplot\n";
        text_ += fmt::format("set label 1 {} at screen 0.03,0.968 left\n", plot_text(figure_.title));
        for (std::size_t k = 0; k < figure_.panels.size(); ++k) {
            panel(figure_.panels[k], place(k), first_block_[k]);
            text_ += "unset label 1\n";
        }
        text_ += "unset multiplot\nset output\n";
        return std::move(text_);
    }

private:
    static bool is_upper(const Panel& p) { return p.kind == PanelKind::over_time || p.kind == PanelKind::trajectory; }

    // The numbers of a panel: a block of data for each line.
    void data(const Panel& panel) {
        first_block_.push_back(n_blocks_);
        for (const Line& line : panel.lines) {
            text_ += fmt::format("$d{} << EOD\n", n_blocks_++);
            for (std::size_t k = 0; k < line.x.size(); ++k) {
                if (line.has_gaps && !std::isfinite(line.x[k])) {
                    text_ += "\n\n";
                    continue;
                }
                number(line.x[k]);
                text_ += ' ';
                number(line.y[k]);
                if (!line.z.empty()) {
                    text_ += ' ';
                    number(line.z[k]);
                }
                text_ += '\n';
            }
            text_ += "EOD\n";
        }
    }
    void number(double value) {
        if (std::isfinite(value))
            append_number(text_, value);
        else
            text_ += "nan";
    }

    std::size_t most_titles() const {
        std::size_t most = 0;
        for (const Panel& p : figure_.panels) most = std::max(most, p.lines.size());
        return most;
    }

    // The panels of a row share its width; over t gets more than the trajectory beside it.
    Place place(std::size_t k) const {
        std::size_t n_upper = 0;
        for (const Panel& p : figure_.panels) n_upper += is_upper(p);
        const std::size_t n_lower = figure_.panels.size() - n_upper;
        const bool upper = is_upper(figure_.panels[k]);
        const std::size_t n = upper ? n_upper : n_lower;
        const std::size_t column = upper ? k : k - n_upper;
        constexpr double left = 0.075, right = 0.97, gap = 0.095;
        Place p{left, right, 0.09, most_titles() > 5 ? 0.865 : 0.885};
        if (n == 2) {
            const double middle = upper ? 0.60 : 0.5 * (left + right) + 0.5 * gap; // where the second begins
            if (column == 0)
                p.right = middle - gap;
            else
                p.left = middle;
        }
        if (!figure_.panels[k].z_label.empty()) { // labels stand out there
            p.left += 0.03;
            p.right -= 0.04;
        }
        if (upper && n_lower > 0) p.bottom = 0.43;
        if (!upper && n_upper > 0) p.top = 0.325;
        return p;
    }

    void axes(const Panel& panel, const Place& p) {
        text_ += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\n"
                             "set tmargin at screen {}\n",
                             p.left, p.right, p.bottom, p.top);
        text_ += fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.8,0\nset zlabel {}\n",
                             plot_text(panel.x_label), plot_text(panel.y_label), plot_text(panel.z_label));
        const bool is_curve = panel.kind == PanelKind::trajectory;
        const int n_x = is_curve ? 5 : p.right - p.left > 0.6 ? 12 : 6;
        const Extent x = extent(panel, &Line::x), y = extent(panel, &Line::y), z = extent(panel, &Line::z);
        const double common = panel.has_equal_axes ? nice_step(std::max({x.size(), y.size(), z.size()}) / 5) : 0;
        axis('x', x, panel.is_log_x, n_x, panel.has_room ? 0.05 : 0, common);
        const double lowest = panel.is_log_y && panel.is_scatter ? 1e-5 * y.high : 0; // what lies below is left out
        axis('y', y, panel.is_log_y, 5, 0.05, common, lowest);
        if (!panel.z_label.empty()) axis('z', z, false, 4, 0.05, common);
        text_ += panel.has_equal_axes && panel.z_label.empty() ? "set size ratio -1\n" : "set size noratio\n";
        text_ += panel.lines.size() == 1 && panel.lines[0].title.empty()
                     ? "unset key\n"
                     : fmt::format("set key at screen {},{} left bottom horizontal Left reverse maxrows 2 samplen 1.4 "
                                   "width 0.5 textcolor '#222222'\n",
                                   p.left - 0.01, p.top + 0.008);
    }

    struct Extent {
        double low = INFINITY, high = -INFINITY;
        double lowest_positive = INFINITY;
        double size() const { return high > low ? high - low : 0; }
    };
    static Extent extent(const Panel& panel, std::vector<double> Line::* values) {
        Extent e;
        for (const Line& line : panel.lines)
            for (const double v : line.*values) {
                if (!std::isfinite(v)) continue;
                e.low = std::min(e.low, v);
                e.high = std::max(e.high, v);
                if (v > 0) e.lowest_positive = std::min(e.lowest_positive, v);
            }
        return e;
    }

    // 1, 2 or 5 times a power of ten, about x
    static double nice_step(double x) {
        if (!(x > 0) || !std::isfinite(x)) return 1;
        const double power = std::pow(10.0, std::floor(std::log10(x)));
        const double digit = x / power;
        return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    }

    // Range and labels; `common` > 0 is their distance on all axes of a panel, `padding` a part of the range.
    void axis(char name, const Extent& e, bool is_log, int n, double padding, double common, double lowest = 0) {
        if (is_log && e.high > 0) {
            log_axis(name, e, n, padding > 0, lowest);
            return;
        }
        text_ += fmt::format("unset logscale {0}\nset format {0} '%.6g'\n", name);
        if (!(e.high >= e.low)) return;
        // A constant gets some room, and a range too small for the digits of its labels as well.
        const double size = std::max(e.size(), 1e-5 * std::max(std::abs(e.low), std::abs(e.high)));
        const double room = size > 0 ? padding * size + 0.5 * (size - e.size()) : 1;
        text_ += fmt::format("set {0}range [{1}:{2}]\nset {0}tics {3} offset 0,0\n", name, e.low - room, e.high + room,
                             common > 0 ? common : nice_step((size > 0 ? size : 2) / n));
    }

    // Labels at powers of ten, in a short range at 1, 2 and 5 times them.
    void log_axis(char name, const Extent& e, int n, bool has_padding, double lowest) {
        const double room = has_padding ? 1.6 : 1;
        const double low = std::max(e.lowest_positive, lowest) / room, high = e.high * room;
        text_ += fmt::format("set logscale {0}\nset {0}range [{1}:{2}]\n", name, low, high);
        const auto first = static_cast<int>(std::floor(std::log10(low))),
                   last = static_cast<int>(std::ceil(std::log10(high)));
        if (high / low > 100) {
            text_ += fmt::format("set format {0} '1e%T'\nset {0}tics 1e{1} offset 0,0\n", name,
                                 std::max(1, (last - first + n - 1) / n));
            return;
        }
        std::string labels;
        for (int k = first; k <= last; ++k)
            for (const int digit : {1, 2, 5}) {
                const std::string label =
                    k < -3 || k > 3 ? fmt::format("{}e{}", digit, k) : fmt::format("{:g}", digit * std::pow(10.0, k));
                labels += fmt::format("{}'{}' {}e{}", labels.empty() ? "" : ", ", label, digit, k);
            }
        text_ += fmt::format("set {}tics ({}) offset 0,0\n", name, labels);
    }

    void panel(const Panel& panel, const Place& p, std::size_t first_block) {
        axes(panel, p);
        const bool is_space = !panel.z_label.empty();
        if (is_space) space(panel);
        const bool is_dense = panel.lines[0].x.size() > 400;
        const std::string style =
            panel.is_scatter ? fmt::format("points pointtype 7 pointsize {}", is_dense ? 0.25 : 0.45)
                             : std::string(panel.has_points ? "linespoints pointtype 7 pointsize 0.4" : "lines");
        text_ += is_space ? "splot " : "plot ";
        std::size_t colour = 0;
        for (std::size_t k = 0; k < panel.lines.size(); ++k) {
            const Line& line = panel.lines[k];
            text_ += fmt::format("{}$d{} using {} with {} linecolor '{}' {}", k == 0 ? "" : ", ", first_block + k,
                                 is_space ? "1:2:3" : "1:2", line.is_faint ? "lines linewidth 0.5" : style,
                                 line.is_faint ? "#bbbbbb" : colours[colour++ % std::size(colours)],
                                 line.title.empty() ? "notitle" : "title " + plot_text(line.title));
        }
        text_ += '\n';
    }

    void space(const Panel& panel) {
        // of equal axes, alone in a wide picture, the corners would stand out below
        const bool is_alone = panel.has_equal_axes && figure_.panels.size() == 1;
        text_ += fmt::format("set view 65, 35, {}\nset xyplane relative 0\n", is_alone ? "0.75" : "1.0");
        text_ += panel.has_equal_axes ? "set view equal xyz\n" : "";
        text_ += "set xlabel offset 0,-0.4\nset ylabel offset 0.5,-0.4\nset zlabel offset 1.5,0\n"
                 "set xtics offset 0,-0.3\nset ytics offset 0.3,-0.3\n";
    }

    const Figure& figure_;
    std::string text_;
    std::vector<std::size_t> first_block_;
    std::size_t n_blocks_ = 0;
};

} // namespace

std::string plot_text(std::string_view text) {
    std::string result = "'";
    for (const char c : printable(text)) {
        if (c == '\n') continue;
        result.append(c == '\'' ? 2 : 1, c);
    }
    return result + "'";
}

std::string plot_head(bool is_svg, const std::string& output) {
    std::string text = "set encoding utf8\n";
    text += is_svg ? "set terminal svg noenhanced size 1200,840 dynamic background '#ffffff' font "
                     "'DejaVu Sans,Helvetica,sans-serif,15' linewidth 1.3\n"
                   : "set terminal pngcairo noenhanced size 1800,1260 background '#ffffff' font 'Sans,19' "
                     "linewidth 2.2\n";
    text += fmt::format("set output {}\n", plot_text(output));
    text += "set border linewidth 0.6 linecolor '#666666'\n"
            "set tics textcolor '#333333' scale 0.6\n"
            "set grid linecolor '#e2e2e2' linetype 1 linewidth 0.6\n"
            "set datafile missing 'nan'\n";
    return text;
}

std::string plot_script(const Figure& figure, bool is_svg, const std::string& output) {
    return Script(figure, is_svg, output)();
}

} // namespace vessiot::io
