// What numbers say about a system: its hidden constraints in readable form, a consistent start point, which methods
// fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "solve/inspect/involutive.hpp"
#include "solve/inspect/kronecker.hpp"
#include "solve/options/settings.hpp"
#include "system/describe/describe.hpp"
#include "system/system.hpp"

namespace vessiot {

struct Inspection {
    bool is_checked = false; // with numbers, at the start point
    std::string problem{};   // why not

    SystemSummary system{};

    struct Constraint {
        bool is_hidden = false;
        std::string text{};   // the formula
        std::string domain{}; // of a family
        std::string origin{}; // of a hidden one: "the derivative of x^2 + y^2 = l^2"
        std::int64_t count = 1;
    };
    std::vector<Constraint> constraints{};
    std::vector<std::string> redundant{}; // equations each of which follows from the others
    double condition = 0;                 // of the matrix of the highest derivatives; 0: not known
    std::optional<InvolutiveForm> involutive{};
    std::optional<KroneckerForm> kronecker{}; // of a linear system with constant coefficients

    struct Value {
        std::string name;
        double value;
    };
    std::vector<Value> start{}; // consistent; what the equations determine included
    StartReport report{};
    std::vector<std::string> notes{};
    std::vector<std::vector<Value>> branches{}; // other solutions of equations that are not linear in the derivatives

    struct Method {
        std::string name;
        std::string misfit; // what it needs and the system does not have; empty: it fits
    };
    std::vector<Method> methods{};
};

// Does not throw for what is wrong with the system or its start point: `problem` says it.
Inspection inspect(const System& system, const SolveOptions& options);

std::string to_text(const Inspection& inspection, const TextOptions& options = {});
nlohmann::ordered_json to_json(const Inspection& inspection);

} // namespace vessiot
