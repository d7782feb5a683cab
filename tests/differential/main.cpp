// Random systems with known solutions against solve(): README.md.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "differential/search.hpp"

namespace vessiot::differential {
namespace {

constexpr const char* usage = R"(usage: differential [options]
  --seed S       the first system (1)
  --count N      systems (1000)
  --class C      of this class only (repeatable); --class list: their names
  --runs R       runs of each with options chosen at random, beside one without (3)
  --minutes M    end after so many
  --jobs J       processes (all processors)
  --folder F     where findings are written (findings)
  --known count  what is known to fail (known.hpp) is counted, and no failure
  --shrink N     runs to make a finding small (400)
  --print        the models of these seeds and their runs, and nothing else
  --solved P     fail where less than this share of a class is solved without options (0.8)
)";

// Of systems of a class that are solved without options, at least.
double least_share = 0.8;
bool is_printing = false;

void add_class(Search& what, const std::string& name) {
    if (name == "list") {
        for (const ClassInfo& info : classes()) fmt::print("{:16} {}\n", info.name, info.what);
        std::exit(0);
    }
    const ClassInfo* const info = find_class(name);
    if (!info) throw std::invalid_argument("there is no class " + name + "; --class list shows them");
    what.classes.push_back(info);
}

Search arguments(int argc, char** argv) {
    Search what;
    what.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (int k = 1; k < argc; ++k) {
        const std::string name = argv[k];
        if (name == "--print") {
            is_printing = true;
            continue;
        }
        if (name == "--help" || k + 1 == argc) throw std::invalid_argument("");
        const std::string value = argv[++k];
        if (name == "--seed")
            what.seed = std::stoull(value);
        else if (name == "--count")
            what.count = std::stoull(value);
        else if (name == "--class")
            add_class(what, value);
        else if (name == "--runs")
            what.runs = std::stoi(value);
        else if (name == "--minutes")
            what.minutes = std::stod(value);
        else if (name == "--jobs")
            what.jobs = std::max(1, std::stoi(value));
        else if (name == "--folder")
            what.folder = value;
        else if (name == "--known")
            what.counts_known = value == "count";
        else if (name == "--shrink")
            what.shrink_budget = std::stoi(value);
        else if (name == "--solved")
            least_share = std::stod(value);
        else
            throw std::invalid_argument("there is no option " + name);
    }
    if (what.classes.empty())
        for (const ClassInfo& info : classes()) what.classes.push_back(&info);
    return what;
}

void print(const Search& what) {
    for (std::uint64_t seed = what.seed; seed < what.seed + what.count; ++seed) {
        const System system = make_system(*what.classes[seed % what.classes.size()], seed);
        Choice choice(~seed);
        fmt::print("# {} {} {}\n{}", system.class_name, seed, complaint(system), model_text(system));
        for (const RunOptions& run : choose_runs(choice, system, what.runs)) fmt::print("# {}\n", command(run, "it"));
    }
}

int run(int argc, char** argv) {
    const Search what = arguments(argc, argv);
    if (is_printing) {
        print(what);
        return 0;
    }
    fmt::print("seeds {} to {}, {} processes\n", what.seed, what.seed + what.count - 1, what.jobs);
    const Counts counts = search(what);
    fmt::print("{}", counts.table());
    const std::string weak = counts.weak_classes(least_share);
    if (!weak.empty()) fmt::print("too few systems are solved without options: {}\n", weak);
    const bool is_right = counts.of(Verdict::wrong) == 0;
    if (!is_right) fmt::print("{} runs are wrong; the first ones are in {}/\n", counts.of(Verdict::wrong), what.folder);
    return is_right && weak.empty() ? 0 : 1;
}

} // namespace
} // namespace vessiot::differential

int main(int argc, char** argv) {
    try {
        return vessiot::differential::run(argc, argv);
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "%s%s%s", e.what(), *e.what() ? "\n" : "", vessiot::differential::usage);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "differential: %s\n", e.what());
    }
    return 2;
}
