#include "lang/syntax/statement_parser.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace vessiot::lang {

std::vector<Statement> StatementParser::parse_all() {
    Statements statements;
    // NOTE: a model that is indented as a whole (quoted in another program) is fine: its first line sets the margin.
    const std::uint32_t indent = tokens_.current().indent;
    while (!tokens_.at(TokenKind::end)) {
        check_indent(indent);
        if (tokens_.current().indent < indent) {
            tokens_.fail_here("this line is indented less than the first statement of the model");
        }
        parse_statement(statements, indent);
    }
    return statements;
}

// At the first token of a line of a block.
void StatementParser::check_indent(std::uint32_t block_indent) {
    if (tokens_.current().indent <= block_indent) return;
    tokens_.fail_here("this line is indented deeper than the one before, but no 'for …:' stands above it; a statement "
                      "goes on in a deeper line that starts with an operator");
}

void StatementParser::parse_statement(Statements& out, std::uint32_t line_indent) {
    begin_ = tokens_.current();
    line_end_comma_.reset();
    if (tokens_.at(TokenKind::name)) {
        if (const Keyword* keyword = find_keyword(tokens_.text(begin_))) {
            check_keyword(*keyword);
            parse_keyword_statement(*keyword, out, line_indent);
            return;
        }
    }
    const std::uint32_t begin = begin_.span.begin;
    // NOTE: the word is not reserved: it begins a statement where a name follows, which no equation has there
    if (tokens_.at_word("discrete") && tokens_.peek().kind == TokenKind::name) {
        if (loop_depth_ > 0)
            tokens_.fail_here("'discrete' cannot stand in a loop; put it on a line of its own outside");
        tokens_.take();
        DiscreteStatement statement{parse_parameter("discrete").items};
        out.push_back({tokens_.span_from(begin), std::move(statement)});
        finish("this does not belong here; an example: discrete mode = 0, count = 0");
        return;
    }
    if (parse_soft_statement(out, line_indent)) return;
    if (parse_ends(out) || parse_contact(out) || parse_initially(out)) return;
    EquationStatement equation = parse_equation();
    out.push_back({tokens_.span_from(begin), equation});
    finish("this does not belong to the equation");
}

void StatementParser::parse_keyword_statement(const Keyword& keyword, Statements& out, std::uint32_t line_indent) {
    if (keyword.id == KeywordId::for_loop) {
        parse_for(out, line_indent);
        return;
    }
    tokens_.take();
    const std::uint32_t begin = begin_.span.begin;
    const auto add = [&](auto node) { out.push_back({tokens_.span_from(begin), std::move(node)}); };
    switch (keyword.id) {
    case KeywordId::parameter: add(parse_parameter("parameter")); break;
    case KeywordId::unknown: add(parse_unknown()); break;
    case KeywordId::matrix: add(parse_matrix()); break;
    case KeywordId::independent: add(parse_independent()); break;
    case KeywordId::let: parse_let(out); break;
    case KeywordId::function: add(parse_function()); break;
    case KeywordId::invariant: add(parse_invariant()); break;
    case KeywordId::constraint: add(parse_constraint()); break;
    case KeywordId::lagrangian: add(parse_lagrangian()); break;
    case KeywordId::hamiltonian: add(parse_hamiltonian()); break;
    case KeywordId::force: add(parse_force()); break;
    case KeywordId::for_loop: break;
    case KeywordId::start: add(StartStatement{parse_assignments(keyword.word)}); break;
    case KeywordId::guess: add(GuessStatement{parse_assignments(keyword.word)}); break;
    case KeywordId::hold: add(parse_hold()); break;
    case KeywordId::solve: add(parse_solve()); break;
    case KeywordId::option: add(parse_option()); break;
    case KeywordId::output: parse_output(out); break;
    case KeywordId::event: add(parse_event()); break;
    }
    finish(fmt::format("this does not belong here; an example: {}", keyword.example));
}

