// Pictures of an ensemble. Of members with the same points: a fan for each value, the bands between quantiles over t
// with some members in it. Of the last points: a heat map where two grids were multiplied, else each value over each
// name that varied. Of all points of each member, as of a section: the first two values against each other, a panel for
// each value of the first name where these are few.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "ensemble/quantiles.hpp"
#include "io/plot.hpp"
#include "io/text_writer.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_members = 250'000; // that are drawn; of more every k-th
constexpr std::int64_t most_cells = 4'000'000; // of a map
constexpr std::size_t most_crossings = 2'000'000;
constexpr std::size_t most_panels = 4;

struct Place {
    double left, right, bottom, top;
};

class MembersPlot final : public MemberStream {
public:
    explicit MembersPlot(std::string path) : path_(std::move(path)) {}

    std::string name() const override { return path_; }

    void begin(const EnsembleHead& head) override {
        if (!io::is_plot_name(path_))
            throw InvalidInput(fmt::format("--plot draws .svg and .png files, but found '{}'", path_));
        if (head.is_ragged() && head.columns.size() < 2)
            throw InvalidInput("a picture of all points of the members shows two values, one over the other: name two "
                               "with --outputs");
        head_ = head;
        const std::int64_t most = could_be_map() ? most_cells : most_members;
        stride_ = (head.n_members + most - 1) / most;
        for (std::size_t j = 0; j < head.columns.size() && chosen_.size() < most_panels; ++j)
            if (!head.columns[j].ends_with('\'')) chosen_.push_back(j);
        if (chosen_.empty()) chosen_.push_back(0);
    }

    void add(const MemberBlock& block) override {
        if (head_.is_ragged()) return add_rows(block);
        const std::size_t row = head_.n_points() * head_.columns.size(), n_varied = head_.varied.size();
        for (std::int64_t k = 0; k < block.size(); ++k) {
            const auto m = static_cast<std::size_t>(k);
            if ((block.first + k) % stride_ != 0 || block.status[m] != MemberStatus::success) continue;
            varied_.insert(varied_.end(), block.varied.begin() + static_cast<std::ptrdiff_t>(m * n_varied),
                           block.varied.begin() + static_cast<std::ptrdiff_t>((m + 1) * n_varied));
            values_.insert(values_.end(), block.values.begin() + static_cast<std::ptrdiff_t>(m * row),
                           block.values.begin() + static_cast<std::ptrdiff_t>((m + 1) * row));
            ++n_;
        }
    }

    void end(const EnsembleResult&) override {
        if (n_ == 0) throw OutputFailed(fmt::format("{} cannot be drawn: no member reached the end", path_));
        io::draw(
            [&](bool is_svg, const std::string& output) {
                text_ = io::plot_head(is_svg, output);
                const std::string thinned = stride_ > 1 ? fmt::format(", every {}-th drawn", stride_) : "";
                const std::string title = fmt::format("{}: {} members, {} varied{}", head_.model, head_.n_members,
                                                      fmt::join(head_.varied, ", "), thinned);
                text_ += fmt::format("set multiplot\nset label 1 {} at screen 0.03,0.968 left\n", io::plot_text(title));
                if (head_.is_ragged())
                    sections();
                else if (head_.record == Record::points)
                    fans();
                else if (is_grid())
                    maps();
                else
                    scatters();
                return text_ + "unset multiplot\nset output\n";
            },
            path_);
    }

private:
    bool could_be_map() const { return head_.record == Record::last && head_.varied.size() == 2; }
    // The first two values of each row, and the first name that varied.
    void add_rows(const MemberBlock& block) {
        const std::size_t columns = head_.columns.size(), n_varied = head_.varied.size();
        std::size_t row = 0;
        for (std::size_t k = 0; k < block.status.size(); ++k)
            for (std::int64_t r = 0; r < block.row_count[k]; ++r, ++row) {
                if (n_ == most_crossings) return;
                varied_.push_back(n_varied > 0 ? block.varied[k * n_varied] : 0);
                values_.push_back(block.values[row * columns]);
                values_.push_back(block.values[row * columns + 1]);
                ++n_;
            }
    }
    double value(std::size_t m, std::size_t point, std::size_t column) const {
        return values_[(m * head_.n_points() + point) * head_.columns.size() + column];
    }
    double varied(std::size_t m, std::size_t k) const { return varied_[m * head_.varied.size() + k]; }

    void number(double x) {
        if (std::isfinite(x))
            io::append_number(text_, x);
        else
            text_ += "nan";
    }
    std::string begin_data() {
        const std::string name = fmt::format("$d{}", n_data_++);
        text_ += name + " << EOD\n";
        return name;
    }
    void row(std::initializer_list<double> numbers) {
        for (const double x : numbers) {
            number(x);
            text_ += ' ';
        }
        text_ += '\n';
    }

