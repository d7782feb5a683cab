// Damage to a file as data: groups of four bytes, the place (16 bits, modulo the size), a value, and what is done
// there. So corpora stay small, and do not depend on what a file of this version looks like.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace vessiot::fuzz {

// A file of this process alone.
inline const std::string& scratch_file() {
    static const std::string path =
        (std::filesystem::temp_directory_path() / ("vessiot_fuzz_" + std::to_string(getpid()))).string();
    return path;
}

inline std::string patched(std::string bytes, const std::uint8_t* data, std::size_t size) {
    for (; size >= 4 && !bytes.empty(); data += 4, size -= 4) {
        const std::size_t at = (data[0] | static_cast<std::size_t>(data[1]) << 8) % bytes.size();
        const auto value = static_cast<char>(data[2]);
        const std::size_t eight = std::min<std::size_t>(8, bytes.size() - at);
        switch (data[3] % 6) {
        case 0: bytes[at] = value; break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ value); break;
        case 2: std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), eight, value); break;
        case 3: bytes.insert(at, data[2] % 16, value); break;
        case 4: bytes.erase(at, data[2]); break;
        default:
            if (data[2] % 4 == 0) bytes.resize(at); // it ends there
        }
    }
    return bytes;
}

} // namespace vessiot::fuzz