// The statement is complete: its line must end here.
void StatementParser::finish(const std::string& needed) {
    if (tokens_.accept(TokenKind::newline) || tokens_.at(TokenKind::end)) return;
    const TokenKind next = tokens_.peek().kind;
    const bool is_item = next == TokenKind::equal || next == TokenKind::primes || next == TokenKind::open_square;
    if (tokens_.at(TokenKind::name) && is_item && find_keyword(tokens_.text(begin_))) {
        tokens_.fail_here(fmt::format("a ',' is missing before '{}'", tokens_.text(tokens_.current())));
    }
    if (tokens_.at(TokenKind::equal)) {
        const std::size_t line = tokens_.source().position(begin_.span.begin).line;
        if (line != tokens_.source().position(tokens_.current().span.begin).line) {
            tokens_.fail_here(fmt::format("this is a second '=' in the statement that began in line {}, which goes on "
                                          "here; does a line above end with an operator or a ','?",
                                          line));
        }
        tokens_.fail_here("this is a second '=' in one line: an equation has one");
    }
    expressions_.fail_after_expression(needed);
}

// The comma between two items of a list.
bool StatementParser::accept_list_comma() {
    if (!tokens_.accept(TokenKind::comma)) return false;
    const Token& token = tokens_.current();
    const bool is_next_line = tokens_.at_statement_end() || token.is_first_on_line;
    const bool is_keyword = tokens_.at(TokenKind::name) && find_keyword(tokens_.text(token));
    if (tokens_.at_statement_end() || (is_next_line && is_keyword)) {
        tokens_.fail(tokens_.previous().span, "the line is not finished: something is missing after ','");
    }
    line_end_comma_ = is_next_line ? std::optional(tokens_.previous().span) : std::nullopt;
    return true;
}

ParameterStatement StatementParser::parse_parameter(std::string_view word) {
    ParameterStatement statement;
    do {
        const Token first = tokens_.current();
        ParameterItem item{
            expressions_.parse_new_name(word == "parameter" ? "a parameter" : "a discrete quantity"), {}, nullptr, {}};
        if (tokens_.at(TokenKind::open_square)) item.dims = expressions_.parse_indices();
        if (tokens_.accept(TokenKind::equal)) {
            item.file = parse_file();
            if (item.file && word == "discrete") tokens_.fail(first.span, "a file gives parameters their values only");
            if (!item.file) item.value = expressions_.parse_expression();
        } else if (!tokens_.at(TokenKind::comma) && !tokens_.at_statement_end()) {
            fail_declaration(word, first);
        }
        item.span = tokens_.span_from(first.span.begin);
        statement.items.push_back(std::move(item));
    } while (accept_list_comma());
    return statement;
}

UnknownStatement StatementParser::parse_unknown() {
    UnknownStatement statement;
    do {
        const Token first = tokens_.current();
        UnknownItem item{expressions_.parse_new_name("an unknown"), {}, {}};
        if (tokens_.at(TokenKind::open_square)) item.dims = expressions_.parse_indices();
        if (!tokens_.at(TokenKind::comma) && !tokens_.at_statement_end()) fail_declaration("unknown", first);
        item.span = tokens_.span_from(first.span.begin);
        statement.items.push_back(std::move(item));
    } while (accept_list_comma());
    return statement;
}

