// Stiff problems, side by side with SUNDIALS IDA: error against time, in one run, interleaved.
//
//     stiff_bench [--only PROBLEM] [FILE.json]
//
// IDA: variable-order BDF with the residual and the exact Jacobian written by hand, dense, or banded for the heat
// equation; its time is that of IDASolve. Ours: the time of the step loop, from the model text, with native code. Both
// with the same rtol, from 1e-3 on in steps of a quarter of a decade, atol in proportion; the time at an error of 1e-6
// is read off the lower envelope of the points. Error: the largest relative one of all unknowns at the end.
//
// NOTE: Debian builds SUNDIALS without optimisation: a library compiled with -O3 takes a quarter of its time on small
// problems. Set SundialsIda_ROOT to such a one for a fair comparison.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <ida/ida.h>
#include <nlohmann/json.hpp>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"
#include "support/envelope.hpp"

namespace {

using namespace vessiot;
using bench::Point;
using bench::time_at;

// Takes entries of df: c - df is the Jacobian of the residual.
struct Entries {
    SUNMatrix j;
    bool is_band;
    void operator()(int row, int column, double value) const {
        (is_band ? SM_ELEMENT_B(j, row, column) : SM_ELEMENT_D(j, row, column)) -= value;
    }
};

// f and its Jacobian by hand; plain functions, which the compiler sees through.
struct ByHand {
    void (*f)(const double*, double*);
    void (*df)(const double*, const Entries&);
    bool is_tridiagonal = false;
};

struct Subject {
    std::string model;
    std::vector<std::pair<std::string, std::string>> set;
    double to = 0;
    double atol_ratio = 1; // atol / rtol
    std::vector<double> start, reference;
    ByHand by_hand;
};

double error_of(const std::vector<double>& y, const std::vector<double>& reference) {
    double error = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
        error = std::max(error, std::abs(y[i] - reference[i]) / std::abs(reference[i]));
    return std::isfinite(error) ? error : 1;
}

// --- IDA ---

int residual(double, N_Vector y, N_Vector yp, N_Vector r, void* data) {
    const auto& subject = *static_cast<const Subject*>(data);
    double* out = NV_DATA_S(r);
    subject.by_hand.f(NV_DATA_S(y), out);
    for (sunindextype i = 0; i < NV_LENGTH_S(y); ++i) out[i] = NV_DATA_S(yp)[i] - out[i];
    return 0;
}

int jacobian(double, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector, N_Vector) {
    const auto& subject = *static_cast<const Subject*>(data);
    const Entries entries{j, subject.by_hand.is_tridiagonal};
    for (int i = 0; i < static_cast<int>(NV_LENGTH_S(y)); ++i) entries(i, i, -c);
    subject.by_hand.df(NV_DATA_S(y), entries);
    return 0;
}

Point run_ida(const Subject& subject, double rtol) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    const auto n = static_cast<sunindextype>(subject.start.size());
    N_Vector y = N_VNew_Serial(n, context), yp = N_VNew_Serial(n, context);
    std::copy(subject.start.begin(), subject.start.end(), NV_DATA_S(y));
    subject.by_hand.f(NV_DATA_S(y), NV_DATA_S(yp));
    void* ida = IDACreate(context);
    IDAInit(ida, residual, 0, y, yp);
    IDASStolerances(ida, rtol, rtol * subject.atol_ratio);
    IDASetUserData(ida, const_cast<Subject*>(&subject));
    IDASetMaxNumSteps(ida, 10'000'000);
    IDASetStopTime(ida, subject.to);
    const bool is_band = subject.by_hand.is_tridiagonal;
    SUNMatrix matrix = is_band ? SUNBandMatrix(n, 1, 1, context) : SUNDenseMatrix(n, n, context);
    SUNLinearSolver solver = is_band ? SUNLinSol_Band(y, matrix, context) : SUNLinSol_Dense(y, matrix, context);
    IDASetLinearSolver(ida, solver, matrix);
    IDASetJacFn(ida, jacobian);
    double t = 0;
    const auto begin = std::chrono::steady_clock::now();
    const int status = IDASolve(ida, subject.to, &t, y, yp, IDA_NORMAL);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    std::vector<double> end(NV_DATA_S(y), NV_DATA_S(y) + n);
    const Point point{rtol, status < 0 ? 1 : error_of(end, subject.reference), spent.count()};
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&context);
    return point;
}

// --- ours ---

SolveOptions options(const Subject& subject, const std::string& method, double rtol) {
    SolveOptions o{.method = method, .rtol = rtol, .atol = rtol * subject.atol_ratio};
    o.to = subject.to;
    o.at = {subject.to};
    o.backend = "jit";
    o.dense = false;
    o.throw_on_failure = false;
    return o;
}

