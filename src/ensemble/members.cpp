#include "ensemble/members.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "ensemble/random.hpp"
#include "expr/functions/vmath.hpp"

namespace vessiot::ensemble {

namespace {

constexpr std::string_view start_prefix = "start:";

std::string_view name_of(Vary::Kind kind) {
    constexpr std::string_view names[] = {"list",   "linear",    "logarithmic", "uniform",
                                          "normal", "lognormal", "triangular"};
    return names[static_cast<std::size_t>(kind)];
}

bool is_grid(const Vary& v) {
    return v.kind == Vary::Kind::list || v.kind == Vary::Kind::linear || v.kind == Vary::Kind::logarithmic;
}

std::int64_t grid_size(const Vary& v) {
    return v.kind == Vary::Kind::list ? static_cast<std::int64_t>(v.numbers.size()) : v.count;
}

// Both ends exactly.
double grid_value(const Vary& v, std::int64_t k) {
    if (v.kind == Vary::Kind::list) return v.numbers[static_cast<std::size_t>(k)];
    const double a = v.numbers[0], b = v.numbers[1];
    if (k == 0) return a;
    if (k == v.count - 1) return b;
    const double s = static_cast<double>(k) / static_cast<double>(v.count - 1);
    if (v.kind == Vary::Kind::linear) return a + s * (b - a);
    const auto log = [](double x) { return expr::apply<double>(expr::Op::log, x); };
    return expr::apply<double>(expr::Op::exp, log(a) + s * (log(b) - log(a)));
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || result > most_members)
        throw InvalidInput(fmt::format("the grids and samples have more than {} members together", most_members));
    return result;
}

} // namespace

void check(const Vary& vary) {
    const std::string name = vary.name;
    const std::vector<double>& v = vary.numbers;
    const auto fail = [&](const std::string& why) { throw InvalidInput(fmt::format("--vary {}: {}", name, why)); };
    if (name.empty() || name == start_prefix) fail("a name is missing");
    if (!std::ranges::all_of(v, [](double x) { return std::isfinite(x); })) fail("a number is not finite");
    const auto needs = [&](std::size_t n, std::string_view form) {
        if (v.size() != n)
            fail(fmt::format("{} needs {}, but {} numbers were given", name_of(vary.kind), form, v.size()));
    };
    switch (vary.kind) {
    case Vary::Kind::list:
        if (v.empty()) fail("the list has no values, so there would be no members");
        return;
    case Vary::Kind::linear:
    case Vary::Kind::logarithmic:
        needs(2, "two ends, a..b:N");
        if (vary.count < 1) fail(fmt::format("the grid has {} values, so there would be no members", vary.count));
        if (vary.kind == Vary::Kind::logarithmic && !(v[0] > 0 && v[1] > 0))
            fail(fmt::format("log({}..{}) needs positive ends", v[0], v[1]));
        return;
    case Vary::Kind::uniform:
        needs(2, "two ends, uniform(a,b)");
        if (!(v[0] < v[1])) fail(fmt::format("uniform({},{}) needs a < b", v[0], v[1]));
        return;
    case Vary::Kind::normal:
    case Vary::Kind::lognormal:
        needs(2, vary.kind == Vary::Kind::normal ? "mean and deviation, normal(m,s)"
                                                 : "mean and deviation of the logarithm, lognormal(m,s)");
        if (!(v[1] > 0)) fail(fmt::format("the deviation of {} must be positive, but is {}", name_of(vary.kind), v[1]));
        return;
    case Vary::Kind::triangular:
        needs(3, "ends and peak, triangular(a,b,c)");
        if (!(v[0] < v[1] && v[0] <= v[2] && v[2] <= v[1]))
            fail(fmt::format("triangular({},{},{}) needs a < b, and the peak c between them", v[0], v[1], v[2]));
        return;
    }
}

Members::Members(const EnsembleOptions& options) : options_(options) {
    if (!options.table_names.empty()) {
        if (!options.vary.empty()) throw InvalidInput("members come from a table or are varied, not both");
        names_ = options.table_names;
        size_ = static_cast<std::int64_t>(options.table.size() / names_.size());
        if (size_ == 0) throw InvalidInput("the table of members has no rows");
    } else {
        if (options.vary.empty())
            throw InvalidInput("nothing varies: say what, as in --vary g=1..20:100, or give a table with --members");
        for (const Vary& v : options.vary) {
            check(v);
            names_.push_back(v.name);
        }
        count_grids();
    }
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw InvalidInput(fmt::format("{} varies twice", *twice));
}

