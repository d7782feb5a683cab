// The text of a model and places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vessiot::lang {

// A piece of a source text: byte offsets, `end` is one past the last byte.
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    friend bool operator==(const Span&, const Span&) = default;
};

// From the begin of the first to the end of the second.
constexpr Span join(Span first, Span last) {
    return {first.begin, last.end};
}

// As an editor shows it: both count from 1, columns count code points (a Greek letter is one column).
struct Position {
    std::size_t line = 1;
    std::size_t column = 1;
};

// A model text with its name, and behind it the texts that it includes, each with its own. Line ends may be LF, CRLF or
// CR; a byte order mark at the start is dropped. Throws InvalidInput for text that cannot be a model: too large, not
// UTF-8, or with NUL bytes.
class Source {
public:
    static constexpr std::size_t max_bytes = std::size_t{64} << 20;

    Source(std::string name, std::string text);

    // Reads a file; the name of the source is the path as given. Throws InvalidInput where it does not exist, is a
    // directory or cannot be read.
    static Source load(const std::filesystem::path& path);

    // Adds the text of another source behind this one; its own spans are moved by the offset that is returned.
    std::uint32_t append(const Source& included);

    const std::string& name() const { return name_; } // of the first text
    const std::string& name_at(std::uint32_t offset) const { return part_at(offset).name; }
    bool is_included(std::uint32_t offset) const { return offset >= first_size_; }
    std::string_view text() const { return text_; }
    std::string_view text(Span span) const { return text().substr(span.begin, span.end - span.begin); }

    // The line is counted in the text that it belongs to.
    Position position(std::uint32_t offset) const;
    // The same with lines counted over all texts, so that no two places share one.
    Position place(std::uint32_t offset) const;
    // "line 5", or "line 5 of motor.ves" where that is not the first text.
    std::string line_text(std::uint32_t offset) const;
    // The bytes of the line at an offset, without its line end.
    Span line_at(std::uint32_t offset) const { return line(line_of(offset)); }
    // The bytes of a line (from 1, over all texts) without its line end.
    Span line(std::size_t number) const;
    std::size_t n_lines() const { return line_starts_.size(); }
    // Where a text begins and ends: that at an offset.
    Span whole_at(std::uint32_t offset) const;

private:
    struct Part {
        std::uint32_t begin;
        std::size_t first_line; // from 1
        std::string name;
    };
    const Part& part_at(std::uint32_t offset) const;
    void count_code_points_of_blocks();
    std::size_t line_of(std::uint32_t offset) const;
    std::size_t code_points_before(std::uint32_t offset) const;

    std::string name_;
    std::string text_;
    std::uint32_t first_size_ = 0;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> line_starts_;
    std::vector<std::uint32_t> code_points_; // before each block of the text: a line may be as long as all of it
};

} // namespace vessiot::lang
