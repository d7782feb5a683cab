// The mistakes that people make in expressions, each with a message in the words of the model.
#include <string>

#include <fmt/format.h>

#include "lang/syntax/expression_parser.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

namespace {

bool is_closing(TokenKind kind) {
    return kind == TokenKind::close_round || kind == TokenKind::close_square;
}

bool starts_operand(TokenKind kind) {
    return kind == TokenKind::name || kind == TokenKind::number || kind == TokenKind::open_round ||
           kind == TokenKind::open_square;
}

bool is_comparison(TokenKind kind) {
    return kind >= TokenKind::equal_equal && kind <= TokenKind::greater_equal;
}

constexpr std::size_t longest_quote = 24; // characters of the model that a message repeats at most

} // namespace

// Takes the closing bracket of the innermost open one.
void ExpressionParser::close_bracket(TokenKind close) {
    if (!tokens_.at(close)) fail_after_expression("the closing bracket is missing here");
    tokens_.take();
    open_brackets_.pop_back();
}

void ExpressionParser::fail_unclosed() {
    const Token open = open_brackets_.back();
    tokens_.fail(open.span, fmt::format("this '{}' is never closed", tokens_.text(open)));
}

// The line ended, or a new one begins with what cannot go on: the bracket has no end.
void ExpressionParser::fail_if_unclosed() {
    if (open_brackets_.empty()) return;
    if (tokens_.at_statement_end() || tokens_.current().is_first_on_line) fail_unclosed();
}

// Whether a closing bracket follows before the line ends.
bool ExpressionParser::is_bracket_closed_on_this_line() const {
    const Source& source = tokens_.source();
    const std::uint32_t begin = tokens_.current().span.begin;
    const std::uint32_t end = source.line_at(begin).end;
    const std::string_view rest = source.text({begin, end});
    return rest.substr(0, rest.find('#')).find_first_of(")]") != std::string_view::npos;
}

void ExpressionParser::fail_after_expression(const std::string& needed) {
    fail_if_unclosed();
    const Token token = tokens_.current();
    const Token last = tokens_.previous();
    const std::string_view text = tokens_.text(token);
    if (tokens_.at_statement_end()) tokens_.fail(last.span, needed);
    if (starts_operand(token.kind)) {
        const auto is_simple = [](TokenKind kind) { return kind == TokenKind::name || kind == TokenKind::number; };
        if (is_simple(last.kind) && is_simple(token.kind)) {
            tokens_.fail(join(last.span, token.span),
                         fmt::format("an operator is missing between '{0}' and '{1}'; for a product write {0}*{1}{2}",
                                     tokens_.text(last), text,
                                     tokens_.peek().kind == TokenKind::open_round ? "(…)" : ""));
        }
        tokens_.fail(token.span, fmt::format("an operator is missing before '{}'; for a product write '*'", text));
    }
    if (is_closing(token.kind)) {
        if (open_brackets_.empty()) tokens_.fail_here(fmt::format("this '{}' closes nothing", text));
        const Token open = open_brackets_.back();
        const bool is_round = open.kind == TokenKind::open_round;
        if (is_round != (token.kind == TokenKind::close_round)) {
            tokens_.fail_here(fmt::format("this '{}' does not fit the '{}' in column {}: write '{}'", text,
                                          tokens_.text(open), tokens_.source().position(open.span.begin).column,
                                          is_round ? ')' : ']'));
        }
    }
    if (token.kind == TokenKind::equal && !open_brackets_.empty()) {
        if (!is_bracket_closed_on_this_line()) fail_unclosed();
        tokens_.fail_here("'=' cannot stand inside of brackets; to compare write '=='");
    }
    if (token.kind == TokenKind::dots) {
        tokens_.fail_here(
            "a range a..b stands only in 'for', 'sum', 'product', a family 'let v[i = 1..n]' and 'solve'");
    }
    if (token.kind == TokenKind::primes) tokens_.fail_here("a prime follows a name or a closing bracket, as in x'");
    if (is_comparison(token.kind)) {
        tokens_.fail_here(fmt::format("a comparison with '{}' stands only in conditions", text));
    }
    tokens_.fail_here(needed);
}

// After the primes of x': an index or an argument list.
void ExpressionParser::check_after_primes(Span operand) {
    const std::string_view written = tokens_.source().text(operand);
    const std::string_view primes = tokens_.text(tokens_.previous());
    const bool is_short = written.size() <= longest_quote && primes.size() <= 3;
    const std::string_view name = is_short ? written : "x";
    const std::string_view order = is_short ? primes : "'";
    if (tokens_.at(TokenKind::open_square)) {
        // The index is repeated in the advice where it is short and simple.
        const std::uint32_t begin = tokens_.current().span.begin;
        const std::string_view rest = tokens_.source().text().substr(begin, longest_quote);
        const std::size_t close = rest.find_first_of("])\r\n");
        const bool is_simple = close != std::string_view::npos && rest[close] == ']';
        const std::string_view index = is_simple ? rest.substr(0, close + 1) : "[…]";
        tokens_.fail({operand.begin, begin + static_cast<std::uint32_t>(is_simple ? index.size() : 1)},
                     fmt::format("the index comes before the prime: write {}{}{}", name, index, order));
    }
    if (tokens_.at(TokenKind::open_round) && !tokens_.current().is_first_on_line) {
        tokens_.fail(tokens_.span_from(operand.begin),
                     fmt::format("{0}{1} is written without an argument; for a product write {0}{1}*(…)", name, order));
    }
}

// An operand had to begin at the current token.
void ExpressionParser::fail_missing_operand() {
    const Token token = tokens_.current();
    const Token last = tokens_.previous();
    const std::string_view text = tokens_.text(token);
    const bool is_next_line = tokens_.at_statement_end() || token.is_first_on_line;
    if (is_next_line && !open_brackets_.empty()) fail_unclosed();
    if (is_next_line && last.span.end > 0) {
        tokens_.fail(last.span,
                     fmt::format("the line is not finished: something is missing after '{}'", tokens_.text(last)));
    }
    if (is_closing(token.kind)) {
        if (open_brackets_.empty()) tokens_.fail_here(fmt::format("this '{}' closes nothing", text));
        const Token open = open_brackets_.back();
        if (open.span == last.span) {
            tokens_.fail(join(open.span, token.span), "there is nothing between these brackets");
        }
    }
    if (token.kind == TokenKind::primes) tokens_.fail_here("a prime follows a name or a closing bracket, as in x'");
    if (token.kind == TokenKind::word_not) tokens_.fail_here("'not' stands only before a condition");
    tokens_.fail_here(fmt::format("something is missing before '{}'", text));
}

// `sin x`, `sin^2(x)`, `sin` alone
void ExpressionParser::fail_function_without_brackets(const Token& function) {
    const std::string_view name = tokens_.text(function);
    const Token token = tokens_.current();
    const bool is_same_line = !tokens_.at_statement_end() && !token.is_first_on_line;
    if (is_same_line && token.kind == TokenKind::caret) {
        tokens_.fail(function.span, fmt::format("'{0}' is a function: write {0}(x)^2 instead of {0}^2(x)", name));
    }
    const bool is_argument = is_same_line && (token.kind == TokenKind::name || token.kind == TokenKind::number);
    if (is_argument && token.span.end - token.span.begin <= longest_quote) {
        tokens_.fail(join(function.span, token.span),
                     fmt::format("'{0}' is a function and needs brackets: write {0}({1})", name, tokens_.text(token)));
    }
    tokens_.fail(function.span, fmt::format("'{0}' is a function and needs brackets: write {0}(…)", name));
}

} // namespace vessiot::lang
