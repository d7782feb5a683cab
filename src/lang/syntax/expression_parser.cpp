#include "lang/syntax/expression_parser.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lang/syntax/limits.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

// Counts a level of nesting while it lives.
class ExpressionParser::DepthGuard {
public:
    explicit DepthGuard(ExpressionParser& parser) : depth_(parser.depth_) {
        if (++depth_ > limits::expression_depth) {
            parser.tokens_.fail_here(
                fmt::format("brackets, signs and powers are nested deeper than {} levels, the most that is allowed",
                            limits::expression_depth));
        }
    }
    ~DepthGuard() { --depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    int& depth_;
};

ExprPtr ExpressionParser::parse_expression() {
    const DepthGuard guard(*this);
    return parse_disjunction();
}

ExprPtr ExpressionParser::parse_disjunction() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr first = parse_conjunction();
    if (!tokens_.at(TokenKind::word_or)) return first;
    Logical chain{LogicalOp::disjunction, {first}};
    while (tokens_.accept(TokenKind::word_or)) chain.operands.push_back(parse_conjunction());
    return store_.make(tokens_.span_from(begin), std::move(chain));
}

ExprPtr ExpressionParser::parse_conjunction() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr first = parse_negation();
    if (!tokens_.at(TokenKind::word_and)) return first;
    Logical chain{LogicalOp::conjunction, {first}};
    while (tokens_.accept(TokenKind::word_and)) chain.operands.push_back(parse_negation());
    return store_.make(tokens_.span_from(begin), std::move(chain));
}

ExprPtr ExpressionParser::parse_negation() {
    if (!tokens_.at(TokenKind::word_not)) return parse_comparison();
    const DepthGuard guard(*this);
    const std::uint32_t begin = tokens_.take().span.begin;
    ExprPtr operand = parse_negation();
    return store_.make(tokens_.span_from(begin), Not{operand});
}

namespace {

std::optional<ComparisonOp> comparison_op(TokenKind kind) {
    switch (kind) {
    case TokenKind::less: return ComparisonOp::less;
    case TokenKind::less_equal: return ComparisonOp::less_equal;
    case TokenKind::greater: return ComparisonOp::greater;
    case TokenKind::greater_equal: return ComparisonOp::greater_equal;
    case TokenKind::equal_equal: return ComparisonOp::equal;
    case TokenKind::not_equal: return ComparisonOp::not_equal;
    default: return std::nullopt;
    }
}

} // namespace

ExprPtr ExpressionParser::parse_comparison() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr lhs = parse_sum();
    const auto op = comparison_op(tokens_.current().kind);
    if (!op) return lhs;
    const Span op_span = tokens_.take().span;
    ExprPtr rhs = parse_sum();
    if (comparison_op(tokens_.current().kind)) {
        tokens_.fail_here("comparisons cannot be chained: write a < b and b < c");
    }
    return store_.make(tokens_.span_from(begin), Comparison{*op, lhs, rhs, op_span});
}

ExprPtr ExpressionParser::parse_sum() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr first = parse_product();
    const auto at_operator = [&] { return tokens_.at(TokenKind::plus) || tokens_.at(TokenKind::minus); };
    if (!at_operator()) return first;
    Sum chain{{{'+', first, {}}}};
    while (at_operator()) {
        const Token op = tokens_.take();
        chain.operands.push_back({op.kind == TokenKind::plus ? '+' : '-', parse_product(), op.span});
    }
    return store_.make(tokens_.span_from(begin), std::move(chain));
}

ExprPtr ExpressionParser::parse_product() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr first = parse_sign();
    const auto at_operator = [&] { return tokens_.at(TokenKind::star) || tokens_.at(TokenKind::slash); };
    if (!at_operator()) return first;
    Product chain{{{'*', first, {}}}};
    while (at_operator()) {
        const Token op = tokens_.take();
        chain.operands.push_back({op.kind == TokenKind::star ? '*' : '/', parse_sign(), op.span});
    }
    return store_.make(tokens_.span_from(begin), std::move(chain));
}

