// Names of elements. An array of a family of parts, b[1].r, b[2].r, …, is called "b[#].r": '#' stands for an index.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vessiot {

// "b[#].r" and {3, 1}: "b[3].r[1]".
inline std::string element_name(std::string_view array, const std::vector<std::string>& indices) {
    std::string name;
    std::size_t next = 0;
    for (const char c : array) {
        if (c == '#' && next < indices.size())
            name += indices[next++];
        else
            name += c;
    }
    for (std::size_t k = next; k < indices.size(); ++k) name += (k == next ? "[" : ",") + indices[k];
    return next < indices.size() ? name + "]" : name;
}

// The other way round, without primes: "b[3].r[1]'" is of the array "b[#].r".
inline std::string array_name(std::string_view element) {
    std::string name;
    for (std::size_t k = 0; k < element.size(); ++k) {
        if (element[k] == '\'') break;
        if (element[k] != '[') {
            name += element[k];
            continue;
        }
        const std::size_t end = element.find(']', k);
        if (end == std::string_view::npos || end + 1 >= element.size() || element[end + 1] != '.') break;
        name += "[#";
        for (std::size_t i = k; i < end; ++i)
            if (element[i] == ',') name += ",#";
        name += ']';
        k = end;
    }
    return name;
}

} // namespace vessiot
