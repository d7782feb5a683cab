// Ensembles: members a second on one core, one by one and in eight lanes, with two threads, and on a graphics processor
// where there is one; all with the same bits. Ratios are of one run of this program.
//
//   ensemble_bench [--members N] [--gpu N] [--only STUDY] [--json FILE]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "vessiot/ensemble.hpp"
#include "vessiot/error.hpp"
#include "vessiot/model.hpp"

namespace {

using namespace vessiot;

struct Study {
    std::string name, text, method;
    double rtol, atol, h_first;
    std::vector<std::string> names; // what varies, and its values as a function of 0 .. 1
    std::vector<double> (*values)(double);
    double share; // of the members
};

// The gallery may be elsewhere on another machine: VESSIOT_GALLERY.
std::string gallery(const std::string& name) {
    const char* const folder = std::getenv("VESSIOT_GALLERY");
    std::ifstream file(std::string(folder ? folder : VESSIOT_SOURCE_DIR "/gallery") + "/" + name + ".ves");
    return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* henon_heiles = R"(
unknown y1, y2
y1'' = -y1 - 2*y1*y2
y2'' = -y2 - y1^2 + y2^2
invariant (y1'^2 + y2'^2 + y1^2 + y2^2)/2 + y1^2*y2 - y2^3/3
start y1 = 0, y2 = 0.1, y1' = 0.4, y2' = 0
solve t = 0 .. 100
)";
constexpr const char* lorenz = R"(
parameter rho = 28
unknown x, y, z
x' = 10*(y - x)
y' = x*(rho - z) - y
z' = x*y - 8/3*z
start x = 1, y = 0, z = 0
solve t = 0 .. 1
)";

std::vector<Study> studies() {
    return {
        {"pendulum",
         gallery("pendulum"),
         "dop853",
         1e-8,
         1e-10,
         0,
         {"start:x", "start:y"},
         [](double s) { return std::vector<double>{std::sin(0.1 + 3 * s), -std::cos(0.1 + 3 * s)}; },
         1},
        {"henon_heiles",
         henon_heiles,
         "dop853",
         1e-8,
         1e-10,
         0,
         {"start:y1'"},
         [](double s) { return std::vector<double>{0.38 + 0.16 * s}; },
         0.5},
        {"double_pendulum",
         gallery("double_pendulum"),
         "dop853",
         1e-8,
         1e-10,
         0,
         {"start:alpha"},
         [](double s) { return std::vector<double>{0.1 + 2 * s}; },
         0.5},
        {"lorenz",
         lorenz,
         "tsit54",
         1e-8,
         1e-8,
         1e-3,
         {"rho"},
         [](double s) { return std::vector<double>{21 * s}; },
         2},
        {"andrews",
         gallery("andrews"),
         "dop853",
         1e-7,
         1e-9,
         0,
         {"mom"},
         [](double s) { return std::vector<double>{0.033 * (0.9 + 0.2 * s)}; },
         0.05},
    };
}

Problem problem_of(const Study& s) {
    SolveOptions options{.method = s.method, .rtol = s.rtol, .atol = s.atol, .throw_on_failure = false};
    if (s.h_first > 0) options.h_first = s.h_first;
    if (s.name == "andrews") options.to = 0.03;
    return Problem(Model::parse(s.text), options);
}

EnsembleOptions members_of(const Study& s, std::int64_t n) {
    EnsembleOptions options{.table_names = s.names};
    for (std::int64_t k = 0; k < n; ++k)
        for (const double v : s.values(n > 1 ? static_cast<double>(k) / static_cast<double>(n - 1) : 0))
            options.table.push_back(v);
    return options;
}

bool same(const EnsembleResult& a, const EnsembleResult& b) {
    const std::vector<double>&x = a.members.values, &y = b.members.values;
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0 &&
           a.members.steps == b.members.steps && a.members.status == b.members.status;
}

// The best of a few runs; code is made before.
struct Timed {
    EnsembleResult result;
    double seconds = 1e300;

    double rate() const { return static_cast<double>(result.done()) / seconds; }
};
Timed timed(const Problem& problem, EnsembleOptions options, Lanes lanes, int threads, int n_runs) {
    Timed best;
    options.lanes = lanes;
    options.threads = threads;
    for (int k = 0; k < n_runs; ++k) {
        EnsembleResult r = problem.ensemble(options);
        if (r.seconds >= best.seconds) continue;
        best.seconds = r.seconds;
        best.result = std::move(r);
    }
    return best;
}

