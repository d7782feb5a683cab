// Wrong models, and what their authors are told: every message word for word, with line and caret.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "lang/model.hpp"

namespace vessiot::lang {
namespace {

struct WrongModel {
    std::string name;
    std::string text;
    std::string message;
    std::vector<std::pair<std::string, std::string>> set = {};
};

void PrintTo(const WrongModel& model, std::ostream* out) {
    *out << model.name;
}

// Texts begin in the line after the quotation mark.
const std::vector<WrongModel> wrong_models{
    {"UnknownName", R"(
parameter g = 9.81
unknown x, y, lambda
x'' = -lamda*x
)",
     R"(
model.ves:3:8: 'lamda' is not a name of this model; did you mean 'lambda'?
    x'' = -lamda*x
           ^~~~~)"},
    {"UnknownNameWithoutSuggestion", R"(
unknown x
x' = -q*x
)",
     R"(
model.ves:2:7: 'q' is not a name of this model
    x' = -q*x
          ^)"},
    {"UnknownGreekName", R"(
unknown θ
θ' = -φ
)",
     R"(
model.ves:2:7: 'φ' is not a name of this model
    θ' = -φ
          ^)"},
    {"UnknownNameInUnusedFunction", R"(
unknown x
function f(a) = a*omgea
parameter omega = 1
x' = omega*x
)",
     R"(
model.ves:2:19: 'omgea' is not a name of this model; did you mean 'omega'?
    function f(a) = a*omgea
                      ^~~~~)"},
    {"NameDeclaredTwice", R"(
parameter m = 1
unknown x, m
x' = 1
)",
     R"(
model.ves:2:12: 'm' is declared twice; the first time in line 1
    unknown x, m
               ^)"},
    {"LetDeclaredTwice", R"(
unknown x
let r = x
let r = x^2
x' = r
)",
     R"(
model.ves:3:5: 'r' is declared twice; the first time in line 2
    let r = x^2
        ^)"},
    {"IndependentVariableDeclared", R"(
parameter t = 1
unknown x
x' = t
)",
     R"(
model.ves:1:11: 't' is the independent variable; choose another name, or call the independent variable something else with 'independent s'
    parameter t = 1
              ^)"},
    {"IndependentTwice", R"(
independent s
independent u
unknown x
x' = 1
)",
     R"(
model.ves:2:1: 'independent' is given twice; the first is in line 1
    independent u
    ^~~~~~~~~~~~~)"},
    {"FunctionAsName", R"(
unknown sin
sin' = 1
)",
     R"(
model.ves:1:9: 'sin' is a function of the language and cannot be the name of an unknown
    unknown sin
            ^~~)"},
    {"KeywordAsName", R"(
parameter start = 1
)",
     R"(
model.ves:1:11: 'start' is a word of the language and cannot be the name of a parameter
    parameter start = 1
              ^~~~~)"},
    {"PiAsName", R"(
parameter pi = 3
)",
     R"(
model.ves:1:11: 'pi' is the number 3.14159… and cannot be the name of a parameter
    parameter pi = 3
              ^~)"},
    {"UnknownFunction", R"(
unknown x
x' = sine(x)
)",
     R"(
model.ves:2:6: there is no function 'sine'; did you mean 'sin'?
    x' = sine(x)
         ^~~~)"},
    {"NameAsFunction", R"(
parameter k = 2
unknown x
x' = k(x + 1)
)",
     R"(
model.ves:3:6: 'k' is not a function; for a product write k*(…)
    x' = k(x + 1)
         ^~~~~~~~)"},
    {"ArrayAsFunction", R"(
unknown x[3]
x' = x(1)*x
)",
     R"(
model.ves:2:6: 'x' is not a function; for an element write x[…]
    x' = x(1)*x
         ^~~~)"},
    {"FunctionWithoutBrackets", R"(
unknown x
function f(a) = a^2
x' = f
)",
     R"(
model.ves:3:6: 'f' is a function: write f(…)
    x' = f
         ^)"},
    {"TooManyArguments", R"(
unknown x
x' = sin(x, 2)
)",
     R"(
model.ves:2:6: 'sin' needs 1 argument, but 2 are given
    x' = sin(x, 2)
         ^~~~~~~~~)"},
    {"TooFewArguments", R"(
unknown x
x' = atan2(x)
)",
     R"(
model.ves:2:6: 'atan2' needs 2 arguments, but 1 is given
    x' = atan2(x)
         ^~~~~~~~)"},
    {"WrongArgumentsOfOwnFunction", R"(
unknown x
function f(a, b) = a*b
x' = f(x)
)",
     R"(
model.ves:3:6: 'f' needs 2 arguments, but 1 is given
    x' = f(x)
         ^~~~)"},
    {"TwoArgumentsWithOneName", R"(
unknown x
function f(a, a) = a
x' = f(x, 1)
)",
     R"(
model.ves:2:15: the function 'f' has two arguments with the name 'a'
    function f(a, a) = a
                  ^)"},
    {"IndexOutOfRangeInLoop", R"(
parameter n = 6
unknown x[n]
for i = 1..n: x[i]' = x[i+1]
)",
     R"(
model.ves:3:25: index 7 of 'x' is outside 1..6 (for i = 6)
    for i = 1..n: x[i]' = x[i+1]
                            ^~~)"},
    {"IndexOutOfRangeInNestedLoops", R"(
parameter n = 3
unknown p[n,n]
for i = 1..n:
    for j = 1..i:
        p[i,j]' = p[i,j+1]
)",
     R"(
