// The problems of gallery/ for the tests: models, data files and start points.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "expr/kernel/kernel.hpp"
#include "system/functions.hpp"
#include "system/system.hpp"

namespace vessiot::test {

// Parameters and their values, as `--set` takes them.
using ParameterSettings = std::vector<std::pair<std::string, std::string>>;

// The names of all models, sorted.
std::vector<std::string> gallery_names();

// The text of a model and its data file.
std::string gallery_text(const std::string& name);
nlohmann::json gallery_data(const std::string& name);

System gallery_system(const std::string& name, const ParameterSettings& set = {});

// The jets at the start, in the order of the coordinates.
struct StartPoint {
    Quad t = 0;
    std::vector<Quad> z;
    std::vector<bool> is_given;   // by `start`
    std::vector<bool> is_guessed; // by `guess` alone
};
StartPoint start_point(const System& system, const Coordinates& coordinates);

// A decimal number of a data file.
Quad read_quad(const std::string& text);

} // namespace vessiot::test
