#pragma once

// The headers of others that most of our files include: read once a build (VessiotOptions.cmake), not once a file. No
// file relies on it: each includes what it uses, and builds with ccache, which remembers whole files, go without.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
