// The mistakes that people make in statements, each with a message in the words of the model.
#include <algorithm>
#include <array>
#include <ranges>
#include <string>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/statement_parser.hpp"

namespace vessiot::lang {

namespace {

// What other programs call it.
struct Synonym {
    std::string_view word;
    std::string_view keyword;
};

constexpr std::array synonyms{
    Synonym{"param", "parameter"},    Synonym{"params", "parameter"}, Synonym{"const", "parameter"},
    Synonym{"constant", "parameter"}, Synonym{"var", "unknown"},      Synonym{"variable", "unknown"},
    Synonym{"variables", "unknown"},  Synonym{"state", "unknown"},    Synonym{"states", "unknown"},
    Synonym{"init", "start"},         Synonym{"initial", "start"},    Synonym{"define", "let"},
    Synonym{"def", "function"},       Synonym{"func", "function"},    Synonym{"set", "parameter"},
    Synonym{"assert", "invariant"},   Synonym{"options", "option"},   Synonym{"print", "output"},
    Synonym{"plot", "output"},        Synonym{"integrate", "solve"},  Synonym{"time", "independent"},
};

// Statements of other languages, and what to write.
struct Habit {
    std::string_view word;
    std::string_view advice;
};

constexpr std::array habits{
    Habit{"import", "another text is read with include \"parts/motor.ves\""},
    Habit{"using", "another text is read with include \"parts/motor.ves\""},
    Habit{"when", "what happens at a time or a crossing is an event: event hit: x = 0 falling then x' = -0.9*x'"},
    Habit{"model", "a file is a model, without a word for it; what is used several times is a component: component "
                   "Link(l = 1): and an indented block"},
    Habit{"block", "what is used several times is a component: component Link(l = 1): and an indented block"},
    Habit{"class", "what is used several times is a component: component Link(l = 1): and an indented block"},
    Habit{"equation", "an equation is written as it is, on a line of its own"},
    Habit{"equations", "an equation is written as it is, on a line of its own"},
    Habit{"der", "a derivative is written with a prime: x' = …"},
    Habit{"Real", "an unknown is declared with unknown x, a number with parameter m = 1"},
    Habit{"if", "a choice is made inside of an expression: x' = if(x > 0, a, b)"},
    Habit{"return", "a function is one expression: function f(a) = …"},
};

} // namespace

// Before the rest of a keyword statement is read: the place it stands at, and whether anything follows.
void StatementParser::check_keyword(const Keyword& keyword) {
    switch (tokens_.peek().kind) {
    case TokenKind::equal:
    case TokenKind::equal_equal:
    case TokenKind::primes:
    case TokenKind::caret:
    case TokenKind::star:
    case TokenKind::slash:
        tokens_.fail_here(fmt::format("'{}' is a word of the language and cannot be a name", keyword.word));
    case TokenKind::newline:
    case TokenKind::end:
        tokens_.fail_here(fmt::format("something is missing after '{}', as in: {}", keyword.word, keyword.example));
    default: break;
    }
    if (loop_depth_ == 0 || keyword.is_allowed_in_loop) return;
    if (keyword.id == KeywordId::let) {
        tokens_.fail_here("'let' cannot stand in a loop; a family of names is written let v[i = 1..n] = …");
    }
    tokens_.fail_here(fmt::format("'{}' cannot stand in a loop; put it on a line of its own outside", keyword.word));
}

void StatementParser::check_no_comparison(ExprPtr expr, std::string_view what) {
    const Comparison* comparison = as<Comparison>(expr);
    if (!comparison) return;
    tokens_.fail(comparison->op_span, fmt::format("{} written with one '=', not with '{}'", what,
                                                  tokens_.source().text(comparison->op_span)));
}

// After the name in a declaration, where only ',' or the end of the line is right.
void StatementParser::fail_declaration(std::string_view keyword, const Token& name) {
    const Token token = tokens_.current();
    const std::string_view text = tokens_.text(name);
    if (line_end_comma_) {
        tokens_.fail(*line_end_comma_, "this ',' at the end of the line makes the next line a part of the statement");
    }
    const bool is_unknown = keyword == "unknown";
    switch (token.kind) {
    case TokenKind::name:
        tokens_.fail(join(name.span, token.span),
                     fmt::format("a ',' is missing between '{}' and '{}'", text, tokens_.text(token)));
    case TokenKind::number:
        if (is_unknown) break;
        tokens_.fail(join(name.span, token.span),
                     fmt::format("a value is given with '=': write {} {} = {}", keyword, text, tokens_.text(token)));
    case TokenKind::equal:
        tokens_.fail_here(fmt::format("an unknown has no value here; its start value is given by: start {} = …", text));
    case TokenKind::primes:
    case TokenKind::open_round:
        tokens_.fail(join(name.span, token.span), fmt::format("only the name is declared: write {} {}", keyword, text));
    default: break;
    }
    tokens_.fail_here(fmt::format("'{}' does not belong in the declaration of '{}'", tokens_.text(token), text));
}

// A line that starts with a word close to a keyword and goes on as no equation can.
void StatementParser::fail_if_misspelled_keyword(const Token& first) {
    if (first.kind != TokenKind::name) return;
    const std::string_view word = tokens_.text(first);
    if (const auto known = std::ranges::find(habits, word, &Habit::word); known != habits.end())
        tokens_.fail(first.span, fmt::format("'{}' begins no statement: {}", word, known->advice));
    if (const auto known = std::ranges::find(synonyms, word, &Synonym::word); known != synonyms.end()) {
        tokens_.fail(first.span, fmt::format("'{}' begins no statement; did you mean '{}'?", word, known->keyword));
    }
    if (const auto meant = nearest(word, keywords() | std::views::transform(&Keyword::word))) {
        tokens_.fail(first.span, fmt::format("'{}' begins no statement; did you mean '{}'?", word, *meant));
    }
}

// An expression stands where an equation had to, and no '=' follows.
void StatementParser::fail_no_equation(const Token& first, ExprPtr lhs) {
    if (!tokens_.at_statement_end() && as<Name>(lhs)) {
        const TokenKind kind = tokens_.current().kind;
        const bool is_word_before = kind == TokenKind::name || kind == TokenKind::number || kind == TokenKind::colon ||
                                    kind == TokenKind::comma || kind == TokenKind::text;
        if (is_word_before) fail_if_misspelled_keyword(first);
    }
    check_no_comparison(lhs, "an equation is");
    const std::string message = "this line is not an equation: it has no '='";
    if (tokens_.at(TokenKind::comma)) {
        tokens_.fail_here("this ',' does not belong here: each equation has a line of its own");
    }
    if (tokens_.at(TokenKind::colon)) {
        tokens_.fail_here("this ':' does not belong here: only 'for', 'event', 'contact' and 'hamiltonian' have one");
    }
    if (!tokens_.at_statement_end()) expressions_.fail_after_expression(message);
    if (tokens_.text(first) == "end" && as<Name>(lhs)) {
        tokens_.fail(first.span, "a block ends where its indentation ends: leave 'end' out");
    }
    if (!as<Name>(lhs)) fail_if_misspelled_keyword(first);
    tokens_.fail(tokens_.span_from(first.span.begin), message + "; write … = 0 if that is meant");
}

} // namespace vessiot::lang
