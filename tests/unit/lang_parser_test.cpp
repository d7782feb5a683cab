// Model text to syntax tree: every statement of the language, precedence, places, continuation, limits, and the text
// of the messages for wrong models.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text.hpp"
#include "lang/syntax/number_text.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/words.hpp"
#include "support/ast_dump.hpp"

namespace vessiot::lang::lang_parser_test {
namespace {

std::string tree(const std::string& text) {
    const Source source("m.ves", text);
    try {
        return dump(parse(source));
    } catch (const InvalidInput& error) {
        return error.what();
    }
}

std::string expr(const std::string& text) {
    const Source source("m.ves", text);
    try {
        return dump(parse_expression(source).expr);
    } catch (const InvalidInput& error) {
        return error.what();
    }
}

// The message alone, without place and line.
std::string message(const std::string& text) {
    const Source source("m.ves", text);
    try {
        parse(source);
    } catch (const ModelError& error) {
        return error.message();
    }
    return "no error";
}

// The same after "line:column: ".
std::string located_message(const std::string& text) {
    const Source source("m.ves", text);
    try {
        parse(source);
    } catch (const ModelError& error) {
        return fmt::format("{}:{}: {}", error.position().line, error.position().column, error.message());
    }
    return "no error";
}

std::string repeat(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

struct Case {
    std::string text;
    std::string expected;
};

TEST(Parser, ReadsEveryStatement) {
    const std::vector<Case> cases{
        {"parameter a = 1, b = 2*a, c", "(parameter (a 1) (b (* 2 a)) c)\n"},
        {"parameter m[3] = [1, 2, 3]", "(parameter ((at m 3) (vec 1 2 3)))\n"},
        {"parameter K[2,2] = [[1, 2], [3, 4]]", "(parameter ((at K 2 2) (vec (vec 1 2) (vec 3 4))))\n"},
        {"unknown x, y[n], z[n,2]", "(unknown x (at y n) (at z n 2))\n"},
        {"matrix Y[3,3] in SO(3)", "(matrix (Y 3 3 (SO 3)))\n"},
        {"matrix Y[n,2] in Stiefel(n, 2), Z[2,2]", "(matrix (Y n 2 (Stiefel n 2)) (Z 2 2))\n"},
        {"independent s", "(independent s)\n"},
        {"let r = sqrt(x^2 + y^2)", "(let r (call sqrt (+ (^ x 2) (^ y 2))))\n"},
        {"let v[i = 1..n] = x[i]'", "(let v (i 1 n) (prime 1 (at x i)))\n"},
        {"let v[i = 1..n, j = i..m] = i*j", "(let v (i 1 n) (j i m) (* i j))\n"},
        {"let a = 1, b = 2", "(let a 1)\n(let b 2)\n"},
        {"function f(a, b) = a*b", "(function f (a b) (* a b))\n"},
        {"x'' = -lambda*x", "(eq (prime 2 x) (* (neg lambda) x))\n"},
        {"invariant x'^2 + y", "(invariant (+ (^ (prime 1 x) 2) y))\n"},
        {"invariant x = c", "(invariant x c)\n"},
        {"constraint x^2 = 1", "(constraint (^ x 2) 1)\n"},
        {"lagrangian x'^2/2 - g*x", "(lagrangian (+ (* (^ (prime 1 x) 2) (/ 2)) (- (* g x))))\n"},
        {"hamiltonian p^2/2 with x: px, q[i]: p[i]", "(hamiltonian (* (^ p 2) (/ 2)) (x px) ((at q i) (at p i)))\n"},
        {"force x[2] = -k*x[2]'", "(force (at x 2) (* (neg k) (prime 1 (at x 2))))\n"},
        {"for i = 1..n: x[i]' = 0", "(for (i 1 n) (eq (prime 1 (at x i)) 0))\n"},
        {"for i = 1..n, j = 1..i:\n  x[i,j] = 0\n  start y[i] = j",
         "(for (i 1 n) (for (j 1 i) (eq (at x i j) 0) (start ((at y i) j))))\n"},
        {"start x = 1, x' = 0, der(y, 2) = -1", "(start (x 1) ((prime 1 x) 0) ((call der y 2) (neg 1)))\n"},
        {"guess lambda = 1", "(guess (lambda 1))\n"},
        {"hold x, y[1]'", "(hold x (prime 1 (at y 1)))\n"},
        {"solve t = 0 .. 2*pi", "(solve t 0 (* 2 pi))\n"},
        {"solve t=0..10", "(solve t 0 10)\n"},
        {"output every 0.05", "(every 0.05)\n"},
        {"output at 1, 2", "(at 1 2)\n"},
        {"output E = x^2, every = 3", "(output E (^ x 2))\n(output every 3)\n"},
        {"event lowest: x = 0 rising", "(event lowest x 0 rising)\n"},
        {"event e: x = y falling stop", "(event e x y falling stop)\n"},
        {"event e: x = stop stop", "(event e x stop both stop)\n"},
        {"event e: x = 0 falling then x' = -x', y = 1",
         "(event e x 0 falling (then ((prime 1 x) (neg (prime 1 x))) (y 1)))\n"},
        {"event e: x = 0 then x = 1, guess V = 2, y = 3", "(event e x 0 both (then (x 1) (y 3)) (guess (V 2)))\n"},
        {"output section e", "(section e)\n"},
    };
    for (const Case& c : cases) EXPECT_EQ(tree(c.text), c.expected) << c.text;
}

TEST(Parser, ReadsOptionValues) {
    EXPECT_EQ(tree("option method = dopri54, rtol = 1e-8, step = -0.5, to = 2*pi"),
              "(option (method 'dopri54') (rtol 1e-8) (step (neg 0.5)) (to (* 2 pi)))\n");
    // A word that is a keyword, or is no expression, has no expression beside its text.
    EXPECT_EQ(tree("option distribution = solve, a = kernel-svd, b = kkt-2nd # comment"),
              "(option (distribution 'solve'!) (a 'kernel-svd') (b 'kkt-2nd'!))\n");
    EXPECT_EQ(tree("option partition = [[x, y[1]'], [z]], none = []"),
              "(option (partition [ [ 'x' (prime 1 (at y 1))] [ 'z']]) (none []))\n");
}

TEST(Parser, FollowsPrecedence) {
    const std::vector<Case> cases{
        {"-x^2", "(neg (^ x 2))"},
        {"2^-1", "(^ 2 (neg 1))"},
        {"a^b^c", "(^ a (^ b c))"},
        {"2^-x^2", "(^ 2 (neg (^ x 2)))"},
        {"-a*b", "(* (neg a) b)"},
        {"a*-b", "(* a (neg b))"},
        {"--a", "(neg (neg a))"},
        {"+a - +b", "(+ a (- b))"},
        {"a - b - c + d", "(+ a (- b) (- c) d)"},
        {"a - (b - c)", "(+ a (- (+ b (- c))))"},
        {"a/b/c*d", "(* a (/ b) (/ c) d)"},
        {"a + b*c", "(+ a (* b c))"},
        {"x[i]'^2", "(^ (prime 1 (at x i)) 2)"},
        {"(x*y)''", "(prime 2 (* x y))"},
        {"f(x)'", "(prime 1 (call f x))"},
        {"[x, y]'", "(prime 1 (vec x y))"},
        {"not a < b and c >= d or e != f", "(or (and (not (< a b)) (>= c d)) (!= e f))"},
        {"a == b or c <= d or e > f", "(or (== a b) (<= c d) (> e f))"},
        {"if(x < 0, -x, x)", "(call if (< x 0) (neg x) x)"},
        {"x[i+1, 2]", "(at x (+ i 1) 2)"},
        {"sum(i = 1..n-1, x[i])", "(sum (i 1 (+ n (- 1))) (at x i))"},
        {"sum(j = 1..n, j != i, x[j])", "(sum (j 1 n) (where (!= j i)) (at x j))"},
        {"product(i = 1..n, j = i..m, i + j > 2, x[i,j])",
         "(product (i 1 n) (product (j i m) (where (> (+ i j) 2)) (at x i j)))"},
        {"diff(E, x)/der(x, 2)", "(* (call diff E x) (/ (call der x 2)))"},
    };
    for (const Case& c : cases) EXPECT_EQ(expr(c.text), c.expected) << c.text;
}

TEST(Parser, ReadsGreekLettersAsTheirSpelledNames) {
    EXPECT_EQ(tree("λ'' = ω_0*Ω + α1β"), "(eq (prime 2 lambda) (+ (* omega_0 Omega) alpha1beta))\n");
    EXPECT_EQ(expr("ϕ + µ + ϑ"), "(+ phi mu theta)"); // variants of a letter, and the micro sign
    EXPECT_EQ(expr("2*π"), "(* 2 pi)");
}

TEST(Parser, KeepsNumbersToQuadPrecision) {
    const Source source("m.ves", "0.1");
    const ParsedExpression parsed = parse_expression(source);
    const Number* number = as<Number>(parsed.expr);
    ASSERT_NE(number, nullptr);
    EXPECT_EQ(number->text, "0.1");
    EXPECT_TRUE(number->value ==
                static_cast<Quad>(1) / 10); // 1/10 rounds to the same quad number, 0.1 as double does not
    EXPECT_TRUE(to_quad("12.5e+3") == 12500);
    EXPECT_TRUE(to_quad("1.5E-1") == static_cast<Quad>(15) / 100);
}

TEST(Parser, KnowsThePlaceOfEverything) {
    const Source source("m.ves", "parameter g = 9.81\nλ'' = -(g + x[2])*y # why\n");
    const Module module = parse(source);
    const Statement& statement = module.statements[1];
    EXPECT_EQ(source.text(statement.span), "λ'' = -(g + x[2])*y");
    const auto& equation = std::get<EquationStatement>(statement.node);
    EXPECT_EQ(source.text(equation.lhs->span), "λ''");
    EXPECT_EQ(source.text(equation.rhs->span), "-(g + x[2])*y");
    const Product* product = as<Product>(equation.rhs);
    ASSERT_NE(product, nullptr);
    EXPECT_EQ(source.text(product->operands[0].expr->span), "-(g + x[2])");
    EXPECT_EQ(source.text(product->operands[1].op_span), "*");
    const ExprPtr sum = as<Negate>(product->operands[0].expr)->operand;
    EXPECT_EQ(source.text(sum->span), "g + x[2]"); // no brackets around the whole
    const Indexed* indexed = as<Indexed>(as<Sum>(sum)->operands[1].expr);
    EXPECT_EQ(source.text(indexed->name.span), "x");
    // Columns count letters, not bytes.
    const Position star = source.position(product->operands[1].op_span.begin);
    EXPECT_EQ(star.line, 2u);
    EXPECT_EQ(star.column, 18u);
}

TEST(Parser, GoesOnInTheNextLine) {
    const std::string joined = "(eq x (+ a b))\n";
    EXPECT_EQ(tree("x = (a\n+ b)"), joined); // open bracket
    EXPECT_EQ(tree("x = a +\nb"), joined);   // trailing operator
    EXPECT_EQ(tree("x = a + # why\n\n# more\n  b"), joined);
    EXPECT_EQ(tree("x =\n  a + b"), joined);
    EXPECT_EQ(tree("x = a\n  + b"), joined); // deeper, starts with an operator
    EXPECT_EQ(tree("x\n  = a\n# between\n  + b"), joined);
    EXPECT_EQ(tree("x = a\r\n  + b\r\n"), joined);
    EXPECT_EQ(tree("x = a\r  + b"), joined);
    EXPECT_EQ(tree("\xEF\xBB\xBFx = a + b"), joined);
    EXPECT_EQ(tree("unknown x,\n        y\nstart x = 1\n    , y = 2"), "(unknown x y)\n(start (x 1) (y 2))\n");
    EXPECT_EQ(tree("hamiltonian H\n    with q: p,\n    r: s"), "(hamiltonian H (q p) (r s))\n");
    EXPECT_EQ(tree("x = 1\n-y = 2"), "(eq x 1)\n(eq (neg y) 2)\n"); // not deeper: a new statement
    EXPECT_EQ(tree("for i = 1..2:\n  -y = 2\n  -z = 1\n    - 2"),
              "(for (i 1 2) (eq (neg y) 2) (eq (neg z) (+ 1 (- 2))))\n");
}

TEST(Parser, ReadsBlocksByIndentation) {
    EXPECT_EQ(tree("for i = 1..n:\n    for j = 1..m:\n        x = 1\n    # c\n\n    y = 2\nz = 3"),
              "(for (i 1 n) (for (j 1 m) (eq x 1)) (eq y 2))\n(eq z 3)\n");
    EXPECT_EQ(tree("for i = 1..n: for j = 1..m:\n  x = 1\ny = 2"), "(for (i 1 n) (for (j 1 m) (eq x 1)))\n(eq y 2)\n");
    EXPECT_EQ(tree("  x = 1\n  for i = 1..n:\n   y = 2\n  z = 3"), "(eq x 1)\n(for (i 1 n) (eq y 2))\n(eq z 3)\n");
}

TEST(Parser, ReadsAssignmentsOfTheCommandLine) {
    const Source source("--start", "x[1]' = 2*pi");
    EXPECT_EQ(dump(parse_assignment(source).assignment), "((prime 1 (at x 1)) (* 2 pi))");
    const Source wrong("--set", "n 3");
    EXPECT_THROW(parse_assignment(wrong), ModelError);
    EXPECT_THROW(parse_assignment(Source("--set", "")), InvalidInput);
    EXPECT_THROW(parse_expression(Source("--every", "1 2")), ModelError);
}

TEST(Parser, ShowsTheLineWithACaret) {
    EXPECT_EQ(tree("unknown x\nfor i = 1..2:\n    θ[i]' = 2 θ[i]\n"),
              "m.ves:3:13: an operator is missing between '2' and 'θ'; for a product write 2*θ\n"
              "    θ[i]' = 2 θ[i]\n"
              "            ^~~");
    EXPECT_EQ(tree("x' = (a +\n  b\ny' = 2"), "m.ves:1:6: this '(' is never closed\n"
                                              "    x' = (a +\n"
                                              "         ^");
    // A tab inside of the line is shown as a space.
    EXPECT_EQ(tree("x\t= \ta b"), "m.ves:1:6: an operator is missing between 'a' and 'b'; for a product write a*b\n"
                                  "    x =  a b\n"
                                  "         ^~~");
    // A long line is cut around the caret.
    EXPECT_EQ(
        tree("x = " + repeat("1 + ", 100) + "§" + repeat(" + 1", 100)),
        "m.ves:1:405: the character '§' does not belong in a model; names have ASCII or Greek letters, digits and "
        "'_'\n"
        "    …" +
            repeat("1 + ", 8) + "§" + repeat(" + 1", 15) +
            " + …\n"
            "    " +
            repeat(" ", 33) + "^");
}

TEST(Parser, WarnsInTheSameForm) {
    const Source source("m.ves", "parameter a = 1\n  parameter bb = 2");
    Warnings warnings;
    warn(warnings, source, {28, 30}, "'bb' is used nowhere");
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], "m.ves:2:13: warning: 'bb' is used nowhere\n"
                           "    parameter bb = 2\n"
                           "              ^~");
}

TEST(Parser, ExplainsMistakes) {
    const std::vector<Case> cases{
        {"x' == y", "1:4: an equation is written with one '=', not with '=='"},
        {"x' < y", "1:4: an equation is written with one '=', not with '<'"},
        {"x'' + y", "1:1: this line is not an equation: it has no '='; write … = 0 if that is meant"},
        {"x' = a = b", "1:8: this is a second '=' in one line: an equation has one"},
        {"x' = a +\ny' = b",
         "2:4: this is a second '=' in the statement that began in line 1, which goes on here; does a line "
         "above end with an operator or a ','?"},
        {"x' = a, y' = b", "1:7: each equation has a line of its own: put what follows the ',' there"},
        {"x' = f(a,\nstart x = 1", "1:7: this '(' is never closed"},
        {"x' = [1, 2\ny = (3", "1:6: this '[' is never closed"},
        {"x' = a)", "1:7: this ')' closes nothing"},
        {"x' = (a]", "1:8: this ']' does not fit the '(' in column 6: write ')'"},
        {"x' = ()", "1:6: there is nothing between these brackets"},
        {"x' = (a = b)", "1:9: '=' cannot stand inside of brackets; to compare write '=='"},
        {"x''[i+1] = 2", "1:1: the index comes before the prime: write x[i+1]''"},
        {"x[i][j] = 1", "1:5: several indices stand in one bracket: write x[i, j] instead of x[i][j]"},
        {"x' = x^2'", "1:9: a prime cannot follow a number; the derivative of a power is written (x^2)'"},
        {"x'(0) = 1", "1:1: x' is written without an argument; for a product write x'*(…)"},
        {"x' = 2x", "1:6: an operator is missing between '2' and 'x'; for a product write 2*x"},
        {"x' = 2exp(x)", "1:6: an operator is missing between '2' and 'exp'; for a product write 2*exp(…)"},
        {"x' = (a)(b)", "1:9: an operator is missing before '('; for a product write '*'"},
        {"x' = x**2", "1:7: a power is written with '^', not with '**'"},
        {"x' = sin x", "1:6: 'sin' is a function and needs brackets: write sin(x)"},
        {"x' = sin^2(x)", "1:6: 'sin' is a function: write sin(x)^2 instead of sin^2(x)"},
        {"x' = a + * b", "1:10: something is missing before '*'"},
        {"x' = a +", "1:8: the line is not finished: something is missing after '+'"},
        {"x' = 1 < 2 < 3", "1:12: comparisons cannot be chained: write a < b and b < c"},
        {"x' = a;", "1:7: a statement ends at the end of its line: leave the ';' out"},
        {"Y' = [0, 1; -1, 0]*Y",
         "1:11: ';' separates nothing inside of brackets: a matrix is written by its rows, [[a, b], [c, d]]"},
        {"x' = a; y' = b", "1:7: ';' does not separate statements: put the next one on a line of its own"},
        {"x’ = 1", "1:2: the character '’' does not belong in a model; write a prime as '"},
        {"x' = a − b", "1:8: the character '−' does not belong in a model; write '-'"},
        {"x' = $a", "1:6: the character '$' does not belong in a model"},
        {"x' = 1e", "1:6: the exponent of '1e' has no digits: write 1e-3 for a power of ten, or 1*e for a product"},
        {"x' = 1.2.3", "1:6: '1.2.3' is not a number: it has more than one decimal point"},
        {"x' = 1.", "1:6: a digit is needed after the decimal point: write 1.0"},
        {"x' = .5", "1:6: a digit is needed before the decimal point: write 0.5"},
        {"x' = 1e400", "1:6: this number is too large; the largest is about 1.8e308"},
        {"x' = 3..4",
         "1:7: a range a..b stands only in 'for', 'sum', 'product', a family 'let v[i = 1..n]' and 'solve'"},
        {"solve t = 3..", "1:12: the line is not finished: something is missing after '..'"},
        {"solve t = 0 to 10", "1:13: a range has two ends with two dots between them: write solve t = 0 .. 10"},
        {"solve t = 0...10", "1:12: a range is written with two dots: 1..n"},
        {"x' = sum(x)", "1:6: 'sum' needs an index and its range: write sum(i = 1..n, …)"},
        {"start x 1", "1:7: a value is given with '=': write start x = 1"},
        {"start y(0) = 1", "1:7: a name without arguments is needed here: write y instead of y(0)"},
        {"start x = 1 y = 2", "1:13: a ',' is missing before 'y'"},
        {"start x = 1,\nsolve t = 0..1", "1:12: the line is not finished: something is missing after ','"},
        {"unknwon x, y", "1:1: 'unknwon' begins no statement; did you mean 'unknown'?"},
        {"param g = 9.81", "1:1: 'param' begins no statement; did you mean 'parameter'?"},
        {"unknown x = 1", "1:11: an unknown has no value here; its start value is given by: start x = …"},
        {"unknown x y", "1:9: a ',' is missing between 'x' and 'y'"},
        {"unknown x,\nx' = 1", "1:10: this ',' at the end of the line makes the next line a part of the statement"},
        {"unknown sin", "1:9: 'sin' is a function of the language and cannot be the name of an unknown"},
        {"parameter start = 1", "1:11: 'start' is a word of the language and cannot be the name of a parameter"},
        {"parameter π = 3", "1:11: 'pi' is the number 3.14159… and cannot be the name of a parameter"},
        {"parameter", "1:1: something is missing after 'parameter', as in: parameter g = 9.81, l = 1"},
        {"force' = 1", "1:1: 'force' is a word of the language and cannot be a name"},
        {"constraint x", "1:1: a constraint is an equation: write constraint … = 0"},
        {"lagrangian L = x", "1:14: the Lagrangian is written without a name and '=', as in: lagrangian x'^2/2 - g*x"},
        {"event x = 0", "1:7: an event has a name with ':' after it, as in: event lowest: x = 0 rising"},
        {"event a: x = 0 raising", "1:16: 'raising' is unknown here; did you mean 'rising'?"},
        {"option max-steps = 3", "1:8: the name of an option is written with '_' instead of '-'"},
        {"output x",
         "1:8: output is written as 'output every 0.05', 'output at 1, 2', 'output section NAME' or 'output E = …'"},
        {"for i = 1..n\n    x[i]' = 0", "1:1: the ':' after 'for i = 1..n' is missing"},
        {"for i = 1..n:\nx[i]' = 0", "1:1: this loop has no statements: write them below it, indented"},
        {"for i in 1..n:\n  x = 0", "1:7: an index is given with its range: write i = 1..n"},
        {"for i = 1..n:\n    x = 0\n  y = 0", "3:3: this line is indented by 2, but the block above it by 4 and its "
                                              "'for' by 0: it must agree with one of them"},
        {"for i = 1..n:\n    let y = 0",
         "2:5: 'let' cannot stand in a loop; a family of names is written let v[i = 1..n] = …"},
        {"x' = 0\n  y' = 0",
         "2:3: this line is indented deeper than the one before, but no 'for …:' stands above it; a "
         "statement goes on in a deeper line that starts with an operator"},
        {"for i = 1..n:\n\tx = 0", "2:1: this line is indented with a tab; write spaces instead"},
    };
    for (const Case& c : cases) EXPECT_EQ(located_message(c.text), c.expected) << c.text;
}

TEST(Parser, StopsAtItsLimitsWithAMessage) {
    constexpr int n = 100000; // far above every limit; without them the stack would be exhausted
    const std::string deep = "brackets, signs and powers are nested deeper than 500 levels, the most that is allowed";
    for (const char* opening : {"(", "[", "-", "2^", "sin(", "x[", "not ", "-(2^", "sum(i = 1..2, "}) {
        EXPECT_EQ(message("x' = " + repeat(opening, n)), deep) << opening;
    }
    EXPECT_EQ(message("x' = sum(" + repeat("i = 1..2, ", n)), deep);
    EXPECT_EQ(message(repeat("for i = 1..2: ", n)), "loops are nested 51 deep here; at most 50 levels are allowed");
    EXPECT_EQ(message("x" + repeat("'", n)), "there are 100000 primes here; derivatives up to order 64 are allowed");
    EXPECT_EQ(message("option p = " + repeat("[", n)),
              "lists are nested deeper than 500 levels, the most that is allowed");
    EXPECT_EQ(message(repeat("x", n)), "this name has 100000 characters; at most 200 are allowed");
    EXPECT_EQ(message("x = " + repeat("1", n)), "this number has 100000 characters; at most 1000 are allowed");
    EXPECT_EQ(message("x = " + repeat("(", 499) + "1" + repeat(")", 499)), "no error");
}

TEST(Parser, KeepsLongChainsFlat) {
    constexpr int n = 1000000;
    const Source source("m.ves", "x' = a" + repeat(" + a", n - 1));
    const Module module = parse(source);
    const Sum* sum = as<Sum>(std::get<EquationStatement>(module.statements[0].node).rhs);
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(sum->operands.size(), static_cast<std::size_t>(n));
}

std::string load_error(const std::filesystem::path& path) {
    try {
        parse(Source::load(path));
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

TEST(Source, SaysWhatIsWrongWithAFile) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "vessiot_source_test";
    std::filesystem::create_directories(folder);
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        return folder / name;
    };
    const auto name_of = [&](const char* name) { return (folder / name).string(); };
    EXPECT_EQ(load_error(folder / "none.ves"), "the file " + name_of("none.ves") + " does not exist");
    EXPECT_EQ(load_error(folder), folder.string() + " is a directory, not a model file");
    EXPECT_EQ(load_error(write("empty.ves", "")), name_of("empty.ves") + " has no statements");
    EXPECT_EQ(load_error(write("comment.ves", "\n  # nothing\n\t")), name_of("comment.ves") + " has no statements");
    EXPECT_EQ(load_error(write("nul.ves", std::string("x = 1\n\0", 7))),
              name_of("nul.ves") + " is not a text file: line 2 has a NUL byte.");
    EXPECT_EQ(load_error(write("latin.ves", "x = 1\n\n# caf\xE9\n")),
              name_of("latin.ves") + " is not UTF-8 text: line 3 has the byte 0xE9. Save it as UTF-8.");
    EXPECT_EQ(load_error(write("utf16.ves", "\xFF\xFEx")), name_of("utf16.ves") + " is UTF-16 text. Save it as UTF-8.");
    EXPECT_EQ(load_error(write("large.ves", std::string(Source::max_bytes + 1, '#'))),
              name_of("large.ves") + " is larger than 64 MiB, the most that a model may have. Is it a model?");
    EXPECT_EQ(load_error(write("good.ves", "x = 1")), "no error");
    std::filesystem::remove_all(folder);
}

TEST(Words, AreReservedOnce) {
    for (const Keyword& keyword : keywords()) {
        EXPECT_EQ(find_keyword(keyword.word), &keyword);
        EXPECT_EQ(find_builtin_function(keyword.word), nullptr);
    }
    for (const BuiltinFunction& function : builtin_functions()) {
        EXPECT_EQ(find_builtin_function(function.name), &function);
        EXPECT_TRUE(why_reserved(function.name).has_value());
    }
    EXPECT_FALSE(why_reserved("e").has_value());
    EXPECT_FALSE(why_reserved("with").has_value());
}

TEST(NumberText, IsShortAndReadsBack) {
    constexpr double largest = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(number_text(3), "3");
    EXPECT_EQ(number_text(-2.5), "-2.5");
    EXPECT_EQ(number_text(1e8), "1e8");
    EXPECT_EQ(number_text(1e-5), "1e-5");
    EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(number_text(largest), "1.7976931348623157e308");
    EXPECT_EQ(number_text(1e-310), "1e-310"); // below the normal numbers, where std::stod throws
    EXPECT_EQ(std::strtod(number_text(tiny).c_str(), nullptr), tiny);
    EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Nearest, ProposesWhatWasProbablyMeant) {
    const std::vector<std::string> names{"lambda", "theta", "x", "X1", "omega", "phi"};
    EXPECT_EQ(nearest("lamda", names), "lambda");
    EXPECT_EQ(nearest("thtea", names), "theta"); // neighbours exchanged
    EXPECT_EQ(nearest("Theta", names), "theta");
    EXPECT_EQ(nearest("x1", names), "X1");
    EXPECT_EQ(nearest("y", names), std::nullopt); // a short word is close to everything
    EXPECT_EQ(nearest("phy", names), "phi");
    EXPECT_EQ(nearest("velocity", names), std::nullopt);
    EXPECT_EQ(plural(1, "unknown"), "1 unknown");
    EXPECT_EQ(plural(3, "unknown"), "3 unknowns");
}

} // namespace
} // namespace vessiot::lang::lang_parser_test