class Ours {
public:
    Ours(const Subject& subject, const std::string& method)
        : subject_(subject), method_(method), system_(load(subject)),
          problem_(system_, subject.to, options(subject, method, 1e-6)) {}

    Point operator()(double rtol) {
        try {
            const Solution s = problem_.run(options(subject_, method_, rtol)).solution;
            return {rtol, error_of(s.numbers, subject_.reference), s.stats.seconds.integrate};
        } catch (const InvalidInput&) {
            return {rtol, 1, 1};
        }
    }

private:
    static System load(const Subject& subject) {
        lang::Settings settings;
        settings.set = subject.set;
        return lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + subject.model + ".ves", settings);
    }
    const Subject& subject_;
    std::string method_;
    System system_;
    bench::CompiledProblem problem_;
};

constexpr int n_rounds = 9;

double median(std::vector<double> v) {
    std::ranges::sort(v);
    return v[v.size() / 2];
}

// --- the problems ---

std::vector<double> gallery_reference(const std::string& model, double to) {
    std::ifstream file(VESSIOT_SOURCE_DIR "/gallery/" + model + ".json");
    const nlohmann::json data = nlohmann::json::parse(file);
    std::vector<double> values;
    for (const auto& point : data["reference"]) {
        if (std::stod(point["t"].get<std::string>()) != to) continue;
        for (const auto& [name, text] : point["values"].items()) values.push_back(std::stod(text.get<std::string>()));
    }
    return values;
}