void Members::count_grids() {
    std::int64_t n_random = 0, shared = 0;
    for (const Vary& v : options_.vary) {
        const std::int64_t n = grid_size(v);
        if (!is_grid(v)) {
            ++n_random;
        } else if (!options_.zip) {
            n_points_ = product(n_points_, n);
        } else {
            if (shared != 0 && n != shared)
                throw InvalidInput(
                    fmt::format("--zip goes through grids together, but {} has {} values where another one has {}",
                                v.name, n, shared));
            n_points_ = shared = n;
        }
    }
    if (n_random == 0 && options_.samples > 0)
        throw InvalidInput(fmt::format("there are --samples {}, but nothing is random, as in --vary g=uniform(1,20)",
                                       options_.samples));
    if (n_random > 0 && options_.samples <= 0)
        throw InvalidInput("how many random members there are is missing, as in --samples 1000");
    if (options_.sampling == Sampling::sobol && n_random > static_cast<std::int64_t>(sobol_dimensions))
        throw InvalidInput(
            fmt::format("Sobol's sequence has {} dimensions here, but {} names are random: take --sampling latin",
                        sobol_dimensions, n_random));
    if (n_random > 0) n_samples_ = options_.samples;
    size_ = product(n_points_, n_samples_);
}

double Members::sample(std::size_t variable, std::uint64_t dimension, std::int64_t point, std::int64_t k,
                       std::int64_t member) const {
    const Vary& v = options_.vary[variable];
    const auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    double u = 0;
    switch (options_.sampling) {
    case Sampling::random: u = uniform(options_.seed, number(member), dimension); break;
    case Sampling::latin: u = latin(options_.seed, number(point), number(k), number(n_samples_), dimension); break;
    case Sampling::sobol: u = sobol(options_.seed, number(k), dimension); break;
    }
    return quantile(v.kind, v.numbers, u);
}

void Members::values(std::int64_t member, std::span<double> out) const {
    if (!options_.table_names.empty()) {
        std::copy_n(options_.table.begin() + member * static_cast<std::int64_t>(names_.size()), names_.size(),
                    out.begin());
        return;
    }
    const std::int64_t point = member / n_samples_, k = member % n_samples_;
    std::int64_t rest = point;
    for (std::size_t j = options_.vary.size(); j-- > 0;) {
        const Vary& v = options_.vary[j];
        if (!is_grid(v)) continue;
        const std::int64_t n = grid_size(v);
        out[j] = grid_value(v, options_.zip ? point : rest % n);
        if (!options_.zip) rest /= n;
    }
    std::uint64_t dimension = 0;
    for (std::size_t j = 0; j < options_.vary.size(); ++j)
        if (!is_grid(options_.vary[j])) out[j] = sample(j, dimension++, point, k, member);
}

RunOptions Members::run(std::span<const double> values) const {
    RunOptions run = options_.run;
    for (std::size_t j = 0; j < names_.size(); ++j) {
        if (names_[j].starts_with(start_prefix))
            run.start.emplace_back(names_[j].substr(start_prefix.size()), values[j]);
        else
            run.parameters.emplace_back(names_[j], values[j]);
    }
    return run;
}

std::vector<std::string> Members::varied_by() const {
    if (!options_.table_names.empty()) return std::vector<std::string>(names_.size(), "table");
    std::vector<std::string> texts;
    for (const Vary& v : options_.vary) texts.push_back(text_of(v));
    return texts;
}

std::string Members::identity() const {
    std::string text =
        fmt::format("{} {} {} {}\n", options_.zip, n_samples_, options_.seed, static_cast<int>(options_.sampling));
    for (const Vary& v : options_.vary)
        text += fmt::format("{} {} {} {}\n", v.name, name_of(v.kind), v.count, fmt::join(v.numbers, " "));
    if (!options_.table_names.empty())
        text += fmt::format("{}\n{}\n", fmt::join(names_, ","), fmt::join(options_.table, " "));
    return text;
}

} // namespace vessiot::ensemble

namespace vessiot {

std::string text_of(const Vary& vary) {
    constexpr std::size_t most = 8; // values of a list
    const auto& v = vary.numbers;
    const auto shown = std::span(v).first(std::min(v.size(), most));
    switch (vary.kind) {
    case Vary::Kind::list:
        return v.size() <= most ? fmt::format("[{}]", fmt::join(shown, ","))
                                : fmt::format("[{},…] of {} values", fmt::join(shown, ","), v.size());
    case Vary::Kind::linear: return fmt::format("{}..{}:{}", v[0], v[1], vary.count);
    case Vary::Kind::logarithmic: return fmt::format("log({}..{}):{}", v[0], v[1], vary.count);
    default: return fmt::format("{}({})", ensemble::name_of(vary.kind), fmt::join(v, ","));
    }
}

Vary Vary::linear(std::string name, double a, double b, std::int64_t n) {
    return {std::move(name), Kind::linear, {a, b}, n};
}
Vary Vary::logarithmic(std::string name, double a, double b, std::int64_t n) {
    return {std::move(name), Kind::logarithmic, {a, b}, n};
}
Vary Vary::list(std::string name, std::vector<double> values) {
    return {std::move(name), Kind::list, std::move(values)};
}
Vary Vary::random(std::string name, Kind kind, std::vector<double> numbers) {
    return {std::move(name), kind, std::move(numbers)};
}

} // namespace vessiot
