// A run that goes on from a damaged checkpoint is refused, or goes on and ends. The first byte says how the rest is
// damaged: 0 the whole file; else the state behind an intact head, whose hash is right, so that the reader of the state
// is reached.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/patch.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace {

using namespace vessiot;

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Subject {
    Model model = Model::parse("unknown x, y, z\nx'' = -z*x\ny'' = -z*y - 9.81\nx^2 + y^2 = 1\n"
                               "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\nevent low: x = 0\n",
                               "fuzz.ves");
    SolveOptions options{.throw_on_failure = false, .checkpoint_every = 0, .checkpoint_steps = 5};
    std::string file; // a true one
    Problem problem;  // which goes on for longer; analysed once

    Subject() : problem(model, with_steps(60)) {
        SolveOptions first = with_steps(30);
        first.checkpoint = fuzz::scratch_file();
        solve(model, first);
        file = bytes_of(fuzz::scratch_file());
        std::filesystem::remove(fuzz::scratch_file());
    }
    SolveOptions with_steps(std::int64_t n) const {
        SolveOptions all = options;
        all.backend = "interpreter";
        all.max_steps = n;
        return all;
    }
};

// FNV-1a, as the file has it.
std::uint64_t hash_of(const std::string& bytes) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

// The file with a hash and a length that fit.
std::string with_right_hash(const std::string& file) {
    const std::size_t line = file.find('\n') + 1, body = line + 16;
    if (line == 0 || file.size() < body) return file;
    const std::string rest = file.substr(body);
    const std::uint64_t numbers[2] = {rest.size(), hash_of(rest)};
    return file.substr(0, line) + std::string(reinterpret_cast<const char*>(numbers), sizeof numbers) + rest;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Subject subject;
    if (size == 0) return 0;
    std::string file =
        data[0] == 0 ? std::string(data + 1, data + size) : fuzz::patched(subject.file, data + 1, size - 1);
    if (data[0] > 1) file = with_right_hash(file);
    std::ofstream(fuzz::scratch_file(), std::ios::binary) << file;
    try {
        if (subject.problem.solve({.resume = fuzz::scratch_file()}).message.empty()) __builtin_trap();
    } catch (const InvalidInput&) {
    } catch (const OutputFailed&) {
    }
    std::filesystem::remove(fuzz::scratch_file());
    return 0;
}
