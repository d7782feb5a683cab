// Wrong models: indices, ranges and sizes.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_indices() {
    return {
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
    };
}

} // namespace vessiot::lang