model.ves:5:23: index 4 of 'p' is outside 1..3 (for i = 3, j = 3)
    p[i,j]' = p[i,j+1]
                  ^~~)"},
    {"IndexOutOfRangeInSum", R"(
parameter n = 4
unknown x[n], s
x' = 0*x
s = sum(k = 0..n, x[k])
)",
     R"(
model.ves:4:21: index 0 of 'x' is outside 1..4 (for k = 0)
    s = sum(k = 0..n, x[k])
                        ^)"},
    {"IndexOutOfRangeInUnrolledSum", R"(
unknown x[2], s
x' = 0*x
s = sum(k = 1..3, x[k]^2)
)",
     R"(
model.ves:3:21: index 3 of 'x' is outside 1..2 (for k = 3)
    s = sum(k = 1..3, x[k]^2)
                        ^)"},
    {"ConstantIndexOutOfRange", R"(
unknown x[2]
x' = x
start x[3] = 1
)",
     R"(
model.ves:3:9: index 3 of 'x' is outside 1..2
    start x[3] = 1
            ^)"},
    {"IndexOutOfRangeInTable", R"(
parameter edge[2,2] = [[1, 2], [2, 5]]
unknown x[4]
for k = 1..2: x[edge[k,2]]' = x[edge[k,1]]
)",
     R"(
model.ves:3:17: index 5 of 'x' is outside 1..4 (for k = 2)
    for k = 1..2: x[edge[k,2]]' = x[edge[k,1]]
                    ^~~~~~~~~)"},
    {"NonIntegerSize", R"(
parameter n = 2.5
unknown x[n]
x' = x
)",
     R"(
model.ves:2:11: the size of 'x' must be an integer, but n = 2.5
    unknown x[n]
              ^)"},
    {"NonIntegerBound", R"(
parameter n = 5
unknown x[5]
for i = 1..n/2: x[i]' = 1
)",
     R"(
model.ves:3:12: a bound of 'i' must be an integer, but it is 2.5
    for i = 1..n/2: x[i]' = 1
               ^~~)"},
    {"NonIntegerIndex", R"(
unknown x[3]
x[1.5]' = 1
)",
     R"(
model.ves:2:3: an index of 'x' must be an integer, but it is 1.5
    x[1.5]' = 1
      ^~~)"},
    {"NonIntegerTable", R"(
parameter e[2] = [1, 1.5]
unknown x[3]
for k = 1..2: x[e[k]]' = 1
)",
     R"(
model.ves:3:17: an index must be an integer, but e[2] = 1.5
    for k = 1..2: x[e[k]]' = 1
                    ^~~~)"},
    {"ZeroSize", R"(
parameter n = 2
unknown x[n-2]
x' = x
)",
     R"(
model.ves:2:11: the size of 'x' must be at least 1, but it is 0
    unknown x[n-2]
              ^~~)"},
    {"NegativeSize", R"(
parameter a[-3] = 1
unknown x
x' = a[1]
)",
     R"(
model.ves:1:13: the size of 'a' must be at least 1, but it is -3
    parameter a[-3] = 1
                ^~)"},
    {"InfiniteSize", R"(
parameter n = 1/0
unknown x[n]
x' = x
)",
     R"(
model.ves:1:15: the value of 'n' is not a finite number
    parameter n = 1/0
                  ^~~)"},
    {"HugeArray", R"(
parameter n = 1e9
unknown x[n]
x' = x
)",
     R"(
model.ves:2:11: 'x' would have 1e9 elements; the limit is 1e8, which --max-instances raises
    unknown x[n]
              ^)"},
    {"SizeDependsOnUnknown", R"(
unknown k, x[k]
k' = 1
)",
     R"(
model.ves:1:14: the size of 'x' cannot depend on the unknown 'k'
    unknown k, x[k]
                 ^)"},
    {"BoundDependsOnUnknown", R"(
unknown x
for i = 1..x: x' = 1
)",
     R"(
model.ves:2:12: a bound of 'i' cannot depend on the unknown 'x'
    for i = 1..x: x' = 1
               ^)"},
    {"DivisionOfAnIndex", R"(
unknown x[4]
for i = 1..4: x[i]' = x[i/2]
)",
     R"(
model.ves:2:25: an index of 'x' must be an integer, but i/2 need not be one; write floor(i/2)
    for i = 1..4: x[i]' = x[i/2]
                            ^~~)"},
    {"FunctionOfAnIndex", R"(
unknown x[4]
for i = 1..4: x[i]' = x[abs(i)]
)",
     R"(
model.ves:2:25: an index of 'x' can be made from loop indices with + - *, mod(a, b), floor(a/b) and parameter arrays of integers, but not in this way
    for i = 1..4: x[i]' = x[abs(i)]
                            ^~~~~~)"},
    {"UnknownAsIndex", R"(
unknown x[4], k[4]
for i = 1..4: x[i]' = x[k[i]]
)",
     R"(
model.ves:2:25: 'k' is an unknown and cannot be an index; only elements of a parameter array can
    for i = 1..4: x[i]' = x[k[i]]
                            ^~~~)"},
    {"ModuloZero", R"(
unknown x[4]
for i = 1..4: x[i]' = x[mod(i, i-2)+1]
)",
     R"(
model.ves:2:32: mod divides by zero here (for i = 2)
    for i = 1..4: x[i]' = x[mod(i, i-2)+1]
                                   ^~~)"},
    {"ArrayWithoutIndex", R"(
unknown x[3], y
y' = 2 + sin(x)
)",
     R"(
