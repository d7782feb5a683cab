// What varies, statistics and tables of members, from text.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/text_list.hpp"
#include "ensemble/members.hpp"
#include "ensemble/statistics.hpp"
#include "solve/options/options.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot {

namespace {

// word(inside): the inside, where the text has this form.
std::optional<std::string_view> inside(std::string_view text, std::string_view word) {
    if (!text.starts_with(word) || text.size() < word.size() + 2 || text[word.size()] != '(' || !text.ends_with(')'))
        return {};
    return text.substr(word.size() + 1, text.size() - word.size() - 2);
}

std::vector<double> numbers(const std::string& what, std::string_view text) {
    std::vector<double> result;
    for (const std::string_view part : split_at_commas(text)) result.push_back(parse_number(what, part));
    return result;
}

// a..b: two numbers.
std::pair<double, double> ends(const std::string& what, std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        throw InvalidInput(fmt::format("{} needs a range a..b, but found '{}'", what, text));
    return {parse_number(what, text.substr(0, dots)), parse_number(what, text.substr(dots + 2))};
}

std::int64_t whole(const std::string& what, std::string_view text) {
    const double value = parse_number(what, text);
    if (value != std::floor(value) || std::abs(value) > 1e15)
        throw InvalidInput(fmt::format("{} needs a whole number, but found '{}'", what, text));
    return static_cast<std::int64_t>(value);
}

constexpr std::string_view forms =
    "a..b:N, log(a..b):N, [v1,v2], uniform(a,b), normal(m,s), lognormal(m,s), triangular(a,b,c) or file.csv:column";

std::optional<Vary> read_random(const std::string& what, const std::string& name, std::string_view text) {
    using Kind = Vary::Kind;
    constexpr std::pair<std::string_view, Kind> kinds[] = {{"uniform", Kind::uniform},
                                                           {"normal", Kind::normal},
                                                           {"lognormal", Kind::lognormal},
                                                           {"triangular", Kind::triangular}};
    for (const auto& [word, kind] : kinds)
        if (const auto args = inside(text, word)) return Vary::random(name, kind, numbers(what, *args));
    return {};
}

struct TableText {
    std::vector<std::string> names;
    std::vector<double> values;
};

std::string unquoted(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    return std::string(text);
}

// The cells of a line; a cell in quotes may have commas.
std::vector<std::string> cells(std::string_view line) {
    std::vector<std::string> result;
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= line.size(); ++k) {
        if (k < line.size() && line[k] == '"') is_quoted = !is_quoted;
        if (k < line.size() && (line[k] != ',' || is_quoted)) continue;
        result.push_back(unquoted(line.substr(begin, k - begin)));
        begin = k + 1;
    }
    return result;
}

TableText read_table(std::istream& file, const std::string& path) {
    TableText table;
    std::string line;
    std::int64_t number = 0;
    while (std::getline(file, line)) {
        ++number;
        if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
        if (trimmed(line).empty()) continue;
        const std::vector<std::string> row = cells(line);
        if (table.names.empty()) {
            table.names = row;
            continue;
        }
        if (row.size() != table.names.size())
            throw InvalidInput(fmt::format("{}:{}: {} cells, but the first line has {} names", path, number, row.size(),
                                           table.names.size()));
        for (std::size_t k = 0; k < row.size(); ++k)
            table.values.push_back(parse_number(fmt::format("{}:{}: {}", path, number, table.names[k]), row[k]));
    }
    if (file.bad()) throw InvalidInput(fmt::format("the table '{}' cannot be read: {}", path, std::strerror(errno)));
    if (table.names.empty())
        throw InvalidInput(fmt::format("the table '{}' is empty: its first line names what varies", path));
    return table;
}

TableText read_table(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw InvalidInput(fmt::format("the table '{}' cannot be read: {}", path, std::strerror(errno)));
    return read_table(file, path);
}

