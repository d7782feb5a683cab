#include "reproduce/slope.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace vessiot::reproduce {

Computed slope(Runner& runner, const std::function<RunSetting(int)>& setting, const std::vector<std::string>& outputs,
               int first) {
    std::array<double, 4> y{};
    for (std::size_t k = 0; k < y.size(); ++k) {
        const Solution& s = runner.run(setting(first << k));
        if (s.status != Status::success) return {std::numeric_limits<double>::quiet_NaN(), s.message};
        double sum = 0;
        for (const std::string& output : outputs) sum += s.column(output).back() * s.column(output).back();
        y[k] = std::log2(sum) / 2;
    }
    return {(3 * (y[0] - y[3]) + (y[1] - y[2])) / 10, ""};
}

} // namespace vessiot::reproduce
