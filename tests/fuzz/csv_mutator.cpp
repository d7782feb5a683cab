// The mutator of targets that read tables of numbers: cells become edge values, or move; lines too.
#include <algorithm>
#include <string_view>
#include <utility>

#include "fuzz/mutate_model.hpp"

namespace {

using vessiot::fuzz::Random;

constexpr std::string_view separators = ",;\t\n";

// A cell of the text: from its begin to the separator behind it.
std::pair<std::size_t, std::size_t> any_cell(const std::string& text, Random& random) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t before = at == 0 ? std::string::npos : text.find_last_of(separators, at - 1);
    const std::size_t begin = before == std::string::npos ? 1 : before + 1; // the first byte is what it is read as
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    return {std::min(begin, end), end};
}

std::string mutate_cells(std::string text, Random& random) {
    for (std::size_t n = 1 + random() % 3; n > 0 && !text.empty(); --n) {
        const auto [begin, end] = any_cell(text, random);
        switch (random() % 6) {
        case 0: text.replace(begin, end - begin, vessiot::fuzz::edge_number(random)); break;
        case 1: text.replace(begin, end - begin, std::to_string(static_cast<int>(random() % 20) - 5)); break;
        case 2: text.insert(end, 1, separators[random() % separators.size()]); break;
        case 3: text.insert(begin, "\"" + text.substr(begin, end - begin) + "\"" + separators[random() % 4]); break;
        case 4: text += "\n" + text.substr(begin, random() % 40); break;
        default: text[0] = static_cast<char>(random() % 40);
        }
    }
    return text;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    Random random(seed);
    const std::string text(data, data + size);
    return vessiot::fuzz::copy_back(
        random() % 4 == 0 ? vessiot::fuzz::mutate_bytes(text, random) : mutate_cells(text, random), data, max_size);
}