model.ves:2:14: 'sin' needs a number, but 'x' is a vector with 3 components; give an index
    y' = 2 + sin(x)
                 ^)"},
    {"ArrayInLagrangian", R"(
unknown q[2]
lagrangian q'
)",
     R"(
model.ves:2:12: a number is needed here, but this is a vector with 2 components
    lagrangian q'
               ^~)"},
    {"ScalarWithIndex", R"(
unknown x
x[1]' = 1
)",
     R"(
model.ves:2:1: 'x' is a single unknown and has no index
    x[1]' = 1
    ^~~~)"},
    {"ParameterWithIndex", R"(
parameter l = 1
unknown x
x' = l[1]
)",
     R"(
model.ves:3:6: 'l' is a number and has no index
    x' = l[1]
         ^~~~)"},
    {"LoopIndexWithIndex", R"(
unknown x[3]
for i = 1..3: x[i]' = i[1]
)",
     R"(
model.ves:2:23: 'i' is a loop index and has no index
    for i = 1..3: x[i]' = i[1]
                          ^~~~)"},
    {"WrongNumberOfIndices", R"(
unknown x[3], z[3,3]
for i = 1..3: x[i]' = x[i,1]
z' = z
)",
     R"(
model.ves:2:23: 'x' has 1 index, but 2 are given
    for i = 1..3: x[i]' = x[i,1]
                          ^~~~~~)"},
    {"TooFewIndices", R"(
unknown z[3,3]
for i = 1..3: z[i]' = 1
)",
     R"(
model.ves:2:15: 'z' has 2 indices, but 1 is given
    for i = 1..3: z[i]' = 1
                  ^~~~)"},
    {"ShapeMismatch", R"(
unknown r[3]
r' = [1, 2]
)",
     R"(
model.ves:2:1: the left side has 3 components, the right side 2
    r' = [1, 2]
    ^~~~~~~~~~~)"},
    {"NumberAndVector", R"(
unknown r[3]
r' = 1
)",
     R"(
model.ves:2:1: the left side has 3 components, the right side is a number
    r' = 1
    ^~~~~~)"},
    {"SumOfDifferentShapes", R"(
unknown r[3]
r' = r + [1, 2]
)",
     R"(
model.ves:2:8: a vector with 3 components and a vector with 2 components cannot be added
    r' = r + [1, 2]
           ^)"},
    {"SumOfNumberAndVector", R"(
unknown r[3]
r' = r + 1
)",
     R"(
model.ves:2:8: a vector with 3 components and a number cannot be added
    r' = r + 1
           ^)"},
    {"MatrixTimesWrongVector", R"(
parameter K[2,3] = [[1, 2, 3], [4, 5, 6]]
unknown r[2]
r' = K*r
)",
     R"(
model.ves:3:7: a 2 x 3 matrix cannot be multiplied with a vector with 2 components: it has 3 columns, the other 2 components
    r' = K*r
          ^)"},
    {"ProductOfVectors", R"(
unknown r[3]
r' = r*r
)",
     R"(
model.ves:2:7: two vectors are multiplied with dot(a, b) or cross(a, b)
    r' = r*r
          ^)"},
    {"DivisionByVector", R"(
unknown r[3]
r' = r/r
)",
     R"(
model.ves:2:7: a division by a vector with 3 components is not possible
    r' = r/r
          ^)"},
    {"PowerOfVector", R"(
unknown r[3], e
r' = r
e = r^2
)",
     R"(
model.ves:3:5: a vector with 3 components cannot be raised to a power; for the square of its length write dot(v, v)
    e = r^2
        ^~~)"},
    {"CrossOfTwoComponents", R"(
unknown r[2]
r' = cross(r, r)
)",
     R"(
model.ves:2:12: 'cross' needs two vectors with 3 components, but this is a vector with 2 components
    r' = cross(r, r)
               ^)"},
    {"DotOfDifferentSizes", R"(
unknown r[3], s
r' = r
s = dot(r, [1, 2])
)",
     R"(
model.ves:3:5: 'dot' needs two vectors of the same size, but the first has 3 components, the second 2
    s = dot(r, [1, 2])
        ^~~~~~~~~~~~~~)"},
    {"LargeInverse", R"(
parameter K[5,5] = 1
unknown r[5]
r' = inverse(K)*r
)",
     R"(
model.ves:3:6: 'inverse' is available up to 4 x 4, but this is a 5 x 5 matrix
    r' = inverse(K)*r
         ^~~~~~~~~~)"},
    {"RaggedMatrix", R"(
unknown r[2]
r' = [[1, 2], [3]]*r
)",
     R"(
model.ves:2:15: the elements of a vector must have the same shape, but this is a vector with 1 component and the first is a vector with 2 components
    r' = [[1, 2], [3]]*r
                  ^~~)"},
    {"WrongParameterShape", R"(
parameter m[3] = [1, 2]
unknown x
x' = m[1]
)",
     R"(
model.ves:1:18: 'm' has 3 components, its value 2
    parameter m[3] = [1, 2]
                     ^~~~~~)"},
    {"VectorForSingleParameter", R"(
parameter m = [1, 2]
unknown x
x' = m
)",
     R"(
model.ves:1:15: 'm' is a single parameter, but its value is a vector with 2 components; to declare an array write m[2]
    parameter m = [1, 2]
                  ^~~~~~)"},
    {"PrimeOnLoopIndex", R"(
unknown x[3]
for i = 1..3: x[i]' = i'
)",
     R"(
