#include "model/functions/external.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "model/functions/differences.hpp"

namespace vessiot {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Where the results of f and of its derivatives are: those of order L + 1 are, for each result of order L, its
// derivatives by the columns of its row. Those of order 1 are numbered column by column, as the user gives them, the
// others one after the other.
class Layout {
public:
    static constexpr std::size_t highest_order = 3;

    explicit Layout(SparsePattern p) : pattern_(std::move(p)), columns_(static_cast<std::size_t>(pattern_.rows)) {
        Order f{.row = {}, .first = {}, .of_row = Lists(columns_.size())};
        for (std::int64_t i = 0; i < pattern_.rows; ++i) {
            f.row.push_back(i);
            f.of_row[static_cast<std::size_t>(i)] = {i};
        }
        Order df{.row = {}, .first = {}, .of_row = Lists(columns_.size())};
        for (std::int64_t c = 0; c < pattern_.columns; ++c)
            for (auto k = pattern_.column_start[static_cast<std::size_t>(c)];
                 k < pattern_.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
                const auto i = static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)]);
                columns_[i].push_back(c);
                df.row.push_back(static_cast<std::int64_t>(i));
                df.of_row[i].push_back(k);
            }
        orders_[0] = std::move(f);
        orders_[1] = std::move(df);
    }

    const SparsePattern& pattern() const { return pattern_; }
    std::int64_t n_results(std::size_t order) const { return std::ssize(at(order).row); }
    // The results of an order that belong to a row of f.
    const std::vector<std::int64_t>& results(std::size_t order, std::size_t row) const { return at(order).of_row[row]; }
    // The number, among those of the next order, of the derivative of a result by a column; -1: it is zero.
    std::int64_t derivative(std::size_t order, std::int64_t result, std::int64_t column) const {
        const Order& own = at(order);
        const auto row = static_cast<std::size_t>(own.row[static_cast<std::size_t>(result)]);
        const auto found = std::ranges::lower_bound(columns_[row], column);
        if (found == columns_[row].end() || *found != column) return -1;
        const std::int64_t place = found - columns_[row].begin();
        return order == 0 ? orders_[1].of_row[row][static_cast<std::size_t>(place)]
                          : own.first[static_cast<std::size_t>(result)] + place;
    }

private:
    using Lists = std::vector<std::vector<std::int64_t>>;
    struct Order {
        std::vector<std::int64_t> row;   // of each result
        std::vector<std::int64_t> first; // of each result: the number of its first derivative
        Lists of_row;                    // the results of each row
    };

    // Orders above df are large, and made where they are asked for.
    const Order& at(std::size_t order) const {
        if (order > 0) std::call_once(once_[order], [&] { make(order); });
        return orders_[order];
    }

    void make(std::size_t order) const {
        Order& made = orders_[order];
        if (order > 1) {
            made.of_row.resize(columns_.size());
            for (const std::int64_t row : at(order - 1).row) {
                const auto i = static_cast<std::size_t>(row);
                for (std::size_t k = 0; k < columns_[i].size(); ++k) {
                    made.of_row[i].push_back(std::ssize(made.row));
                    made.row.push_back(row);
                }
            }
        }
        std::int64_t n = 0;
        for (const std::int64_t row : made.row) {
            made.first.push_back(n);
            n += std::ssize(columns_[static_cast<std::size_t>(row)]);
        }
    }

    SparsePattern pattern_;
    Lists columns_; // of each row, ascending
    mutable std::array<std::once_flag, highest_order + 1> once_;
    mutable std::array<Order, highest_order + 1> orders_;
};

// What all orders of a function share.
struct Family {
    Family(ExternalFunction f, SparsePattern pattern) : given(std::move(f)), layout(std::move(pattern)) {}

    ExternalFunction given;
    Layout layout;
    std::size_t n_given() const { return given.df ? 1 : 0; } // orders beside f that need no differences
};

class UserFunction : public expr::External {
public:
    UserFunction(std::string name, std::size_t order, std::shared_ptr<const Family> family)
        : External(std::move(name), family->layout.pattern().columns, family->layout.n_results(order)), order_(order),
          family_(std::move(family)) {}

