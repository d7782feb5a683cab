// Recursive descent over the words of a Base Modelica text.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/syntax/lexer.hpp"

namespace vessiot::modelica {

// One word after the other, and what is said where it is not the right one.
class TokenReader {
public:
    explicit TokenReader(const Source& source) : source_(source), tokens_(tokens_of(source, kept_)) {}

    const Token& now() const { return tokens_[at_]; }
    const Token& ahead(std::size_t k) const { return tokens_[std::min(at_ + k, tokens_.size() - 1)]; }
    Span last() const { return at_ == 0 ? Span{} : tokens_[at_ - 1].span; }
    bool is_word(std::string_view word) const {
        return now().kind == TokenKind::name && !now().is_quoted && now().text == word;
    }
    bool is_symbol(std::string_view sign) const { return now().kind == TokenKind::symbol && now().text == sign; }
    Token take() {
        const Token token = now();
        if (token.kind != TokenKind::end) ++at_;
        return token;
    }
    bool skip_word(std::string_view word) {
        if (!is_word(word)) return false;
        take();
        return true;
    }
    bool skip_symbol(std::string_view sign) {
        if (!is_symbol(sign)) return false;
        take();
        return true;
    }
    void need_symbol(std::string_view sign, std::string_view where);
    void need_word(std::string_view word, std::string_view where);
    Token need_name(std::string_view what);

    [[noreturn]] void fail(Span span, const std::string& message) const;
    // "found X where Y was needed"
    [[noreturn]] void fail_found(std::string_view needed) const;
    const Source& source() const { return source_; }

private:
    const Source& source_;
    std::deque<std::string> kept_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

class ExpressionParser {
public:
    ExpressionParser(TokenReader& reader, Module& module) : reader_(reader), module_(module) {}

    ExprId expression();
    // (name = value, …) of an annotation or a call; what follows the opening bracket, with the closing one.
    std::vector<ExprId> call_arguments();
    std::vector<ExprId> subscripts(); // after '[', with ']'
    ExprId reference();               // a.b[1].c
    ExprId tuple();                   // (a, , b), after '('

    ExprId add(ExprKind kind, Span span, std::uint32_t name = 0, const std::vector<ExprId>& args = {},
               std::uint8_t op = 0);
    Span span_of(ExprId e) const { return module_.expressions[e].span; }

private:
    // Counts how deep expressions stand in each other: a text must not end the program.
    struct Depth {
        explicit Depth(ExpressionParser& parser);
        ~Depth() { --parser_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ExpressionParser& parser_;
    };
    ExprId binary(BinaryOp op, ExprId a, ExprId b);
    ExprId choice();
    ExprId logical_expression();
    ExprId logical_term();
    ExprId logical_factor();
    ExprId relation();
    ExprId sum();
    ExprId term();
    ExprId factor();
    ExprId primary();
    ExprId array();
    ExprId matrix();
    ExprId loops(ExprId body, Span from);
    ExprId number(const Token& token);
    ExprId parts_of(ExprId result);

    TokenReader& reader_;
    Module& module_;
    int depth_ = 0;
};

class Parser {
public:
    Parser(const Source& source, Module& module) : reader_(source), module_(module), expressions_(reader_, module) {}

    void run();

private:
    struct Depth {
        explicit Depth(Parser& parser);
        ~Depth() { --parser_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        Parser& parser_;
    };
    bool is_class_begin() const;
    void definition(std::vector<Class>& into);
    Class class_definition();
    void short_definition(Class& c);
    void package_body(Class& c);
    void class_body(Class& c);
    void section(Class& c, std::string_view word);
    void external_function(Class& c);
    void end_of_class(const Class& c);
    void components(Class& c, bool is_protected);
    Component component(const Component& shape);
    std::vector<Modification> modifications();
    Modification modification();
    void skip_comment(); // "text" + "text", annotation(…)
    void annotation(Class* c);
    [[noreturn]] void fail_not_flat(const Token& token) const;

    StatementId statement(bool is_algorithm);
    std::vector<StatementId> statements(bool is_algorithm);
    StatementId choice(bool is_algorithm);
    StatementId loop(bool is_algorithm);
    StatementId repeat();
    StatementId when(bool is_algorithm);
    StatementId plain(bool is_algorithm);
    StatementId add(Statement s);
    void end_of(std::string_view word);
    bool is_end_of_statements() const;

    TokenReader reader_;
    Module& module_;
    ExpressionParser expressions_;
    int depth_ = 0;
};

} // namespace vessiot::modelica
