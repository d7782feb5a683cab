#include "expr/table/table.hpp"

#include <limits>

#include <fmt/format.h>

#include "expr/table/piecewise.hpp"

namespace vessiot::expr {

namespace {

constexpr std::size_t most_numbers = 50'000'000; // in the lists of one table

std::vector<Coefficients> intervals(Between between, const std::vector<Quad>& x, const std::vector<Quad>& y) {
    switch (between) {
    case Between::step: return step_pieces(y);
    case Between::linear: return linear_pieces(x, y);
    case Between::cubic: return spline_pieces(x, y);
    case Between::monotone: return monotone_pieces(x, y);
    }
    return {};
}

std::size_t n_coefficients(Between between) {
    return between == Between::step ? 1 : between == Between::linear ? 2 : 4;
}

} // namespace

// Axis after axis: values at points become coefficients of pieces, for all that stands at the other axes.
class Table::Maker {
public:
    Maker(const TablePoints& points, Table& to) : points_(points), to_(to), numbers_(points.values) {}

    void run() {
        std::size_t before = 1, behind = 1;
        for (std::size_t a = 1; a < points_.grid.size(); ++a) behind *= points_.grid[a].size();
        for (std::size_t a = 0; a < points_.grid.size(); ++a) {
            add_axis(points_.grid[a]);
            expand(points_.grid[a], before, behind);
            before *= to_.axes_.back().n_pieces * to_.axes_.back().n_coefficients;
            if (a + 1 < points_.grid.size()) behind /= points_.grid[a + 1].size();
        }
        add_lists();
    }

private:
    // What a piece of an axis is: the interval between two points, or what is beyond its ends.
    enum class PieceKind { interval, value, nothing };
    struct AxisPiece {
        PieceKind kind;
        std::size_t at; // the interval, or the point whose value it has
    };

    NumberList::Text text(int order) const {
        const std::vector<Quad>& x = points_.grid[to_.axes_.empty() ? 0 : to_.axes_.size() - 1];
        return {points_.name,
                fmt::format("from {} to {}", static_cast<double>(x.front()), static_cast<double>(x.back())), order,
                static_cast<double>(x.front()), static_cast<double>(x.back())};
    }

    void add_axis(const std::vector<Quad>& x) {
        const std::size_t n = x.size();
        pieces_.clear();
        std::vector<Quad> places;
        const bool is_step = points_.between == Between::step, is_error = points_.outside == Outside::error;
        const bool has_first = is_error || (points_.outside == Outside::hold && !is_step);
        const bool has_last =
            is_error || points_.outside == Outside::hold || (points_.outside == Outside::extend && is_step);
        const PieceKind beyond = is_error ? PieceKind::nothing : PieceKind::value;
        if (has_first) {
            pieces_.push_back({beyond, 0});
            places.push_back(x.front());
        }
        for (std::size_t k = 0; k + 1 < n; ++k) {
            if (k > 0) places.push_back(x[k]);
            pieces_.push_back({PieceKind::interval, k});
        }
        if (has_last) {
            pieces_.push_back({beyond, n - 1});
            places.push_back(x.back());
        }
        Axis axis{.n_pieces = pieces_.size(), .n_coefficients = n_coefficients(points_.between)};
        if (points_.outside == Outside::periodic) axis.period = {x.front(), x.back() - x.front()};
        std::vector<Quad> origins;
        for (const AxisPiece& p : pieces_) origins.push_back(x[p.at]);
        to_.axes_.push_back(axis);
        to_.axes_.back().places = &NumberList::make(std::move(places), text(0), is_error);
        to_.axes_.back().origins = &NumberList::make(std::move(origins), text(0), is_error);
    }

    // [before][point][behind] -> [before][piece][coefficient][behind]
    void expand(const std::vector<Quad>& x, std::size_t before, std::size_t behind) {
        const std::size_t n = x.size(), m = to_.axes_.back().n_coefficients;
        std::vector<Quad> result(before * pieces_.size() * m * behind), line(n);
        for (std::size_t b = 0; b < before; ++b)
            for (std::size_t c = 0; c < behind; ++c) {
                for (std::size_t k = 0; k < n; ++k) line[k] = numbers_[(b * n + k) * behind + c];
                const std::vector<Coefficients> found = intervals(points_.between, x, line);
                for (std::size_t p = 0; p < pieces_.size(); ++p)
                    for (std::size_t i = 0; i < m; ++i)
                        result[((b * pieces_.size() + p) * m + i) * behind + c] =
                            coefficient(pieces_[p], i, found, line);
            }
        numbers_ = std::move(result);
    }

