// Expressions. The unary minus binds like '+' (-2^2 is -4), '^' does not chain.
#include <charconv>

#include <fmt/format.h>

#include "modelica/syntax/parser.hpp"

namespace vessiot::modelica {

namespace {

constexpr int deepest = 400;

} // namespace

ExpressionParser::Depth::Depth(ExpressionParser& parser) : parser_(parser) {
    if (++parser.depth_ > deepest)
        parser.reader_.fail(parser.reader_.now().span,
                            fmt::format("more than {} expressions stand in each other here", deepest));
}

ExprId ExpressionParser::add(ExprKind kind, Span span, std::uint32_t name, const std::vector<ExprId>& args,
                             std::uint8_t op) {
    const auto first = static_cast<std::uint32_t>(module_.arguments.size());
    module_.arguments.insert(module_.arguments.end(), args.begin(), args.end());
    module_.expressions.push_back({kind, op, name, first, static_cast<std::uint32_t>(args.size()), span});
    return static_cast<ExprId>(module_.expressions.size() - 1);
}

ExprId ExpressionParser::binary(BinaryOp op, ExprId a, ExprId b) {
    return add(ExprKind::binary, lang::join(span_of(a), span_of(b)), 0, {a, b}, static_cast<std::uint8_t>(op));
}

ExprId ExpressionParser::expression() {
    const Depth depth(*this);
    if (reader_.is_word("if")) return choice();
    const ExprId first = logical_expression();
    if (!reader_.skip_symbol(":")) return first;
    const ExprId second = logical_expression();
    if (!reader_.skip_symbol(":"))
        return add(ExprKind::range, lang::join(span_of(first), span_of(second)), 0, {first, second});
    const ExprId third = logical_expression();
    return add(ExprKind::range, lang::join(span_of(first), span_of(third)), 0, {first, second, third});
}

ExprId ExpressionParser::choice() {
    const Span from = reader_.take().span;
    std::vector<ExprId> args{expression()};
    reader_.need_word("then", "after the condition of an if");
    args.push_back(expression());
    while (reader_.skip_word("elseif")) {
        args.push_back(expression());
        reader_.need_word("then", "after the condition of an elseif");
        args.push_back(expression());
    }
    reader_.need_word("else", "in an expression: what holds if no condition does");
    args.push_back(expression());
    return add(ExprKind::choice, lang::join(from, span_of(args.back())), 0, args);
}

ExprId ExpressionParser::logical_expression() {
    ExprId result = logical_term();
    while (reader_.skip_word("or")) result = binary(BinaryOp::either, result, logical_term());
    return result;
}

ExprId ExpressionParser::logical_term() {
    ExprId result = logical_factor();
    while (reader_.skip_word("and")) result = binary(BinaryOp::both, result, logical_factor());
    return result;
}

ExprId ExpressionParser::logical_factor() {
    if (!reader_.is_word("not")) return relation();
    const Depth depth(*this);
    const Span from = reader_.take().span;
    const ExprId operand = logical_factor();
    return add(ExprKind::unary, lang::join(from, span_of(operand)), 0, {operand}, 'n');
}

ExprId ExpressionParser::relation() {
    static constexpr std::pair<std::string_view, BinaryOp> signs[] = {
        {"<", BinaryOp::less},           {"<=", BinaryOp::less_equal}, {">", BinaryOp::greater},
        {">=", BinaryOp::greater_equal}, {"==", BinaryOp::equal},      {"<>", BinaryOp::unequal},
        {"!=", BinaryOp::unequal}};
    const ExprId left = sum();
    if (reader_.now().kind != TokenKind::symbol) return left;
    for (const auto& [sign, op] : signs)
        if (reader_.is_symbol(sign)) {
            if (sign == "!=") module_.is_by_rumoca = true;
            reader_.take();
            return binary(op, left, sum());
        }
    return left;
}

ExprId ExpressionParser::sum() {
    ExprId result = nothing;
    if (reader_.is_symbol("-") || reader_.is_symbol("+") || reader_.is_symbol(".-") || reader_.is_symbol(".+")) {
        const Token sign = reader_.take();
        const ExprId operand = term();
        result = add(ExprKind::unary, lang::join(sign.span, span_of(operand)), 0, {operand},
                     static_cast<std::uint8_t>(sign.text.back()));
    } else {
        result = term();
    }
    while (true) {
        if (reader_.skip_symbol("+"))
            result = binary(BinaryOp::add, result, term());
        else if (reader_.skip_symbol("-"))
            result = binary(BinaryOp::subtract, result, term());
        else if (reader_.skip_symbol(".+"))
            result = binary(BinaryOp::element_add, result, term());
        else if (reader_.skip_symbol(".-"))
            result = binary(BinaryOp::element_subtract, result, term());
        else
            return result;
    }
}

ExprId ExpressionParser::term() {
    ExprId result = factor();
    while (true) {
        if (reader_.skip_symbol("*"))
            result = binary(BinaryOp::multiply, result, factor());
        else if (reader_.skip_symbol("/"))
            result = binary(BinaryOp::divide, result, factor());
        else if (reader_.skip_symbol(".*"))
            result = binary(BinaryOp::element_multiply, result, factor());
        else if (reader_.skip_symbol("./"))
            result = binary(BinaryOp::element_divide, result, factor());
        else
            return result;
    }
}

// NOTE: a * -b and a ^ -b are not in the grammar, and occur.
ExprId ExpressionParser::factor() {
    if (reader_.is_symbol("-") || reader_.is_symbol("+")) {
        const Depth depth(*this);
        const Token sign = reader_.take();
        const ExprId operand = factor();
        return add(ExprKind::unary, lang::join(sign.span, span_of(operand)), 0, {operand},
                   static_cast<std::uint8_t>(sign.text[0]));
    }
    const ExprId base = primary();
    if (!reader_.is_symbol("^") && !reader_.is_symbol(".^")) return base;
    const BinaryOp op = reader_.take().text == "^" ? BinaryOp::power : BinaryOp::element_power;
    if (reader_.is_symbol("-") || reader_.is_symbol("+")) {
        const Token sign = reader_.take();
        const ExprId operand = primary();
        return binary(op, base,
                      add(ExprKind::unary, lang::join(sign.span, span_of(operand)), 0, {operand},
                          static_cast<std::uint8_t>(sign.text[0])));
    }
    return binary(op, base, primary());
}

ExprId ExpressionParser::number(const Token& token) {
    double value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, value);
    if (error == std::errc::result_out_of_range && value != 0)
        reader_.fail(token.span, fmt::format("'{}' is too large for a number", token.text));
    if (stop != end && error == std::errc()) reader_.fail(token.span, fmt::format("'{}' is no number", token.text));
    module_.numbers.push_back(value);
    return add(ExprKind::number, token.span, static_cast<std::uint32_t>(module_.numbers.size() - 1));
}

