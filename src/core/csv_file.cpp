#include "core/csv_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/text_list.hpp"

namespace vessiot {

namespace {

std::string_view unquoted(std::string_view cell) {
    const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

char separator_of(std::string_view line) {
    for (const char c : {'\t', ';'})
        if (line.find(c) != std::string_view::npos) return c;
    return ',';
}

// digits[.digits][e[+|-]digits], with digits on one side of the point at least.
bool is_decimal(std::string_view text) {
    std::size_t at = 0, n = 0;
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        return at - from;
    };
    n = digits();
    if (at < text.size() && text[at] == '.') {
        ++at;
        n += digits();
    }
    if (n == 0) return false;
    if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) return at == text.size();
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    return digits() > 0 && at == text.size();
}

} // namespace

std::optional<Quad> decimal(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (!is_decimal(text)) return std::nullopt;
    std::string whole(text); // the form that to_quad asks for
    if (whole.front() == '.') whole.insert(0, 1, '0');
    const std::size_t point = whole.find('.');
    if (point != std::string::npos && (point + 1 == whole.size() || whole[point + 1] == 'e' || whole[point + 1] == 'E'))
        whole.erase(point, 1);
    const Quad value = to_quad(whole);
    return is_negative ? -value : value;
}

CsvFile CsvFile::load(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw InvalidInput(fmt::format("'{}' is a folder, not a file", path.string()));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InvalidInput(fmt::format("the file '{}' cannot be read: {}", path.string(), std::strerror(errno)));
    return {path.string(), std::string(std::istreambuf_iterator<char>(file), {})};
}

CsvFile::CsvFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    std::string_view rest = text_;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    for (std::size_t line = 1; !rest.empty(); ++line) {
        const std::size_t end = rest.find('\n');
        add_line(rest.substr(0, end), line);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    if (rows_.empty()) throw InvalidInput(fmt::format("the file '{}' has no numbers", name_));
    has_names_ = std::ranges::any_of(rows_.front().cells, [](std::string_view cell) { return !decimal(cell); });
}

void CsvFile::add_line(std::string_view line, std::size_t number) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#') return;
    if (separator_ == 0) separator_ = separator_of(content);
    Row row{number, line, {}};
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= line.size(); ++k) {
        if (k < line.size() && line[k] == '"') is_quoted = !is_quoted;
        if (k < line.size() && (line[k] != separator_ || is_quoted)) continue;
        row.cells.push_back(unquoted(trimmed(line.substr(begin, k - begin))));
        begin = k + 1;
    }
    if (!rows_.empty() && row.cells.size() != rows_.front().cells.size())
        throw InvalidInput(fmt::format("{}:{}: {}, but the first line has {}", name_, number,
                                       plural(row.cells.size(), "cell"), rows_.front().cells.size()));
    rows_.push_back(std::move(row));
}

std::vector<std::string_view> CsvFile::names() const {
    return has_names_ ? rows_.front().cells : std::vector<std::string_view>();
}

std::size_t CsvFile::column(std::string_view name) const {
    const std::vector<std::string_view> all = names();
    if (const auto found = std::ranges::find(all, name); found != all.end())
        return static_cast<std::size_t>(found - all.begin());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    if (is_number && number >= 1 && number <= n_columns()) return number - 1;
    if (is_number)
        throw InvalidInput(
            fmt::format("'{}' has {}: there is no column {}", name_, plural(n_columns(), "column"), number));
    if (all.empty())
        throw InvalidInput(fmt::format("'{}' has no names of columns in its first line: give a number from 1 to {}",
                                       name_, n_columns()));
    const auto meant = nearest(name, all);
    throw InvalidInput(fmt::format("'{}' has no column '{}'{} It has: {}", name_, name,
                                   meant ? fmt::format("; did you mean '{}'?", *meant) : ".", fmt::join(all, ", ")));
}

std::vector<Quad> CsvFile::numbers(std::size_t column) const {
    std::vector<Quad> result;
    result.reserve(rows_.size());
    for (std::size_t row = row_of(0); row < rows_.size(); ++row) result.push_back(number(row, column));
    return result;
}

Quad CsvFile::number(std::size_t row, std::size_t column) const {
    const std::string_view cell = rows_[row].cells[column];
    const auto value = decimal(cell);
    if (!value)
        throw InvalidInput(fmt::format("{}: a number is needed, but {}", place(row, column),
                                       cell.empty() ? "the cell is empty" : fmt::format("this is '{}'", cell)));
    if (!std::isfinite(static_cast<double>(*value)))
        throw InvalidInput(fmt::format("{}: the number {} is too large", place(row, column), cell));
    return *value;
}

std::string CsvFile::place(std::size_t row, std::size_t column) const {
    const Row& r = rows_[row];
    return fmt::format("{}:{}:{}", name_, r.line, r.cells[column].data() - r.text.data() + 1);
}

} // namespace vessiot
