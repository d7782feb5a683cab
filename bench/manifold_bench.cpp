// Time to an error, on the manifold: dop853 with projection on the problems P1 .. P6, beside the programs of
// support/by_hand.hpp, which solve all but P3. Our right-hand sides come from the models of the gallery; compile time
// is apart.
//
//     manifold_bench [P1 P2_50 P2_1000 ...] [--anchor PROGRAM] [--method NAME]
//
// Error: the maximum over positions and velocities at the end point of |y - ref| / max(1, |ref|), ref from our run at
// round-off (P4: exact). Time to error E: rtol = atol on a grid of half decades, the least of at least three runs (and
// 60 ms a point, ours and by hand in turns of 20 ms); between two points log(time) is linear in log(error), each point
// counting with the worst error of itself and all tighter ones. Ends with status 1 where an end point by hand at 1e-13
// is not ours to 1e-9. With --anchor the program given is run in between (it takes a problem name and --json, and
// prints a list of objects with `method` and `targets`: the `time_s` to each error), and the ratio of both is printed.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lang/model.hpp"
#include "support/by_hand.hpp"
#include "support/compiled_problem.hpp"

namespace {

using namespace vessiot;

struct Case {
    std::string name, model;
    std::vector<std::pair<std::string, std::string>> set;
    double to;
};

Case make_case(const std::string& name) {
    if (name == "P1") return {name, "pendulum", {{"g", "1"}}, 100};
    if (name.starts_with("P2_")) return {name, "mech", {{"n", name.substr(3)}}, 1};
    if (name == "P3") return {name, "andrews", {}, 0.03};
    if (name == "P4") return {name, "kepler", {}, 100 * M_PI};
    if (name == "P5") return {name, "bench_top", {}, 1000};
    if (name == "P6") return {name, "henon_heiles", {}, 1100};
    throw InvalidInput("no such problem: " + name);
}

// Intermediate axis theorem: the top of the comparison, with both invariants.
constexpr const char* top_model = R"(
parameter I1 = 2, I2 = 1, I3 = 2/3
unknown y1, y2, y3
y1' = (1/I3 - 1/I2)*y2*y3
y2' = (1/I1 - 1/I3)*y3*y1
y3' = (1/I2 - 1/I1)*y1*y2
invariant y1^2 + y2^2 + y3^2
invariant (y1^2/I1 + y2^2/I2 + y3^2/I3)/2
start y1 = cos(1.1), y2 = 0, y3 = sin(1.1)
solve t = 0 .. 1000
)";

System load(const Case& c) {
    lang::Settings settings;
    settings.set = c.set;
    if (c.model == "bench_top") return lang::read_model(lang::Source("top.ves", top_model), settings);
    System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + c.model + ".ves", settings);
    system.events.clear();
    system.outputs.clear();
    return system;
}

// Empty where there is none.
bench::HandProgram by_hand(const std::string& name) {
    if (name == "P1") return bench::pendulum_by_hand();
    if (name.starts_with("P2_")) {
        std::int64_t n = 0;
        std::from_chars(name.data() + 3, name.data() + name.size(), n);
        return n < 4 ? bench::HandProgram{} : bench::chain_by_hand(n);
    }
    if (name == "P4") return bench::kepler_by_hand();
    if (name == "P5") return bench::top_by_hand();
    if (name == "P6") return bench::henon_heiles_by_hand();
    return {};
}

// Our end point in the order of the programs by hand: positions, then velocities, no multipliers.
std::vector<double> in_hand_order(const Solution& solution) {
    std::vector<double> positions, velocities;
    for (std::size_t k = 0; k < solution.names.size(); ++k) {
        const std::string& name = solution.names[k];
        if (name.starts_with("lambda")) continue;
        (name.ends_with('\'') ? velocities : positions).push_back(solution.numbers[k]);
    }
    positions.insert(positions.end(), velocities.begin(), velocities.end());
    return positions;
}

double distance(const std::vector<double>& y, const std::vector<double>& reference) {
    if (y.size() != reference.size()) return INFINITY;
    double worst = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double error = std::fabs(y[k] - reference[k]) / std::max(1.0, std::fabs(reference[k]));
        if (std::isnan(error)) return INFINITY;
        worst = std::max(worst, error);
    }
    return worst;
}

struct Point {
    double tolerance, seconds, error;
};

using Curve = std::vector<Point>;

// P4 ends after 50 revolutions, where it began.
const std::vector<double> kepler_end{0.4, 0, 0, 2};

// The two runners of one problem: time and error at a tolerance.
class Contest {
public:
    Contest(const Case& c, const std::string& method)
        : options_{.method = method, .rtol = tightest, .atol = tightest}, ours_(load(c), c.to, options_),
          hand_(by_hand(c.name)) {
        if (!hand_) return;
        const std::vector<double> end = in_hand_order(ours_.run(options_).solution);
        const double apart = distance(hand_(tightest), end);
        reference_ = c.name == "P4" ? kepler_end : end;
        if (!(apart < 1e-9)) mismatch_ = fmt::format("{}: the end point by hand is {:.1e} from ours", c.name, apart);
    }

    const std::string& mismatch() const { return mismatch_; } // empty: the answers agree
    bool has_hand() const { return bool(hand_); }