MatrixStatement StatementParser::parse_matrix() {
    MatrixStatement statement;
    do {
        const Token first = tokens_.current();
        MatrixItem item{expressions_.parse_new_name("a matrix"), {}, std::nullopt, {}, {}};
        const Token open = tokens_.current();
        if (tokens_.at(TokenKind::open_square)) item.dims = expressions_.parse_indices();
        if (item.dims.size() < 2) {
            tokens_.fail(item.dims.empty() ? first.span : tokens_.span_from(open.span.begin),
                         fmt::format("a matrix is declared with its rows and columns: write matrix {0}[3,3], or for a "
                                     "family of n matrices {0}[n,3,3]",
                                     tokens_.text(first)));
        }
        if (tokens_.at_word("in")) {
            tokens_.take();
            if (!tokens_.at(TokenKind::name)) {
                tokens_.fail(tokens_.previous().span, "a group comes after 'in', as in: matrix Y[3,3] in SO(3)");
            }
            const Token group = tokens_.current();
            const ExprPtr expr = expressions_.parse_postfix();
            const Call* call = as<Call>(expr);
            if (!call) {
                tokens_.fail(group.span, fmt::format("the group needs its size: write {}(3)", tokens_.text(group)));
            }
            item.group = call->function;
            item.group_arguments = call->arguments;
        }
        item.span = tokens_.span_from(first.span.begin);
        statement.items.push_back(std::move(item));
    } while (accept_list_comma());
    return statement;
}

IndependentStatement StatementParser::parse_independent() {
    const IndependentStatement statement{expressions_.parse_new_name("the independent variable")};
    if (!tokens_.at_statement_end()) {
        tokens_.fail_here("there is one independent variable, declared by its name alone: write independent s");
    }
    return statement;
}

void StatementParser::parse_let(Statements& out) {
    bool is_first = true;
    do {
        const Token first = tokens_.current();
        LetStatement let{expressions_.parse_new_name("an expression"), {}, nullptr};
        const std::string_view name = tokens_.text(first);
        if (tokens_.at(TokenKind::open_square)) let.indices = expressions_.parse_family_indices();
        if (tokens_.at(TokenKind::open_round)) {
            tokens_.fail(begin_.span,
                         fmt::format("a name with arguments is a function: write function {}(…) = …", name));
        }
        if (!tokens_.accept(TokenKind::equal)) {
            tokens_.fail(first.span, fmt::format("'let' gives a name to an expression: write let {} = …", name));
        }
        let.value = expressions_.parse_expression();
        out.push_back({tokens_.span_from(is_first ? begin_.span.begin : first.span.begin), std::move(let)});
        is_first = false;
    } while (accept_list_comma());
}

FunctionStatement StatementParser::parse_function() {
    const Token first = tokens_.current();
    FunctionStatement function{expressions_.parse_new_name("a function"), {}, nullptr};
    const std::string form = fmt::format("write function {}(a, b) = …", tokens_.text(first));
    if (!tokens_.accept(TokenKind::open_round)) {
        tokens_.fail(first.span, "the arguments of the function are missing: " + form);
    }
    const Span open = tokens_.previous().span;
    if (tokens_.at(TokenKind::close_round)) {
        tokens_.fail(join(open, tokens_.current().span), "a function has one argument at least: " + form);
    }
    do {
        function.formals.push_back(expressions_.parse_new_name("an argument"));
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.at(TokenKind::close_round)) {
        if (tokens_.at_statement_end() || tokens_.at(TokenKind::equal)) tokens_.fail(open, "this '(' is never closed");
        tokens_.fail_here("the arguments of a function are names with ',' between them: " + form);
    }
    tokens_.take();
    if (!tokens_.accept(TokenKind::equal)) {
        tokens_.fail(tokens_.previous().span, "the '=' with the meaning of the function is missing: " + form);
    }
    function.body = expressions_.parse_expression();
    return function;
}

EquationStatement StatementParser::parse_equation() {
    const Token first = tokens_.current();
    EquationStatement equation{expressions_.parse_expression(), nullptr};
    if (!tokens_.at(TokenKind::equal)) fail_no_equation(first, equation.lhs);
    tokens_.take();
    equation.rhs = expressions_.parse_expression();
    if (tokens_.at(TokenKind::comma)) {
        tokens_.fail_here("each equation has a line of its own: put what follows the ',' there");
    }
    return equation;
}