    // Panel k of n, in up to two rows.
    static Place place(std::size_t k, std::size_t n) {
        const std::size_t rows = n > 1 ? 2 : 1, columns = (n + rows - 1) / rows;
        const double width = 0.94 / static_cast<double>(columns), height = 0.9 / static_cast<double>(rows);
        const auto column = static_cast<double>(k % columns), line = static_cast<double>(k / columns);
        const double left = 0.03 + column * width, top = 0.94 - line * height;
        return {left + 0.055, left + width - 0.045, top - height + 0.085, top - 0.025};
    }
    void begin_panel(const Place& p, std::string_view x, std::string_view y) {
        text_ += fmt::format(
            "set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen {}\n",
            p.left, p.right, p.bottom, p.top);
        text_ +=
            fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.8,0\n", io::plot_text(x), io::plot_text(y));
    }

    void fans() {
        text_ += "set key at screen 0.97,0.965 right center horizontal Left reverse samplen 1.4\n";
        for (std::size_t k = 0; k < chosen_.size(); ++k) {
            const std::string bands = begin_data();
            for (std::size_t p = 0; p < head_.t.size(); ++p) {
                ensemble::Quantiles all;
                for (std::size_t m = 0; m < n_; ++m)
                    if (const double x = value(m, p, chosen_[k]); !std::isnan(x)) all.add(x);
                const std::vector<double> q = all.at({0.05, 0.25, 0.5, 0.75, 0.95});
                row({head_.t[p], q[0], q[1], q[2], q[3], q[4]});
            }
            text_ += "EOD\n";
            const std::string some = begin_data();
            constexpr std::size_t few = 3;
            for (std::size_t j = 0; j < std::min(few, n_); ++j) {
                const std::size_t m = j * (n_ - 1) / std::max<std::size_t>(1, std::min(few, n_) - 1);
                for (std::size_t p = 0; p < head_.t.size(); ++p) row({head_.t[p], value(m, p, chosen_[k])});
                text_ += '\n';
            }
            text_ += "EOD\n";
            begin_panel(place(k, chosen_.size()), head_.independent, head_.columns[chosen_[k]]);
            text_ += fmt::format("plot {0} using 1:2:6 with filledcurves linecolor '#CFE3F1' {2}, {0} using 1:3:5 with "
                                 "filledcurves linecolor '#8DBBDD' {3}, "
                                 "{1} using 1:2 with lines linecolor '#888888' linewidth 0.5 notitle, {0} using 1:4 "
                                 "with lines linecolor '#0072B2' linewidth 1.4 {4}\n",
                                 bands, some, k == 0 ? "title '5 % .. 95 %'" : "notitle",
                                 k == 0 ? "title '25 % .. 75 %'" : "notitle", k == 0 ? "title 'median'" : "notitle");
            text_ += "unset label 1\n";
        }
    }

    // Were two grids multiplied?
    bool is_grid() const {
        if (head_.varied.size() != 2 || stride_ > 1) return false;
        std::set<double> first, second;
        for (std::size_t m = 0; m < n_; ++m) {
            first.insert(varied(m, 0));
            second.insert(varied(m, 1));
        }
        const bool has_sides = first.size() > 1 && second.size() > 1;
        return has_sides && static_cast<std::int64_t>(first.size() * second.size()) == head_.n_members;
    }

    // The middle between neighbours, where the cells of a grid meet; the first and last cell are as wide as their
    // neighbours.
    static std::vector<double> cell_ends(const std::set<double>& places) {
        const std::vector<double> x(places.begin(), places.end());
        std::vector<double> ends{x[0] - (x[1] - x[0]) / 2};
        for (std::size_t k = 1; k < x.size(); ++k) ends.push_back((x[k - 1] + x[k]) / 2);
        ends.push_back(x.back() + (x.back() - x[x.size() - 2]) / 2);
        return ends;
    }

    static bool is_even(const std::set<double>& places) {
        const double step = (*places.rbegin() - *places.begin()) / static_cast<double>(places.size() - 1);
        double k = 0;
        for (const double x : places)
            if (std::abs(x - *places.begin() - step * k++) > 1e-6 * step) return false;
        return true;
    }