// NOTE: a plus sign is accepted, as in `start x = +1`, and leaves no node.
ExprPtr ExpressionParser::parse_sign() {
    if (!tokens_.at(TokenKind::minus) && !tokens_.at(TokenKind::plus)) return parse_power();
    const DepthGuard guard(*this);
    const Token sign = tokens_.take();
    ExprPtr operand = parse_sign();
    if (sign.kind == TokenKind::plus) return operand;
    return store_.make(tokens_.span_from(sign.span.begin), Negate{operand});
}

ExprPtr ExpressionParser::parse_power() {
    const std::uint32_t begin = tokens_.current().span.begin;
    ExprPtr base = parse_postfix();
    if (!tokens_.at(TokenKind::caret)) return base;
    const DepthGuard guard(*this);
    const Span op_span = tokens_.take().span;
    ExprPtr exponent = parse_sign();
    return store_.make(tokens_.span_from(begin), Power{base, exponent, op_span});
}

ExprPtr ExpressionParser::parse_postfix() {
    const Token first = tokens_.current();
    ExprPtr operand = parse_primary();
    if (tokens_.at(TokenKind::open_square) && first.kind != TokenKind::number)
        operand = parse_elements(operand, first.span.begin);
    if (!tokens_.at(TokenKind::primes)) return operand;
    if (first.kind == TokenKind::number) {
        tokens_.fail_here("a prime cannot follow a number; the derivative of a power is written (x^2)'");
    }
    const Span written = tokens_.span_from(first.span.begin);
    const Span primes = tokens_.current().span;
    std::size_t order = 0;
    while (tokens_.at(TokenKind::primes)) {
        const Span run = tokens_.current().span;
        order += run.end - run.begin;
        if (order > static_cast<std::size_t>(limits::derivative_order)) {
            tokens_.fail(run, fmt::format("there are {} primes here; derivatives up to order {} are allowed", order,
                                          limits::derivative_order));
        }
        tokens_.take();
    }
    check_after_primes(written);
    return store_.make(tokens_.span_from(first.span.begin),
                       Prime{operand, static_cast<int>(order), tokens_.span_from(primes.begin)});
}

// An index behind a vector in brackets, or behind a call.
ExprPtr ExpressionParser::parse_elements(ExprPtr operand, std::uint32_t begin) {
    if (as<Indexed>(operand) && operand->span.end == tokens_.previous().span.end)
        tokens_.fail_here("several indices stand in one bracket: write x[i, j] instead of x[i][j]");
    if (tokens_.current().is_first_on_line) return operand;
    std::vector<ExprPtr> indices = parse_indices();
    if (tokens_.at(TokenKind::open_square))
        tokens_.fail_here("several indices stand in one bracket: write [i, j] instead of [i][j]");
    return store_.make(tokens_.span_from(begin), ElementOf{operand, std::move(indices)});
}

ExprPtr ExpressionParser::parse_primary() {
    switch (tokens_.current().kind) {
    case TokenKind::number: return parse_number();
    case TokenKind::name: return parse_name();
    case TokenKind::open_round: return parse_bracketed();
    case TokenKind::open_square: return parse_vector();
    default: fail_missing_operand();
    }
}

ExprPtr ExpressionParser::parse_number() {
    const Token token = tokens_.take();
    const std::string_view text = tokens_.text(token);
    const Quad value = to_quad(text);
    if (value > static_cast<Quad>(std::numeric_limits<double>::max())) {
        tokens_.fail(token.span, "this number is too large; the largest is about 1.8e308");
    }
    return store_.make(token.span, Number{value, store_.intern(text)});
}

