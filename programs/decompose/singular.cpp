#include "decompose/singular.hpp"

#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "decompose/process.hpp"
#include "decompose/script.hpp"

namespace vessiot::decompose {

namespace {

std::string program() {
    const char* chosen = std::getenv("VESSIOT_SINGULAR");
    const std::string name = chosen && *chosen ? chosen : "Singular";
    std::string path = find_program(name);
    if (!path.empty()) return path;
    if (chosen && *chosen)
        throw SingularFailed(
            fmt::format("the environment variable VESSIOT_SINGULAR names '{}', but there is no such program", name));
    throw SingularFailed("a decomposition needs the program Singular, which is not found; on Debian: apt-get install "
                         "singular (elsewhere: www.singular.uni-kl.de, and its path in the environment variable "
                         "VESSIOT_SINGULAR)");
}

// The first line with this in it; empty: none.
std::string line_with(std::string_view output, std::string_view part) {
    const std::size_t at = output.find(part);
    if (at == std::string_view::npos) return "";
    const std::size_t begin = output.rfind('\n', at) + 1; // npos + 1 is 0
    const std::string_view line = output.substr(begin, output.find('\n', at) - begin);
    return std::string(line.substr(std::min(line.find_first_not_of(" ?"), line.size())));
}

std::string last_words(std::string_view output) {
    while (!output.empty() && (output.back() == '\n' || output.back() == ' ')) output.remove_suffix(1);
    const std::string_view line = output.substr(output.rfind('\n') + 1).substr(0, 200);
    return line.empty() ? "it said nothing" : fmt::format("its last words: {}", line);
}

// Empty where it came to its end.
std::string problem_of(const ProcessResult& result, const SingularSettings& settings, bool is_complete) {
    switch (result.end) {
    case ProcessResult::End::timed_out:
        return fmt::format("Singular was not ready after {:g} s; --time-limit SECONDS gives it more", //
                           settings.time_limit_s);
    case ProcessResult::End::too_much: return "Singular wrote more than 64 MB and was stopped";
    case ProcessResult::End::signalled:
        return fmt::format("Singular was killed by signal {} ({}){}", result.code, strsignal(result.code),
                           result.code == 9 ? ": perhaps the memory of this machine is not enough" : "");
    default: break;
    }
    if (result.output.find("no more memory") != std::string::npos)
        return "Singular needs more memory than this machine has: the constraints are too large to be decomposed";
    if (const std::string error = line_with(result.output, "   ? "); !error.empty())
        return fmt::format("Singular reports an error: {}", error);
    if (result.code == 126 || result.code == 127)
        return fmt::format("Singular cannot be started ({})", last_words(result.output));
    if (result.code != 0)
        return fmt::format("Singular ended with status {}; {}", result.code, last_words(result.output));
    return is_complete ? "" : fmt::format("Singular ended before it was ready; {}", last_words(result.output));
}

} // namespace

SingularResult ask_singular(const PolynomialSystem& system, const SingularSettings& settings) {
    const std::string path = program();
    ProcessResult process;
    try {
        // NOTE: its libraries are those of its installation, not what lies here or where a variable points. The random
        // numbers of the algorithm decide how, not what: with one seed a run can be repeated
        process = run_process(path, {"-q", "--no-rc", "--no-tty", "--no-warn", "--no-shell", "--random=1"},
                              make_script(system), {.time_s = settings.time_limit_s, .hidden_variables = "SINGULAR"},
                              settings.is_interrupted);
    } catch (const std::system_error& e) {
        throw SingularFailed(fmt::format("Singular ({}) cannot be started: {}", path, e.what()));
    }
    if (process.end == ProcessResult::End::interrupted) throw Interrupted("interrupted; nothing is written");
    SingularResult result;
    try {
        result.answer = read_answer(process.output, system);
    } catch (const NotUnderstood& e) {
        throw SingularFailed(fmt::format("the answer of Singular ({}) is not understood: {}", path, e.what()));
    }
    result.problem = problem_of(process, settings, result.answer.is_complete);
    if (!result.answer.has_components) throw SingularFailed(result.problem);
    return result;
}

} // namespace vessiot::decompose