model.ves:2:24: a prime cannot follow 'i', which is a loop index
    for i = 1..3: x[i]' = i'
                           ^)"},
    {"PrimeOnNumber", R"(
unknown x
x' = (2)'
)",
     R"(
model.ves:2:9: a prime cannot follow a number, which has no derivative
    x' = (2)'
            ^)"},
    {"OrderTooHigh", R"(
unknown x
der(x, 65) = 1
)",
     R"(
model.ves:2:8: the order of a derivative is 65, but it must be from 0 to 64
    der(x, 65) = 1
           ^~)"},
    {"OrderNotAnInteger", R"(
unknown x
der(x, 1.5) = 1
)",
     R"(
model.ves:2:8: the order of a derivative must be an integer, but it is 1.5
    der(x, 1.5) = 1
           ^~~)"},
    {"OrderTooHighTogether", R"(
unknown x
der(der(x, 40), 40) = 1
)",
     R"(
model.ves:2:5: this is a derivative of 'x' of order 80; at most 64 is allowed
    der(der(x, 40), 40) = 1
        ^~~~~~~~~~)"},
    {"DiffByExpression", R"(
unknown x
x' = diff(x^2, 2*x)
)",
     R"(
model.ves:2:16: 'diff' differentiates by an unknown, a derivative of one, a parameter or the independent variable, but this is none of them
    x' = diff(x^2, 2*x)
                   ^~~)"},
    {"SumConditionOnUnknowns", R"(
parameter n = 3
unknown x[n], s
x' = x
s = sum(i = 1..n, x[i] > 0, x[i])
)",
     R"(
model.ves:4:19: the condition of a sum can contain loop indices and integer parameters only; for other conditions write sum(…, if(condition, …, 0))
    s = sum(i = 1..n, x[i] > 0, x[i])
                      ^~~~~~~~)"},
    {"ConditionAsNumber", R"(
unknown x
x' = 1 + (x > 0)
)",
     R"(
model.ves:2:11: this is a condition, but a number is needed here; write if(condition, 1, 0)
    x' = 1 + (x > 0)
              ^~~~~)"},
    {"NumberAsCondition", R"(
unknown x
x' = if(x, 1, 0)
)",
     R"(
model.ves:2:9: a condition is needed here, such as x > 0
    x' = if(x, 1, 0)
            ^)"},
    {"ShapesOfIf", R"(
unknown r[2]
r' = if(t > 1, r, 1)
)",
     R"(
model.ves:2:6: both values of 'if' must have the same shape: the first has 2 components, the second is a number
    r' = if(t > 1, r, 1)
         ^~~~~~~~~~~~~~~)"},
    {"LoopIndexIsParameter", R"(
parameter i = 3
unknown x[i]
for i = 1..3: x[i]' = 1
)",
     R"(
model.ves:3:5: the index 'i' has the name of the parameter 'i' in line 1; choose another name for it
    for i = 1..3: x[i]' = 1
        ^)"},
    {"LoopIndexIsTime", R"(
unknown x[3]
for t = 1..3: x[t]' = 1
)",
     R"(
model.ves:2:5: the index 't' has the name of the independent variable 't'; choose another name for it
    for t = 1..3: x[t]' = 1
        ^)"},
    {"LoopIndexTwice", R"(
unknown x[3]
for i = 1..3: x[i]' = sum(i = 1..3, x[i])
)",
     R"(
model.ves:2:27: 'i' is already the index of a loop around it here; choose another name for this index
    for i = 1..3: x[i]' = sum(i = 1..3, x[i])
                              ^)"},
    {"CyclicLets", R"(
unknown x
let a = b + x
let b = 2*a
x' = b
)",
     R"(
model.ves:2:5: 'a' and 'b' are defined by each other
    let a = b + x
        ^)"},
    {"CyclicFunctions", R"(
unknown x
function f(a) = g(a)
function g(a) = f(a) + 1
x' = f(x)
)",
     R"(
model.ves:2:10: the functions 'f' and 'g' call each other; functions of a model are formulas and cannot be recursive
    function f(a) = g(a)
             ^)"},
    {"RecursiveFunction", R"(
unknown x
function f(a) = a*f(a - 1)
x' = f(x)
)",
     R"(
model.ves:2:10: the function 'f' calls itself; functions of a model are formulas and cannot be recursive
    function f(a) = a*f(a - 1)
             ^)"},
    {"CyclicParameters", R"(
parameter a = b + 1, b = 2*a
unknown x
x' = a
)",
     R"(
model.ves:1:11: the parameters 'a' and 'b' are defined by each other
    parameter a = b + 1, b = 2*a
              ^)"},
    {"ParameterOfItself", R"(
parameter a = a + 1
unknown x
x' = a
)",
     R"(
model.ves:1:11: the parameter 'a' is defined by itself
    parameter a = a + 1
              ^)"},
    {"ParameterOfUnknown", R"(
unknown x
parameter a = 2*x
x' = a
)",
     R"(
model.ves:2:17: the value of 'a' cannot depend on the unknown 'x'
    parameter a = 2*x
                    ^)"},
    {"ParameterWithoutFiniteValue", R"(
parameter a = log(-1)
unknown x
x' = a
)",
     R"(
model.ves:1:15: the value of 'a' is not a finite number
    parameter a = log(-1)
                  ^~~~~~~)"},
    {"ParameterWithoutValue", R"(
parameter a
unknown x
x' = a
)",
     R"(
model.ves:1:11: the parameter 'a' has no value: write parameter a = …, or give it with --set a=…
    parameter a
              ^)"},
    {"StartOfParameter", R"(
parameter g = 9.81
unknown x
x' = g
start g = 1
)",
     R"(
