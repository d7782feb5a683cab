// Wrong models: arrays, vectors and matrices in formulas.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_shapes() {
    return {
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
model.ves:2:15: the left side has 3 components, the right side is a number
    for i = 1..3: z[i]' = 1
                  ^~~~~~~~~)"},
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
    };
}

} // namespace vessiot::lang