ExprId ExpressionParser::primary() {
    const Token& token = reader_.now();
    switch (token.kind) {
    case TokenKind::number: return number(reader_.take());
    case TokenKind::text: {
        const Token text = reader_.take();
        return add(ExprKind::text, text.span, module_.names.add(text.text));
    }
    case TokenKind::name: break;
    case TokenKind::symbol:
        if (reader_.is_symbol("{")) return array();
        if (reader_.is_symbol("[")) return matrix();
        if (reader_.is_symbol("(")) {
            const Depth depth(*this);
            return parts_of(tuple());
        }
        if (reader_.is_symbol(":")) return add(ExprKind::whole, reader_.take().span);
        reader_.fail_found("an expression");
    case TokenKind::end: reader_.fail_found("an expression");
    }
    if (!token.is_quoted) {
        if (token.text == "true" || token.text == "false")
            return add(ExprKind::boolean, token.span, reader_.take().text == "true" ? 1 : 0);
        if (token.text == "end") return add(ExprKind::end, reader_.take().span);
        if (token.text == "if") return choice();
        if (token.text == "function" && reader_.ahead(1).kind == TokenKind::name) { // function f(k = 1), as an argument
            reader_.take();
            const ExprId call = reference();
            module_.expressions[call].op = 1;
            return call;
        }
    }
    return reference();
}

// '(' expression ')', or several with commas
ExprId ExpressionParser::tuple() {
    const Span from = reader_.now().span;
    reader_.need_symbol("(", "here");
    std::vector<ExprId> args;
    bool is_list = false;
    while (true) {
        if (reader_.is_symbol(",") || reader_.is_symbol(")"))
            args.push_back(nothing);
        else
            args.push_back(expression());
        if (!reader_.skip_symbol(",")) break;
        is_list = true;
    }
    reader_.need_symbol(")", "to close this bracket");
    if (!is_list && args[0] != nothing) return args[0];
    return add(ExprKind::tuple, lang::join(from, reader_.last()), 0, args);
}

