// The words of gnuplot for a figure.
//
// The unknowns over t and the trajectory or the field above, three of them in a row where there are more; outputs and
// how the run went (residual, step sizes) in the lowest row. All places are fractions of the picture. Text is never
// `enhanced`: x[1]' and a_b are shown as they are.
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

constexpr std::string_view mark_colours[] = {"#222222", "#777777", "#AA4444", "#4444AA"};

// Dark to bright in grey print, too (after viridis).
constexpr std::string_view palette =
    "set palette defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 '#1fa187', 5 '#4ac16d', 6 '#a0da39', "
    "7 '#fde725')\n";

constexpr double above_space = 0.115; // a plot in space is higher than its place

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
            if (figure_.panels[k].maps.empty())
                panel(figure_.panels[k], place(k), first_block_[k]);
            else
                maps(figure_.panels[k], place(k), first_block_[k]);
            text_ += "unset label 1\n";
        }
        text_ += "unset multiplot\nset output\n";
        return std::move(text_);
    }

private:
    static bool is_upper(const Panel& p) { return p.kind <= PanelKind::field; }

    // The numbers of a panel: a block of data for each line, then for marks, bars and maps.
    void data(const Panel& panel) {
        first_block_.push_back(n_blocks_);
        for (const Line& line : panel.lines) block(line);
        for (const Line& line : panel.marks) block(line);
        for (const Line& line : panel.bars) block(line);
        for (const Map& map : panel.maps) block(map);
    }
    void block(const Line& line) {
        text_ += fmt::format("$d{} << EOD\n", n_blocks_++);
        for (std::size_t k = 0; k < line.x.size(); ++k) {
            if (std::isnan(line.x[k])) { // bars are parted here, and what has gaps in space: no mesh across them
                text_ += line.has_gaps ? "\n\n" : "\n";
                continue;
            }
            number(line.x[k]);
            if (!line.y.empty()) {
                text_ += ' ';
                number(line.y[k]);
            }
            if (!line.z.empty()) {
                text_ += ' ';
                number(line.z[k]);
            }
            text_ += '\n';
        }
        text_ += "EOD\n";
    }
    void block(const Map& map) {
        text_ += fmt::format("$d{} << EOD\n", n_blocks_++);
        for (std::size_t k = 0; k < map.values.size(); ++k) {
            number(map.values[k]);
            text_ += (k + 1) % map.n_x == 0 ? '\n' : ' ';
        }
        text_ += "EOD\n";
    }
    void number(double value) {
        if (std::isfinite(value))
            append_number(text_, value);
        else
            text_ += "nan";
    }

    // The legend stands above its panel, in columns of one width.
    struct Legend {
        std::size_t n_columns = 1, n_rows = 0;
    };
    static Legend legend(const Panel& panel, double width) {
        std::size_t n = 0, longest = 0;
        for (const std::vector<Line>* lines : {&panel.lines, &panel.marks})
            for (const Line& line : *lines) {
                if (line.title.empty()) continue;
                ++n;
                longest = std::max(longest, line.title.size());
            }
        if (n == 0) return {};
        const double column = 0.045 + 0.0092 * static_cast<double>(longest);
        const auto fits = static_cast<std::size_t>(std::max(1.0, width / column));
        const std::size_t n_columns = std::min(n, fits);
        return {n_columns, (n + n_columns - 1) / n_columns};
    }

    // Panels of a row share its width; over t gets more than what stands alone beside it. Above each there is room for
    // its legend.
    Place place(std::size_t k) const {
        std::size_t n_upper = 0;
        for (const Panel& p : figure_.panels) n_upper += is_upper(p);
        const std::size_t n_lower = figure_.panels.size() - n_upper;
        const bool upper = is_upper(figure_.panels[k]);
        const std::size_t n = upper ? n_upper : n_lower, number = upper ? k : k - n_upper;
        const std::size_t n_rows = upper ? (n + 2) / 3 : 1, n_columns = (n + n_rows - 1) / n_rows;
        const std::size_t row = number / n_columns, column = number % n_columns;
        constexpr double left = 0.075, right = 0.97, gap = 0.095;
        const double top = upper || n_upper == 0 ? 0.885 : 0.3, bottom = upper && n_lower > 0 ? 0.43 : 0.09;
        const double height = (top - bottom - static_cast<double>(n_rows - 1) * 0.12) / static_cast<double>(n_rows);
        Place p{left, right, 0, top - static_cast<double>(row) * (height + 0.12)};
        p.bottom = p.top - height;
        if (n_columns == 2) {
            const double middle = upper ? 0.60 : 0.5 * (left + right) + 0.5 * gap; // where the second begins
            if (column == 0)
                p.right = middle - gap;
            else
                p.left = middle;
        } else if (n_columns > 2) {
            const double width = (right - left + gap) / static_cast<double>(n_columns);
            p.left = left + static_cast<double>(column) * width;
            p.right = p.left + width - gap;
        }
        const std::size_t n_legend = legend(figure_.panels[k], p.right - p.left).n_rows;
        if (n_legend > 1) p.top -= 0.0235 * static_cast<double>(n_legend - 1);
        if (!figure_.panels[k].z_label.empty()) { // labels and corners stand out there
            p.left += 0.03;
            p.right -= 0.06;
            p.bottom += 0.15 * (p.top - p.bottom);
            p.top -= above_space;
        }
        return p;
    }

    void axes(const Panel& panel, const Place& p) {
        text_ += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\n"
                             "set tmargin at screen {}\n",
                             p.left, p.right, p.bottom, p.top);
        text_ += fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.2,0\nset zlabel {}\n",
                             plot_text(panel.x_label), plot_text(panel.y_label), plot_text(panel.z_label));
        const bool is_curve = panel.kind == PanelKind::trajectory;
        const double width = p.right - p.left;
        const int n_x = is_curve ? (panel.z_label.empty() ? 5 : 4) : width > 0.6 ? 12 : width > 0.3 ? 6 : 4;
        Extent x = extent(panel, &Line::x), y = extent(panel, &Line::y), z = extent(panel, &Line::z);
        if (panel.is_space) { // round-off across the motion is not enlarged
            const double least = 1e-6 * std::max({x.size(), y.size(), z.size()});
            for (Extent* e : {&x, &y, &z}) e->widen(least);
        }
        y.widen(10 * panel.noise);
        const double common =
            panel.has_equal_axes ? nice_step(std::max({x.size(), y.size(), z.size()}) / (panel.z_label.empty() ? 5 : 3))
                                 : 0;
        axis('x', x, panel.is_log_x, n_x, panel.has_room ? 0.05 : 0, common);
        const double lowest = panel.is_log_y && panel.is_scatter ? 1e-5 * y.high : 0; // what lies below is left out
        axis('y', y, panel.is_log_y, panel.z_label.empty() ? 5 : 3, 0.05, common, lowest);
        lower_border_ = y.low - 0.05 * y.size();
        if (!panel.z_label.empty()) axis('z', z, false, 4, 0.05, common);
        text_ += panel.has_equal_axes && panel.z_label.empty() ? "set size ratio -1\n" : "set size noratio\n";
        const bool is_space = !panel.z_label.empty();
        const Legend key = legend(panel, p.right - p.left + (is_space ? 0.07 : 0));
        text_ += key.n_rows == 0
                     ? "unset key\n"
                     : fmt::format("set key at screen {},{} left bottom horizontal Left reverse maxcols {} maxrows {} "
                                   "samplen 1.4 width 0.5 textcolor '#222222'\n",
                                   p.left - 0.01 - (is_space ? 0.03 : 0), p.top + 0.008 + (is_space ? above_space : 0),
                                   key.n_columns, key.n_rows);
    }

    struct Extent {
        double low = INFINITY, high = -INFINITY;
        double lowest_positive = INFINITY;
        double size() const { return high > low ? high - low : 0; }
        void add(double v) {
            if (!std::isfinite(v)) return;
            low = std::min(low, v);
            high = std::max(high, v);
            if (v > 0) lowest_positive = std::min(lowest_positive, v);
        }
        void widen(double least) {
            if (!(high >= low) || high - low >= least) return;
            const double middle = low + 0.5 * (high - low);
            low = middle - 0.5 * least;
            high = middle + 0.5 * least;
        }
    };
    static Extent extent(const Panel& panel, std::vector<double> Line::* values) {
        Extent e;
        for (const Line& line : panel.lines)
            for (const double v : line.*values) e.add(v);
        for (const Line& line : panel.bars)
            for (const double v : line.*values) e.add(v);
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
        const double size = std::max(e.size(), 1e-4 * std::max(std::abs(e.low), std::abs(e.high)));
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
        const std::string_view columns = is_space ? "1:2:3" : "1:2";
        text_ += is_space ? "splot " : "plot ";
        std::size_t block = first_block + panel.lines.size() + panel.marks.size();
        for (std::size_t k = 0; k < panel.bars.size(); ++k) // below the curves; the last ones stand out
            text_ += fmt::format("$d{} using {} with linespoints pointtype 7 pointsize 0.5 linewidth {} linecolor '{}' "
                                 "notitle, ",
                                 block++, columns, k + 1 == panel.bars.size() ? 2 : 1,
                                 k + 1 == panel.bars.size() ? "#222222" : "#c8c8c8");
        block = first_block;
        std::size_t colour = 0;
        for (std::size_t k = 0; k < panel.lines.size(); ++k) {
            const Line& line = panel.lines[k];
            text_ += fmt::format("{}$d{} using {} with {} linecolor '{}' {}", k == 0 ? "" : ", ", block++, columns,
                                 line.is_faint ? "lines linewidth 0.5" : style,
                                 line.is_faint ? "#bbbbbb" : colours[colour++ % std::size(colours)],
                                 line.title.empty() ? "notitle" : "title " + plot_text(line.title));
        }
        for (std::size_t k = 0; k < panel.marks.size(); ++k) marks(panel, panel.marks[k], block++, k);
        text_ += '\n';
    }

    // Over t triangles that stand on the lower border, on curves open circles.
    void marks(const Panel& panel, const Line& line, std::size_t block, std::size_t number) {
        const std::string_view colour = mark_colours[number % std::size(mark_colours)];
        if (panel.kind == PanelKind::over_time)
            text_ +=
                fmt::format(", $d{} using 1:({}) with points pointtype {} pointsize 1.1 linecolor '{}' "
                            "title {}",
                            block, lower_border_, 9 + 2 * static_cast<int>(number % 2), colour, plot_text(line.title));
        else
            text_ += fmt::format(", $d{} using {} with points pointtype 6 pointsize 0.8 linecolor '#222222' notitle",
                                 block, line.z.empty() ? "1:2" : "1:2:3");
    }

    // One map over t with its scale beside it, or four snapshots with one scale.
    void maps(const Panel& panel, const Place& whole, std::size_t first_block) {
        Extent range;
        for (const Map& map : panel.maps)
            for (const double v : map.values) range.add(v);
        if (!(range.high > range.low)) range = {range.low - 0.5, range.high + 0.5, INFINITY};
        text_ += palette;
        text_ += fmt::format("set cbrange [{}:{}]\nunset key\nunset grid\nset size noratio\n", range.low, range.high);
        for (const char axis : {'x', 'y'})
            text_ += fmt::format("unset logscale {0}\nset format {0} '%.6g'\nset {0}tics auto offset 0,0\n", axis);
        const bool is_grid = panel.maps.size() > 1;
        if (!panel.map_title.empty())
            text_ += fmt::format("set label 2 {} at screen {},{} center\n", plot_text(panel.map_title),
                                 0.5 * (whole.left + whole.right - 0.05), whole.bottom - 0.005);
        for (std::size_t k = 0; k < panel.maps.size(); ++k) {
            const Map& map = panel.maps[k];
            Place p = whole;
            p.right -= 0.05; // the scale
            if (is_grid) {
                const double width = 0.5 * (p.right - p.left), height = 0.5 * (p.top - p.bottom);
                p.left += static_cast<double>(k % 2) * width;
                p.right = p.left + width - 0.025;
                p.top -= static_cast<double>(k / 2) * height;
                p.bottom = p.top - height + 0.04;
            }
            text_ += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\n"
                                 "set tmargin at screen {}\n",
                                 p.left, p.right, p.bottom, p.top);
            text_ += fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.2,0\n", plot_text(panel.x_label),
                                 plot_text(panel.y_label));
            text_ += fmt::format("set title {} offset 0,-0.7\n", plot_text(map.title));
            if (is_grid) text_ += "set format x ''\nset format y ''\n";
            const bool has_scale = k == 0;
            text_ += has_scale
                         ? fmt::format("set colorbox user origin screen {}, screen {} size screen 0.012, screen {}\n",
                                       whole.right - 0.04, whole.bottom + (is_grid ? 0.04 : 0.0),
                                       whole.top - whole.bottom - (is_grid ? 0.04 : 0.0))
                         : std::string("unset colorbox\n");
            const double dx = (map.x_high - map.x_low) / static_cast<double>(map.n_x);
            text_ += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}] {}\n", map.x_low, map.x_high, 0.5,
                                 static_cast<double>(map.n_y) + 0.5, is_grid ? "reverse" : "noreverse");
            text_ += fmt::format("plot $d{} matrix using ({} + $1*{}):($2 + 1):3 with image notitle\n", first_block + k,
                                 map.x_low + 0.5 * dx, dx);
            text_ += "unset label 1\nunset label 2\n";
        }
        text_ += "set title\nset grid\nset yrange [*:*] noreverse\n";
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
    double lower_border_ = 0; // of the panel that is drawn
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
