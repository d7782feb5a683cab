// The mutator of targets that read models.
#include "fuzz/mutate_model.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    using namespace vessiot::fuzz;
    std::mt19937_64 random(seed);
    const std::string text(data, data + size);
    const bool knows_grammar = random() % 8 != 0;
    return copy_back(knows_grammar ? mutate_model(text, random) : mutate_bytes(text, random), data, max_size);
}
