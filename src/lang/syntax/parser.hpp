// Model text to syntax tree.
#pragma once

#include "lang/syntax/ast.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/limits.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::lang {

// Throws ModelError at the first mistake, InvalidInput where there is no statement at all. Time is linear in the text.
Module parse(const Source& source);
// The statements of the text that begins at an offset, made in the store.
std::vector<Statement> parse_text(const Source& source, std::uint32_t begin, ExprStore& store);

// `target = value` from a command line (`--start "x[1]' = 2"`, `--set "n = 1000"`).
struct ParsedAssignment {
    ExprStore store;
    Assignment assignment;
};
ParsedAssignment parse_assignment(const Source& source);

// A single expression.
struct ParsedExpression {
    ExprStore store;
    ExprPtr expr;
};
ParsedExpression parse_expression(const Source& source);

} // namespace vessiot::lang