void add_gpu(const Study& s, const Problem& problem, std::int64_t n, const EnsembleResult* alone, nlohmann::json& row) {
    EnsembleOptions options = members_of(s, n);
    options.device = Device::gpu;
    try {
        const EnsembleResult first = problem.ensemble(options);
        const EnsembleResult r = problem.ensemble(options);
        const double rate = static_cast<double>(r.done()) / r.device_seconds;
        fmt::print("  {:>16} {:.4g} members/s on {} ({} members, {:.4g} s there, {:.4g} s in all, first {:.4g} s){}\n",
                   s.name, rate, r.device, n, r.device_seconds, r.seconds, first.seconds,
                   !alone            ? ""
                   : same(r, *alone) ? ", same bits"
                                     : ", OTHER BITS");
        row["gpu"] = {{"device", r.device}, {"members", n}, {"rate", rate}, {"seconds", r.seconds}};
        if (alone) row["gpu"]["same_bits"] = same(r, *alone);
    } catch (const std::exception& e) {
        fmt::print("  {:>16} {}\n", s.name, e.what());
    }
}

// Pendula over g with statistics only, the second time in this process.
void add_statistics(std::int64_t n, nlohmann::json& all) {
    const Problem problem(Model::parse(gallery("pendulum")), {.method = "dop853", .rtol = 1e-8});
    EnsembleOptions options{.vary = {Vary::linear("g", 1, 20, n)},
                            .reduce = {{.kind = Reduction::Kind::mean},
                                       {.kind = Reduction::Kind::deviation},
                                       {.kind = Reduction::Kind::least},
                                       {.kind = Reduction::Kind::greatest}},
                            .device = Device::gpu};
    options.keeps_members = false;
    try {
        const EnsembleResult first = problem.ensemble(options), r = problem.ensemble(options);
        fmt::print(
            "{} pendula, statistics only: {:.4g} s, {:.4g} s there; the first time {:.4g} s; mean of x {:.17g}\n", n,
            r.seconds, r.device_seconds, first.seconds, r.statistic("x").mean);
        all.push_back({{"study", "pendula over g, statistics only"},
                       {"members", n},
                       {"seconds", r.seconds},
                       {"seconds_there", r.device_seconds},
                       {"first_seconds", first.seconds},
                       {"device", r.device}});
    } catch (const std::exception& e) {
        fmt::print("{}\n", e.what());
    }
}

nlohmann::json measure(const Study& s, std::int64_t n_members, std::int64_t n_gpu) {
    const Problem problem = problem_of(s);
    const auto n = std::max<std::int64_t>(64, static_cast<std::int64_t>(s.share * static_cast<double>(n_members)));
    const EnsembleOptions options = members_of(s, n);
    timed(problem, members_of(s, 64), Lanes::one, 1, 2);
    timed(problem, members_of(s, 64), Lanes::eight, 2, 2);
    const Timed scalar = timed(problem, options, Lanes::one, 1, 2), lanes = timed(problem, options, Lanes::eight, 1, 3),
                two = timed(problem, options, Lanes::eight, 2, 3);
    const bool is_same = same(scalar.result, lanes.result) && same(scalar.result, two.result);
    fmt::print("{:>16} {:>7} members: scalar {:8.4g}/s  lanes {:8.4g}/s = {:.2f}x  two threads {:.2f}x  {}\n", s.name,
               n, scalar.rate(), lanes.rate(), lanes.rate() / scalar.rate(), two.rate() / lanes.rate(),
               is_same ? "same bits" : "OTHER BITS");
    nlohmann::json row{{"study", s.name},
                       {"members", n},
                       {"scalar", scalar.rate()},
                       {"lanes", lanes.rate()},
                       {"ratio", lanes.rate() / scalar.rate()},
                       {"two_threads", two.rate() / lanes.rate()},
                       {"same_bits", is_same}};
    if (n_gpu > 0) {
        add_gpu(s, problem, n, &scalar.result, row);
        add_gpu(s, problem, s.name == "andrews" ? n_gpu / 8 : n_gpu, nullptr, row);
    }
    return row;
}

} // namespace

int main(int argc, char** argv) {
    std::int64_t n = 20000, n_gpu = 0;
    std::string json, only;
    for (int k = 1; k + 1 < argc; k += 2) {
        const std::string name = argv[k];
        if (name == "--members") n = std::atoll(argv[k + 1]);
        if (name == "--gpu") n_gpu = std::atoll(argv[k + 1]);
        if (name == "--json") json = argv[k + 1];
        if (name == "--only") only = argv[k + 1];
    }
    nlohmann::json all = nlohmann::json::array();
    for (const Study& s : studies())
        if (only.empty() || only == s.name) all.push_back(measure(s, n, n_gpu));
    const bool is_good =
        std::ranges::all_of(all, [](const nlohmann::json& row) { return row["same_bits"].get<bool>(); });
    if (n_gpu > 0 && only.empty()) add_statistics(10 * n_gpu, all);
    if (!json.empty()) std::ofstream(json) << all.dump(2) << '\n';
    return is_good ? 0 : 1;
}