model.ves:4:7: 'start' gives values to unknowns and their derivatives, but 'g' is a parameter, whose value stands in line 1
    start g = 1
          ^)"},
    {"StartOfTime", R"(
unknown x
x' = 1
start t = 0
)",
     R"(
model.ves:3:7: 'start' gives values to unknowns and their derivatives, but 't' is the independent variable; where it starts is said by solve t = a .. b
    start t = 0
          ^)"},
    {"StartOfLet", R"(
unknown x
let r = x^2
x' = r
start r = 1
)",
     R"(
model.ves:4:7: 'start' gives values to unknowns and their derivatives, but 'r' is a 'let' name
    start r = 1
          ^)"},
    {"StartOfUnknownName", R"(
unknown theta
theta' = 1
start thta = 1
)",
     R"(
model.ves:3:7: 'thta' is not a name of this model; did you mean 'theta'?
    start thta = 1
          ^~~~)"},
    {"StartTwice", R"(
unknown x
x' = 1
start x = 1
start x = 2
)",
     R"(
model.ves:4:7: the start value of x is given twice; the first is in line 3
    start x = 2
          ^~~~~)"},
    {"StartUsesUnknown", R"(
unknown x, y
x' = 1
y' = 1
start x = 1, y = 2*x
)",
     R"(
model.ves:4:20: a start value cannot depend on the unknown 'x'; write the number, or leave it out if the equations determine it
    start x = 1, y = 2*x
                       ^)"},
    {"StartUsesTime", R"(
unknown x
x' = 1
start x = sin(t)
)",
     R"(
model.ves:3:15: a start value cannot depend on the independent variable 't'; write the number, or leave it out if the equations determine it
    start x = sin(t)
                  ^)"},
    {"StartWrongShape", R"(
unknown r[3]
r' = r
start r = [1, 2]
)",
     R"(
model.ves:3:7: the left side has 3 components, the right side 2
    start r = [1, 2]
          ^~~~~~~~~~)"},
    {"SolveWithWrongVariable", R"(
unknown x
x' = 1
solve s = 0 .. 1
)",
     R"(
model.ves:3:7: the independent variable of this model is 't': write solve t = …, or declare independent s
    solve s = 0 .. 1
          ^)"},
    {"SolveWithUnknown", R"(
independent s
unknown x
x' = 1
solve x = 0 .. 1
)",
     R"(
model.ves:4:7: the independent variable of this model is 's': write solve s = …
    solve x = 0 .. 1
          ^)"},
    {"SolveTwice", R"(
unknown x
x' = 1
solve t = 0 .. 1
solve t = 0 .. 2
)",
     R"(
model.ves:4:1: 'solve' is given twice; the first is in line 3
    solve t = 0 .. 2
    ^~~~~~~~~~~~~~~~)"},
    {"SolveUsesUnknown", R"(
unknown x
x' = 1
solve t = 0 .. x
)",
     R"(
model.ves:3:16: the end of the interval cannot depend on the unknown 'x'
    solve t = 0 .. x
                   ^)"},
    {"LagrangianTwice", R"(
unknown x
lagrangian x'^2/2
lagrangian x'^2
)",
     R"(
model.ves:3:1: 'lagrangian' is given twice; the first is in line 2
    lagrangian x'^2
    ^~~~~~~~~~~~~~~)"},
    {"LagrangianAndHamiltonian", R"(
unknown x, p
lagrangian x'^2/2
hamiltonian p^2/2 with x: p
)",
     R"(
model.ves:3:1: a model has a lagrangian or a hamiltonian, not both; the lagrangian is in line 2
    hamiltonian p^2/2 with x: p
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~)"},
    {"ForceWithoutLagrangian", R"(
unknown x
x'' = 1
force x = -x'
)",
     R"(
model.ves:3:1: a force belongs to a lagrangian or hamiltonian, and this model has neither; write it into the equations
    force x = -x'
    ^~~~~~~~~~~~~)"},
    {"ForceOnTime", R"(
unknown x
lagrangian x'^2/2
force t = 1
)",
     R"(
model.ves:3:7: 'force' acts on an unknown, but 't' is the independent variable
    force t = 1
          ^)"},
    {"ForceOnMomentum", R"(
unknown q, p
hamiltonian p^2/2 with q: p
force p = -p
)",
     R"(
model.ves:3:7: a force acts on a position of the hamiltonian, but 'p' is none
    force p = -p
          ^)"},
    {"LambdaIsReserved", R"(
unknown x, y, lambda
lagrangian (x'^2 + y'^2)/2
constraint x^2 + y^2 = 1
)",
     R"(
model.ves:1:15: 'lambda' stands for the multipliers of the constraints here (lambda[1], lambda[2], …); choose another name
    unknown x, y, lambda
                  ^~~~~~)"},
    {"LambdaInInvariant", R"(
unknown x, y
lagrangian (x'^2 + y'^2)/2
constraint x^2 + y^2 = 1
invariant lambda[1]
)",
     R"(
model.ves:4:11: the multipliers lambda[1], lambda[2], … follow from the constraints; they can be used in output, event, start and guess, but not here
    invariant lambda[1]
              ^~~~~~)"},
    {"MatrixGroupSize", R"(
matrix Y[3,3] in SO(4)
Y' = Y
)",
     R"(
model.ves:1:8: the matrix is 3 x 3, but SO(4) has matrices of 4 x 4
    matrix Y[3,3] in SO(4)
           ^~~~~~~~~~~~~~~)"},
    {"MatrixGroupName", R"(
matrix Y[2,2] in SI(2)
Y' = Y
)",
     R"(
