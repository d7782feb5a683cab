// Texts for graphics processors, executed as they stand (support/ptx.hpp): functions and whole members have the bits of
// the processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/temporary_folder.hpp"
#include "expr/functions/vmath.hpp"
#include "expr/kernel/repeated/gpu_text.hpp"
#include "expr/kernel/straight.hpp"
#include "support/ptx.hpp"
#include "support/skip.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"

namespace vessiot {
namespace {

using expr::Op;

std::uint64_t address(const void* memory) {
    return reinterpret_cast<std::uint64_t>(memory);
}

// Numbers of every kind: special ones and their neighbours, bit patterns (NaN and subnormal numbers among them), sizes
// that functions are used with.
std::vector<double> arguments(std::size_t n, unsigned seed) {
    std::vector<double> x{0,
                          1,
                          0.5,
                          2,
                          3,
                          1e-300,
                          1e300,
                          15,
                          1e14,
                          710,
                          709.78271114955743,
                          745,
                          746,
                          20,
                          18.715,
                          6,
                          3.7,
                          0.7,
                          1e-5,
                          0x1p52,
                          0x1p53,
                          0x1p53 + 2,
                          4.5,
                          1e9,
                          0x1p20,
                          0x1p-300,
                          5e-324,
                          2.2250738585072014e-308,
                          1.7976931348623157e308,
                          1.3407807929942597e154,
                          INFINITY,
                          NAN,
                          1000,
                          1001,
                          0.75,
                          1.5,
                          1.0 / 3,
                          M_PI,
                          M_PI / 2,
                          M_PI / 4};
    for (std::size_t k = 0, end = x.size(); k < end; ++k)
        for (const double y : {std::nextafter(x[k], INFINITY), std::nextafter(x[k], -INFINITY), -x[k]}) x.push_back(y);
    std::mt19937_64 random(seed);
    const auto uniform = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(random); };
    while (x.size() < n) {
        x.push_back(std::bit_cast<double>(random()));
        x.push_back(std::bit_cast<double>(random() & 0x800fffffffffffffU));
        for (const double size : {1.0, 3.0, 40.0, 800.0}) x.push_back(uniform(size));
        x.push_back(std::copysign(std::exp(uniform(60)), uniform(1)));
        x.push_back(std::nearbyint(uniform(30)));
    }
    return x;
}

// The text of a list that computes the function of a number, or of two.
std::string text_of(Op op) {
    expr::StraightBuilder b;
    const auto in = b.input("in", 2), out = b.output("out", 2);
    const auto x = b.read(in, 0);
    b.store(out, 0, expr::arity(op) == 1 ? b.exactly(op, x) : b.exactly(op, x, b.read(in, 1)));
    b.store(out, 1, b.constant(1));
    const std::shared_ptr<const expr::Kernel> kernel = b.kernel();
    const expr::Loop& loop = kernel->loops.front();
    expr::RepeatedList list{.kernel = kernel.get(),
                            .reads = std::vector<expr::RepeatedList::Read>(loop.addresses.size()),
                            .stores = {},
                            .n_state = 4,
                            .n_fixed = 0,
                            .outcome = 3};
    for (const expr::Instruction& i : loop.body)
        if (i.op == Op::read) list.reads[i.a] = {static_cast<std::uint32_t>(loop.starts[i.a]), false};
    for (const expr::Store& s : loop.stores)
        list.stores.push_back(2 + static_cast<std::uint32_t>(loop.starts[s.address]));
    std::string error;
    const std::string text = make_gpu_text(list, "vessiot_function", error);
    EXPECT_EQ(error, "") << name(op);
    return text;
}

// As many arguments as VESSIOT_GPU_ARGUMENTS says.
std::size_t n_arguments() {
    const char* const text = std::getenv("VESSIOT_GPU_ARGUMENTS");
    return text ? std::stoul(text) : 4000;
}

// Does the device leave it to the processor, by saying NaN?
bool is_left(Op op, double x) {
    const double limit = op == Op::tan ? 1e14 : op == Op::sin || op == Op::cos ? 0x1p20 : INFINITY;
    return std::abs(x) >= limit;
}

TEST(GpuFunctions, HaveTheBitsOfTheProcessor) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const std::size_t n = n_arguments();
    std::vector<double> x = arguments(n, 1), y = arguments(n, 2);
    std::mt19937_64 random(3);
    std::shuffle(y.begin(), y.end(), random);
    std::vector<std::uint32_t> list(x.size());
    for (std::uint32_t k = 0; k < list.size(); ++k) list[k] = k;
    for (int number = static_cast<int>(Op::sin); number <= static_cast<int>(Op::pow); ++number) {
        const Op op = static_cast<Op>(number);
        const std::string text = text_of(op);
        ASSERT_FALSE(text.empty()) << name(op);
        std::vector<double> state(4 * x.size()), expected(x.size());
        std::ranges::copy(x, state.begin());
        std::ranges::copy(y, state.begin() + static_cast<std::ptrdiff_t>(x.size()));
        test::Ptx(text).launch(
            "vessiot_function",
            {address(state.data()), address(state.data()), address(list.data()), x.size(), x.size(), 1},
            (x.size() + 63) / 64 * 64);
        expr::apply_block(op, x.data(), y.data(), expected.data(), x.size());
        std::size_t n_different = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double there = state[2 * x.size() + k], here = expected[k];
            const bool is_same = std::memcmp(&there, &here, sizeof here) == 0 || (there != there && here != here);
            if (is_same || (is_left(op, x[k]) && there != there)) continue;
            if (n_different++ == 0)
                ADD_FAILURE() << fmt::format("{} of {:a} {:a}: {:a}, not {:a}", name(op), x[k], y[k], there, here);
        }
        EXPECT_EQ(n_different, 0U) << name(op);
    }
}

