#include "fuzz/mutate_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <vector>

namespace vessiot::fuzz {
namespace {

// Statements of all kinds, with names that models of the corpora have.
constexpr std::array statements{
    "unknown x, y, z",
    "unknown x[n], y[n,2]",
    "parameter n = 3, k = 2",
    "parameter m[3] = [1, 2, 3], K[2,2] = [[2, -1], [-1, 2]]",
    "independent s",
    "let r = sqrt(x^2 + y^2)",
    "let v[i = 1..n] = x[i]'^2",
    "function f(a, b) = k*(a - b)",
    "matrix Y[3,3] in SO(3)",
    "Y' = skew(cos(t), sin(t), 1)*Y",
    "x' = y",
    "y' = -x",
    "x'' = -z*x",
    "y'' = -z*y - 9.81",
    "x^2 + y^2 = 1",
    "x'^2 + y^2 + t^2 = 1",
    "x*x' = -1/2",
    "x' = if(t > 0.5 and x < 1, 1, -1)",
    "x' = max(x, 0) + abs(y) - floor(t)",
    "table f(s) = [0: 0, 0.5: 12, 1: 10] cubic outside hold",
    "table K(a, b) = file \"map.csv\"",
    "parameter load = file \"load.csv\" column 2",
    "x' = f(t) + f(x)'",
    "y' = [cos(x), sin(x)][k] + size(m)",
    "include \"mechanics\"",
    "part a = Body2(m = 2)",
    "part b[i = 1..n] = Body2(J = i)",
    "part c = Revolute2(a, [1, 0], b[1], [0, 0])",
    "constraint a.point([1, 0]) = b[n].r",
    "output h = b[2].r[1] + a.phi'",
    "component C(p, k = 1):",
    "    unknown q",
    "    q' = -k*q",
    "part d = C(a)",
    "for i = 1..n: x[i]' = -x[i]",
    "for i = 2..n-1: x[i]' = x[i-1] - 2*x[i] + x[i+1]",
    "for i = 1..n, j = 1..2: y[i,j] = x[i]*j",
    "for i = 1..0: x[i] = 1",
    "x' = sum(j = 1..n, j != 1, m[j])",
    "x' = product(j = 1..n, j)",
    "lagrangian (x'^2 + y'^2)/2 - 9.81*y",
    "hamiltonian (y^2 + x^2)/2 with x: y",
    "constraint x^2 + y^2 = 1",
    "constraint x'*sin(y) - y'*cos(y) = 0",
    "force x = -0.1*x'",
    "invariant x^2 + y^2",
    "invariant y'' = 0",
    "start x = 1, y = 0",
    "start x' = 0, y' = 1",
    "for i = 1..n: start x[i] = i",
    "start Y = identity(3)",
    "guess z = 1",
    "hold x, y",
    "solve t = 0 .. 1",
    "solve t = 1 .. 0",
    "option method = radau5, rtol = 1e-8",
    "option parametrisation = arclength, projection = newton",
    "output every 0.1",
    "output at 0.5, 1",
    "output E = x^2 + y^2",
    "event hit: x = 0.5 falling then x = 1, y = -y",
    "contact floor: y >= 0, restitution 0.5",
    "contact wall: x <= 1, friction 0.3 along y'",
    "contact plane: y >= x - 1, restitution 0.2, friction 0.1 along x', y'",
    "for i = 1..3: contact touch: x + i >= 0",
    "event end: y = 0 stop",
    "der(x, 3) = diff(x^2*y, x)",
    "discrete mode = 0, k[2] = [1, 2]",
    "event rule: always then mode = if(x > mode, 1, 0)",
    "event set: always then mode = 1 - mode, x' = if(x < 0, -x', x')",
    "initially x' = 0",
    "initially der(x, 2) + y = 1",
    "for i = 1..3: initially x = i",
    "x' = if(mode < 1, y, -y)",
    "event tick: every 0.25 then mode = 1 - mode",
    "event touch: x - 0.5 = 0 rising then guess z = 2",
    "x' = sign(y) + mod(t, 0.3)*max(x, y)",
};

constexpr std::array<std::string_view, 24> numbers{
    "0",      "1",     "-1", "2",    "0.5", "1e308",      "-1e308",
    "1e-320", "1e-16", "3",  "4",    "1e9", "2147483648", "9007199254740993",
    "1e400",  "0.1",   "-0", "1e-8", "100", "30",         "1/0",
    "2^0.5",  "n",     "pi"};
constexpr std::array<std::string_view, 30> words{"x",   "y",     "z",    "t",    "n",   "k",   "lambda", "lambda[1]",
                                                 "x'",  "x''",   "x[1]", "x[n]", "sin", "exp", "sqrt",   "abs",
                                                 "min", "floor", "mod",  "if",   "sum", "der", "diff",   "and",
                                                 "not", "+",     "-",    "*",    "/",   "^"};

std::size_t below(Random& random, std::size_t n) {
    return n == 0 ? 0 : random() % n;
}
template <class List> std::string of(Random& random, const List& list) {
    return std::string(list[below(random, std::size(list))]);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    return lines;
}

// Begin and end of all tokens for which `is` holds at every character.
template <class Is> std::vector<std::pair<std::size_t, std::size_t>> tokens(const std::string& line, const Is& is) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t k = 0; k < line.size();) {
        std::size_t end = k;
        while (end < line.size() && is(static_cast<unsigned char>(line[end]))) ++end;
        if (end > k) found.emplace_back(k, end);
        k = std::max(end, k + 1);
    }
    return found;
}

