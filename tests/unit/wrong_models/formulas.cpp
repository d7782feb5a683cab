// Wrong models: derivatives, conditions, and formulas that need themselves.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_formulas() {
    return {
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
    };
}

} // namespace vessiot::lang