InvariantStatement StatementParser::parse_invariant() {
    InvariantStatement statement{expressions_.parse_expression(), nullptr};
    check_no_comparison(statement.expr, "an invariant with its value is");
    if (tokens_.accept(TokenKind::equal)) statement.value = expressions_.parse_expression();
    return statement;
}

ConstraintStatement StatementParser::parse_constraint() {
    ConstraintStatement statement{expressions_.parse_expression(), nullptr};
    check_no_comparison(statement.lhs, "a constraint is");
    if (tokens_.at_statement_end()) {
        tokens_.fail(tokens_.span_from(begin_.span.begin), "a constraint is an equation: write constraint … = 0");
    }
    if (!tokens_.accept(TokenKind::equal)) expressions_.fail_after_expression("the '=' of the constraint is missing");
    statement.rhs = expressions_.parse_expression();
    return statement;
}

LagrangianStatement StatementParser::parse_lagrangian() {
    const LagrangianStatement statement{expressions_.parse_expression()};
    if (tokens_.at(TokenKind::equal)) {
        tokens_.fail_here("the Lagrangian is written without a name and '=', as in: lagrangian x'^2/2 - g*x");
    }
    return statement;
}

HamiltonianStatement StatementParser::parse_hamiltonian() {
    HamiltonianStatement statement{expressions_.parse_expression(), {}, begin_.span};
    constexpr std::string_view form = "hamiltonian p^2/2 + q^2/2 with q: p";
    if (tokens_.at(TokenKind::equal)) {
        tokens_.fail_here(fmt::format("the Hamiltonian is written without a name and '=', as in: {}", form));
    }
    if (!tokens_.at_word("with")) {
        if (tokens_.at_statement_end()) return statement; // with `poisson`
        expressions_.fail_after_expression(
            fmt::format("the pairs of positions and momenta are missing after the Hamiltonian, as in: {}", form));
    }
    tokens_.take();
    do {
        const std::uint32_t begin = tokens_.current().span.begin;
        const std::string needed = fmt::format("a pair is a position and its momentum, as in: {}", form);
        ConjugatePair pair{parse_target(needed, false), nullptr, {}};
        if (!tokens_.accept(TokenKind::colon)) {
            tokens_.fail(tokens_.previous().span,
                         fmt::format("the ':' and the momentum are missing after '{}', as in: {}",
                                     tokens_.quote(pair.position->span), form));
        }
        pair.momentum = parse_target(needed, false);
        pair.span = tokens_.span_from(begin);
        statement.pairs.push_back(pair);
    } while (accept_list_comma());
    return statement;
}

ForceStatement StatementParser::parse_force() {
    ForceStatement statement{parse_target("a force acts on an unknown, as in: force x = -k*x'", false), nullptr};
    if (!tokens_.accept(TokenKind::equal)) {
        tokens_.fail(tokens_.previous().span,
                     fmt::format("the '=' is missing: write force {} = …", tokens_.quote(statement.target->span)));
    }
    statement.value = expressions_.parse_expression();
    return statement;
}

SolveStatement StatementParser::parse_solve() {
    constexpr std::string_view form = "solve t = 0 .. 10";
    if (!tokens_.at(TokenKind::name) || tokens_.peek().kind != TokenKind::equal) {
        tokens_.fail_here(fmt::format("the interval is given with its variable: write {}", form));
    }
    SolveStatement statement{expressions_.parse_new_name("the independent variable"), nullptr, nullptr};
    tokens_.take();
    expressions_.parse_range(statement.from, statement.to, form);
    return statement;
}

