#include "lang/syntax/parser.hpp"

#include <fmt/format.h>

#include "lang/syntax/expression_parser.hpp"
#include "lang/syntax/statement_parser.hpp"
#include "lang/syntax/token_stream.hpp"

namespace vessiot::lang {

Module parse(const Source& source) {
    Module module{&source, {}, {}};
    module.statements = parse_text(source, 0, module.store);
    return module;
}

std::vector<Statement> parse_text(const Source& source, std::uint32_t begin, ExprStore& store) {
    TokenStream tokens(source, begin);
    if (tokens.at(TokenKind::end)) {
        throw InvalidInput(fmt::format("{} has no statements", source.name_at(begin)));
    }
    return StatementParser(tokens, store).parse_all();
}

ParsedAssignment parse_assignment(const Source& source) {
    ParsedAssignment result;
    TokenStream tokens(source);
    if (tokens.at(TokenKind::end)) throw InvalidInput(fmt::format("{}: write name=value", source.name()));
    result.assignment = StatementParser(tokens, result.store).parse_assignment("");
    if (!tokens.at_statement_end()) {
        ExpressionParser(tokens, result.store).fail_after_expression("one name and one value are needed: name=value");
    }
    return result;
}

ParsedExpression parse_expression(const Source& source) {
    ParsedExpression result;
    TokenStream tokens(source);
    if (tokens.at(TokenKind::end)) throw InvalidInput(fmt::format("{}: an expression is needed", source.name()));
    ExpressionParser parser(tokens, result.store);
    result.expr = parser.parse_expression();
    if (!tokens.at_statement_end()) parser.fail_after_expression("an expression is needed and nothing after it");
    return result;
}

} // namespace vessiot::lang