    // Fills both curves, the one by hand empty where there is no such program.
    void sweep(Curve& ours, Curve& hand) {
        bool is_on = true, is_hand_on = has_hand();
        for (double tol = 1e-3; tol > 0.9e-14 && (is_on || is_hand_on); tol *= std::sqrt(0.1)) {
            Point a{tol, INFINITY, 0}, b = a;
            options_.rtol = options_.atol = tol;
            const auto runner = ours_.prepare(options_);
            for (int turn = 0; turn < 3; ++turn) {
                if (is_on) take_turn(a, [&](Point& p) { run_ours(*runner, p); });
                if (is_hand_on) take_turn(b, [&](Point& p) { run_hand(p); });
            }
            if (is_on) ours.push_back(a);
            if (is_hand_on) hand.push_back(b);
            is_on = is_on && a.error >= enough;
            is_hand_on = is_hand_on && b.error >= enough;
        }
    }

private:
    static constexpr double tightest = 1e-14, enough = 1e-11;

    // Runs for 20 ms, at least once.
    template <class Runner> static void take_turn(Point& point, const Runner& run) {
        double spent = 0;
        for (int k = 0; k < 2000 && spent < 0.02; ++k) {
            Point p = point;
            run(p);
            spent += p.seconds;
            point.error = p.error;
            point.seconds = std::min(point.seconds, p.seconds);
        }
    }

    void run_ours(bench::CompiledProblem::Runner& runner, Point& p) const {
        const bench::TimedRun run = runner();
        p.seconds = run.seconds;
        p.error = hand_ ? distance(in_hand_order(run.solution), reference_) : run.error;
    }

    void run_hand(Point& p) const {
        const auto begin = std::chrono::steady_clock::now();
        const std::vector<double> y = hand_(p.tolerance);
        p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        p.error = distance(y, reference_);
    }

    SolveOptions options_;
    bench::CompiledProblem ours_;
    bench::HandProgram hand_;
    std::vector<double> reference_;
    std::string mismatch_;
};

// Seconds to reach an error; NaN where it is not reached.
double time_to(const Curve& p, double wanted) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i].error < p[best].error) best = i;
    std::vector<double> worst(best + 1);
    for (std::size_t i = best + 1; i-- > 0;) worst[i] = std::max(p[i].error, i < best ? worst[i + 1] : 0.0);
    std::size_t i = 0;
    while (i <= best && worst[i] > wanted) ++i;
    if (i > best) return NAN;
    if (i == 0) return p[0].seconds;
    const double f = std::log(worst[i - 1] / wanted) / std::log(worst[i - 1] / worst[i]);
    return p[i - 1].seconds * std::pow(p[i].seconds / p[i - 1].seconds, f);
}

constexpr std::array errors{1e-4, 1e-6, 1e-8, 1e-10};

// The times of the row dop853+proj of the anchor program.
std::vector<double> run_anchor(const std::string& program, const std::string& name) {
    std::string argument = name;
    std::ranges::replace(argument, '_', ' ');
    std::FILE* pipe = popen(fmt::format("{} {} --json", program, argument).c_str(), "r");
    if (!pipe) throw InvalidInput("cannot run " + program);
    std::string text;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    pclose(pipe);
    std::vector<double> times;
    for (const auto& row : nlohmann::json::parse(text))
        if (row.at("method") == "dop853+proj")
            for (const auto& target : row.at("targets")) times.push_back(target.at("time_s").get<double>());
    return times;
}

using Times = std::array<double, errors.size()>;

Times times_to(const Curve& curve) {
    Times times{};
    for (std::size_t k = 0; k < errors.size(); ++k) times[k] = curve.empty() ? NAN : time_to(curve, errors[k]);
    return times;
}

std::string in_microseconds(const Times& times) {
    std::string line;
    for (const double t : times) line += fmt::format("{:>8.1f} us", 1e6 * t);
    return line;
}

template <class Others> std::string ratios(const Times& times, const Others& others) {
    std::string line;
    for (std::size_t k = 0; k < std::min(times.size(), others.size()); ++k)
        line += fmt::format("{:>7.2f}", times[k] / others[k]);
    return line;
}

// Prints the rows of one problem; false where the answers differ.
bool compare(const std::string& name, const std::string& method, const std::string& anchor) {
    Contest contest(make_case(name), method);
    if (!contest.mismatch().empty()) {
        fmt::print("{}\n", contest.mismatch());
        return false;
    }
    Curve ours, hand;
    contest.sweep(ours, hand);
    const Times times = times_to(ours);
    const std::vector<double> other = anchor.empty() ? std::vector<double>{} : run_anchor(anchor, name);
    fmt::print("{:<10}{}   {}\n", name, in_microseconds(times), ratios(times, other));
    if (contest.has_hand()) {
        const Times by_hand_times = times_to(hand);
        fmt::print("{:<10}{}   {}\n", "  by hand", in_microseconds(by_hand_times), ratios(times, by_hand_times));
    }
    std::fflush(stdout);
    return true;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> names;
    std::string anchor, method = "dop853";
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "--anchor" && k + 1 < argc)
            anchor = argv[++k];
        else if (word == "--method" && k + 1 < argc)
            method = argv[++k];
        else
            names.push_back(word);
    }
    if (names.empty()) names = {"P1", "P2_6", "P2_50", "P2_1000", "P2_10000", "P3", "P4", "P5", "P6"};
    fmt::print("{:<10}{:>11}{:>11}{:>11}{:>11}   {}\n", method, "1e-4", "1e-6", "1e-8", "1e-10",
               anchor.empty() ? "ours / by hand" : "ours / the anchor, ours / by hand");
    bool agrees = true;
    for (const std::string& name : names) {
        try {
            agrees = compare(name, method, anchor) && agrees;
        } catch (const std::exception& e) {
            fmt::print("{:<10} {}\n", name, e.what());
        }
    }
    return agrees ? 0 : 1;
}
