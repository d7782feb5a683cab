#include "support/reference_problem.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "lang/model.hpp"
#include "support/gallery.hpp"

namespace vessiot::test {

using nlohmann::json;

ReferenceProblem reference_problem(const std::string& name, const std::string& text, const std::string& gallery_name,
                                   const std::string& t, const std::vector<std::string>& values) {
    const json data = gallery_data(gallery_name);
    for (const json& point : data["reference"]) {
        if (point["t"] != t || point.contains("parameters")) continue;
        std::string with_errors = text;
        for (std::size_t k = 0; k < values.size(); ++k)
            with_errors += "output error" + std::to_string(k) + " = " + values[k] + " - (" +
                           point["values"][values[k]].get<std::string>() + ")\n";
        return {name, lang::read_model(lang::Source(name + ".ves", with_errors)), std::stod(t),
                std::pow(10.0, 3 - point["digits"].get<int>())};
    }
    ADD_FAILURE() << "no reference for " << gallery_name << " at t = " << t;
    return {};
}

} // namespace vessiot::test