void replace_token(std::string& line, const std::vector<std::pair<std::size_t, std::size_t>>& found, Random& random,
                   const std::string& by) {
    if (found.empty()) return;
    const auto [begin, end] = found[below(random, found.size())];
    line.replace(begin, end - begin, by);
}

void change_line(std::string& line, Random& random) {
    const auto is_word = [](int c) { return std::isalpha(c) || c == '_' || c == '\''; };
    const auto is_digit = [](int c) { return std::isdigit(c) || c == '.'; };
    const auto is_operator = [](int c) { return std::strchr("+-*/^=<>(),:", c) != nullptr && c != 0; };
    switch (below(random, 6)) {
    case 0: replace_token(line, tokens(line, is_digit), random, edge_number(random)); break;
    case 1: replace_token(line, tokens(line, is_word), random, of(random, words)); break;
    case 2: replace_token(line, tokens(line, is_operator), random, of(random, words)); break;
    case 3: line.insert(below(random, line.size() + 1), of(random, words)); break;
    case 4: line += "'"; break;
    default: { // a part of the line again
        const std::size_t from = below(random, line.size() + 1), n = below(random, line.size() + 1 - from);
        line.insert(below(random, line.size() + 1), line.substr(from, n));
    }
    }
}

} // namespace

std::string edge_number(Random& random) {
    return of(random, numbers);
}

std::string mutate_model(const std::string& text, Random& random) {
    std::vector<std::string> lines = lines_of(text);
    const auto any = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size())); };
    for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
        switch (below(random, 8)) {
        case 0: lines.insert(any(), of(random, statements)); break;
        case 1: *any() = of(random, statements); break;
        case 2:
            if (lines.size() > 1) lines.erase(any());
            break;
        case 3: std::iter_swap(any(), any()); break;
        case 4: {
            const std::string copy = *any();
            lines.insert(any(), copy);
            break;
        }
        default: change_line(*any(), random);
        }
    }
    std::string result;
    for (const std::string& line : lines) result += line + "\n";
    result.pop_back();
    return result;
}

std::string mutate_bytes(std::string bytes, Random& random) {
    constexpr std::array<std::uint64_t, 8> edges{0,          1,          0xff,  0x7fffffff,
                                                 0xffffffff, 1ull << 53, ~0ull, 0x7ff0000000000000};
    for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
        const std::size_t at = below(random, bytes.size() + 1);
        switch (below(random, 5)) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
            break;
        case 1: bytes.insert(at, 1, static_cast<char>(random())); break;
        case 2: bytes.erase(at, below(random, 9)); break;
        case 3: { // eight bytes become a length or a number at an edge
            const std::uint64_t edge = edges[below(random, edges.size())];
            if (at + sizeof edge <= bytes.size()) std::memcpy(bytes.data() + at, &edge, sizeof edge);
            break;
        }
        default: bytes.insert(at, bytes.substr(below(random, bytes.size() + 1), below(random, 17)));
        }
    }
    return bytes;
}

bool is_one_in(std::size_t n, const std::uint8_t* data, std::size_t size) {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (std::size_t k = 0; k < size; ++k) hash = (hash ^ data[k]) * 0x100000001b3u;
    return (hash >> 32) % n == 0;
}

std::size_t copy_back(const std::string& text, std::uint8_t* data, std::size_t max_size) {
    const std::size_t n = std::min(text.size(), max_size);
    std::memcpy(data, text.data(), n);
    return n;
}

} // namespace vessiot::fuzz
