// The words of a Base Modelica text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modelica/syntax/ast.hpp"

namespace vessiot::modelica {

enum class TokenKind : std::uint8_t { name, number, text, symbol, end };

struct Token {
    TokenKind kind = TokenKind::end;
    bool is_quoted = false;  // a quoted name is never a keyword
    std::string_view text{}; // of a name: without quotes; of a symbol: its signs; of a text: with its quotes
    Span span{};
};

// Comments are dropped. `names` keeps what differs from the text itself (quoted names with escapes).
std::vector<Token> tokens_of(const Source& source, std::deque<std::string>& kept);

} // namespace vessiot::modelica
