// Wrong models: start values, intervals, lagrangians, hamiltonians, matrices.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_statements() {
    return {
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
    };
}

} // namespace vessiot::lang
