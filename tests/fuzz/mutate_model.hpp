// Mutations that know the model language: statements are recombined, numbers become edge values, names are exchanged.
// What comes out is mostly a model, or nearly one, and gets past the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace vessiot::fuzz {

// The text with one to four changes.
std::string mutate_model(const std::string& text, std::mt19937_64& random);

// A number at the edge of something: 0, 1e308, 2^53, …
std::string edge_number(std::mt19937_64& random);

// The bytes with one to four changes that need no grammar: bits, lengths, copies.
std::string mutate_bytes(std::string bytes, std::mt19937_64& random);

// For LLVMFuzzerCustomMutator: writes the result over `data`, and says how long it is.
std::size_t copy_back(const std::string& text, std::uint8_t* data, std::size_t max_size);

} // namespace vessiot::fuzz