ExprId ExpressionParser::array() {
    const Depth depth(*this);
    const Span from = reader_.take().span;
    std::vector<ExprId> args;
    if (!reader_.is_symbol("}")) {
        args.push_back(expression());
        if (reader_.is_word("for")) args[0] = loops(args[0], from);
        while (reader_.skip_symbol(",")) args.push_back(expression());
    }
    reader_.need_symbol("}", "to close this array");
    return add(ExprKind::array, lang::join(from, reader_.last()), 0, args);
}

ExprId ExpressionParser::matrix() {
    const Depth depth(*this);
    const Span from = reader_.take().span;
    std::vector<ExprId> rows;
    do {
        std::vector<ExprId> row;
        const Span begin = reader_.now().span;
        do row.push_back(expression());
        while (reader_.skip_symbol(","));
        rows.push_back(add(ExprKind::array, lang::join(begin, reader_.last()), 0, row));
    } while (reader_.skip_symbol(";"));
    reader_.need_symbol("]", "to close this matrix");
    return add(ExprKind::matrix, lang::join(from, reader_.last()), 0, rows);
}

// body for i in range, j in range
ExprId ExpressionParser::loops(ExprId body, Span from) {
    reader_.need_word("for", "here");
    std::vector<std::pair<NameId, ExprId>> iterators;
    do {
        const Token name = reader_.need_name("the name of an iterator");
        reader_.need_word("in", "after the name of an iterator");
        iterators.emplace_back(module_.names.add(name.text), expression());
    } while (reader_.skip_symbol(","));
    for (const auto& [name, range] : iterators) // the first one runs fastest
        body = add(ExprKind::loop, lang::join(from, reader_.last()), name, {body, range});
    return body;
}

std::vector<ExprId> ExpressionParser::subscripts() {
    std::vector<ExprId> result;
    do result.push_back(expression());
    while (reader_.skip_symbol(","));
    reader_.need_symbol("]", "to close this subscript");
    return result;
}

std::vector<ExprId> ExpressionParser::call_arguments() {
    std::vector<ExprId> args;
    if (reader_.skip_symbol(")")) return args;
    do {
        const bool is_named = reader_.now().kind == TokenKind::name && reader_.ahead(1).kind == TokenKind::symbol &&
                              reader_.ahead(1).text == "=";
        if (is_named) {
            const Token name = reader_.take();
            reader_.take();
            const ExprId value = expression();
            args.push_back(add(ExprKind::assignment, lang::join(name.span, span_of(value)),
                               module_.names.add(name.text), {value}));
            continue;
        }
        const Span from = reader_.now().span;
        args.push_back(expression());
        if (reader_.is_word("for")) args.back() = loops(args.back(), from);
    } while (reader_.skip_symbol(","));
    reader_.need_symbol(")", "to close this bracket");
    return args;
}

// name{.name}, with a call or subscripts behind each
ExprId ExpressionParser::reference() {
    Token name = reader_.need_name("an expression");
    std::string dotted;
    std::vector<Token> parts{name};
    // the name of a function may have several words: Modelica.Math.sin(x)
    std::size_t k = 0;
    while (reader_.ahead(k).kind == TokenKind::symbol && reader_.ahead(k).text == "." &&
           reader_.ahead(k + 1).kind == TokenKind::name)
        k += 2;
    const bool is_call = reader_.ahead(k).kind == TokenKind::symbol && reader_.ahead(k).text == "(";
    ExprId result = nothing;
    if (is_call) {
        dotted = name.text;
        while (!reader_.is_symbol("(")) {
            reader_.take();
            dotted += "." + std::string(reader_.take().text);
        }
        reader_.take();
        const Depth depth(*this);
        const std::vector<ExprId> args = call_arguments();
        result = add(ExprKind::call, lang::join(name.span, reader_.last()), module_.names.add(dotted), args);
    } else {
        result = add(ExprKind::name, name.span, module_.names.add(name.text));
    }
    return parts_of(result);
}

// Subscripts and fields behind an expression.
ExprId ExpressionParser::parts_of(ExprId result) {
    const Span from = span_of(result);
    while (true) {
        if (reader_.skip_symbol("[")) {
            std::vector<ExprId> args = subscripts();
            args.insert(args.begin(), result);
            result = add(ExprKind::index, lang::join(from, reader_.last()), 0, args);
        } else if (reader_.is_symbol(".") && reader_.ahead(1).kind == TokenKind::name) {
            reader_.take();
            const Token field = reader_.take();
            result = add(ExprKind::field, lang::join(from, field.span), module_.names.add(field.text), {result});
        } else {
            return result;
        }
    }
}

} // namespace vessiot::modelica
