// Numbers from a CSV file.
//
// Cells are separated by commas, or by tabs or semicolons where the first line has these; blank lines and lines that
// begin with '#' are skipped; a cell may stand in quotes. The first line holds names where one of its cells is no
// number.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quad.hpp"

namespace vessiot {

class CsvFile {
public:
    // Throws InvalidInput where it cannot be read or has no cells.
    static CsvFile load(const std::filesystem::path& path);
    // Of a text, with the name that messages show.
    CsvFile(std::string name, std::string text);
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    std::size_t n_rows() const { return rows_.size(); } // that of the names included
    std::size_t n_columns() const { return rows_.front().cells.size(); }
    bool has_names() const { return has_names_; }
    std::vector<std::string_view> names() const; // empty where there are none

    // The column of this name; one of a number, counted from 1, where it is written as one. Throws InvalidInput.
    std::size_t column(std::string_view name_or_number) const;
    // The numbers of a column, below its name. Throws InvalidInput with file, line and column.
    std::vector<Quad> numbers(std::size_t column) const;
    // One cell as a number, and where it stands: "wind.csv:3:7".
    Quad number(std::size_t row, std::size_t column) const;
    std::string place(std::size_t row, std::size_t column) const;
    // The row of the k-th number of a column.
    std::size_t row_of(std::size_t k) const { return k + (has_names_ ? 1 : 0); }

private:
    struct Row {
        std::size_t line;
        std::string_view text;
        std::vector<std::string_view> cells;
    };
    void add_line(std::string_view line, std::size_t number);

    std::string name_, text_;
    char separator_ = 0;
    bool has_names_ = false;
    std::vector<Row> rows_;
};

// Of a decimal number with an optional sign; none where the text is something else.
std::optional<Quad> decimal(std::string_view text);

} // namespace vessiot
