// A run that goes on with a damaged table: the first byte chooses the .csv (0) or the .h5 file (1), the rest is what
// stands in it. It is continued, or refused with what is wrong.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "fuzz/patch.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"
#include "vessiot/stream.hpp"

namespace {

using namespace vessiot;
namespace fs = std::filesystem;

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A run that was broken off, with its files.
struct Subject {
    Model model = Model::parse("unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n", "fuzz.ves");
    std::string base = fuzz::scratch_file();
    std::string checkpoint = base + ".checkpoint", csv = base + ".csv", h5 = base + ".h5";
    std::string true_checkpoint, true_csv, true_h5;
    Problem problem; // which goes on for longer; analysed once

    Subject() : problem(model, options(20)) {
        SolveOptions first = options(10);
        first.checkpoint = checkpoint;
        first.streams = streams();
        solve(model, first);
        true_checkpoint = bytes_of(checkpoint);
        true_csv = bytes_of(csv);
        true_h5 = bytes_of(h5);
    }
    SolveOptions options(std::int64_t steps) const {
        SolveOptions o{.max_steps = steps, .throw_on_failure = false, .checkpoint_every = 0, .checkpoint_steps = 5};
        o.step = 0.01;
        o.backend = "interpreter";
        return o;
    }
    std::vector<std::shared_ptr<PointStream>> streams() const { return {csv_stream(csv), hdf5_stream(h5)}; }
};

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Subject subject;
    if (size == 0) return 0;
    const auto damaged = [&](const std::string& file) { return fuzz::patched(file, data + 1, size - 1); };
    write(subject.checkpoint, subject.true_checkpoint);
    write(subject.csv, data[0] == 0   ? std::string(data + 1, data + size)
                       : data[0] == 1 ? damaged(subject.true_csv)
                                      : subject.true_csv);
    write(subject.h5, data[0] > 1 ? damaged(subject.true_h5) : subject.true_h5);
    try {
        const Solution solution = subject.problem.solve({.streams = subject.streams(), .resume = subject.checkpoint});
        if (solution.message.empty()) __builtin_trap();
    } catch (const InvalidInput&) {
    } catch (const OutputFailed&) {
    }
    for (const std::string& path : {subject.checkpoint, subject.csv, subject.h5}) fs::remove(path);
    return 0;
}
