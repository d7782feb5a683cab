// Equations and statements of algorithms.
#include <fmt/format.h>

#include "modelica/syntax/parser.hpp"

namespace vessiot::modelica {

StatementId Parser::add(Statement s) {
    s.span = {s.span.begin, reader_.last().end};
    module_.statements.push_back(std::move(s));
    return static_cast<StatementId>(module_.statements.size() - 1);
}

bool Parser::is_end_of_statements() const {
    for (const std::string_view word : {"end", "elseif", "else", "elsewhen", "equation", "algorithm", "initial",
                                        "annotation", "external", "protected", "public"}) {
        if (reader_.is_word(word)) return word != "initial" || reader_.ahead(1).text != "(";
    }
    return reader_.now().kind == TokenKind::end;
}

std::vector<StatementId> Parser::statements(bool is_algorithm) {
    std::vector<StatementId> result;
    while (!is_end_of_statements()) {
        result.push_back(statement(is_algorithm));
        skip_comment();
        reader_.need_symbol(";", is_algorithm ? "after a statement" : "after an equation");
    }
    return result;
}

void Parser::end_of(std::string_view word) {
    reader_.need_word("end", fmt::format("of this {}", word));
    reader_.need_word(word, fmt::format("after end, since it is a {} that ends", word));
}

StatementId Parser::statement(bool is_algorithm) {
    const Depth depth(*this);
    if (reader_.is_word("if")) return choice(is_algorithm);
    if (reader_.is_word("for")) return loop(is_algorithm);
    if (reader_.is_word("when")) return when(is_algorithm);
    if (reader_.is_word("connect")) fail_not_flat(reader_.now());
    if (is_algorithm) {
        const Span span = reader_.now().span;
        if (reader_.is_word("while")) return repeat();
        if (reader_.skip_word("return")) return add({.kind = StatementKind::leave, .span = span});
        if (reader_.skip_word("break")) return add({.kind = StatementKind::stop, .span = span});
    }
    return plain(is_algorithm);
}

StatementId Parser::choice(bool is_algorithm) {
    Statement s{.kind = StatementKind::choice, .span = reader_.take().span};
    do {
        Branch branch{expressions_.expression()};
        reader_.need_word("then", "after the condition");
        branch.body = statements(is_algorithm);
        s.branches.push_back(std::move(branch));
    } while (reader_.skip_word("elseif"));
    if (reader_.skip_word("else")) s.branches.push_back({nothing, statements(is_algorithm)});
    end_of("if");
    return add(std::move(s));
}

StatementId Parser::when(bool is_algorithm) {
    Statement s{.kind = StatementKind::when, .span = reader_.take().span};
    do {
        Branch branch{expressions_.expression()};
        reader_.need_word("then", "after the condition");
        branch.body = statements(is_algorithm);
        s.branches.push_back(std::move(branch));
    } while (reader_.skip_word("elsewhen"));
    end_of("when");
    return add(std::move(s));
}

// for i in 1:3, j in 1:2 loop … end for
StatementId Parser::loop(bool is_algorithm) {
    const Span from = reader_.take().span;
    std::vector<Statement> nest;
    do {
        const Token name = reader_.need_name("the name of an iterator");
        reader_.need_word("in", "after the name of an iterator");
        nest.push_back({.kind = StatementKind::loop,
                        .rhs = expressions_.expression(),
                        .name = module_.names.add(name.text),
                        .span = from});
    } while (reader_.skip_symbol(","));
    reader_.need_word("loop", "after the range of an iterator");
    std::vector<StatementId> body = statements(is_algorithm);
    end_of("for");
    StatementId result = nothing;
    for (auto it = nest.rbegin(); it != nest.rend(); ++it) {
        it->branches.push_back({nothing, std::move(body)});
        result = add(std::move(*it));
        body = {result};
    }
    return result;
}

StatementId Parser::repeat() {
    Statement s{.kind = StatementKind::repeat, .span = reader_.take().span};
    Branch branch{expressions_.expression()};
    reader_.need_word("loop", "after the condition of a while");
    branch.body = statements(true);
    end_of("while");
    s.branches.push_back(std::move(branch));
    return add(std::move(s));
}

// lhs = rhs, lhs := rhs, f(x)
StatementId Parser::plain(bool is_algorithm) {
    Statement s{.kind = StatementKind::call, .span = reader_.now().span};
    s.lhs = reader_.is_symbol("(") && is_algorithm ? expressions_.tuple() : expressions_.expression();
    if (reader_.skip_symbol(":=")) {
        if (!is_algorithm) reader_.fail(reader_.last(), "':=' belongs to algorithms; an equation is written with '='");
        s.kind = StatementKind::assignment;
        s.rhs = expressions_.expression();
    } else if (reader_.skip_symbol("=")) {
        if (is_algorithm) reader_.fail(reader_.last(), "'=' belongs to equations; in an algorithm write ':='");
        s.kind = StatementKind::equation;
        s.rhs = expressions_.expression();
    } else if (module_.expressions[s.lhs].kind != ExprKind::call) {
        reader_.fail_found(is_algorithm ? "':='" : "'='");
    }
    return add(std::move(s));
}

} // namespace vessiot::modelica
