#include "lang/syntax/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace vessiot::lang {

namespace {

constexpr std::size_t block_bytes = 256; // whose code points are counted once
constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

[[noreturn]] void fail_for_size(const std::string& name) {
    throw InvalidInput(fmt::format("{} is larger than {} MiB, the most that a model may have. Is it a model?", name,
                                   Source::max_bytes >> 20));
}

} // namespace

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    if (text_.size() > max_bytes) fail_for_size(name_);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
        throw InvalidInput(fmt::format("{} is UTF-16 text. Save it as UTF-8.", name_));
    }
    if (text_.starts_with(utf8_mark)) text_.erase(0, utf8_mark.size());
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
        const bool is_crlf = text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
        if ((text_[i] == '\n' || text_[i] == '\r') && !is_crlf)
            line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
    if (const auto nul = text_.find('\0'); nul != std::string::npos) {
        throw InvalidInput(fmt::format("{} is not a text file: line {} has a NUL byte.", name_,
                                       line_of(static_cast<std::uint32_t>(nul))));
    }
    if (const auto invalid = find_invalid_utf8(text_)) {
        throw InvalidInput(fmt::format("{} is not UTF-8 text: line {} has the byte 0x{:02X}. Save it as UTF-8.", name_,
                                       line_of(static_cast<std::uint32_t>(*invalid)),
                                       static_cast<unsigned char>(text_[*invalid])));
    }
    first_size_ = static_cast<std::uint32_t>(text_.size()) + 1; // what ends this text is said at its end
    parts_.push_back({0, 1, name_});
    count_code_points_of_blocks();
}

void Source::count_code_points_of_blocks() {
    code_points_.assign(1, 0);
    for (std::size_t i = block_bytes; i <= text_.size(); i += block_bytes) {
        const std::string_view block = std::string_view(text_).substr(i - block_bytes, block_bytes);
        code_points_.push_back(code_points_.back() + static_cast<std::uint32_t>(count_code_points(block)));
    }
}

std::uint32_t Source::append(const Source& included) {
    if (text_.size() + included.text_.size() + 2 > max_bytes) fail_for_size(name_ + " with what it includes");
    // a line end that belongs to the first text, and one between the two
    text_ += "\n\n";
    const auto begin = static_cast<std::uint32_t>(text_.size());
    line_starts_.push_back(begin - 1);
    parts_.push_back({begin, line_starts_.size() + 1, included.name_});
    text_ += included.text_;
    for (const std::uint32_t start : included.line_starts_) line_starts_.push_back(begin + start);
    count_code_points_of_blocks();
    return begin;
}

const Source::Part& Source::part_at(std::uint32_t offset) const {
    return *(std::ranges::upper_bound(parts_, offset, {}, &Part::begin) - 1);
}

Span Source::whole_at(std::uint32_t offset) const {
    const auto next = std::ranges::upper_bound(parts_, offset, {}, &Part::begin);
    const auto end = next == parts_.end() ? text_.size() : next->begin - 2;
    return {(next - 1)->begin, static_cast<std::uint32_t>(end)};
}

Source Source::load(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        throw InvalidInput(fmt::format("the file {} does not exist", name));
    }
    if (is_directory(status)) throw InvalidInput(fmt::format("{} is a directory, not a model file", name));
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw InvalidInput(fmt::format("the file {} cannot be read: {}", name, std::strerror(errno)));
    }
    // NOTE: read in pieces up to the limit instead of asking for the size, which a pipe or a device does not have.
    std::string text;
    constexpr std::size_t piece = 1 << 16;
    while (file && text.size() <= max_bytes) {
        const std::size_t size = text.size();
        text.resize(size + piece);
        file.read(text.data() + size, piece);
        text.resize(size + static_cast<std::size_t>(file.gcount()));
    }
    if (file.bad()) throw InvalidInput(fmt::format("the file {} cannot be read: {}", name, std::strerror(errno)));
    return Source(name, std::move(text));
}

std::size_t Source::line_of(std::uint32_t offset) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(line_starts_, offset) - line_starts_.begin());
}

std::size_t Source::code_points_before(std::uint32_t offset) const {
    const std::size_t block = offset / block_bytes;
    return code_points_[block] + count_code_points(text({static_cast<std::uint32_t>(block * block_bytes), offset}));
}

Position Source::place(std::uint32_t offset) const {
    const std::size_t line = line_of(offset);
    return {line, 1 + code_points_before(offset) - code_points_before(line_starts_[line - 1])};
}

Position Source::position(std::uint32_t offset) const {
    Position found = place(offset);
    found.line -= part_at(offset).first_line - 1;
    return found;
}

std::string Source::line_text(std::uint32_t offset) const {
    const std::size_t line = position(offset).line;
    return is_included(offset) ? fmt::format("line {} of {}", line, name_at(offset)) : fmt::format("line {}", line);
}

Span Source::line(std::size_t number) const {
    const std::uint32_t begin = line_starts_[number - 1];
    std::uint32_t end = number < n_lines() ? line_starts_[number] : static_cast<std::uint32_t>(text_.size());
    while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
    return {begin, end};
}

} // namespace vessiot::lang
