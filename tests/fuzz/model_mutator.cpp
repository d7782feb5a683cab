// The mutator of targets that read models.
#include "fuzz/mutate_model.hpp"

// libFuzzer's own mutations, which know what the program compares; null where it is not linked.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size)
    __attribute__((weak));

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    using namespace vessiot::fuzz;
    Random random(seed);
    const std::uint64_t choice = random() % 8;
    if (choice < 2 && LLVMFuzzerMutate) return LLVMFuzzerMutate(data, size, max_size);
    const std::string text(data, data + size);
    return copy_back(choice > 0 ? mutate_model(text, random) : mutate_bytes(text, random), data, max_size);
}