    std::int64_t entry(std::int64_t result, std::int64_t argument) const final {
        return order_ < Layout::highest_order ? family_->layout.derivative(order_, result, argument) : 0;
    }
    std::shared_ptr<const External> derivative() const final;
    int n_exact() const final { return family_->n_given() > order_ ? 1 : 0; }

protected:
    std::size_t order_;
    std::shared_ptr<const Family> family_;

private:
    mutable std::once_flag once_;
    mutable std::shared_ptr<const External> derivative_;
};

// f, or df, as it was given.
class GivenFunction final : public UserFunction {
public:
    using UserFunction::UserFunction;

    void operator()(const double* arguments, double* results, Memory*) const override {
        const std::span<const double> in(arguments, static_cast<std::size_t>(n_arguments()));
        const std::span<double> out(results, static_cast<std::size_t>(n_results()));
        std::ranges::fill(out, not_a_number); // an element that is never set has no value
        std::size_t n = out.size();
        check_cancelled(); // functions may take long
        try {
            n = order_ == 0 ? family_->given.f(in, out) : family_->given.df(in, out);
        } catch (const EvaluationFailed&) { // no value there
            std::ranges::fill(out, not_a_number);
        }
        if (n != out.size())
            throw InvalidInput(
                fmt::format("the function '{}' gave {} instead of {}", name(), plural(n, "number"), out.size()));
    }
};

// Central differences of one order less, columns without common rows at once.
class DifferencedFunction final : public UserFunction {
public:
    DifferencedFunction(std::string name, std::size_t order, std::shared_ptr<const Family> family,
                        std::shared_ptr<const External> below, double step)
        : UserFunction(std::move(name), order, std::move(family)), below_(std::move(below)), step_(step),
          groups_(column_groups(family_->layout.pattern())) {}

    std::unique_ptr<Memory> make_memory() const override {
        auto memory = std::make_unique<Work>();
        memory->below = below_->make_memory();
        memory->moved.resize(static_cast<std::size_t>(n_arguments()));
        memory->forward.resize(static_cast<std::size_t>(below_->n_results()));
        memory->backward.resize(memory->forward.size());
        return memory;
    }

    void operator()(const double* arguments, double* results, Memory* memory) const override {
        Work& w = static_cast<Work&>(*memory);
        std::copy_n(arguments, w.moved.size(), w.moved.begin());
        const auto scale = [&](std::size_t c) {
            const std::vector<double>& given = family_->given.scale;
            return std::max(std::abs(arguments[c]), given.empty() ? 1.0 : given[c]);
        };
        for (const auto& group : groups_) {
            const auto move = [&](double way, std::vector<double>& out) {
                for (const std::int32_t column : group) {
                    const auto c = static_cast<std::size_t>(column);
                    w.moved[c] = arguments[c] + way * step_ * scale(c);
                }
                (*below_)(w.moved.data(), out.data(), w.below.get());
            };
            move(1, w.forward);
            move(-1, w.backward);
            for (const std::int32_t column : group) {
                const auto c = static_cast<std::size_t>(column);
                const double ahead = arguments[c] + step_ * scale(c), width = ahead - w.moved[c]; // as rounded
                take(c, width, w, results);
                w.moved[c] = arguments[c];
            }
        }
    }

private:
    struct Work final : Memory {
        std::unique_ptr<Memory> below;
        std::vector<double> moved, forward, backward;
    };

    // What one column says.
    void take(std::size_t c, double width, const Work& w, double* results) const {
        const SparsePattern& p = family_->layout.pattern();
        for (std::int64_t k = p.column_start[c]; k < p.column_start[c + 1]; ++k) {
            const auto row = static_cast<std::size_t>(p.row[static_cast<std::size_t>(k)]);
            for (const std::int64_t r : family_->layout.results(order_ - 1, row)) {
                const auto i = static_cast<std::size_t>(r);
                const std::int64_t to = family_->layout.derivative(order_ - 1, r, static_cast<std::int64_t>(c));
                results[to] = (w.forward[i] - w.backward[i]) / width;
            }
        }
    }