std::vector<Subject> subjects() {
    std::vector<Subject> list;
    list.push_back({"robertson",
                    {},
                    1e11,
                    1e-13,
                    {1, 0, 0},
                    gallery_reference("robertson", 1e11),
                    {[](const double* y, double* f) {
                         f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                         f[2] = 3e7 * y[1] * y[1];
                         f[1] = -f[0] - f[2];
                     },
                     [](const double* y, const Entries& add) {
                         add(0, 0, -0.04), add(0, 1, 1e4 * y[2]), add(0, 2, 1e4 * y[1]);
                         add(1, 0, 0.04), add(1, 1, -1e4 * y[2] - 6e7 * y[1]), add(1, 2, -1e4 * y[1]);
                         add(2, 1, 6e7 * y[1]);
                     }}});
    list.push_back({"van_der_pol",
                    {},
                    2000,
                    1e-3,
                    {2, 0},
                    gallery_reference("van_der_pol", 2000),
                    {[](const double* y, double* f) {
                         f[0] = y[1];
                         f[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
                     },
                     [](const double* y, const Entries& add) {
                         add(0, 1, 1), add(1, 0, -2000 * y[0] * y[1] - 1), add(1, 1, 1000 * (1 - y[0] * y[0]));
                     }}});
    list.push_back({"hires",
                    {},
                    321.8122,
                    1e-4,
                    {1, 0, 0, 0, 0, 0, 0, 0.0057},
                    gallery_reference("hires", 321.8122),
                    {[](const double* y, double* f) {
                         f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
                         f[1] = 1.71 * y[0] - 8.75 * y[1];
                         f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
                         f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
                         f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
                         f[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
                         f[6] = 280 * y[5] * y[7] - 1.81 * y[6];
                         f[7] = -f[6];
                     },
                     [](const double* y, const Entries& add) {
                         add(0, 0, -1.71), add(0, 1, 0.43), add(0, 2, 8.32), add(1, 0, 1.71), add(1, 1, -8.75);
                         add(2, 2, -10.03), add(2, 3, 0.43), add(2, 4, 0.035);
                         add(3, 1, 8.32), add(3, 2, 1.71), add(3, 3, -1.12);
                         add(4, 4, -1.745), add(4, 5, 0.43), add(4, 6, 0.43);
                         add(5, 3, 0.69), add(5, 4, 1.71), add(5, 5, -0.43 - 280 * y[7]), add(5, 6, 0.69);
                         add(5, 7, -280 * y[5]), add(6, 5, 280 * y[7]), add(6, 6, -1.81), add(6, 7, 280 * y[5]);
                         add(7, 5, -280 * y[7]), add(7, 6, 1.81), add(7, 7, -280 * y[5]);
                     }}});
    list.push_back({"oregonator",
                    {},
                    360,
                    1,
                    {1, 2, 3},
                    gallery_reference("oregonator", 360),
                    {[](const double* y, double* f) {
                         f[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
                         f[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
                         f[2] = 0.161 * (y[0] - y[2]);
                     },
                     [](const double* y, const Entries& add) {
                         add(0, 0, 77.27 * (1 - 2 * 8.375e-6 * y[0] - y[1])), add(0, 1, 77.27 * (1 - y[0]));
                         add(1, 0, -y[1] / 77.27), add(1, 1, -(1 + y[0]) / 77.27), add(1, 2, 1 / 77.27);
                         add(2, 0, 0.161), add(2, 2, -0.161);
                     }}});
    constexpr int n = 1000;
    constexpr double h = 1.0 / (n + 1), scale = 1 / (h * h);
    std::vector<double> start, end;
    const auto mode = [](int k, int i) { return std::sin(k * M_PI * i * h); };
    const auto decay = [](int k) { return std::exp(-4 * scale * std::pow(std::sin(k * M_PI * h / 2), 2) * 0.1); };
    for (int i = 1; i <= n; ++i) {
        start.push_back(mode(1, i) + mode(3, i) / 2);
        end.push_back(decay(1) * mode(1, i) + decay(3) * mode(3, i) / 2);
    }
    list.push_back({"heat",
                    {{"n", "1000"}},
                    0.1,
                    1e-3,
                    start,
                    end,
                    {[](const double* y, double* f) {
                         for (int i = 0; i < n; ++i)
                             f[i] = ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i < n - 1 ? y[i + 1] : 0)) * scale;
                     },
                     [](const double*, const Entries& add) {
                         for (int i = 0; i < n; ++i) {
                             add(i, i, -2 * scale);
                             if (i > 0) add(i, i - 1, scale);
                             if (i < n - 1) add(i, i + 1, scale);
                         }
                     },
                     true}});
    return list;
}

} // namespace

int main(int argc, char** argv) {
    constexpr double wanted = 1e-6;
    nlohmann::ordered_json out{
        {"sundials", SUNDIALS_VERSION}, {"error", wanted}, {"problems", nlohmann::json::array()}};
    fmt::print("time to an error of {:g}; IDA of SUNDIALS {} (that of Debian is built without optimisation)\n\n",
               wanted, SUNDIALS_VERSION);
    fmt::print("| problem | IDA | radau5 | radau9 | IDA / the faster of ours |\n|---|---|---|---|---|\n");
    bool is_good = true;
    const std::string only = argc > 2 && std::string(argv[1]) == "--only" ? argv[2] : "";
    for (const Subject& subject : subjects()) {
        if (!only.empty() && subject.model != only) continue;
        Ours radau5(subject, "radau5"), radau9(subject, "radau9");
        std::vector<double> tolerances;
        for (int k = 0; k <= 32; ++k) tolerances.push_back(std::pow(10, -3 - k / 4.0));
        std::vector<Point> by_ida, by_radau5, by_radau9;
        for (const double rtol : tolerances) {
            std::vector<double> seconds[3];
            Point points[3];
            for (int round = 0; round < n_rounds; ++round) {
                points[0] = run_ida(subject, rtol);
                points[1] = radau5(rtol);
                points[2] = radau9(rtol);
                for (int k = 0; k < 3; ++k) seconds[k].push_back(points[k].seconds);
            }
            for (int k = 0; k < 3; ++k) points[k].seconds = median(seconds[k]);
            by_ida.push_back(points[0]);
            by_radau5.push_back(points[1]);
            by_radau9.push_back(points[2]);
        }
        const double a = time_at(by_ida, wanted), b = time_at(by_radau5, wanted), c = time_at(by_radau9, wanted);
        const double ratio = a / std::min(b, c);
        fmt::print("| {} | {:.3g} ms | {:.3g} ms | {:.3g} ms | {:.1f} |\n", subject.model, 1e3 * a, 1e3 * b, 1e3 * c,
                   ratio);
        std::fflush(stdout);
        is_good &= ratio >= 1;
        const auto list = [](const std::vector<Point>& points) {
            nlohmann::json l = nlohmann::json::array();
            for (const Point& p : points) l.push_back({{"rtol", p.rtol}, {"error", p.error}, {"seconds", p.seconds}});
            return l;
        };
        out["problems"].push_back({{"model", subject.model},
                                   {"ida_seconds", a},
                                   {"radau5_seconds", b},
                                   {"radau9_seconds", c},
                                   {"ratio", ratio},
                                   {"ida", list(by_ida)},
                                   {"radau5", list(by_radau5)},
                                   {"radau9", list(by_radau9)}});
    }
    const int file = only.empty() ? 1 : 3;
    if (argc > file) std::ofstream(argv[file]) << out.dump(1) << "\n";
    return is_good ? 0 : 1;
}
