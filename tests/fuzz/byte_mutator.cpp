// The mutator of targets that read files of ours, which are not text.
#include "fuzz/mutate_model.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    vessiot::fuzz::Random random(seed);
    return vessiot::fuzz::copy_back(vessiot::fuzz::mutate_bytes(std::string(data, data + size), random), data,
                                    max_size);
}
