#include "solve/method_options.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace vessiot {

namespace {

void check_order(const SolveOptions& o, const method::MethodInfo& method) {
    if (o.max_order == 0) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& m : method::methods())
        if (m.max_order > 0) fitting.push_back(fmt::format("{} (up to {})", m.name, m.max_order));
    if (method.max_order == 0)
        throw InvalidInput(fmt::format("max_order = {}, but the order of {} does not vary: it is {}. Methods whose "
                                       "order varies: {}",
                                       o.max_order, o.method == "auto" ? "the methods of auto" : method.name,
                                       method.order, fmt::join(fitting, ", ")));
    if (o.max_order > method.max_order)
        throw InvalidInput(fmt::format("max_order = {}, but the highest order of {} is {}", o.max_order, method.name,
                                       method.max_order));
}

// Of methods that choose their steps, and measure their errors, themselves.
void check_own_steps(const SolveOptions& o, const method::MethodInfo& method) {
    const auto refuse = [&](bool is_asked, const std::string& found, std::string_view instead) {
        if (is_asked)
            throw InvalidInput(fmt::format("the method {} chooses its own steps, but {} was asked for: leave it out, "
                                           "or take another method, such as {}",
                                           method.name, found, instead));
    };
    refuse(o.step > 0, fmt::format("step = {} (constant steps)", o.step), "bdf3 or radau5");
    refuse(o.control != "auto", "control = " + o.control, "radau5");
    refuse(o.safety > 0, fmt::format("safety = {}", o.safety), "radau5");
    refuse(o.factor_min > 0, fmt::format("factor_min = {}", o.factor_min), "radau5");
    refuse(o.factor_max > 0, fmt::format("factor_max = {}", o.factor_max), "radau5");
    refuse(o.error_norm != "rms", "error_norm = " + o.error_norm, "radau5");
    const auto refuse_kind = [&](bool is_asked, std::string_view does, const std::string& found,
                                 std::string_view instead) {
        if (is_asked)
            throw InvalidInput(fmt::format("the method {} {}, but {} was asked for: leave it out, or take another "
                                           "method, such as {}",
                                           method.name, does, found, instead));
    };
    refuse_kind(o.precision == "quad", "computes in double", "precision = quad", "radau9");
    if (o.parametrisation == "arclength")
        throw InvalidInput(fmt::format("the method {} makes steps in time, but parametrisation = arclength was asked "
                                       "for: set it to time (--parametrisation time), or take another method, such as "
                                       "dopri54",
                                       method.name));
    refuse_kind(o.project == "stages" || o.project == "symmetric", "has no stages that could be projected",
                "project = " + o.project, "radau5");
}

} // namespace

void check_method_options(const SolveOptions& options, const method::MethodInfo& method) {
    check_order(options, method);
    if (method.chooses_steps) check_own_steps(options, method);
}

} // namespace vessiot
