// Statements that hold lists or other statements: for, start, guess, hold, initially, option, output.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lang/syntax/limits.hpp"
#include "lang/syntax/statement_parser.hpp"

namespace vessiot::lang {

void StatementParser::parse_for(Statements& out, std::uint32_t line_indent) {
    const Token first = tokens_.take();
    if (tokens_.at(TokenKind::open_round)) tokens_.fail_here("a loop is written without brackets: for i = 1..n:");
    std::vector<IndexRange> ranges;
    do {
        ranges.push_back(expressions_.parse_index_range());
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.at(TokenKind::colon)) {
        const std::string needed =
            fmt::format("the ':' after '{}' is missing", tokens_.quote(tokens_.span_from(first.span.begin)));
        if (tokens_.at(TokenKind::name) || tokens_.at_statement_end()) {
            tokens_.fail(tokens_.span_from(first.span.begin), needed);
        }
        expressions_.fail_after_expression(needed);
    }
    tokens_.take();
    const Span head = tokens_.span_from(first.span.begin);
    loop_depth_ += ranges.size();
    if (loop_depth_ > static_cast<std::size_t>(limits::loop_depth)) {
        tokens_.fail(head, fmt::format("loops are nested {} deep here; at most {} levels are allowed", loop_depth_,
                                       limits::loop_depth));
    }
    Statements body = parse_for_body(head, line_indent);
    loop_depth_ -= ranges.size();
    for (std::size_t i = ranges.size(); i-- > 0;) {
        Statement loop{head, ForStatement{ranges[i], std::move(body)}};
        body.clear();
        body.push_back(std::move(loop));
    }
    out.push_back(std::move(body.front()));
}

// One statement in the same line, or a block that is indented deeper than the line of the loop.
StatementParser::Statements StatementParser::parse_for_body(Span head, std::uint32_t line_indent) {
    Statements body;
    if (!tokens_.at_statement_end()) {
        parse_statement(body, line_indent);
        return body;
    }
    return parse_block(head, line_indent, "loop");
}

StatementParser::Statements StatementParser::parse_block(Span head, std::uint32_t line_indent, std::string_view what) {
    Statements body;
    tokens_.accept(TokenKind::newline);
    const std::uint32_t indent = tokens_.current().indent;
    if (tokens_.at(TokenKind::end) || indent <= line_indent) {
        tokens_.fail(head, fmt::format("this {} has no statements: write them below it, indented", what));
    }
    while (!tokens_.at(TokenKind::end) && tokens_.current().indent > line_indent) {
        check_indent(indent);
        if (tokens_.current().indent < indent) {
            tokens_.fail_here(fmt::format("this line is indented by {}, but the block above it by {} and its '{}' by "
                                          "{}: it must agree with one of them",
                                          tokens_.current().indent, indent, what == "loop" ? "for" : what,
                                          line_indent));
        }
        parse_statement(body, indent);
    }
    return body;
}

Assignment StatementParser::parse_assignment(std::string_view keyword) {
    const std::uint32_t begin = tokens_.current().span.begin;
    const std::string prefix = keyword.empty() ? "" : fmt::format("{} ", keyword);
    const std::string needed =
        fmt::format("a value is given for a name or a derivative of it, as in: {0}x = 1, or {0}x' = 0", prefix);
    Assignment item{parse_target(needed, true), nullptr, {}};
    if (!tokens_.accept(TokenKind::equal)) {
        const std::string target = tokens_.quote(tokens_.span_from(begin));
        const Token token = tokens_.current();
        const bool is_value = tokens_.at(TokenKind::number) || tokens_.at(TokenKind::name);
        if (is_value || tokens_.at(TokenKind::minus) || tokens_.at_statement_end() || tokens_.at(TokenKind::comma)) {
            tokens_.fail(tokens_.at_statement_end() ? tokens_.previous().span : join(Span{begin, begin}, token.span),
                         fmt::format("a value is given with '=': write {}{} = {}", prefix, target,
                                     is_value ? tokens_.text(token) : "…"));
        }
        if (tokens_.at(TokenKind::equal_equal)) {
            tokens_.fail_here(fmt::format("a value is given with one '=': write {}{} = …", prefix, target));
        }
        tokens_.fail(tokens_.span_from(begin), needed);
    }
    item.value = expressions_.parse_expression();
    item.span = tokens_.span_from(begin);
    return item;
}

std::vector<Assignment> StatementParser::parse_assignments(std::string_view keyword) {
    std::vector<Assignment> items;
    do {
        items.push_back(parse_assignment(keyword));
    } while (accept_list_comma());
    return items;
}

std::vector<ExprPtr> StatementParser::parse_names(std::string_view word, std::string_view needed,
                                                  bool is_derivative_allowed) {
    std::vector<ExprPtr> targets;
    do {
        targets.push_back(parse_target(needed, is_derivative_allowed));
        if (tokens_.at(TokenKind::equal)) {
            const std::string_view elsewhere = word == "free"       ? "the first guess is the value of the parameter"
                                               : word == "periodic" ? "values at the end are given by 'end'"
                                                                    : "the values are given by 'start'";
            tokens_.fail_here(fmt::format("'{}' takes names alone; {}", word, elsewhere));
        }
    } while (accept_list_comma());
    return targets;
}

HoldStatement StatementParser::parse_hold() {
    return {parse_names("hold", "names of unknowns are needed, as in: hold x, y", true)};
}

// NOTE: these words are not reserved: one begins a statement where a name follows, which no equation has there.
bool StatementParser::parse_ends(Statements& out) {
    const bool is_end = tokens_.at_word("end"), is_periodic = tokens_.at_word("periodic");
    const bool is_free = tokens_.at_word("free");
    if (!(is_end || is_periodic || is_free) || tokens_.peek().kind != TokenKind::name) return false;
    if (is_free && loop_depth_ > 0)
        tokens_.fail_here("'free' cannot stand in a loop; put it on a line of its own outside");
    tokens_.take();
    const std::uint32_t begin = begin_.span.begin;
    const auto add = [&](auto node) { out.push_back({tokens_.span_from(begin), std::move(node)}); };
    if (is_end) {
        add(EndStatement{parse_assignments("end")});
        finish("this does not belong here; an example: end x = 1, x' = 0");
    } else if (is_periodic) {
        add(PeriodicStatement{parse_names("periodic", "names of unknowns are needed, as in: periodic x, x'", true)});
        finish("this does not belong here; an example: periodic x, x'");
    } else {
        add(FreeStatement{parse_names("free", "names of parameters are needed, as in: free T", false)});
        finish("this does not belong here; an example: free T");
    }
    return true;
}

// NOTE: the word is not reserved: it begins a statement where a name, a number or, after a blank, a bracket follows.
bool StatementParser::parse_initially(Statements& out) {
    if (!tokens_.at_word("initially")) return false;
    const Token& next = tokens_.peek();
    const bool is_bracket = next.kind == TokenKind::open_round && next.span.begin > tokens_.current().span.end;
    if (next.kind != TokenKind::name && next.kind != TokenKind::number && !is_bracket) return false;
    tokens_.take();
    const EquationStatement equation = parse_equation();
    out.push_back({tokens_.span_from(begin_.span.begin), InitiallyStatement{equation.lhs, equation.rhs}});
    finish("this does not belong here; an example: initially x' = 0");
    return true;
}

ExprPtr StatementParser::parse_target(std::string_view needed, bool is_derivative_allowed) {
    const std::uint32_t begin = tokens_.current().span.begin;
    const ExprPtr expr = expressions_.parse_postfix();
    ExprPtr base = expr;
    if (is_derivative_allowed) {
        if (const Prime* prime = as<Prime>(base)) base = prime->operand;
    }
    const Call* call = as<Call>(base);
    const bool is_derivative = is_derivative_allowed && call && call->function.name == "der";
    if (call && !is_derivative) {
        tokens_.fail(tokens_.span_from(begin),
                     fmt::format("a name without arguments is needed here: write {} instead of {}",
                                 tokens_.quote(call->function.span), tokens_.quote(tokens_.span_from(begin))));
    }
    if (!as<Name>(base) && !as<Indexed>(base) && !is_derivative) {
        tokens_.fail(tokens_.span_from(begin), std::string(needed));
    }
    return expr;
}

OptionStatement StatementParser::parse_option() {
    OptionStatement statement;
    do {
        const Token first = tokens_.current();
        if (!tokens_.at(TokenKind::name)) {
            tokens_.fail_here("the name of an option is needed here, as in: option method = dopri54, rtol = 1e-8");
        }
        // NOTE: an option may be called like a word of the language, so no check for reserved names.
        const Ident name{store_.intern(tokens_.text(first)), first.span};
        tokens_.take();
        if (tokens_.at(TokenKind::minus)) {
            tokens_.fail(join(first.span, tokens_.current().span),
                         "the name of an option is written with '_' instead of '-'");
        }
        if (!tokens_.accept(TokenKind::equal)) {
            tokens_.fail(first.span, fmt::format("the value is missing: write option {} = …", tokens_.text(first)));
        }
        OptionValue value = parse_option_value();
        statement.items.push_back({name, std::move(value), tokens_.span_from(first.span.begin)});
    } while (accept_list_comma());
    return statement;
}

// The end of the word (letters, digits, '_', '-') at the current token where nothing else belongs to the value, else
// its begin.
std::uint32_t StatementParser::option_word_end() const {
    const std::string_view text = tokens_.source().text();
    const std::uint32_t begin = tokens_.current().span.begin;
    const auto belongs = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    std::uint32_t end = begin;
    while (end < text.size() && belongs(text[end])) ++end;
    std::uint32_t rest = end;
    while (rest < text.size() && (text[rest] == ' ' || text[rest] == '\t')) ++rest;
    const bool is_whole = rest == text.size() || std::string_view(",]#\r\n").find(text[rest]) != std::string_view::npos;
    const std::string_view word = text.substr(begin, end - begin);
    const bool is_word = is_whole && !word.ends_with('-') && word.find("--") == std::string_view::npos;
    return is_word ? end : begin;
}

OptionValue StatementParser::parse_option_value() {
    if (tokens_.at(TokenKind::open_square)) return parse_option_list();
    const std::uint32_t begin = tokens_.current().span.begin;
    const bool is_word_token = tokens_.at(TokenKind::name) || tokens_.current().kind >= TokenKind::word_and;
    const std::uint32_t end = is_word_token ? option_word_end() : begin;
    OptionValue value{OptionValue::Kind::expression, {}, nullptr, {}, {}};
    if (end > begin) {
        value.kind = OptionValue::Kind::word;
        // `kernel-svd` and `h-k` look alike: what can be an expression is given as one too.
        bool is_expression = true;
        const std::string_view word = tokens_.source().text({begin, end});
        for (std::size_t i = 0; i < word.size();) {
            const std::size_t piece_end = std::min(word.find('-', i), word.size());
            const std::string_view piece = word.substr(i, piece_end - i);
            const bool is_number = piece.find_first_not_of("0123456789") == std::string_view::npos;
            const bool is_name = !(piece[0] >= '0' && piece[0] <= '9') && (piece == "pi" || !why_reserved(piece));
            is_expression = is_expression && (is_number || is_name);
            i = piece_end + 1;
        }
        if (!is_expression) tokens_.take_until(end);
        if (is_expression) value.expr = expressions_.parse_expression();
    } else {
        value.expr = expressions_.parse_expression();
    }
    value.span = tokens_.span_from(begin);
    value.text = store_.intern(tokens_.source().text(value.span));
    return value;
}

OptionValue StatementParser::parse_option_list() {
    const Token open = tokens_.take();
    OptionValue list{OptionValue::Kind::list, {}, nullptr, {}, {}};
    if (++option_depth_ > limits::expression_depth) {
        tokens_.fail(open.span, fmt::format("lists are nested deeper than {} levels, the most that is allowed",
                                            limits::expression_depth));
    }
    if (!tokens_.at(TokenKind::close_square)) {
        do {
            list.items.push_back(parse_option_value());
        } while (tokens_.accept(TokenKind::comma));
    }
    if (!tokens_.at(TokenKind::close_square)) {
        const bool is_next_line = tokens_.at_statement_end() || tokens_.current().is_first_on_line;
        if (is_next_line || tokens_.at(TokenKind::equal)) tokens_.fail(open.span, "this '[' is never closed");
        if (tokens_.at(TokenKind::name)) {
            tokens_.fail_here(fmt::format("a ',' is missing before '{}'", tokens_.text(tokens_.current())));
        }
        expressions_.fail_after_expression("a ',' or the closing bracket is missing here");
    }
    tokens_.take();
    --option_depth_;
    list.span = tokens_.span_from(open.span.begin);
    return list;
}

void StatementParser::parse_output(Statements& out) {
    const std::uint32_t begin = begin_.span.begin;
    const bool is_column = tokens_.at(TokenKind::name) && tokens_.peek().kind == TokenKind::equal;
    if (!is_column && tokens_.at_word("every")) {
        tokens_.take();
        const ExprPtr interval = expressions_.parse_expression();
        out.push_back({tokens_.span_from(begin), OutputEveryStatement{interval}});
        return;
    }
    if (!is_column && tokens_.at_word("at")) {
        tokens_.take();
        OutputAtStatement statement;
        do {
            statement.times.push_back(expressions_.parse_expression());
        } while (accept_list_comma());
        out.push_back({tokens_.span_from(begin), std::move(statement)});
        return;
    }
    if (!is_column && tokens_.at_word("section")) {
        tokens_.take();
        if (!tokens_.at(TokenKind::name))
            tokens_.fail_here("the name of an event is needed here, as in: output section crossing");
        const Ident event = expressions_.parse_new_name("an event");
        out.push_back({tokens_.span_from(begin), OutputSectionStatement{event}});
        return;
    }
    bool is_first = true;
    do {
        if (!tokens_.at(TokenKind::name) || tokens_.peek().kind != TokenKind::equal) {
            tokens_.fail_here("output is written as 'output every 0.05', 'output at 1, 2', 'output section NAME' or "
                              "'output E = …'");
        }
        const std::uint32_t item = is_first ? begin : tokens_.current().span.begin;
        is_first = false;
        const Ident name = expressions_.parse_new_name("an output");
        tokens_.take();
        const ExprPtr value = expressions_.parse_expression();
        out.push_back({tokens_.span_from(item), OutputColumnStatement{name, value}});
    } while (accept_list_comma());
}

} // namespace vessiot::lang