    std::shared_ptr<const External> below_;
    double step_;
    std::vector<std::vector<std::int32_t>> groups_;
};

// Differences are good to ten digits, differences of differences to seven: enough for the matrices of iterations. A
// third time is not.
std::shared_ptr<const expr::External> UserFunction::derivative() const {
    const std::size_t n_given = family_->n_given(), n_differences = order_ + 1 > n_given ? order_ + 1 - n_given : 0;
    if (n_differences > 2)
        throw InvalidInput(fmt::format(
            "derivatives of order {} of the function '{}' are needed, but it is given as numbers{}, of which "
            "differences "
            "make {}. Write it as a function of any scalar, [](auto x) {{ … }}, and call that with formulas; or give "
            "its "
            "pattern, where it does not depend on all of its arguments: detect_pattern finds it",
            order_ + 1, name().substr(0, name().find('\'')), n_given > 0 ? " with its derivative" : "", order_));
    std::call_once(once_, [&] {
        const std::string name = this->name() + "'";
        if (n_differences == 0) {
            derivative_ = std::make_shared<GivenFunction>(name, order_ + 1, family_);
            return;
        }
        // NOTE: with differences of differences both steps are eps^(1/4): errors h^2 and eps/h^2 are then alike.
        const double step = n_differences == 1 ? fine_step : coarse_step;
        // NOTE: another object than this one, which owns what is made here: neither would be freed.
        std::shared_ptr<const External> below =
            std::make_shared<GivenFunction>(this->name(), order_ + 1 - n_differences, family_);
        if (n_differences == 2)
            below = std::make_shared<DifferencedFunction>(this->name(), order_, family_, std::move(below), step);
        derivative_ = std::make_shared<DifferencedFunction>(name, order_ + 1, family_, std::move(below), step);
    });
    return derivative_;
}

} // namespace

void check_pattern(const SparsePattern& p, const std::string& what) {
    bool is_good = static_cast<std::int64_t>(p.column_start.size()) == p.columns + 1 && p.column_start.front() == 0 &&
                   p.column_start.back() == p.n_entries() && std::ranges::is_sorted(p.column_start);
    for (std::size_t c = 0; is_good && c + 1 < p.column_start.size(); ++c)
        for (std::int64_t k = p.column_start[c]; k < p.column_start[c + 1]; ++k) {
            const std::int32_t row = p.row[static_cast<std::size_t>(k)];
            const bool is_ascending = k == p.column_start[c] || p.row[static_cast<std::size_t>(k) - 1] < row;
            is_good &= row >= 0 && row < p.rows && is_ascending;
        }
    if (!is_good)
        throw InvalidInput(fmt::format("{} is not in compressed columns with ascending rows; "
                                       "SparsePattern::from_entries makes it from rows and columns",
                                       what));
}

std::shared_ptr<const expr::External> make_external(const std::string& model, const std::string& name,
                                                    const ExternalFunction& function) {
    const auto fail = [&](const std::string& text) {
        throw InvalidInput(fmt::format("{}: the function '{}' {}", model, name, text));
    };
    const std::int64_t n = function.n_arguments, m = function.n_results;
    if (!function.f) fail("is not set: f computes its results from its arguments");
    if (n < 1 || m < 1) fail(fmt::format("has {} arguments and {} results, but at least one of each is needed", n, m));
    SparsePattern pattern = function.pattern ? *function.pattern : SparsePattern::dense(m, n);
    if (pattern.rows != m || pattern.columns != n)
        fail(fmt::format("has a pattern of {} x {}, but {} results and {} arguments", pattern.rows, pattern.columns, m,
                         n));
    check_pattern(pattern, fmt::format("{}: the pattern of '{}'", model, name));
    if (!function.scale.empty() && std::ssize(function.scale) != n)
        fail(fmt::format("has {} scales, but {} arguments", function.scale.size(), n));
    for (const double s : function.scale)
        if (!(s > 0 && std::isfinite(s))) fail(fmt::format("has the scale {}, but scales are positive and finite", s));
    return std::make_shared<GivenFunction>(name, 0, std::make_shared<const Family>(function, std::move(pattern)));
}

} // namespace vessiot