// The assembler of NVIDIA, where VESSIOT_PTXAS names one, takes them all.
TEST(GpuFunctions, AreAssembled) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const char* const assembler = std::getenv("VESSIOT_PTXAS");
    if (!assembler) GTEST_SKIP() << "VESSIOT_PTXAS names no assembler";
    const TemporaryFolder folder;
    const std::string file = folder.path() / "function.ptx";
    for (int number = static_cast<int>(Op::sin); number <= static_cast<int>(Op::pow); ++number) {
        std::ofstream(file) << text_of(static_cast<Op>(number));
        EXPECT_EQ(std::system(fmt::format("{} -arch=sm_90 {} -o /dev/null", assembler, file).c_str()), 0) << number;
    }
}

// ---- members: a driver of paper (support/fake_cuda.cpp), whose launches execute the text ----

std::mutex one_launch;
int n_launches = 0;

void launch(const char* text, void** arguments) {
    const std::lock_guard lock(one_launch);
    static std::map<std::string, test::Ptx> programs;
    const test::Ptx& program = programs.try_emplace(text, text).first->second;
    std::vector<std::uint64_t> numbers;
    for (int k = 0; k < 6; ++k) numbers.push_back(*static_cast<std::uint64_t*>(arguments[k]));
    for (const char* entry : {"vessiot_rounds", "vessiot_start", "vessiot_record"})
        if (std::strstr(text, fmt::format(".entry {}(", entry).c_str()))
            program.launch(entry, numbers, (numbers[4] + 63) / 64 * 64);
    ++n_launches;
}

void set_driver() {
    static void* const library = dlopen(VESSIOT_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_TRUE(library) << dlerror();
    reinterpret_cast<void (*)(void (*)(const char*, void**), const char*, int)>(dlsym(library, "fake_cuda"))(launch, "",
                                                                                                             1);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Models with functions, and constraints: the texts give what lanes and single members give, hurt members included.
TEST(GpuText, RunsMembersWithTheBitsOfTheProcessor) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    set_driver();
    const std::vector<std::string> models{
        "parameter a = 1\nunknown x, y\nx' = -exp(-a*x^2)*y\ny' = tanh(x) - 0.1*(1 + y^2)^a*cbrt(1 + x^2)\nstart x = "
        "1, y = 0.5\n"
        "solve t = 0 .. 2\noutput o = log(1 + x^2)\n",
        "parameter a = 1\nunknown x, y\nx' = atan(y/(a + x^2)) + acos(x/9)\ny' = -asin(x/(2 + x^2)) - "
        "sinh(y)*tan(0.3*x)*erf(a*y) "
        "- hypot(x, 1)*atanh(0.2*y)/exp(x)\n"
        "start x = 1, y = 0.5\nsolve t = 0 .. 1\n",
        "parameter a = 1\nunknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - a\nx^2 + y^2 = 1\n"
        "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n"};
    for (const std::string& model : models)
        for (const char* method : {"dop853", "tsit54"}) {
            const Problem problem(Model::parse(model),
                                  {.method = method, .rtol = 1e-6, .max_steps = 200, .throw_on_failure = false});
            EnsembleOptions options{.table_names = {"a"}, .lanes = Lanes::one, .device = Device::cpu};
            for (int k = 0; k < 12; ++k) options.table.push_back(k == 7 ? 1e300 : k == 9 ? NAN : 0.5 + 0.1 * k);
            const EnsembleResult here = problem.ensemble(options);
            n_launches = 0;
            options.device = Device::gpu;
            options.lanes = Lanes::automatic;
            const EnsembleResult there = problem.ensemble(options);
            EXPECT_TRUE(same_bits(here.members.values, there.members.values)) << model << method;
            EXPECT_EQ(here.members.steps, there.members.steps) << model << method;
            EXPECT_EQ(here.members.status, there.members.status) << model << method;
            EXPECT_GT(here.counts[0], 8) << model << method;
            EXPECT_GT(n_launches, 0) << model << method;
        }
}

} // namespace
} // namespace vessiot
