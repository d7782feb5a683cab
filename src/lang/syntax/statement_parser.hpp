// Statements and blocks. One function for each keyword; `parse_statement` chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "lang/syntax/expression_parser.hpp"
#include "lang/syntax/token_stream.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

class StatementParser {
public:
    StatementParser(TokenStream& tokens, ExprStore& store)
        : tokens_(tokens), store_(store), expressions_(tokens, store) {}

    std::vector<Statement> parse_all();
    // target = value; `keyword` is the statement that messages show.
    Assignment parse_assignment(std::string_view keyword);

private:
    using Statements = std::vector<Statement>;

    void parse_statement(Statements& out, std::uint32_t line_indent);
    void parse_keyword_statement(const Keyword& keyword, Statements& out, std::uint32_t line_indent);

    ParameterStatement parse_parameter(std::string_view word); // parameter or discrete
    UnknownStatement parse_unknown();
    MatrixStatement parse_matrix();
    IndependentStatement parse_independent();
    void parse_let(Statements& out);
    FunctionStatement parse_function();
    EquationStatement parse_equation();
    InvariantStatement parse_invariant();
    ConstraintStatement parse_constraint();
    LagrangianStatement parse_lagrangian();
    HamiltonianStatement parse_hamiltonian();
    PoissonStatement parse_poisson();
    ForceStatement parse_force();
    void parse_for(Statements& out, std::uint32_t line_indent);
    Statements parse_for_body(Span head, std::uint32_t line_indent);
    Statements parse_block(Span head, std::uint32_t line_indent, std::string_view what);
    std::vector<Assignment> parse_assignments(std::string_view keyword);
    HoldStatement parse_hold();
    bool parse_ends(Statements& out);      // end, periodic, free: false where the line begins with none of them
    bool parse_initially(Statements& out); // likewise
    std::vector<ExprPtr> parse_names(std::string_view word, std::string_view needed, bool is_derivative_allowed);
    SolveStatement parse_solve();
    OptionStatement parse_option();
    OptionValue parse_option_value();
    OptionValue parse_option_list();
    std::uint32_t option_word_end() const;
    void parse_output(Statements& out);
    EventStatement parse_event();
    bool at_every();
    bool at_always();

    // table, include, component, part: words that are not reserved. False where the statement is none of these.
    bool parse_soft_statement(Statements& out, std::uint32_t line_indent);
    bool begins_with_row(const Token& bracket) const;
    TableStatement parse_table();
    void parse_points(TableStatement& table);
    void parse_table_words(TableStatement& table);
    std::optional<FileReference> parse_file();
    Ident parse_column();
    IncludeStatement parse_include();
    ComponentStatement parse_component(std::uint32_t line_indent);
    PartStatement parse_part();
    bool parse_contact(Statements& out); // false where the line begins with none
    void parse_contact_law(ContactStatement& contact);
    void parse_then(EventStatement& event);

    // x, x[i] and, where allowed, derivatives of them
    ExprPtr parse_target(std::string_view needed, bool is_derivative_allowed);
    bool accept_list_comma();
    void finish(const std::string& needed);

    void check_keyword(const Keyword& keyword);
    void check_no_comparison(ExprPtr expr, std::string_view what);
    void check_indent(std::uint32_t block_indent);
    [[noreturn]] void fail_declaration(std::string_view keyword, const Token& name);
    [[noreturn]] void fail_no_equation(const Token& first, ExprPtr lhs);
    void fail_if_misspelled_keyword(const Token& first);

    Token begin_; // first token of the statement that is read
    TokenStream& tokens_;
    ExprStore& store_;
    ExpressionParser expressions_;
    std::size_t loop_depth_ = 0;
    bool is_in_component_ = false;
    int option_depth_ = 0;
    std::optional<Span> line_end_comma_; // the ',' that joined the current line to the one before
};

} // namespace vessiot::lang
