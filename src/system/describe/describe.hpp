// What `vessiot inspect` says about a system: gathered once, as plain data, and written as text for people or as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "system/classify.hpp"
#include "system/system.hpp"

namespace vessiot {

struct DescribeOptions {
    bool compile = false; // make native code, to say how long it takes and how large it is
};

// A line of the model, or of what was derived from it. A family has its loops in `domain`: "i = 1..5, j = 1..i".
struct StatementText {
    std::string kind{}; // equation, constraint, invariant, force, hold; derived: motion, term, definition
    std::string text{};
    std::string domain{};
    std::int64_t count = 1; // instances
    int line = 0;           // of the model; 0: derived
};

// name = text, a start value or a guess; a value where it is one number.
struct AssignmentText {
    std::string name{}, text{}, domain{};
    std::int64_t count = 1;
    std::optional<double> value{};
    int line = 0;
};

struct EventText {
    std::string name{}, text{}, direction{};
    bool is_stop = false;
    std::vector<std::string> then{}; // "y' = -0.9*y'"
};

struct UnknownText {
    std::string name{};
    std::vector<std::int64_t> shape{};
    int order = 0;
    UnknownClass in{};
};

struct ParameterText {
    std::string name{};
    std::vector<std::int64_t> shape{};
    std::vector<double> values{}; // row-major
};

struct MatrixSize {
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
};

// The size of the code, and the work of one evaluation.
struct Operations {
    std::int64_t code = 0, work = 0;
};

struct NativeText {
    bool is_native = false;
    std::string reason{}; // why not
    double seconds = 0;   // of compiling
    std::int64_t code_bytes = 0;
};

struct Description {
    std::string model{};
    std::string independent{};
    Classification classification{};
    std::vector<UnknownText> unknowns{};
    std::vector<StatementText> equations{}; // as written
    std::optional<std::string> lagrangian{}, hamiltonian{};
    std::vector<std::string> pairs{}; // of the hamiltonian: "x: px"
    std::vector<StatementText> forces{};
    std::vector<StatementText> derived{}; // equations of motion
    std::vector<StatementText> invariants{};
    std::vector<ParameterText> parameters{};
    std::vector<ParameterText> discrete{}; // with their values at the start
    std::vector<AssignmentText> start{}, guesses{}, ends{};
    std::vector<StatementText> holds{}, initially{}, periodic{};
    std::vector<std::string> free{}; // parameters to be found
    std::optional<AssignmentText> from{}, to{}, output_every{};
    std::vector<AssignmentText> output_at{};
    std::vector<AssignmentText> outputs{};
    std::vector<EventText> events{};
    std::string section{}; // the event whose crossings are reported
    std::vector<std::pair<std::string, std::string>> options{};
    MatrixSize df{}, d2f{}; // d2f: the lower triangle of the contraction
    Operations f{}, f_df{}, f_df_d2f{};
    std::optional<NativeText> native{};
    std::vector<std::string> warnings{};
};

Description describe(const System& system, const DescribeOptions& options = {});

// One equation as it is shown: kind equation, constraint or motion.
StatementText describe_equation(const System& system, const Equation& equation);

struct TextOptions {
    bool full = false; // nothing is shortened
};
std::string to_text(const Description& d, const TextOptions& options = {});
nlohmann::ordered_json to_json(const Description& d);

} // namespace vessiot
