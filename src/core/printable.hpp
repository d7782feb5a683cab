// Text of others (names of files, options, models) for people: nothing in it acts on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace vessiot {

// How a character that is not shown is written: \x1b and \u202e, or, inside of a JSON text, \u001b and \u202e.
enum class EscapeStyle { text, json };

// The text with its control characters (C0, DEL, C1), marks that turn the direction of writing, and bytes that are not
// UTF-8 written out. Line ends and tabs stay. Of a JSON text, where such characters stand in strings only, the result
// is the same value.
std::string printable(std::string_view text, EscapeStyle style = EscapeStyle::text);

} // namespace vessiot