std::vector<double> column(const std::string& path, const std::string& name) {
    const TableText table = read_table(path);
    const auto found = std::ranges::find(table.names, name);
    if (found == table.names.end()) {
        const auto meant = nearest(name, std::vector<std::string_view>(table.names.begin(), table.names.end()));
        throw InvalidInput(fmt::format("the table '{}' has no column '{}'{}", path, name,
                                       meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
    }
    std::vector<double> values;
    for (auto k = static_cast<std::size_t>(found - table.names.begin()); k < table.values.size();
         k += table.names.size())
        values.push_back(table.values[k]);
    return values;
}

} // namespace

Vary read_vary(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string name(trimmed(text.substr(0, equals)));
    if (equals == std::string_view::npos || name.empty())
        throw InvalidInput(fmt::format("--vary says what varies, as in --vary g=1..20:100, but found '{}'", text));
    const std::string what = fmt::format("--vary {}", name);
    const std::string_view value = trimmed(text.substr(equals + 1));
    const auto checked = [](Vary v) {
        ensemble::check(v);
        return v;
    };
    if (value.starts_with('[') && value.ends_with(']')) {
        const std::string_view list = trimmed(value.substr(1, value.size() - 2));
        return checked(Vary::list(name, list.empty() ? std::vector<double>{} : numbers(what, list)));
    }
    if (auto random = read_random(what, name, value)) return checked(std::move(*random));
    const std::size_t colon = value.rfind(':');
    if (colon != std::string_view::npos) {
        const std::string_view range = trimmed(value.substr(0, colon)), rest = trimmed(value.substr(colon + 1));
        if (const auto log = inside(range, "log")) {
            const auto [a, b] = ends(what, *log);
            return checked(Vary::logarithmic(name, a, b, whole(what, rest)));
        }
        if (range.ends_with(".csv")) return checked(Vary::list(name, column(std::string(range), std::string(rest))));
        if (range.find("..") != std::string_view::npos) {
            const auto [a, b] = ends(what, range);
            return checked(Vary::linear(name, a, b, whole(what, rest)));
        }
    }
    throw InvalidInput(fmt::format("{} needs {}, but found '{}'", what, forms, value));
}

std::vector<Reduction> read_reductions(std::string_view text) {
    using Kind = Reduction::Kind;
    constexpr std::pair<std::string_view, Kind> words[] = {
        {"mean", Kind::mean}, {"std", Kind::deviation}, {"min", Kind::least}, {"max", Kind::greatest}};
    std::vector<Reduction> result;
    for (const std::string_view part : split_at_commas(text)) {
        const auto word = std::ranges::find(words, part, &std::pair<std::string_view, Kind>::first);
        if (word != std::end(words)) {
            result.push_back({.kind = word->second});
        } else if (const auto levels = inside(part, "quantile")) {
            Reduction r{.kind = Kind::quantile, .levels = numbers("--reduce quantile", *levels)};
            for (const double p : r.levels)
                if (!(p >= 0 && p <= 1))
                    throw InvalidInput(fmt::format("--reduce quantile needs levels between 0 and 1, but found {}", p));
            result.push_back(std::move(r));
        } else if (const auto arguments = inside(part, "histogram")) {
            const std::vector<std::string_view> parts = split_at_commas(*arguments);
            if (parts.size() != 3)
                throw InvalidInput(fmt::format(
                    "--reduce histogram needs a name, a range and bins, as in histogram(x,-1..1,20), but found '{}'",
                    part));
            const auto [a, b] = ends("--reduce histogram", parts[1]);
            Reduction r{.kind = Kind::histogram,
                        .name = std::string(parts[0]),
                        .from = a,
                        .to = b,
                        .bins = whole("--reduce histogram", parts[2])};
            if (!ensemble::is_possible(r))
                throw InvalidInput(
                    fmt::format("--reduce histogram needs a < b and one to ten million bins, but found '{}'", part));
            result.push_back(std::move(r));
        } else {
            throw InvalidInput(fmt::format(
                "--reduce knows mean, std, min, max, quantile(p,…) and histogram(NAME,a..b,bins), but found '{}'",
                part));
        }
    }
    return result;
}

void ensemble::read_members(std::istream& file, const std::string& path, EnsembleOptions& options) {
    TableText table = read_table(file, path);
    options.table_names = std::move(table.names);
    options.table = std::move(table.values);
}

void read_members(const std::string& path, EnsembleOptions& options) {
    TableText table = read_table(path);
    options.table_names = std::move(table.names);
    options.table = std::move(table.values);
}

} // namespace vessiot
