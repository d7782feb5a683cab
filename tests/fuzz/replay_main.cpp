// Gives the files named as arguments, and those in folders named there, to a fuzz target, where libFuzzer is not
// linked:
//
//     model_fuzz FILE…                        each as it is
//     model_fuzz --random SECONDS SEED FILE…  then mutations of them, which the target's mutator makes, without looking
//     at coverage
//
// An input that ends the process, or takes longer than ten seconds of the processor, is left in finding_<seed>.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);

namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t max_size = 1 << 16;
constexpr unsigned time_limit_s = 10; // of the processor: the machine may have other work
constexpr unsigned patience_s = 300;  // for one that waits
const Bytes* current = nullptr;       // what the target has now
std::string finding = "finding";

extern "C" void leave_finding(int signal) {
    const int file = open(finding.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && current && write(file, current->data(), current->size()) >= 0) {
        const char text[] = "the input is left as finding_SEED\n";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void limit_time(unsigned seconds, unsigned patience) {
    const itimerval timer{{}, {.tv_sec = seconds, .tv_usec = 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
    alarm(patience);
}

void run(const Bytes& bytes) {
    current = &bytes;
    limit_time(time_limit_s, patience_s);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    limit_time(0, 0);
}

std::vector<fs::path> files_of(const std::vector<std::string>& names) {
    std::vector<fs::path> files;
    for (const std::string& name : names) {
        std::error_code error;
        if (fs::is_directory(name, error)) {
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(name))
                if (entry.is_regular_file()) files.push_back(entry.path());
        } else {
            files.emplace_back(name);
        }
    }
    std::ranges::sort(files);
    return files;
}

// Of the corpus, and of some of what came of it.
void run_mutations(std::vector<Bytes> pool, double seconds, unsigned seed) {
    std::mt19937_64 random(seed);
    finding = "finding_" + std::to_string(seed);
    for (const int signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGALRM, SIGPROF})
        std::signal(signal, leave_finding);
    const std::size_t n_corpus = pool.size();
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::size_t n = 0;
    for (; std::chrono::steady_clock::now() < end; ++n) {
        Bytes input = pool[random() % pool.size()];
        const std::size_t size = input.size();
        input.resize(max_size);
        input.resize(
            LLVMFuzzerCustomMutator(input.data(), std::min(size, max_size), max_size, static_cast<unsigned>(random())));
        run(input);
        if (pool.size() < 4 * n_corpus)
            pool.push_back(input);
        else if (random() % 20 == 0)
            pool[n_corpus + random() % (3 * n_corpus)] = input;
    }
    std::printf("%zu mutations, seed %u\n", n, seed);
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> names(argv + 1, argv + argc);
    double seconds = 0;
    unsigned seed = 0;
    if (names.size() > 3 && names[0] == "--random") {
        seconds = std::strtod(names[1].c_str(), nullptr);
        seed = static_cast<unsigned>(std::strtoul(names[2].c_str(), nullptr, 10));
        names.erase(names.begin(), names.begin() + 3);
    }
    const std::vector<fs::path> files = files_of(names);
    if (files.empty()) {
        std::fprintf(stderr, "no input: give files or folders with files\n");
        return 2;
    }
    std::vector<Bytes> pool;
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        if (!in) {
            std::fprintf(stderr, "cannot read %s\n", file.c_str());
            return 2;
        }
        pool.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>{});
        // NOTE: printed first, so that a crash shows which input it was.
        if (seconds == 0) std::printf("%s\n", file.c_str());
        std::fflush(stdout);
        run(pool.back());
    }
    std::printf("%zu inputs\n", files.size());
    if (seconds > 0) run_mutations(std::move(pool), seconds, seed);
    return 0;
}
