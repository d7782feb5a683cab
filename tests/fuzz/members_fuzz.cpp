// Texts of an ensemble. The first byte says what the rest is: a table of members (t), statistics (r), else lines of
// what varies. Each is read or refused with a message; what was read gives finite values of members.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "ensemble/members.hpp"
#include "ensemble/statistics.hpp"
#include "vessiot/ensemble.hpp"

namespace {

using namespace vessiot;

void look_at(const EnsembleOptions& options) {
    const ensemble::Members members(options);
    std::vector<double> values(members.names().size());
    for (const std::int64_t k : {std::int64_t{0}, members.size() / 2, members.size() - 1}) {
        members.values(k, values);
        for (const double v : values)
            if (std::isnan(v)) __builtin_trap();
    }
    if (members.identity().empty()) __builtin_trap();
}

void read_lines(std::istringstream& lines) {
    EnsembleOptions options;
    options.samples = 7;
    for (std::string line; std::getline(lines, line);) {
        try {
            options.vary.push_back(read_vary(line));
        } catch (const InvalidInput&) {
        }
    }
    for (const Sampling sampling : {Sampling::random, Sampling::latin, Sampling::sobol}) {
        options.sampling = sampling;
        look_at(options);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(data + 1, data + size);
    std::istringstream lines(text);
    try {
        if (data[0] == 't') {
            EnsembleOptions options;
            ensemble::read_members(lines, "fuzz.csv", options);
            look_at(options);
        } else if (data[0] == 'r') {
            for (const Reduction& r : read_reductions(text))
                if (!ensemble::is_possible(r)) __builtin_trap();
        } else {
            read_lines(lines);
        }
    } catch (const InvalidInput&) {
    }
    return 0;
}
