#include "ensemble/device_threads.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lanes/gpu/driver.hpp"

namespace vessiot::ensemble {

namespace {

constexpr std::int64_t least_runs = 1024; // of a processor: fewer are not worth another one

} // namespace

std::string name_of_devices(const std::string& first, std::size_t n) {
    return n == 1 ? first : fmt::format("{} x {}", n, first);
}

std::pair<std::size_t, std::size_t> shares_of(std::int64_t n_runs, std::size_t n_devices) {
    const auto n = std::clamp<std::int64_t>(n_runs / least_runs, 1, static_cast<std::int64_t>(n_devices));
    return {static_cast<std::size_t>(n), static_cast<std::size_t>((n_runs + n - 1) / n)};
}

std::size_t halved(std::size_t part_size) {
    if (part_size <= static_cast<std::size_t>(least_runs) / 4)
        throw InvalidInput(fmt::format("the graphics processor has no memory for {} members: end what uses it, or "
                                       "leave --device out",
                                       part_size));
    return (part_size + 1) / 2;
}

// With as many processes or more, one of them; else every n-th.
std::vector<int> devices_of(std::pair<int, int> here) {
    const int n = lanes::Gpu::get().n_devices();
    std::vector<int> devices;
    for (int k = here.first % n; k < n; k += std::min(n, here.second)) devices.push_back(k);
    return devices;
}

} // namespace vessiot::ensemble
