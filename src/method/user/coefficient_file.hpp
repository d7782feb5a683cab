// Coefficients of methods as JSON: an object of numbers, texts and lists of them. Numbers are kept as they are written,
// so that none loses digits.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vessiot/methods.hpp"

namespace vessiot::method {

// A number or text, or a list of them, or of lists.
struct CoefficientItem {
    bool is_list = false;
    std::string text{};
    std::vector<CoefficientItem> items{};
};

// What such a file may have, and how messages speak of it.
struct CoefficientKeys {
    std::string_view what; // "a tableau"
    std::span<const std::string_view> known, needed;
    std::string_view list;    // all of them, in words
    std::string_view example; // of such an object
};

using CoefficientMembers = std::map<std::string, CoefficientItem>;

// All of these throw InvalidInput, with the path at the beginning of the text.
CoefficientMembers read_coefficient_file(const std::string& path, const CoefficientKeys& keys);
std::vector<Coefficient> coefficient_list(const CoefficientItem& item, const std::string& path,
                                          const std::string& what);
int claimed_order(const CoefficientItem& item, const std::string& path, const std::string& what);
// The one in the file, else that of the file.
std::string user_name(const CoefficientMembers& members, const std::string& path);

} // namespace vessiot::method
