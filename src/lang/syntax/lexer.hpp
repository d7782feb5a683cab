// Model text to tokens, one at a time.
//
// Line ends are handled here: a `newline` token ends a statement, and is left out where the statement goes on, that is
// inside of brackets, after a trailing operator, and before a line that is indented deeper than the first line of the
// statement and starts with an operator. Blank lines and comments leave no trace. Blocks are the matter of the parser:
// the first token of a line knows its indentation.
//
// A piece of text that is no token gives an `invalid` token, with its message in `error_message`: the parser
// reports it when it gets there, so that mistakes are found in the order of the text. From there on the lexer repeats
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/syntax/source.hpp"

namespace vessiot::lang {

enum class TokenKind : std::uint8_t {
    end,
    newline,
    invalid,
    name,   // keywords and functions included; `and`, `or`, `not` are tokens of their own
    number, // digits[.digits][e[+|-]digits]
    primes, // one or more
    text,   // in quotes, which are part of it
    dot,    // between the name of a part and what it has
    plus,
    minus,
    star,
    slash,
    caret,
    equal,
    equal_equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    comma,
    colon,
    dots,
    open_round,
    close_round,
    open_square,
    close_square,
    word_and,
    word_or,
    word_not
};

struct Token {
    TokenKind kind = TokenKind::end;
    bool is_first_on_line = false;
    std::uint32_t indent = 0; // spaces before the line; only of the first token of a line
    Span span;
};

class Lexer {
public:
    // Of one of its texts, which begins at an offset.
    explicit Lexer(const Source& source, std::uint32_t begin = 0)
        : source_(source), text_(source.text().substr(0, source.whole_at(begin).end)), at_(begin), line_start_(begin) {}

    Token next();
    // Goes on at a later offset of the same line; what is skipped must not hold a bracket.
    void seek(std::uint32_t offset) { at_ = offset; }

    const std::string& error_message() const { return error_message_; }

private:
    Token scan();
    bool skip_to_token(); // false: the statement ends here
    bool goes_on_after_line_end() const;
    std::uint32_t next_content_line() const;
    bool starts_with_operator(std::size_t offset) const;

    Token lex_number();
    Token lex_text();
    Token lex_symbol();
    Token lex_foreign();
    std::size_t word_end(std::size_t offset) const; // the offset itself where no name begins there
    std::size_t digits_end(std::size_t offset) const;

    char char_at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
    std::string_view text_to(std::size_t end) const { return text_.substr(at_, end - at_); }
    Token make(TokenKind kind, std::size_t end);
    Token invalid(std::size_t end, std::string message);

    const Source& source_;
    std::string_view text_;
    std::uint32_t at_ = 0;
    std::uint32_t line_start_ = 0;
    std::uint32_t line_indent_ = 0;
    std::uint32_t statement_indent_ = 0;
    int open_brackets_ = 0;
    bool is_first_on_line_ = true;
    bool is_in_statement_ = false;
    bool is_hamiltonian_ = false; // `with` may begin or end a line of this statement
    Token last_;
    std::string error_message_;
};

} // namespace vessiot::lang
