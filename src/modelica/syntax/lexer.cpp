#include "modelica/syntax/lexer.hpp"

#include <fmt/format.h>

#include "core/printable.hpp"
#include "lang/syntax/diagnostic.hpp"

namespace vessiot::modelica {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

class Lexer {
public:
    Lexer(const Source& source, std::deque<std::string>& kept) : source_(source), text_(source.text()), kept_(kept) {}

    std::vector<Token> run() {
        tokens_.reserve(text_.size() / 5);
        while (skip_blanks(), at_ < text_.size()) take();
        add(TokenKind::end, at_);
        return std::move(tokens_);
    }

private:
    char peek(std::size_t k = 0) const { return at_ + k < text_.size() ? text_[at_ + k] : '\0'; }
    [[noreturn]] void fail(std::size_t from, std::size_t to, const std::string& message) const {
        lang::fail(source_, {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)}, message);
    }
    void add(TokenKind kind, std::size_t from, std::string_view text = {}, bool is_quoted = false) {
        tokens_.push_back({kind, is_quoted, text, {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(at_)}});
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (c == '/' && peek(1) == '/') {
                while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
            } else if (c == '/' && peek(1) == '*') {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == text_.npos) fail(at_, at_ + 2, "this comment has no end: */ is missing");
                at_ = end + 2;
            } else {
                return;
            }
        }
    }

    void take() {
        const char c = text_[at_];
        if (is_letter(c)) return take_name();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
        if (c == '\'') return take_quoted();
        if (c == '"') return take_text();
        take_symbol();
    }

    void take_name() {
        const std::size_t from = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        add(TokenKind::name, from, text_.substr(from, at_ - from));
    }

    // NOTE: "1:3" is a range and "a.1" is nothing, so a point belongs to a number wherever it follows a digit.
    void take_number() {
        const std::size_t from = at_;
        while (is_digit(peek())) ++at_;
        if (peek() == '.') {
            ++at_;
            while (is_digit(peek())) ++at_;
        }
        if (peek() == 'e' || peek() == 'E') {
            const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (!is_digit(peek(1 + sign))) fail(from, at_ + 1 + sign, "an exponent has digits, as in 1e-6");
            at_ += 1 + sign;
            while (is_digit(peek())) ++at_;
        }
        add(TokenKind::number, from, text_.substr(from, at_ - from));
    }

    // 'a.b[1]'. Inside of its brackets a quote is a part of the name ('u['i']', as older programs write 'u[\'i\']').
    void take_quoted() {
        const std::size_t from = at_++;
        int depth = 0;
        bool has_escape = false;
        for (;; ++at_) {
            const char c = peek();
            if (at_ >= text_.size() || c == '\n' || c == '\r')
                fail(from, at_, "this name has no end: a quote ' is missing");
            if (c == '\\') {
                has_escape = true;
                ++at_;
                continue;
            }
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == '\'' && depth <= 0) break;
        }
        const std::string_view inside = text_.substr(from + 1, at_ - from - 1);
        ++at_;
        if (inside.empty()) fail(from, at_, "a name in quotes has at least one sign");
        add(TokenKind::name, from, has_escape ? without_escapes(inside) : inside, true);
    }

    std::string_view without_escapes(std::string_view text) {
        std::string& result = kept_.emplace_back();
        for (std::size_t k = 0; k < text.size(); ++k)
            if (text[k] != '\\' || k + 1 == text.size())
                result += text[k];
            else
                result += text[++k];
        return result;
    }

    void take_text() {
        const std::size_t from = at_++;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) {
            at_ = text_.size();
            fail(from, from + 1, "this text has no end: a quote \" is missing");
        }
        ++at_;
        add(TokenKind::text, from, text_.substr(from, at_ - from));
    }

    void take_symbol() {
        static constexpr std::string_view pairs[] = {":=", "<=", ">=", "==", "<>", "!=", ".+", ".-", ".*", "./", ".^"};
        static constexpr std::string_view single = "()[]{},;:=+-*/^<>.";
        const std::size_t from = at_;
        for (const std::string_view pair : pairs)
            if (text_.substr(at_, 2) == pair) {
                at_ += 2;
                return add(TokenKind::symbol, from, pair);
            }
        if (text_[at_] == '#' && text_.find("#;", at_) < text_.find('\n', at_))
            fail(
                from, at_ + 1,
                "OpenModelica has left out a statement here that it cannot write; without it the model is another one. "
                "Export with -d=evaluateAllParameters, with another version, or with other options");
        if (single.find(text_[at_]) == single.npos) {
            std::size_t end = at_ + 1;
            while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0U) == 0x80U) ++end;
            fail(from, end, fmt::format("'{}' has no meaning in Modelica", printable(text_.substr(at_, end - at_))));
        }
        ++at_;
        add(TokenKind::symbol, from, text_.substr(from, 1));
    }

    const Source& source_;
    std::string_view text_;
    std::deque<std::string>& kept_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokens_of(const Source& source, std::deque<std::string>& kept) {
    return Lexer(source, kept).run();
}

} // namespace vessiot::modelica