model.ves:1:18: 'SI' is no group. There are: GL, SL, O, SO, Sp, Stiefel, SE
    matrix Y[2,2] in SI(2)
                     ^~)"},
    {"MatrixSymplecticOdd", R"(
matrix Y[3,3] in Sp(3)
Y' = Y
)",
     R"(
model.ves:1:8: Sp(3) is no group: symplectic matrices have an even number of rows
    matrix Y[3,3] in Sp(3)
           ^~~~~~~~~~~~~~~)"},
    {"MatrixShape", R"(
matrix Y[3,3] in SO(3)
Y' = identity(2)*Y
)",
     R"(
model.ves:2:17: a 2 x 2 matrix cannot be multiplied with a 3 x 3 matrix: it has 2 columns, the other 3 rows
    Y' = identity(2)*Y
                    ^)"},
    {"HamiltonianPairShapes", R"(
unknown q[2], p[3]
hamiltonian dot(p, p)/2 with q: p
)",
     R"(
model.ves:2:30: a position and its momentum must have the same shape: 'q' has 2 components, 'p' 3
    hamiltonian dot(p, p)/2 with q: p
                                 ^~~~)"},
    {"HamiltonianPairOfParameter", R"(
parameter m = 1
unknown q
hamiltonian m*q with q: m
)",
     R"(
model.ves:3:25: a hamiltonian pairs unknowns, but 'm' is a parameter
    hamiltonian m*q with q: m
                            ^)"},
    {"HamiltonianPairTwice", R"(
unknown q, r, p
hamiltonian p^2/2 with q: p, r: p
)",
     R"(
model.ves:2:33: 'p' stands in the pairs of the hamiltonian twice
    hamiltonian p^2/2 with q: p, r: p
                                    ^)"},
    {"HamiltonianPairOfElements", R"(
unknown q[2], p[2]
hamiltonian dot(p, p)/2 with q[1]: p[2]
)",
     R"(
model.ves:2:30: a pair holds for whole arrays: write q[i]: …[i], or q: … without index
    hamiltonian dot(p, p)/2 with q[1]: p[2]
                                 ^~~~)"},
    {"HamiltonianPairIndices", R"(
unknown q[2,2], p[2,2]
hamiltonian p[1,1] with q[i,j]: p[j,i]
)",
     R"(
model.ves:2:25: both sides of a pair have the same index: write q[i]: p[i], or q: p
    hamiltonian p[1,1] with q[i,j]: p[j,i]
                            ^~~~~~~~~~~~~~)"},
    {"HoldOfParameter", R"(
parameter g = 1
unknown x
x' = g
hold g
)",
     R"(
model.ves:4:6: 'hold' names unknowns and their derivatives, but 'g' is a parameter, whose value stands in line 1
    hold g
         ^)"},
    {"EventTwice", R"(
unknown x
x' = 1
event a: x = 0
event a: x = 1
)",
     R"(
model.ves:4:7: the event 'a' is given twice; the first is in line 3
    event a: x = 1
          ^)"},
    {"EventWithoutUnknown", R"(
parameter g = 1
unknown x
x' = 1
event a: g = 0
)",
     R"(
model.ves:4:1: this event contains no unknown: it never happens
    event a: g = 0
    ^~~~~~~~~~~~~~)"},
    {"EventThatStopsAndGoesOn", R"(
unknown x
x' = 1
event a: x = 0 stop then x = 1
)",
     R"(
model.ves:3:21: 'stop' ends the run, and 'then' says how it goes on: an event has one of them
    event a: x = 0 stop then x = 1
                        ^~~~)"},
    {"EventThatSetsAndStops", R"(
unknown x
x' = 1
event a: x = 0 then x = 1 stop
)",
     R"(
model.ves:3:27: 'stop' ends the run, and 'then' says how it goes on: an event has one of them
    event a: x = 0 then x = 1 stop
                              ^~~~)"},
    {"EventDirectionAfterThen", R"(
unknown x
x' = 1
event a: x = 0 then x = 1 rising
)",
     R"(
model.ves:3:27: 'rising' stands before 'then'
    event a: x = 0 then x = 1 rising
                              ^~~~~~)"},
    {"EventSetsTheHighestDerivative", R"(
unknown x
x' = 1
event a: x = 0 then x' = 1
)",
     R"(
model.ves:3:21: the event 'a' cannot set x': the equations determine it; what can be set of 'x' is x
    event a: x = 0 then x' = 1
                        ^~~~~~)"},
    {"EventSetsAnAlgebraicUnknown", R"(
unknown x, z
x' = z
z = -x
event a: x = 0 then z = 1
)",
     R"(
model.ves:4:21: the event 'a' cannot set z: it follows from the equations at every point
    event a: x = 0 then z = 1
                        ^~~~~)"},
    {"EventSetsAParameter", R"(
parameter g = 1
unknown x
x' = g
event a: x = 0 then g = -g
)",
     R"(
model.ves:4:21: 'then' sets unknowns and their derivatives, but 'g' is a parameter, whose value stands in line 1
    event a: x = 0 then g = -g
                        ^)"},
    {"EventSetsTwice", R"(
unknown x
x' = 1
event a: x = 0 then x = 1, x = 2
)",
     R"(
model.ves:3:28: this event sets x twice
    event a: x = 0 then x = 1, x = 2
                               ^~~~~)"},
    {"EventSetsNothing", R"(
unknown x
x' = 1
event a: x = 0 then
)",
     R"(