Ident ExpressionParser::ident_of(const Token& token) {
    const std::string_view written = tokens_.text(token);
    const bool is_ascii = std::ranges::all_of(written, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return {is_ascii ? store_.intern(written) : store_.intern(normalise_name(written)), token.span};
}

ExprPtr ExpressionParser::parse_name() {
    const Token token = tokens_.current();
    const Ident name = ident_of(token);
    if (find_keyword(name.name)) {
        if (token.is_first_on_line) fail_missing_operand();
        tokens_.fail_here(fmt::format("'{}' is a word of the language and cannot be a name", tokens_.text(token)));
    }
    tokens_.take();
    if (find_builtin_function(name.name)) {
        if (!tokens_.at(TokenKind::open_round)) fail_function_without_brackets(token);
        if (name.name == "sum") return parse_reduction(ReductionKind::sum, token.span);
        if (name.name == "product") return parse_reduction(ReductionKind::product, token.span);
        return parse_call(name);
    }
    if (tokens_.at(TokenKind::open_round) && !tokens_.current().is_first_on_line) return parse_call(name);
    if (tokens_.at(TokenKind::dot)) return parse_member(token, std::string(name.name), {});
    if (tokens_.at(TokenKind::open_square)) {
        std::vector<ExprPtr> indices = parse_indices();
        if (tokens_.at(TokenKind::dot)) {
            std::string path(name.name);
            for (std::size_t k = 0; k < indices.size(); ++k) path += k == 0 ? "[#" : ",#";
            return parse_member(token, path + "]", std::move(indices));
        }
        return store_.make(tokens_.span_from(token.span.begin), Indexed{name, std::move(indices)});
    }
    return store_.make(token.span, Name{name.name});
}

// At the '.' behind a part: a.x, b[1].c.x[2], a.f(x). The name has '#' for each index before its last '.'.
ExprPtr ExpressionParser::parse_member(const Token& first, std::string path, std::vector<ExprPtr> indices) {
    while (tokens_.accept(TokenKind::dot)) {
        path += '.';
        path += ident_of(tokens_.current()).name;
        tokens_.take();
        if (path.size() > static_cast<std::size_t>(limits::name_length))
            tokens_.fail(
                tokens_.span_from(first.span.begin),
                fmt::format("this name has {} characters; at most {} are allowed", path.size(), limits::name_length));
        const Span span = tokens_.span_from(first.span.begin);
        if (tokens_.at(TokenKind::open_round) && !tokens_.current().is_first_on_line) {
            const Ident name{store_.intern(path), span};
            const ExprPtr call = parse_call(name);
            if (indices.empty()) return call;
            // the indices of the part come before the arguments
            Call with = *as<Call>(call);
            with.arguments.insert(with.arguments.begin(), indices.begin(), indices.end());
            return store_.make(call->span, std::move(with));
        }
        if (!tokens_.at(TokenKind::open_square)) continue;
        const std::vector<ExprPtr> more = parse_indices();
        indices.insert(indices.end(), more.begin(), more.end());
        if (!tokens_.at(TokenKind::dot))
            return store_.make(tokens_.span_from(first.span.begin),
                               Indexed{{store_.intern(path), span}, std::move(indices)});
        for (std::size_t k = 0; k < more.size(); ++k) path += k == 0 ? "[#" : ",#";
        path += ']';
    }
    const Span span = tokens_.span_from(first.span.begin);
    const Ident name{store_.intern(path), span};
    if (indices.empty()) return store_.make(span, Name{name.name});
    return store_.make(span, Indexed{name, std::move(indices)});
}

ExprPtr ExpressionParser::parse_call(Ident function) {
    open_brackets_.push_back(tokens_.take());
    std::vector<ExprPtr> arguments;
    if (!tokens_.at(TokenKind::close_round)) arguments = parse_list(TokenKind::close_round);
    close_bracket(TokenKind::close_round);
    return store_.make(tokens_.span_from(function.span.begin), Call{function, std::move(arguments)});
}

ExprPtr ExpressionParser::parse_reduction(ReductionKind kind, Span function) {
    open_brackets_.push_back(tokens_.take());
    if (!tokens_.at(TokenKind::name) || tokens_.peek().kind != TokenKind::equal) {
        fail_if_unclosed();
        tokens_.fail(function, fmt::format("'{0}' needs an index and its range: write {0}(i = 1..n, …)",
                                           tokens_.source().text(function)));
    }
    return parse_reduction_rest(kind, function.begin);
}

// From an index on: `i = lo..hi, rest)`, where the rest begins with another index, a condition or the body.
ExprPtr ExpressionParser::parse_reduction_rest(ReductionKind kind, std::uint32_t begin) {
    const DepthGuard guard(*this);
    const IndexRange range = parse_index_range();
    const auto fail_form = [&] {
        fail_after_expression(fmt::format("after the range comes what is added up: {}(i = 1..n, …)",
                                          kind == ReductionKind::sum ? "sum" : "product"));
    };
    if (!tokens_.accept(TokenKind::comma)) fail_form();
    ExprPtr condition = nullptr;
    ExprPtr body = nullptr;
    if (tokens_.at(TokenKind::name) && tokens_.peek().kind == TokenKind::equal) {
        body = parse_reduction_rest(kind, tokens_.current().span.begin);
    } else {
        body = parse_expression();
        if (tokens_.accept(TokenKind::comma)) {
            condition = body;
            body = parse_expression();
        }
        close_bracket(TokenKind::close_round);
    }
    return store_.make(tokens_.span_from(begin), Reduction{kind, range.index, range.lo, range.hi, condition, body});
}

ExprPtr ExpressionParser::parse_vector() {
    const Token open = tokens_.take();
    open_brackets_.push_back(open);
    std::vector<ExprPtr> elements = parse_list(TokenKind::close_square);
    close_bracket(TokenKind::close_square);
    return store_.make(tokens_.span_from(open.span.begin), Vector{std::move(elements)});
}

ExprPtr ExpressionParser::parse_bracketed() {
    open_brackets_.push_back(tokens_.take());
    ExprPtr inner = parse_expression();
    close_bracket(TokenKind::close_round);
    return inner;
}

std::vector<ExprPtr> ExpressionParser::parse_indices() {
    open_brackets_.push_back(tokens_.take());
    std::vector<ExprPtr> indices = parse_list(TokenKind::close_square);
    close_bracket(TokenKind::close_square);
    return indices;
}

std::vector<IndexRange> ExpressionParser::parse_family_indices() {
    open_brackets_.push_back(tokens_.take());
    std::vector<IndexRange> ranges;
    do {
        if (tokens_.peek().kind != TokenKind::equal) {
            fail_if_unclosed();
            tokens_.fail_here("a family has an index with its range: write let v[i = 1..n] = …");
        }
        ranges.push_back(parse_index_range());
    } while (tokens_.accept(TokenKind::comma));
    close_bracket(TokenKind::close_square);
    return ranges;
}

std::vector<ExprPtr> ExpressionParser::parse_list(TokenKind close) {
    std::vector<ExprPtr> list;
    do {
        list.push_back(parse_expression());
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.at(close)) fail_after_expression("a ',' or the closing bracket is missing here");
    return list;
}

IndexRange ExpressionParser::parse_index_range() {
    const std::uint32_t begin = tokens_.current().span.begin;
    IndexRange range{parse_new_name("an index"), nullptr, nullptr, {}};
    const std::string form = fmt::format("{} = 1..n", tokens_.source().text(range.index.span));
    if (!tokens_.accept(TokenKind::equal)) {
        tokens_.fail_here(fmt::format("an index is given with its range: write {}", form));
    }
    parse_range(range.lo, range.hi, form);
    range.span = tokens_.span_from(begin);
    return range;
}

void ExpressionParser::parse_range(ExprPtr& lo, ExprPtr& hi, std::string_view form) {
    lo = parse_expression();
    if (!tokens_.accept(TokenKind::dots)) {
        const std::string needed = fmt::format("a range has two ends with two dots between them: write {}", form);
        if (tokens_.at_word("to")) tokens_.fail_here(needed);
        fail_after_expression(needed);
    }
    hi = parse_expression();
    if (tokens_.at(TokenKind::dots)) tokens_.fail_here(fmt::format("a range has two ends: write {}", form));
}

Ident ExpressionParser::parse_new_name(std::string_view what) {
    if (!tokens_.at(TokenKind::name)) {
        const bool is_end = tokens_.at_statement_end() || tokens_.current().is_first_on_line;
        const Span place = is_end ? tokens_.previous().span : tokens_.current().span;
        if (tokens_.at(TokenKind::number)) {
            tokens_.fail(place, fmt::format("the name of {} is needed here; a name does not start with a digit", what));
        }
        if (is_end) {
            tokens_.fail(place,
                         fmt::format("the name of {} is missing after '{}'", what, tokens_.source().text(place)));
        }
        tokens_.fail(
            place, fmt::format("the name of {} is needed here instead of '{}'", what, tokens_.text(tokens_.current())));
    }
    const Ident name = ident_of(tokens_.current());
    if (const auto reason = why_reserved(name.name)) {
        tokens_.fail_here(fmt::format("{} and cannot be the name of {}", *reason, what));
    }
    tokens_.take();
    return name;
}

} // namespace vessiot::lang
