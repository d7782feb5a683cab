// A table of results as rows and columns of text, whatever is made of it.
#pragma once

#include <string>
#include <vector>

#include "reproduce/report.hpp"

namespace vessiot::reproduce {

struct GridCell {
    std::string published{}, mark{}, computed{}; // all empty: nothing is printed there
    int reason = 0;                              // number of its reason, from 1; 0: none
};

struct Grid {
    std::vector<std::string> columns{}, rows{};
    std::vector<std::vector<GridCell>> cells{}; // by row
    std::vector<std::string> reasons{};
    std::vector<std::string> readings{}; // and whether the text prints them
};

Grid make_grid(const TableResult& result);

} // namespace vessiot::reproduce
