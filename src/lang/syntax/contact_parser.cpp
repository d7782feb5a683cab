// contact floor: y >= 0, restitution 0.8, friction 0.3 along x'
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/statement_parser.hpp"

namespace vessiot::lang {

namespace {

constexpr std::string_view contact_form = "contact floor: y >= 0, restitution 0.8, friction 0.3 along x'";
constexpr std::array<std::string_view, 2> clauses{"restitution", "friction"};

} // namespace

// NOTE: the word is not reserved: it begins a statement where a name and ':' follow. The contact may be called like a
// function, since nothing but 'floor.force' is asked of it.
bool StatementParser::parse_contact(Statements& out) {
    if (!tokens_.at_word("contact") || tokens_.peek().kind != TokenKind::name) return false;
    tokens_.take();
    const Token first = tokens_.current();
    if (find_keyword(tokens_.text(first)))
        tokens_.fail_here(
            fmt::format("'{}' is a word of the language and cannot be the name of a contact", tokens_.text(first)));
    tokens_.take();
    if (!tokens_.accept(TokenKind::colon))
        tokens_.fail(first.span, fmt::format("a contact has a name with ':' after it, as in: {}", contact_form));
    ContactStatement contact{expressions_.ident_of(first), nullptr, nullptr};
    const ExprPtr condition = expressions_.parse_expression();
    const Comparison* comparison = as<Comparison>(condition);
    const bool is_at_least = comparison && comparison->op == ComparisonOp::greater_equal;
    const bool is_at_most = comparison && comparison->op == ComparisonOp::less_equal;
    if (!is_at_least && !is_at_most) {
        const std::string needed =
            fmt::format("a contact is a condition that holds on one side: write … >= …, as in: {}", contact_form);
        tokens_.fail(comparison ? comparison->op_span : condition->span, needed);
    }
    contact.lhs = is_at_least ? comparison->lhs : comparison->rhs;
    contact.rhs = is_at_least ? comparison->rhs : comparison->lhs;
    while (accept_list_comma()) parse_contact_law(contact);
    out.push_back({tokens_.span_from(begin_.span.begin), std::move(contact)});
    finish(fmt::format("this does not belong here; an example: {}", contact_form));
    return true;
}

// At what follows a ','.
void StatementParser::parse_contact_law(ContactStatement& contact) {
    const std::string_view word = tokens_.at(TokenKind::name) ? tokens_.text(tokens_.current()) : "";
    if (word == "restitution") {
        if (contact.restitution) tokens_.fail_here("'restitution' is given twice");
        tokens_.take();
        contact.restitution = expressions_.parse_expression();
        return;
    }
    if (word == "friction") {
        if (contact.friction) tokens_.fail_here("'friction' is given twice");
        tokens_.take();
        contact.friction = expressions_.parse_expression();
        if (!tokens_.at_word("along"))
            expressions_.fail_after_expression(
                "friction needs the velocity of sliding behind 'along', as in: friction 0.3 along x'");
        tokens_.take();
        contact.sliding.push_back(expressions_.parse_expression());
        return;
    }
    if (contact.sliding.size() == 1 && !tokens_.at_statement_end()) { // along v1, v2
        contact.sliding.push_back(expressions_.parse_expression());
        return;
    }
    const auto meant = nearest(word, clauses);
    tokens_.fail_here(fmt::format("behind the condition of a contact come 'restitution' and 'friction … along …'{}",
                                  meant                         ? fmt::format("; did you mean '{}'?", *meant)
                                  : contact.sliding.size() == 2 ? "; there are at most two sliding velocities"
                                                                : ""));
}

} // namespace vessiot::lang
