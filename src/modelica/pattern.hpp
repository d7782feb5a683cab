// Patterns of names: * stands for any signs, ? for one.
#pragma once

#include <string_view>

namespace vessiot::modelica {

inline bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = pattern.npos, behind = 0;
    while (n < name.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
            ++p;
            ++n;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            behind = n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++behind;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

} // namespace vessiot::modelica