EventStatement StatementParser::parse_event() {
    if (!tokens_.at(TokenKind::name) || tokens_.peek().kind != TokenKind::colon) {
        tokens_.fail_here("an event has a name with ':' after it, as in: event lowest: x = 0 rising");
    }
    EventStatement event{expressions_.parse_new_name("an event"), nullptr, nullptr, EventDirection::both, false};
    tokens_.take();
    if (at_every()) {
        tokens_.take();
        event.every = expressions_.parse_expression();
    } else if (at_always()) {
        tokens_.take();
        event.is_always = true;
    } else {
        event.lhs = expressions_.parse_expression();
        check_no_comparison(event.lhs, "an event is a crossing,");
        if (!tokens_.accept(TokenKind::equal)) {
            expressions_.fail_after_expression(
                "an event is a crossing of two values: write lhs = rhs, or every 0.1 for one at given times");
        }
        event.rhs = expressions_.parse_expression();
    }
    bool has_direction = false;
    while (tokens_.at(TokenKind::name) && !tokens_.current().is_first_on_line) {
        const std::string_view word = tokens_.text(tokens_.current());
        const bool is_direction = word == "rising" || word == "falling" || word == "both";
        if ((is_direction && has_direction) || (word == "stop" && event.is_stop)) {
            tokens_.fail_here("an event has one direction ('rising' or 'falling') and one 'stop' at most");
        }
        if (is_direction && event.every) {
            tokens_.fail_here("an event at given times crosses nothing and has no direction");
        }
        if (event.is_always && word != "then")
            tokens_.fail_here("'always' is no crossing: behind it stands what is set, as in: always then mode = …");
        if (is_direction) {
            has_direction = true;
            event.direction = word == "rising"    ? EventDirection::rising
                              : word == "falling" ? EventDirection::falling
                                                  : EventDirection::both;
        } else if (word == "stop") {
            event.is_stop = true;
        } else if (word == "then") {
            parse_then(event);
            break;
        } else {
            constexpr std::array<std::string_view, 5> words{"rising", "falling", "both", "stop", "then"};
            const auto meant = nearest(word, words);
            if (meant) tokens_.fail_here(fmt::format("'{}' is unknown here; did you mean '{}'?", word, *meant));
            break;
        }
        tokens_.take();
    }
    return event;
}

// `every 0.01`, and not an expression that begins with a name of the model.
bool StatementParser::at_every() {
    if (!tokens_.at_word("every")) return false;
    const TokenKind next = tokens_.peek().kind;
    return next == TokenKind::number || next == TokenKind::name || next == TokenKind::open_round;
}

// `always then …`, likewise.
bool StatementParser::at_always() {
    if (!tokens_.at_word("always") || tokens_.peek().kind != TokenKind::name) return false;
    const std::string_view next = tokens_.text(tokens_.peek());
    return next == "then" || next == "stop" || next == "rising" || next == "falling" || next == "both";
}

// What is set when the event is met, and where the rest is looked for: then y' = -0.9*y', w = 0, guess V = 1
void StatementParser::parse_then(EventStatement& event) {
    constexpr std::string_view both = "'stop' ends the run, and 'then' says how it goes on: an event has one of them";
    if (event.is_stop) tokens_.fail_here(std::string(both));
    tokens_.take();
    const Span begin = tokens_.current().span;
    do {
        const bool is_guess = tokens_.at(TokenKind::name) && tokens_.text(tokens_.current()) == "guess";
        if (is_guess) tokens_.take();
        (is_guess ? event.guesses : event.then).push_back(parse_assignment(is_guess ? "guess" : "then"));
    } while (accept_list_comma());
    if (event.then.empty())
        tokens_.fail(begin,
                     "a guess says where to look for what follows, but nothing is set here: then x = …, guess …");
    if (!tokens_.at(TokenKind::name) || tokens_.current().is_first_on_line) return;
    const std::string_view word = tokens_.text(tokens_.current());
    if (word == "stop") tokens_.fail_here(std::string(both));
    if (word == "rising" || word == "falling" || word == "both") {
        tokens_.fail_here(fmt::format("'{}' stands before 'then'", word));
    }
    if (word == "then") tokens_.fail_here("what is set stands behind one 'then', separated by ','");
}

} // namespace vessiot::lang
