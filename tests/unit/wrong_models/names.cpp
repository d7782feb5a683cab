// Wrong models: names, functions and their arguments.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_names() {
    return {
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
    };
}

} // namespace vessiot::lang
