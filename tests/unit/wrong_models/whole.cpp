// Wrong models: models that are too large or not complete, and values given from outside.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_whole() {
    return {
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
}

} // namespace vessiot::lang