    // A coloured cell for each member, for grids of any spacing; cells of one size as an image.
    void maps() {
        text_ += "unset key\nset palette defined (0 '#2C0B4E', 1 '#3B528B', 2 '#21918C', 3 '#5EC962', 4 '#FDE725')\n"
                 "set style fill solid 1.0 noborder\n";
        std::set<double> places[2];
        for (std::size_t m = 0; m < n_; ++m)
            for (std::size_t k = 0; k < 2; ++k) places[k].insert(varied(m, k));
        const std::vector<double> ends[] = {cell_ends(places[0]), cell_ends(places[1])};
        const auto cell = [&](std::size_t m, std::size_t k) {
            return std::ranges::upper_bound(ends[k], varied(m, k)) - ends[k].begin();
        };
        const bool is_image = n_ == places[0].size() * places[1].size() && is_even(places[0]) && is_even(places[1]);
        for (std::size_t k = 0; k < chosen_.size(); ++k) {
            const std::string data = begin_data();
            for (std::size_t m = 0; m < n_ && is_image; ++m) row({varied(m, 0), varied(m, 1), value(m, 0, chosen_[k])});
            for (std::size_t m = 0; m < n_ && !is_image; ++m) {
                const auto i = static_cast<std::size_t>(cell(m, 0)), j = static_cast<std::size_t>(cell(m, 1));
                row({varied(m, 0), varied(m, 1), ends[0][i - 1], ends[0][i], ends[1][j - 1], ends[1][j],
                     value(m, 0, chosen_[k])});
            }
            text_ += "EOD\n";
            Place p = place(k, chosen_.size());
            p.top -= 0.02;
            p.right -= 0.025; // the scale of colours
            begin_panel(p, head_.varied[0], head_.varied[1]);
            text_ += fmt::format("set title {} offset 0,-0.6\nset xrange [{}:{}]\nset yrange [{}:{}]\n",
                                 io::plot_text(head_.columns[chosen_[k]]), ends[0].front(), ends[0].back(),
                                 ends[1].front(), ends[1].back());
            text_ += fmt::format("plot {} using {}\nunset label 1\n", data,
                                 is_image ? "1:2:3 with image" : "1:2:3:4:5:6:7 with boxxyerror linecolor palette");
        }
    }

    void sections() {
        constexpr std::size_t most_sections = 6;
        text_ += "unset key\n";
        const std::set<double> all(varied_.begin(), varied_.end());
        const bool is_split = all.size() > 1 && all.size() <= most_sections;
        const std::vector<double> levels = is_split ? std::vector(all.begin(), all.end()) : std::vector{0.0};
        const double size = n_ > 20'000 ? 0.1 : 0.25;
        for (std::size_t k = 0; k < levels.size(); ++k) {
            const std::string data = begin_data();
            for (std::size_t m = 0; m < n_; ++m)
                if (!is_split || varied_[m] == levels[k]) row({values_[2 * m], values_[2 * m + 1]});
            text_ += "EOD\n";
            Place p = place(k, levels.size());
            p.top -= 0.02;
            begin_panel(p, head_.columns[0], head_.columns[1]);
            if (is_split)
                text_ += fmt::format("set title {} offset 0,-0.6\n",
                                     io::plot_text(fmt::format("{} = {:.6g}", head_.varied[0], levels[k])));
            text_ += fmt::format("plot {} using 1:2 with points pointtype 7 pointsize {} linecolor '#0072B2'\n"
                                 "unset label 1\n",
                                 data, size);
        }
    }

    void scatters() {
        text_ += "unset key\n";
        const std::size_t step = (n_ + most_members - 1) / static_cast<std::size_t>(most_members);
        const std::size_t across = std::min<std::size_t>(head_.varied.size(), 3);
        const std::size_t down = std::min<std::size_t>(chosen_.size(), across == 1 ? most_panels : 3);
        const bool is_few = n_ <= 400;
        const std::string style =
            fmt::format("points pointtype 7 pointsize {} linecolor '#0072B2'", is_few ? 0.6 : 0.25);
        for (std::size_t j = 0; j < down; ++j)
            for (std::size_t k = 0; k < across; ++k) {
                const std::string data = begin_data();
                for (std::size_t m = 0; m < n_; m += step) row({varied(m, k), value(m, 0, chosen_[j])});
                text_ += "EOD\n";
                Place p = place(j, down);
                if (across > 1) {
                    const double width = 0.94 / static_cast<double>(across), height = 0.9 / static_cast<double>(down);
                    const double left = 0.03 + static_cast<double>(k) * width,
                                 top = 0.94 - static_cast<double>(j) * height;
                    p = {left + 0.06, left + width - 0.02, top - height + 0.085, top - 0.02};
                }
                begin_panel(p, head_.varied[k], head_.columns[chosen_[j]]);
                text_ += fmt::format("plot {} using 1:2 with {}\nunset label 1\n", data, style);
            }
    }

    std::string path_, text_;
    EnsembleHead head_;
    std::int64_t stride_ = 1;
    std::vector<std::size_t> chosen_; // columns that are drawn
    std::vector<double> varied_, values_;
    std::size_t n_ = 0, n_data_ = 0;
};

} // namespace

std::shared_ptr<MemberStream> members_plot(const std::string& path) {
    return std::make_shared<MembersPlot>(path);
}

} // namespace vessiot
