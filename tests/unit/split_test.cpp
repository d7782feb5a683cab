// `if` on loop indices: elements out of range stand in branches that are not taken, and derivatives must not take them
// either.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/model.hpp"
#include "system/functions.hpp"

namespace vessiot::split_test {
namespace {

System model(const std::string& text) {
    return lang::read_model(lang::Source("model.ves", text));
}

// Entries of df and of the lower triangle of d2f, row by row: "1:1 2:1,2" for (1, 1), (2, 1), (2, 2).
std::string places(const expr::SparseMatrix& m) {
    std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(m.rows));
    for (std::size_t c = 0; c + 1 < m.column_start.size(); ++c)
        for (auto k = m.column_start[c]; k < m.column_start[c + 1]; ++k)
            rows.at(static_cast<std::size_t>(m.row.at(static_cast<std::size_t>(k)))).push_back(c + 1);
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        text += (r > 0 ? " " : "") + std::to_string(r + 1) + ":";
        for (std::size_t k = 0; k < rows[r].size(); ++k) text += (k > 0 ? "," : "") + std::to_string(rows[r][k]);
    }
    return text;
}

void expect_places(const std::string& text, const std::string& df, const std::string& d2f) {
    SCOPED_TRACE(text);
    const SystemFunctions<double> f(model(text), {});
    EXPECT_EQ(f.df().column_start.front(), 0); // nothing stands before the first column
    EXPECT_EQ(places(f.df()), df);
    EXPECT_EQ(f.d2f().column_start.front(), 0);
    EXPECT_EQ(places(f.d2f()), d2f);
}

// coordinates: x[1..3], x[1..3]'
TEST(ConditionsOnIndices, DerivativesStayInsideTheArrays) {
    expect_places("unknown x[3]\nfor i = 1..3: x[i]' = if(i == 1, x[i], x[i] - x[i-1]^2)\n", "1:1,4 2:1,2,5 3:2,3,6",
                  "1:1 2:2 3: 4: 5: 6:");
    expect_places("unknown x[3]\nfor i = 1..3: x[i]' = if(i < 3, x[i]*x[i+1], x[i])\n", "1:1,2,4 2:2,3,5 3:3,6",
                  "1: 2:1 3:2 4: 5: 6:");
}

TEST(ConditionsOnIndices, DerivativesThroughLetFamiliesDoSoToo) {
    expect_places("unknown x[3]\nlet d[i = 1..3] = if(i == 1, x[i], x[i] - x[i-1])\nfor i = 1..3: x[i]' = d[i]^2\n",
                  "1:1,4 2:1,2,5 3:2,3,6", "1:1 2:1,2 3:2,3 4: 5: 6:");
    // in loops that stay loops
    const std::string large = "parameter n = 200\nunknown x[n]\nlet d[i = 1..n] = if(i == 1, x[i], x[i] - x[i-1])\n"
                              "for i = 1..n: x[i]' = sum(j = 1..i, d[j]^2*x[j])\n";
    const SystemFunctions<double> f(model(large), {});
    EXPECT_EQ(f.df().column_start.front(), 0);
    EXPECT_EQ(f.df().n_entries(), 200 * 201 / 2 + 200);
    EXPECT_EQ(f.d2f().column_start.front(), 0);
}

} // namespace
} // namespace vessiot::split_test
