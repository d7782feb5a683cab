#include "lang/syntax/token_stream.hpp"

namespace vessiot::lang {

TokenStream::TokenStream(const Source& source, std::uint32_t begin) : source_(source), lexer_(source, begin) {
    current_ = lexer_.next();
    next_ = lexer_.next();
    report_invalid();
}

void TokenStream::report_invalid() const {
    if (at(TokenKind::invalid)) fail_here(lexer_.error_message());
}

bool TokenStream::at_word(std::string_view word) const {
    return at(TokenKind::name) && text(current_) == word;
}

std::string TokenStream::quote(Span span) const {
    constexpr std::size_t longest = 40;
    const std::string_view whole = source_.text(span);
    std::size_t end = std::min(whole.find_first_of("\r\n"), whole.size());
    if (end <= longest) return std::string(whole.substr(0, end)) + (end < whole.size() ? " …" : "");
    end = longest;
    while (end > 0 && (static_cast<unsigned char>(whole[end]) & 0xC0) == 0x80) --end; // not within a code point
    return std::string(whole.substr(0, end)) + "…";
}

Token TokenStream::take() {
    previous_ = current_;
    current_ = next_;
    next_ = lexer_.next();
    report_invalid();
    return previous_;
}

bool TokenStream::accept(TokenKind kind) {
    if (!at(kind)) return false;
    take();
    return true;
}

void TokenStream::take_until(std::uint32_t offset) {
    previous_ = current_;
    previous_.span.end = offset;
    if (next_.span.begin < offset) {
        lexer_.seek(offset);
        next_ = lexer_.next();
    }
    current_ = next_;
    next_ = lexer_.next();
    report_invalid();
}

} // namespace vessiot::lang
