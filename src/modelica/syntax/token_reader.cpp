#include <algorithm>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/text.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "modelica/syntax/parser.hpp"

namespace vessiot::modelica {

void TokenReader::fail(Span span, const std::string& message) const {
    lang::fail(source_, span, message);
}

void TokenReader::fail_found(std::string_view needed) const {
    const Token& token = now();
    const std::string found = token.kind == TokenKind::end
                                  ? "the text ends"
                                  : fmt::format("found '{}'", printable(shortened(std::string(token.text), 40)));
    const Span span = token.kind == TokenKind::end ? last() : token.span;
    fail(span, fmt::format("{} where {} is needed", found, needed));
}

void TokenReader::need_symbol(std::string_view sign, std::string_view where) {
    if (!skip_symbol(sign)) fail_found(fmt::format("'{}' {}", sign, where));
}

void TokenReader::need_word(std::string_view word, std::string_view where) {
    if (!skip_word(word)) fail_found(fmt::format("'{}' {}", word, where));
}

Token TokenReader::need_name(std::string_view what) {
    if (now().kind != TokenKind::name) fail_found(what);
    return take();
}

} // namespace vessiot::modelica
