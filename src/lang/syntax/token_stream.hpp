// The tokens of a model as the parser sees them: one current, one to peek at, the last one taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/lexer.hpp"

namespace vessiot::lang {

class TokenStream {
public:
    explicit TokenStream(const Source& source, std::uint32_t begin = 0);

    const Source& source() const { return source_; }
    const Token& current() const { return current_; }
    const Token& peek() const { return next_; } // may be invalid: then it is reported once it is current
    const Token& previous() const { return previous_; }

    bool at(TokenKind kind) const { return current_.kind == kind; }
    bool at_word(std::string_view word) const;
    bool at_statement_end() const { return at(TokenKind::newline) || at(TokenKind::end); }

    Token take();
    bool accept(TokenKind kind);
    // Takes everything up to an offset in the current line as one token; it must not hold a bracket.
    void take_until(std::uint32_t offset);

    std::string_view text(const Token& token) const { return source_.text(token.span); }
    // What stands there, for a message: cut where it is long or goes on in the next line.
    std::string quote(Span span) const;
    // From an offset to the end of the last token taken.
    Span span_from(std::uint32_t begin) const { return {begin, std::max(begin, previous_.span.end)}; }

    [[noreturn]] void fail(Span span, const std::string& message) const { lang::fail(source_, span, message); }
    [[noreturn]] void fail_here(const std::string& message) const { fail(current_.span, message); }

private:
    void report_invalid() const;

    const Source& source_;
    Lexer lexer_;
    Token previous_;
    Token current_;
    Token next_;
};

} // namespace vessiot::lang