model.ves:3:16: the line is not finished: something is missing after 'then'
    event a: x = 0 then
                   ^~~~)"},
    {"SectionOfNoEvent", R"(
unknown x
x' = 1
event crossing: x = 0
output section crosing
)",
     R"(
model.ves:4:16: a section shows the crossings of an event, but 'crosing' is none of this model; did you mean 'crossing'?
    output section crosing
                   ^~~~~~~)"},
    {"SectionTwice", R"(
unknown x
x' = 1
event a: x = 0
output section a
output section a
)",
     R"(
model.ves:5:1: 'output section' is given twice; the first is in line 4
    output section a
    ^~~~~~~~~~~~~~~~)"},
    {"OutputTwice", R"(
unknown x
x' = 1
output E = x^2
output E = x^3
)",
     R"(
model.ves:4:8: the output 'E' is given twice; the first is in line 3
    output E = x^3
           ^)"},
    {"OutputNamedAsUnknown", R"(
unknown x
x' = 1
output x = 2
)",
     R"(
model.ves:3:8: 'x' is an unknown and has a column already; choose another name
    output x = 2
           ^)"},
    {"OutputIntervalNotPositive", R"(
unknown x
x' = 1
output every 0
)",
     R"(
model.ves:3:14: the output interval must be positive, but it is 0
    output every 0
                 ^)"},
    {"OutputEveryTwice", R"(
unknown x
x' = 1
output every 1
output every 2
)",
     R"(
model.ves:4:1: 'output every' is given twice; the first is in line 3
    output every 2
    ^~~~~~~~~~~~~~)"},
    {"OptionTwice", R"(
unknown x
x' = 1
option rtol = 1e-6
option atol = 1, rtol = 1e-8
)",
     R"(
model.ves:4:18: the option 'rtol' is given twice; the first is in line 3
    option atol = 1, rtol = 1e-8
                     ^~~~)"},
    {"HugeLoop", R"(
unknown x
for i = 1..2e9: x' = i
)",
     R"(
model.ves:2:5: this loop has 2e9 instances; the limit is 1e8, which --max-instances raises
    for i = 1..2e9: x' = i
        ^~~~~~~~~~)"},
    {"HugeNest", R"(
parameter n = 1e5
unknown x[n]
for i = 1..n: x[i]' = sum(j = 1..n, x[j]/(i + j))
)",
     R"(
model.ves:3:27: with this loop there are 1e10 instances; the limit is 1e8, which --max-instances raises
    for i = 1..n: x[i]' = sum(j = 1..n, x[j]/(i + j))
                              ^~~~~~~~)"},
    {"HugeTriangle", R"(
parameter n = 1e5
unknown x[n]
for i = 1..n: x[i]' = sum(j = 1..i, x[j])
)",
     R"(
model.ves:3:27: with this loop there are more than 1e8 instances, the limit; --max-instances raises it
    for i = 1..n: x[i]' = sum(j = 1..i, x[j])
                              ^~~~~~~~)"},
    {"NestedTooDeeply", R"(
parameter n = 1
unknown x
x' = sum(a = 1..n, b = 1..n, c = 1..n, d = 1..n, f = 1..n, g = 1..n, h = 1..n, i = 1..n, j = 1..n, k = 1..n, l = 1..n, m = 1..n, o = 1..n, x)
)",
     R"(
model.ves:3:130: loops and sums are nested more than 12 deep here
    …, k = 1..n, l = 1..n, m = 1..n, o = 1..n, x)
                                     ^~~~~~~~)"},
    {"LongProduct", R"(
unknown x
x' = product(i = 1..200000, 1 + x/i)
)",
     R"(
model.ves:2:14: this product has 200000 factors; at most 100000 are allowed
    x' = product(i = 1..200000, 1 + x/i)
                 ^~~~~~~~~~~~~)"},
    {"EquationWithoutUnknown", R"(
parameter l = 1
unknown x
x' = 1
l = 2
)",
     R"(
model.ves:4:1: this equation contains no unknown
    l = 2
    ^~~~~)"},
    {"LetFamilyRange", R"(
parameter n = 3
unknown x[n]
let v[i = 1..n, j = 1..i] = x[i]*x[j]
x' = x
)",
     R"(
model.ves:3:17: the range of 'j' cannot depend on another index of the family
    let v[i = 1..n, j = 1..i] = x[i]*x[j]
                    ^~~~~~~~)"},
    {"LetFamilyOfVectors", R"(
parameter n = 3
unknown x[n]
let v[i = 1..n] = [x[i], 1]
x' = x
)",
     R"(
model.ves:3:19: the elements of 'v' must be numbers, but this is a vector with 2 components
    let v[i = 1..n] = [x[i], 1]
                      ^~~~~~~~~)"},
    {"SetUnknownParameter",
     R"(
parameter gravity = 9.81, l = 1
unknown x
x' = gravity*l
)",
     R"(
the model has no parameter 'gravty'; did you mean 'gravity'? It has: gravity, l)",
     {{"gravty", "3"}}},
    {"SetParameterWithoutSuggestion",
     R"(
parameter g = 9.81, l = 1, n = 3
unknown x[n]
x' = g*l*x
)",
     R"(
the model has no parameter 'm'. It has: g, l, n)",
     {{"m", "3"}}},
    {"SetUnknown",
     R"(
parameter g = 9.81
unknown x
x' = g
)",
     R"(
--set x=3: 'x' is an unknown, not a parameter)",
     {{"x", "3"}}},
    {"SetMalformedValue",
     R"(
parameter g = 9.81
unknown x
x' = g
)",
     R"(
