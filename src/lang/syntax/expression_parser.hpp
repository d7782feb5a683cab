// Expressions, by recursive descent with one function for each precedence level:
//
//     disjunction  a or b             conjunction  a and b          negation  not a
//     comparison   a < b              sum          a + b - c        product   a*b/c
//     sign         -a                 power        a^b, to the right
//     postfix      x', x[i]', (a)'    primary      number, name, x[i], f(a), sum(…), [a, b], (a)
//
// Chains are collected in loops, so that only brackets, signs, powers and `not` make the tree deep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "lang/syntax/token_stream.hpp"

namespace vessiot::lang {

class ExpressionParser {
public:
    ExpressionParser(TokenStream& tokens, ExprStore& store) : tokens_(tokens), store_(store) {}

    ExprPtr parse_expression();
    // x, x[i], with primes: what a start value or a force can be given for. Operators are left to the caller.
    ExprPtr parse_postfix();
    // i = lo..hi
    IndexRange parse_index_range();
    // lo..hi; `form` shows how the range is written where something is wrong.
    void parse_range(ExprPtr& lo, ExprPtr& hi, std::string_view form);
    // [i = 1..n, j = 1..m] after the name of a family, brackets included
    std::vector<IndexRange> parse_family_indices();
    // [a, b] after a name, brackets included
    std::vector<ExprPtr> parse_indices();
    // A new name: of a parameter, an unknown, an index, …. `what` says which in messages ("a parameter").
    Ident parse_new_name(std::string_view what);
    Ident ident_of(const Token& token); // a name as it stands, reserved or not

    // For the current token where an expression is complete and something else had to follow: names the mistake
    // where it is a typical one, else says what was needed.
    [[noreturn]] void fail_after_expression(const std::string& needed);

private:
    class DepthGuard;

    ExprPtr parse_disjunction();
    ExprPtr parse_conjunction();
    ExprPtr parse_negation();
    ExprPtr parse_comparison();
    ExprPtr parse_sum();
    ExprPtr parse_product();
    ExprPtr parse_sign();
    ExprPtr parse_power();
    ExprPtr parse_primary();
    ExprPtr parse_number();
    ExprPtr parse_name();
    ExprPtr parse_member(const Token& first, std::string path, std::vector<ExprPtr> indices);
    ExprPtr parse_elements(ExprPtr operand, std::uint32_t begin);
    ExprPtr parse_call(Ident function);
    ExprPtr parse_reduction(ReductionKind kind, Span function);
    ExprPtr parse_reduction_rest(ReductionKind kind, std::uint32_t begin);
    ExprPtr parse_vector();
    ExprPtr parse_bracketed();
    std::vector<ExprPtr> parse_list(TokenKind close);

    void close_bracket(TokenKind close);

    void check_after_primes(Span operand);
    [[noreturn]] void fail_missing_operand();
    [[noreturn]] void fail_function_without_brackets(const Token& function);
    [[noreturn]] void fail_unclosed();
    void fail_if_unclosed();
    bool is_bracket_closed_on_this_line() const;

    TokenStream& tokens_;
    ExprStore& store_;
    int depth_ = 0;
    std::vector<Token> open_brackets_;
};

} // namespace vessiot::lang
