#include "differential/search.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "differential/known.hpp"

namespace vessiot::differential {
namespace {

using Clock = std::chrono::steady_clock;

std::string commented(const std::string& text) {
    std::string result = "# ";
    for (const char c : text) result += c == '\n' ? "\n# " : std::string(1, c);
    return result + "\n";
}

void report(const Search& what, const Finding& original) {
    // each try of one that does not come to an end takes the whole limit
    const int budget = original.outcome.reason == "hang" ? std::min(what.shrink_budget, 5) : what.shrink_budget;
    const Finding small = shrink(original, what.limits, budget);
    const std::string file = fmt::format("{}/{}_{}.ves", what.folder, original.system.class_name, original.system.seed);
    std::filesystem::create_directories(what.folder);
    std::ofstream(file) << story(small, original, file);
    fmt::print("WRONG {} (seed {}): {}: {}\n  {}\n", original.system.class_name, original.system.seed,
               small.outcome.reason, small.outcome.detail, command(small.run, file));
    std::fflush(stdout);
}

// Systems seed + part, seed + part + jobs, …
Counts search_part(const Search& what, int part) {
    Counts counts;
    int n_findings = 0;
    const auto end = Clock::now() + std::chrono::duration<double>(60 * what.minutes);
    for (auto k = static_cast<std::uint64_t>(part); k < what.count; k += static_cast<std::uint64_t>(what.jobs)) {
        if (what.minutes > 0 && Clock::now() > end) break;
        const std::uint64_t seed = what.seed + k;
        const System system = make_system(*what.classes[seed % what.classes.size()], seed);
        Choice choice(~seed);
        const std::vector<RunOptions> runs = choose_runs(choice, system, what.runs);
        ++counts.systems;
        std::vector<Outcome> outcomes = judge_apart(system, runs, what.limits);
        for (std::size_t r = 0; what.counts_known && r < runs.size(); ++r)
            if (outcomes[r].verdict == Verdict::wrong)
                if (const Known* known = known_problem(system, runs[r], outcomes[r]))
                    outcomes[r] = {Verdict::known, std::string(known->why), outcomes[r].detail};
        for (std::size_t r = 0; r < runs.size(); ++r) counts.add(system.class_name, outcomes[r], runs[r].is_plain());
        // the first of several, which mostly have one cause
        const auto wrong = std::ranges::find(outcomes, Verdict::wrong, &Outcome::verdict);
        if (wrong != outcomes.end() && n_findings++ < what.most_findings)
            report(what, {system, runs[static_cast<std::size_t>(wrong - outcomes.begin())], *wrong});
    }
    return counts;
}

} // namespace

std::string story(const Finding& finding, const Finding& original, const std::string& file) {
    std::string text = commented(fmt::format("{}: {}", finding.outcome.reason, finding.outcome.detail));
    text += commented(command(finding.run, file));
    for (const Node& node : positions(finding.system))
        text += commented(
            fmt::format("{} = {}", name_of(node), differential::text(solution_of_leaf(finding.system, node))));
    text += model_text(finding.system);
    text += commented(fmt::format("\nmade from class {}, seed {}:\n{}\n{}: {}", original.system.class_name,
                                  original.system.seed, command(original.run, "it"), original.outcome.reason,
                                  original.outcome.detail));
    return text + commented(model_text(original.system));
}

Counts search(const Search& what) {
    struct Part {
        pid_t process;
        int in;
    };
    std::vector<Part> parts;
    std::fflush(nullptr);
    for (int k = 0; k < what.jobs; ++k) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("there are no more pipes");
        const pid_t process = fork();
        if (process < 0) throw std::runtime_error("there are no more processes");
        if (process == 0) {
            close(ends[0]);
            const std::string text = search_part(what, k).serialised();
            std::fflush(nullptr);
            const bool is_written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
            _exit(is_written ? 0 : 3);
        }
        close(ends[1]);
        parts.push_back({process, ends[0]});
    }
    Counts counts;
    for (const Part& part : parts) {
        std::string text;
        char chunk[4096];
        for (ssize_t n; (n = read(part.in, chunk, sizeof chunk)) > 0;) text.append(chunk, static_cast<std::size_t>(n));
        close(part.in);
        int status = 0;
        waitpid(part.process, &status, 0);
        if (status != 0) throw std::runtime_error("a part of the search ended early");
        counts.merge(Counts::read(text));
    }
    return counts;
}

} // namespace vessiot::differential