--set:1:3: an operator is missing between '10' and 'm'; for a product write 10*m
    g=10 m
      ^~~~)",
     {{"g", "10 m"}}},
    {"SetEmptyValue",
     R"(
parameter g = 9.81
unknown x
x' = g
)",
     R"(
--set:1:2: the line is not finished: something is missing after '='
    g=
     ^)",
     {{"g", ""}}},
    {"SetUnknownName",
     R"(
parameter g = 9.81
unknown x
x' = g
)",
     R"(
--set:1:5: 'h' is not a name of this model
    g=2*h
        ^)",
     {{"g", "2*h"}}},
    {"SetWrongShape",
     R"(
parameter m[3] = [1, 2, 3]
unknown x
x' = m[1]
)",
     R"(
--set:1:3: 'm' has 3 components, its value 2
    m=[1, 2]
      ^~~~~~)",
     {{"m", "[1, 2]"}}},
    {"SetCycle",
     R"(
parameter a = 1, b = 2*a
unknown x
x' = a + b
)",
     R"(
model.ves:1:11: the parameters 'a' and 'b' are defined by each other
    parameter a = 1, b = 2*a
              ^)",
     {{"a", "b"}}},
    {"UnusedUnknown", R"(
unknown x, y
x' = 1
)",
     R"(
model.ves:1:12: no equation uses the unknown 'y'
    unknown x, y
               ^)"},
    {"TooFewEquations", R"(
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y
)",
     R"(
model.ves: 3 unknowns, but only 2 independent equations: nothing determines 'lambda')"},
    {"FamilyOfStartValuesTwice", R"(
parameter n = 3
unknown x[n]
x' = x
for i = 1..n: start x[i]' = 0
start x' = 1
)",
     R"(
model.ves:5:7: the start value of x' is given twice; the first is in line 4
    start x' = 1
          ^~~~~~)"},
    {"SumOfLongFamilies", R"(
parameter n = 2000
unknown x[n]
x' = sum(k = 1..n, x[k]*x)
)",
     R"(
model.ves:3:6: a sum of arrays with more than 1000 components is not supported; write it with an index
    x' = sum(k = 1..n, x[k]*x)
         ^~~~~~~~~~~~~~~~~~~~~)"},
    {"SkewOfTwo", R"(
unknown r[3]
r' = skew(1, 2)*r
)",
     R"(
model.ves:2:6: 'skew' needs 1 or 3 arguments, but 2 are given
    r' = skew(1, 2)*r
         ^~~~~~~~~~)"},
    {"DetOfRectangle", R"(
parameter K[2,3] = 1
unknown x
x' = det(K)
)",
     R"(
model.ves:3:6: 'det' needs a square matrix, but this is a 2 x 3 matrix
    x' = det(K)
         ^~~~~~)"},
    {"PowerOfIndex", R"(
unknown x[9]
for i = 1..2: x[i]' = x[2^i]
)",
     R"(
model.ves:2:25: in an index of 'x' a power of a loop index needs an exponent from 0 to 8
    for i = 1..2: x[i]' = x[2^i]
                            ^~~)"},
    {"IndexTooLarge", R"(
unknown x[9]
for i = 1..2: x[i]' = x[i*1e15*1e15]
)",
     R"(
model.ves:2:25: an index of 'x' becomes too large here
    for i = 1..2: x[i]' = x[i*1e15*1e15]
                            ^~~~~~~~~~~)"},
    {"ForceOnVelocity", R"(
unknown x
lagrangian x'^2/2
force x' = 1
)",
     R"(
model.ves:3:7: a force acts on an unknown, as in: force x = -k*x'
    force x' = 1
          ^~)"},
    {"OptionWithoutValue", R"(
parameter k = 1
unknown x
x' = k
option step = 1/(k - 1)
)",
     R"(
model.ves:4:15: the option 'step' has no value: it is not a finite number
    option step = 1/(k - 1)
                  ^~~~~~~~~)"},
    {"OutputPointUsesUnknown", R"(
unknown x
x' = 1
output at 1, x
)",
     R"(
model.ves:3:14: an output point cannot depend on the unknown 'x'
    output at 1, x
                 ^)"},
    {"InvariantWithoutUnknown", R"(
parameter k = 1
unknown x
x' = k
invariant k^2
)",
     R"(
model.ves:4:1: this invariant contains no unknown
    invariant k^2
    ^~~~~~~~~~~~~)"},
    {"NoEquations", R"(
unknown x
)",
     R"(
model.ves: the model has no equations; write one on a line of its own, for example: x' = -x)"},
};

class WrongModels : public testing::TestWithParam<WrongModel> {};

TEST_P(WrongModels, AreExplained) {
    const WrongModel& model = GetParam();
    const Source source("model.ves", model.text.substr(1));
    try {
        read_model(source, {.set = model.set});
        FAIL() << "no error";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.what(), model.message.substr(1));
    }
}

INSTANTIATE_TEST_SUITE_P(All, WrongModels, testing::ValuesIn(wrong_models),
                         [](const auto& test) { return test.param.name; });

TEST(Limits, AreRaisedBySettings) {
    const Source source("model.ves", "unknown x[20]\nfor i = 1..20: x[i]' = i\n");
    EXPECT_THROW(read_model(source, {.set = {}, .max_instances = 19}), InvalidInput);
    EXPECT_NO_THROW(read_model(source, {.set = {}, .max_instances = 20}));
}

} // namespace
} // namespace vessiot::lang