    static Quad coefficient(const AxisPiece& piece, std::size_t i, const std::vector<Coefficients>& found,
                            const std::vector<Quad>& line) {
        if (piece.kind == PieceKind::nothing) return std::numeric_limits<double>::quiet_NaN();
        if (piece.kind == PieceKind::interval) return found[piece.at][i];
        return i == 0 ? line[piece.at] : Quad(0);
    }

    // [piece k][i][piece l][j] -> of each (i, j) a list [k][l]
    void add_lists() {
        const Axis& x = to_.axes_[0];
        const std::size_t n_pieces = to_.axes_.size() > 1 ? to_.axes_[1].n_pieces : 1;
        const std::size_t n = to_.axes_.size() > 1 ? to_.axes_[1].n_coefficients : 1;
        for (std::size_t i = 0; i < x.n_coefficients; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                std::vector<Quad> list;
                list.reserve(x.n_pieces * n_pieces);
                for (std::size_t k = 0; k < x.n_pieces; ++k)
                    for (std::size_t l = 0; l < n_pieces; ++l)
                        list.push_back(numbers_[((k * x.n_coefficients + i) * n_pieces + l) * n + j]);
                to_.coefficients_.push_back(&NumberList::make(std::move(list), text(static_cast<int>(i + j))));
            }
    }

    const TablePoints& points_;
    Table& to_;
    std::vector<Quad> numbers_;
    std::vector<AxisPiece> pieces_; // of the present axis
};

std::optional<Table::Problem> Table::check(const TablePoints& points) {
    std::size_t total = 1;
    for (std::size_t a = 0; a < points.grid.size(); ++a) {
        const std::vector<Quad>& x = points.grid[a];
        if (x.size() < 2)
            return Problem{a, -1,
                           fmt::format("a table needs at least two points, but '{}' has {}", points.name, x.size())};
        for (std::size_t k = 1; k < x.size(); ++k) {
            const auto before = static_cast<double>(x[k - 1]), here = static_cast<double>(x[k]);
            if (!(before < here))
                return Problem{a, static_cast<std::int64_t>(k),
                               fmt::format("the points of a table must increase, but {} follows {}", here, before)};
        }
        total *= (x.size() + 1) * n_coefficients(points.between);
    }
    if (points.grid.size() > 1 && points.between == Between::monotone)
        return Problem{0, -1, "'monotone' is of one argument; of two take linear, cubic or step"};
    if (total > most_numbers)
        return Problem{
            0, -1,
            fmt::format("the table '{}' is too large: {} numbers, at most {}", points.name, total, most_numbers)};
    return std::nullopt;
}

Table::Table(const TablePoints& points) : name_(points.name) {
    Maker(points, *this).run();
}

NodeId Table::operator()(Graph& g, const std::vector<NodeId>& arguments) const {
    NodeId place = g.zero();
    std::vector<NodeId> way; // from the origin of the piece
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        const Axis& axis = axes_[a];
        NodeId x = arguments[a];
        if (axis.period) {
            const NodeId from = g.constant(axis.period->first);
            x = g.add(from, g.mod(g.sub(x, from), g.constant(axis.period->second)));
        }
        const NodeId piece = axis.places->size() == 0 ? g.zero() : locate(g, *axis.places, x);
        place = g.add(g.mul(place, g.integer(static_cast<std::int64_t>(axis.n_pieces))), piece);
        way.push_back(g.sub(x, pick(g, *axis.origins, piece)));
    }
    // c_0 + x (c_1 + x (…)), and each of these in the same way in y
    const std::size_t n = axes_.size() > 1 ? axes_[1].n_coefficients : 1;
    NodeId result = g.zero();
    for (std::size_t i = axes_[0].n_coefficients; i-- > 0;) {
        NodeId row = g.zero();
        for (std::size_t j = n; j-- > 0;) {
            const NodeId c = pick(g, *coefficients_[i * n + j], place);
            row = j + 1 == n ? c : g.add(c, g.mul(way[1], row));
        }
        result = i + 1 == axes_[0].n_coefficients ? row : g.add(row, g.mul(way[0], result));
    }
    return result;
}

} // namespace vessiot::expr
