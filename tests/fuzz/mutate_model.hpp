// Mutations that know the model language: statements are recombined, numbers become edge values, names are exchanged.
// What comes out is mostly a model, or nearly one, and gets past the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vessiot::fuzz {

// Numbers at random (splitmix64): made at once, since a mutator makes a new one for every input.
struct Random {
    std::uint64_t state;
    explicit Random(std::uint64_t seed) : state(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
};

// The text with one to four changes.
std::string mutate_model(const std::string& text, Random& random);

// A number at the edge of something: 0, 1e308, 2^53, …
std::string edge_number(Random& random);

// The bytes with one to four changes that need no grammar: bits, lengths, copies.
std::string mutate_bytes(std::string bytes, Random& random);

// Of inputs of which a part is tried in full: the same one always. One in n.
bool is_one_in(std::size_t n, const std::uint8_t* data, std::size_t size);

// For LLVMFuzzerCustomMutator: writes the result over `data`, and says how long it is.
std::size_t copy_back(const std::string& text, std::uint8_t* data, std::size_t max_size);

} // namespace vessiot::fuzz
