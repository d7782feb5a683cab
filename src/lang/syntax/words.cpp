#include "lang/syntax/words.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "core/utf8.hpp"

namespace vessiot::lang {

namespace {

constexpr std::array keyword_table{
    Keyword{KeywordId::parameter, "parameter", "parameter g = 9.81, l = 1", false},
    Keyword{KeywordId::unknown, "unknown", "unknown x, y[n]", false},
    Keyword{KeywordId::matrix, "matrix", "matrix Y[3,3] in SO(3)", false},
    Keyword{KeywordId::independent, "independent", "independent s", false},
    Keyword{KeywordId::let, "let", "let r = sqrt(x^2 + y^2)", false},
    Keyword{KeywordId::function, "function", "function f(a, b) = a*b", false},
    Keyword{KeywordId::invariant, "invariant", "invariant x^2 + y^2 = 1", true},
    Keyword{KeywordId::constraint, "constraint", "constraint x^2 + y^2 = 1", true},
    Keyword{KeywordId::lagrangian, "lagrangian", "lagrangian x'^2/2 - g*x", false},
    Keyword{KeywordId::hamiltonian, "hamiltonian", "hamiltonian p^2/2 + q^2/2 with q: p", false},
    Keyword{KeywordId::force, "force", "force x = -k*x'", true},
    Keyword{KeywordId::for_loop, "for", "for i = 1..n:", true},
    Keyword{KeywordId::start, "start", "start x = 1, x' = 0", true},
    Keyword{KeywordId::guess, "guess", "guess lambda = 1", true},
    Keyword{KeywordId::hold, "hold", "hold x, y", true},
    Keyword{KeywordId::solve, "solve", "solve t = 0 .. 10", false},
    Keyword{KeywordId::option, "option", "option method = dopri54, rtol = 1e-8", false},
    Keyword{KeywordId::output, "output", "output every 0.05", false},
    Keyword{KeywordId::event, "event", "event lowest: x = 0 rising", false},
};

constexpr int any = -1;

constexpr std::array function_table{
    BuiltinFunction{"sin", 1, 1, "sine"},
    BuiltinFunction{"cos", 1, 1, "cosine"},
    BuiltinFunction{"tan", 1, 1, "tangent"},
    BuiltinFunction{"asin", 1, 1, "inverse sine"},
    BuiltinFunction{"acos", 1, 1, "inverse cosine"},
    BuiltinFunction{"atan", 1, 1, "inverse tangent"},
    BuiltinFunction{"atan2", 2, 2, "angle of the point (x, y), written atan2(y, x)"},
    BuiltinFunction{"sinh", 1, 1, "hyperbolic sine"},
    BuiltinFunction{"cosh", 1, 1, "hyperbolic cosine"},
    BuiltinFunction{"tanh", 1, 1, "hyperbolic tangent"},
    BuiltinFunction{"asinh", 1, 1, "inverse hyperbolic sine"},
    BuiltinFunction{"acosh", 1, 1, "inverse hyperbolic cosine"},
    BuiltinFunction{"atanh", 1, 1, "inverse hyperbolic tangent"},
    BuiltinFunction{"exp", 1, 1, "exponential"},
    BuiltinFunction{"log", 1, 1, "natural logarithm"},
    BuiltinFunction{"log10", 1, 1, "decimal logarithm"},
    BuiltinFunction{"sqrt", 1, 1, "square root"},
    BuiltinFunction{"cbrt", 1, 1, "cube root"},
    BuiltinFunction{"abs", 1, 1, "absolute value"},
    BuiltinFunction{"sign", 1, 1, "-1, 0 or 1"},
    BuiltinFunction{"min", 1, any, "smallest argument"},
    BuiltinFunction{"max", 1, any, "largest argument"},
    BuiltinFunction{"hypot", 2, 2, "sqrt(a^2 + b^2)"},
    BuiltinFunction{"erf", 1, 1, "error function"},
    BuiltinFunction{"floor", 1, 1, "largest integer not above"},
    BuiltinFunction{"ceil", 1, 1, "smallest integer not below"},
    BuiltinFunction{"mod", 2, 2, "remainder of a division"},
    BuiltinFunction{"if", 3, 3, "if(condition, a, b): a where the condition holds, else b"},
    BuiltinFunction{"der", 1, 2, "der(x, k): derivative of order k; der(E): total derivative"},
    BuiltinFunction{"diff", 2, 2, "diff(E, x): partial derivative"},
    BuiltinFunction{"sum", 2, any, "sum(i = a..b, E), with a condition sum(i = a..b, i != k, E)"},
    BuiltinFunction{"product", 2, any, "product(i = a..b, E)"},
    BuiltinFunction{"dot", 2, 2, "scalar product"},
    BuiltinFunction{"cross", 2, 2, "vector product"},
    BuiltinFunction{"norm", 1, 1, "length of a vector"},
    BuiltinFunction{"transpose", 1, 1, "transposed matrix"},
    BuiltinFunction{"det", 1, 1, "determinant"},
    BuiltinFunction{"trace", 1, 1, "trace"},
    BuiltinFunction{"inverse", 1, 1, "inverse matrix"},
    BuiltinFunction{"identity", 1, 1, "identity(n): unit matrix"},
    BuiltinFunction{"skew", 1, 3, "skew(a) or skew(a1, a2, a3): the matrix with skew(a)*b = cross(a, b)"},
};

// U+03B1 … U+03C9; the capitals U+0391 … U+03A9 lie in the same order.
constexpr std::array<std::string_view, 25> small_greek{
    "alpha", "beta",    "gamma", "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",   "nu",
    "xi",    "omicron", "pi",    "rho",   "sigma",   "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};
constexpr std::array<std::string_view, 25> capital_greek{
    "Alpha", "Beta",    "Gamma", "Delta", "Epsilon", "Zeta",  "Eta", "Theta",   "Iota", "Kappa", "Lambda", "Mu",   "Nu",
    "Xi",    "Omicron", "Pi",    "Rho",   "",        "Sigma", "Tau", "Upsilon", "Phi",  "Chi",   "Psi",    "Omega"};

template <class Table, class Key> auto index_by(const Table& table, Key key) {
    std::unordered_map<std::string_view, const typename Table::value_type*> index;
    for (const auto& entry : table) index.emplace(entry.*key, &entry);
    return index;
}

} // namespace

std::span<const Keyword> keywords() {
    return keyword_table;
}

const Keyword* find_keyword(std::string_view word) {
    static const auto index = index_by(keyword_table, &Keyword::word);
    const auto found = index.find(word);
    return found == index.end() ? nullptr : found->second;
}

std::span<const BuiltinFunction> builtin_functions() {
    return function_table;
}

const BuiltinFunction* find_builtin_function(std::string_view name) {
    static const auto index = index_by(function_table, &BuiltinFunction::name);
    const auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
}

std::optional<std::string> why_reserved(std::string_view word) {
    if (find_keyword(word) || word == "and" || word == "or" || word == "not") {
        return fmt::format("'{}' is a word of the language", word);
    }
    if (find_builtin_function(word)) return fmt::format("'{}' is a function of the language", word);
    if (word == "pi") return "'pi' is the number 3.14159…";
    return std::nullopt;
}

std::string_view greek_letter_name(char32_t code_point) {
    if (code_point >= 0x3B1 && code_point <= 0x3C9) return small_greek[code_point - 0x3B1];
    if (code_point >= 0x391 && code_point <= 0x3A9) return capital_greek[code_point - 0x391];
    switch (code_point) {
    case 0x00B5: return "mu"; // the micro sign of keyboards
    case 0x03D0: return "beta";
    case 0x03D1: return "theta";
    case 0x03D5: return "phi";
    case 0x03D6: return "pi";
    case 0x03F0: return "kappa";
    case 0x03F1: return "rho";
    case 0x03F5: return "epsilon";
    case 0x2126: return "Omega"; // the ohm sign
    case 0x2206: return "Delta"; // the increment sign
    default: return {};
    }
}

std::string normalise_name(std::string_view written) {
    std::string name;
    name.reserve(written.size());
    for (std::size_t i = 0; i < written.size();) {
        const auto point = decode_utf8(written, i).value_or(CodePoint{U'?', 1});
        if (point.value < 0x80) {
            name += written[i];
        } else {
            name += greek_letter_name(point.value);
        }
        i += point.length;
    }
    return name;
}

} // namespace vessiot::lang
