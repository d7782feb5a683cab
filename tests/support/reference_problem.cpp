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

const ReferenceProblem& lotka_volterra() {
    static const ReferenceProblem p =
        reference_problem("Lotka-Volterra", "unknown x, y\nx' = -x + x*y\ny' = y - x*y\nstart x = 0.5, y = 0.5\n",
                          "lotka_volterra", "5", {"x", "y"});
    return p;
}

const ReferenceProblem& euler_top() {
    static const ReferenceProblem p =
        reference_problem("Euler top",
                          "unknown y[3]\ny[1]' = y[2]*y[3]/2\ny[2]' = -y[3]*y[1]\ny[3]' = y[1]*y[2]/2\n"
                          "start y[1] = cos(1.1), y[2] = 0, y[3] = sin(1.1)\n",
                          "euler_top", "10", {"y[1]", "y[2]", "y[3]"});
    return p;
}

const ReferenceProblem& pendulum() {
    static const ReferenceProblem p =
        reference_problem("pendulum",
                          "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                          "start x = 1, y = 0, x' = 0, y' = 0\n",
                          "pendulum", "1", {"x", "y", "x'", "y'", "lambda"});
    return p;
}

const ReferenceProblem& kepler() {
    static const ReferenceProblem p =
        reference_problem("Kepler",
                          "unknown x, y\nlet r = sqrt(x^2 + y^2)\nx'' = -x/r^3\ny'' = -y/r^3\n"
                          "invariant (x'^2 + y'^2)/2 - 1/r\ninvariant x*y' - y*x'\n"
                          "start x = 0.4, y = 0, x' = 0, y' = 2\n",
                          "kepler", "1", {"x", "y", "x'", "y'"});
    return p;
}

} // namespace vessiot::test
