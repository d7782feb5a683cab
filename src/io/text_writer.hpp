// Numbers and text, many of them, through a buffer to where they go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vessiot::io {

// The shortest text that reads back as the same number: "0.1", "1", "1e-300"; "nan", "inf".
void append_number(std::string& text, double value);

class TextWriter {
public:
    using Sink = std::function<void(std::string_view)>;

    explicit TextWriter(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(2 * flush_size); }

    TextWriter& operator<<(std::string_view text) {
        buffer_ += text;
        if (buffer_.size() >= flush_size) flush();
        return *this;
    }
    void number(double value) {
        append_number(buffer_, value);
        if (buffer_.size() >= flush_size) flush();
    }
    void flush() {
        sink_(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t flush_size = std::size_t{1} << 16;

    Sink sink_;
    std::string buffer_;
};

} // namespace vessiot::io
