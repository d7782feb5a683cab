#include "lang/syntax/lexer.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/utf8.hpp"
#include "lang/syntax/limits.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// After one of these at the end of a line the statement is not complete.
bool asks_for_more(TokenKind kind) {
    return (kind >= TokenKind::plus && kind <= TokenKind::comma) || kind == TokenKind::dots ||
           kind >= TokenKind::word_and;
}

// What to write instead of a character that comes from typesetting or from another language.
std::string_view replacement_advice(char32_t c) {
    switch (c) {
    case 0x2212:
    case 0x2013:
    case 0x2014:
    case 0x2010:
    case 0x2011: return "write '-'";
    case 0x00B7:
    case 0x00D7:
    case 0x22C5:
    case 0x2217:
    case 0x2219: return "write '*'";
    case 0x00F7:
    case 0x2044:
    case 0x2215: return "write '/'";
    case 0x2018:
    case 0x2019:
    case 0x2032:
    case 0x00B4:
    case 0x02B9:
    case 0x02BC: return "write a prime as '";
    case 0x2033: return "write two primes as ''";
    case 0x2034: return "write three primes as '''";
    case 0x00B2: return "write ^2";
    case 0x00B3: return "write ^3";
    case 0x2264: return "write <=";
    case 0x2265: return "write >=";
    case 0x2260: return "write !=";
    case 0x2026: return "a range is written with two dots: 1..n";
    case 0x221A: return "write sqrt(…)";
    case 0x2211: return "write sum(i = 1..n, …)";
    case 0x220F: return "write product(i = 1..n, …)";
    case 0x2202: return "a partial derivative is diff(E, x)";
    case 0x00A0:
    case 0x2007:
    case 0x2009:
    case 0x202F:
    case 0x3000: return "write an ordinary space";
    case 0x0307:
    case 0x0308:
    case 0x1E8B:
    case 0x1E8D:
    case 0x1E8F:
    case 0x017C:
    case 0x1E61: return "a derivative is written with primes: x'";
    case 0x201C:
    case 0x201D: return "write '\"'";
    case '{':
    case '}': return "write ( ) to group and [ ] for vectors";
    case '&': return "write 'and'";
    case '|': return "write 'or', or abs(x) for an absolute value";
    case '!': return "write 'not'";
    case '?': return "a choice is written if(condition, a, b)";
    case '%': return "a comment starts with '#', a remainder is mod(a, b)";
    case '\\': return "a statement goes on by itself inside of brackets and after an operator at the end of a line";
    default: return {};
    }
}

} // namespace

Token Lexer::make(TokenKind kind, std::size_t end) {
    const Token token{kind, is_first_on_line_, line_indent_, {at_, static_cast<std::uint32_t>(end)}};
    at_ = token.span.end;
    is_first_on_line_ = false;
    return token;
}

Token Lexer::invalid(std::size_t end, std::string message) {
    error_message_ = std::move(message);
    return make(TokenKind::invalid, end);
}

std::size_t Lexer::word_end(std::size_t offset) const {
    std::size_t i = offset;
    while (i < text_.size()) {
        const char c = text_[i];
        if (is_letter(c) || (is_digit(c) && i > offset)) {
            ++i;
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x80) break;
        const auto point = decode_utf8(text_, i);
        if (!point || greek_letter_name(point->value).empty()) break;
        i += point->length;
    }
    return i;
}

std::size_t Lexer::digits_end(std::size_t offset) const {
    while (is_digit(char_at(offset))) ++offset;
    return offset;
}

// From a line end: the start of the next line that holds more than blanks and a comment, or the end of the text.
std::uint32_t Lexer::next_content_line() const {
    std::size_t line = at_;
    for (std::size_t i = at_;;) {
        while (is_blank(char_at(i))) ++i;
        if (char_at(i) == '#') {
            while (i < text_.size() && !is_line_end(text_[i])) ++i;
        }
        if (i >= text_.size()) return static_cast<std::uint32_t>(text_.size());
        if (!is_line_end(text_[i])) return static_cast<std::uint32_t>(line);
        line = ++i;
    }
}

bool Lexer::starts_with_operator(std::size_t offset) const {
    switch (char_at(offset)) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '^':
    case '=':
    case '<':
    case '>':
    case ',': return true;
    case '!': return char_at(offset + 1) == '=';
    case '.': return char_at(offset + 1) == '.';
    default: break;
    }
    const std::string_view word = text_.substr(offset, word_end(offset) - offset);
    return word == "and" || word == "or" || (is_hamiltonian_ && word == "with");
}

