// Damaged parts of an ensemble are refused, or merged. The first byte says what is damaged: 0 the file as a whole; else
// its head (1), its block (2) or both, whose length and checksum are then made right, so that what reads them is
// reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/patch.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"

namespace {

using namespace vessiot;

// FNV-1a, as the file has it.
std::uint64_t hash_of(const std::string& bytes) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

std::string record_of(const std::string& bytes) {
    const std::uint64_t head[] = {bytes.size(), hash_of(bytes)};
    return std::string(reinterpret_cast<const char*>(head), sizeof head) + bytes;
}

// Files with a head and a block: the last points of members, one of which fails, with statistics; and their events.
struct Subject {
    std::string magic, head[2], block[2];

    Subject() {
        const Problem problem(Model::parse("parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0 .. 1\n"
                                           "event half: x = 1.5\n",
                                           "fuzz.ves"),
                              {.backend = "interpreter"});
        for (const int k : {0, 1}) {
            EnsembleOptions options{.vary = {Vary::list("a", {0.5, 2, 0.1})}, .checkpoint = fuzz::scratch_file()};
            if (k == 0) options.reduce = read_reductions("mean,quantile(0.5),histogram(x,0..2,4)");
            if (k == 1) options.record = Record::events;
            problem.ensemble(options);
            std::ifstream in(fuzz::scratch_file(), std::ios::binary);
            take(k, {std::istreambuf_iterator<char>(in), {}});
        }
    }
    void take(int k, const std::string& file) {
        const std::size_t line = file.find('\n') + 1;
        magic = file.substr(0, line);
        std::uint64_t n = 0;
        std::memcpy(&n, file.data() + line, sizeof n);
        head[k] = file.substr(line + 16, n);
        block[k] = file.substr(line + 16 + n + 16);
    }
};

// Reads all that it is given, as a file would.
class Reader final : public MemberStream {
public:
    std::string name() const override { return "fuzz"; }
    void begin(const EnsembleHead& head) override { head_ = head; }
    void add(const MemberBlock& block) override {
        std::size_t row = 0;
        for (std::size_t k = 0; k < block.status.size(); ++k) {
            length_ += vessiot::name(block.status[k]).size();
            const std::size_t n =
                head_.is_ragged() ? static_cast<std::size_t>(block.row_count.at(k)) : head_.n_points();
            for (std::size_t p = 0; p < n; ++p, ++row) {
                if (head_.record == Record::events) length_ += block.row_event.at(row).size();
                for (std::size_t j = 0; j < head_.columns.size(); ++j)
                    sum_ += block.values.at(row * head_.columns.size() + j);
            }
        }
    }
    void end(const EnsembleResult& /*result*/) override {}

private:
    EnsembleHead head_;
    std::size_t length_ = 0;
    double sum_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Subject subject;
    if (size < 2) return 0;
    const std::size_t which = data[0] >> 7, how = data[0] & 3;
    const auto damaged = [&](const std::string& bytes) { return fuzz::patched(bytes, data + 1, size - 1); };
    std::string file = subject.magic;
    file += record_of((how & 1) != 0 ? damaged(subject.head[which]) : subject.head[which]);
    file += record_of((how & 2) != 0 ? damaged(subject.block[which]) : subject.block[which]);
    if (how == 0) file = damaged(file);
    std::ofstream(fuzz::scratch_file(), std::ios::binary) << file;
    try {
        merge_parts({fuzz::scratch_file()}, {std::make_shared<Reader>()});
    } catch (const InvalidInput& e) {
        if (*e.what() == '\0') __builtin_trap();
    }
    std::filesystem::remove(fuzz::scratch_file());
    return 0;
}
