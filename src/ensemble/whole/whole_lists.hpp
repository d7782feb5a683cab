// A plain member of an ensemble as three lists of operations, from the numbers that vary to its last values: its start
// point and the size of its first step; rounds (lanes/round_list.hpp), the last step among them; what is recorded of
// its end. The bits are those of a solve of its own, since the operations are.
//
// Plain is a member whose start point needs no correction and whose equations do not depend on numbers in other ways
// than their formulas say. Each list says of each member whether it is; who is not is solved alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lanes/round_places.hpp"
#include "solve/problem/in_parts.hpp"

namespace vessiot::ensemble {

struct WholeLists {
    // Buffers of `start` and `record`: inputs, then outputs.
    enum StartBuffer : std::uint32_t { varied_in, numbers_out, point_out, direction_out, fixed_out };
    enum RecordBuffer : std::uint32_t { point_in = 1, row_out };

    std::shared_ptr<const expr::Kernel> start, round, record;
    std::int64_t n = 0; // coordinates
    std::size_t n_varied = 0, n_columns = 0;
    double end = 0; // where it ends
    std::vector<lanes::FixedInput> fixed{};
    expr::EvaluatorOptions evaluator{};
    std::shared_ptr<expr::CodeCache> code{}; // for what is made of them
};

// What the lists are made for, and how members are told apart.
struct WholeStudy {
    ProblemCore& core;
    std::vector<std::string> varied;  // as in EnsembleHead
    std::vector<std::string> columns; // that are kept
    std::int64_t n_members = 0;
    std::function<RunOptions(std::int64_t member, std::span<double> varied)> run;
};

// None where members are not plain. A few of them are run to compare.
std::optional<WholeLists> make_whole_lists(const WholeStudy& study);

} // namespace vessiot::ensemble