// At a line end outside of brackets: does the statement go on in the next line?
bool Lexer::goes_on_after_line_end() const {
    if (asks_for_more(last_.kind)) return true;
    if (is_hamiltonian_ && source_.text(last_.span) == "with") return true;
    // NOTE: the block of a `for` may well start with a minus.
    if (last_.kind == TokenKind::colon) return false;
    const std::uint32_t line = next_content_line();
    std::uint32_t first = line;
    while (char_at(first) == ' ') ++first;
    return first - line > statement_indent_ && starts_with_operator(first);
}

bool Lexer::skip_to_token() {
    for (;;) {
        while (is_blank(char_at(at_))) ++at_;
        if (char_at(at_) == '#') {
            while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
        }
        if (at_ >= text_.size()) return !is_in_statement_;
        if (!is_line_end(text_[at_])) return true;
        if (is_in_statement_ && open_brackets_ == 0 && !goes_on_after_line_end()) return false;
        line_start_ = at_ = next_content_line();
        is_first_on_line_ = true;
    }
}

Token Lexer::next() {
    if (error_message_.empty()) last_ = scan();
    return last_;
}

Token Lexer::scan() {
    if (!skip_to_token()) {
        is_in_statement_ = false;
        open_brackets_ = 0;
        return {TokenKind::newline, false, 0, {at_, at_}};
    }
    if (at_ >= text_.size()) return {TokenKind::end, true, 0, {at_, at_}};
    const std::size_t word = word_end(at_);
    if (is_first_on_line_) {
        line_indent_ = at_ - line_start_;
        if (const auto tab = text_.substr(line_start_, line_indent_).find('\t'); tab != std::string_view::npos) {
            at_ = line_start_ + static_cast<std::uint32_t>(tab);
            return invalid(at_ + 1, "this line is indented with a tab; write spaces instead");
        }
        if (!is_in_statement_) {
            statement_indent_ = line_indent_;
            is_in_statement_ = true;
            is_hamiltonian_ = text_to(word) == "hamiltonian";
        }
    }
    if (word > at_) {
        const std::string_view text = text_to(word);
        if (text == "and") return make(TokenKind::word_and, word);
        if (text == "or") return make(TokenKind::word_or, word);
        if (text == "not") return make(TokenKind::word_not, word);
        if (text.size() > limits::name_length) {
            return invalid(word, fmt::format("this name has {} characters; at most {} are allowed",
                                             count_code_points(text), limits::name_length));
        }
        return make(TokenKind::name, word);
    }
    return is_digit(text_[at_]) ? lex_number() : lex_symbol();
}

Token Lexer::lex_number() {
    std::size_t end = digits_end(at_);
    if (char_at(end) == '_') return invalid(word_end(end), "the digits of a number are written without '_'");
    if (char_at(end) == '.' && is_digit(char_at(end + 1))) {
        end = digits_end(end + 1);
    } else if (char_at(end) == '.' && char_at(end + 1) != '.') {
        return invalid(end + 1, fmt::format("a digit is needed after the decimal point: write {}.0", text_to(end)));
    }
    const auto exponent_end = [&] { // the offset of the letter itself where no exponent follows it
        const std::size_t digits = end + (char_at(end + 1) == '+' || char_at(end + 1) == '-' ? 2 : 1);
        return is_digit(char_at(digits)) ? digits_end(digits) : end;
    };
    const char letter = char_at(end);
    if (letter == 'e' || letter == 'E') {
        const std::size_t number = exponent_end();
        if (number == end && word_end(end) == end + 1) {
            return invalid(end + 1, fmt::format("the exponent of '{0}{1}' has no digits: write {0}e-3 for a power of "
                                                "ten, or {0}*{1} for a product",
                                                text_to(end), letter));
        }
        end = number;
    } else if ((letter == 'd' || letter == 'D') && exponent_end() > end) {
        const std::size_t number = exponent_end();
        return invalid(number, fmt::format("a power of ten is written with 'e': write {}e{}", text_to(end),
                                           text_.substr(end + 1, number - end - 1)));
    }
    if (char_at(end) == '.' && is_digit(char_at(end + 1))) {
        while (is_digit(char_at(end)) || (char_at(end) == '.' && is_digit(char_at(end + 1)))) ++end;
        return invalid(end, fmt::format("'{}' is not a number: it has more than one decimal point", text_to(end)));
    }
    if (end - at_ > limits::number_length) {
        return invalid(end, fmt::format("this number has {} characters; at most {} are allowed", end - at_,
                                        limits::number_length));
    }
    return make(TokenKind::number, end);
}

