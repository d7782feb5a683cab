// Texts for graphics processors (PTX), executed one thread after the other: what the driver would compile, instruction
// by instruction, as NVIDIA's manual says. Those that our texts have; others end the test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vessiot::test {

class Ptx {
public:
    explicit Ptx(const std::string& text);
    ~Ptx();
    Ptx(const Ptx&) = delete;
    Ptx& operator=(const Ptx&) = delete;

    // The entry of this name with so many threads, in blocks of 64; arguments: numbers and addresses.
    void launch(const std::string& entry, const std::vector<std::uint64_t>& arguments, std::uint64_t n_threads) const;

private:
    struct Function;
    class Parser;
    class Thread;
    std::vector<std::unique_ptr<Function>> functions_;
};

} // namespace vessiot::test