Token Lexer::lex_symbol() {
    const char c = text_[at_];
    const char second = char_at(at_ + 1);
    switch (c) {
    case '\'': {
        std::size_t end = at_;
        while (char_at(end) == '\'') ++end;
        return make(TokenKind::primes, end);
    }
    case '(': ++open_brackets_; return make(TokenKind::open_round, at_ + 1);
    case '[': ++open_brackets_; return make(TokenKind::open_square, at_ + 1);
    case ')':
        if (open_brackets_ > 0) --open_brackets_;
        return make(TokenKind::close_round, at_ + 1);
    case ']':
        if (open_brackets_ > 0) --open_brackets_;
        return make(TokenKind::close_square, at_ + 1);
    case '+': return make(TokenKind::plus, at_ + 1);
    case '-': return make(TokenKind::minus, at_ + 1);
    case '^': return make(TokenKind::caret, at_ + 1);
    case ',': return make(TokenKind::comma, at_ + 1);
    case '*':
        if (second == '*') return invalid(at_ + 2, "a power is written with '^', not with '**'");
        return make(TokenKind::star, at_ + 1);
    case '/':
        if (second == '/' || second == '*') return invalid(at_ + 2, "a comment starts with '#'");
        return make(TokenKind::slash, at_ + 1);
    case ':':
        if (second == '=') return invalid(at_ + 2, "write '=' instead of ':='");
        return make(TokenKind::colon, at_ + 1);
    case '=':
        if (second == '=') return make(TokenKind::equal_equal, at_ + 2);
        if (second == '>' || second == '<') {
            return invalid(at_ + 2, fmt::format("write '{0}=' instead of '={0}'", second));
        }
        return make(TokenKind::equal, at_ + 1);
    case '<':
        if (second == '>') return invalid(at_ + 2, "write '!=' instead of '<>'");
        return second == '=' ? make(TokenKind::less_equal, at_ + 2) : make(TokenKind::less, at_ + 1);
    case '>': return second == '=' ? make(TokenKind::greater_equal, at_ + 2) : make(TokenKind::greater, at_ + 1);
    case '"': return lex_text();
    case '!':
        if (second == '=') return make(TokenKind::not_equal, at_ + 2);
        return lex_foreign();
    case '.':
        if (second == '.' && char_at(at_ + 2) == '.') {
            return invalid(at_ + 3, "a range is written with two dots: 1..n");
        }
        if (second == '.') return make(TokenKind::dots, at_ + 2);
        // NOTE: .5 is not accepted, since a digit on either side of every point keeps ranges unambiguous.
        if (is_digit(second)) {
            const std::size_t end = digits_end(at_ + 1);
            return invalid(end, fmt::format("a digit is needed before the decimal point: write 0{}", text_to(end)));
        }
        if (at_ > 0 && word_end(at_ + 1) > at_ + 1 && !is_blank(text_[at_ - 1])) return make(TokenKind::dot, at_ + 1);
        return invalid(at_ + 1, "a '.' stands between the digits of a number, or between a part and what it has, as in "
                                "a.x; a range has two: 1..n");
    case ';': {
        if (open_brackets_ > 0)
            return invalid(at_ + 1, "';' separates nothing inside of brackets: a matrix is written by its rows, "
                                    "[[a, b], [c, d]]");
        std::size_t rest = at_ + 1;
        while (is_blank(char_at(rest)) || char_at(rest) == ';') ++rest;
        const bool is_last = rest >= text_.size() || is_line_end(text_[rest]) || text_[rest] == '#';
        return invalid(at_ + 1, is_last ? "a statement ends at the end of its line: leave the ';' out"
                                        : "';' does not separate statements: put the next one on a line of its own");
    }
    default: return lex_foreign();
    }
}

Token Lexer::lex_text() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && !is_line_end(text_[end])) ++end;
    if (char_at(end) != '"') return invalid(end, "the closing '\"' is missing in this line");
    return make(TokenKind::text, end + 1);
}

// A character that has no meaning in a model.
Token Lexer::lex_foreign() {
    const auto point = decode_utf8(text_, at_).value_or(CodePoint{U'?', 1});
    const std::size_t end = at_ + point.length;
    const bool is_visible =
        point.value > 0x20 && (point.value < 0x7F || point.value > 0xA0) && display_width(point.value) > 0;
    const std::string shown = is_visible ? fmt::format("'{}'", text_to(end))
                                         : fmt::format("U+{:04X}", static_cast<std::uint32_t>(point.value));
    if (const std::string_view advice = replacement_advice(point.value); !advice.empty()) {
        return invalid(end, fmt::format("the character {} does not belong in a model; {}", shown, advice));
    }
    if (point.value >= 0x80) {
        return invalid(end, fmt::format("the character {} does not belong in a model; names have ASCII or Greek "
                                        "letters, digits and '_'",
                                        shown));
    }
    return invalid(end, fmt::format("the character {} does not belong in a model", shown));
}

} // namespace vessiot::lang
