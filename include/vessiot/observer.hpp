// Whoever looks at a run while it goes on.
//
//     problem.solve({.on_step = [&](const vessiot::StepView& step) {
//         heights.push_back(step["y"]);
//         return step["y"] < 0 ? vessiot::Next::stop : vessiot::Next::go_on;
//     }});
//
// Observers are called in the thread that solves. What they throw ends the run and reaches its caller unchanged.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace vessiot {

enum class Next : std::uint8_t { go_on, stop };

// An accepted step, while its observer is called. What is not asked for is not computed.
class StepView {
public:
    StepView(const StepView&) = delete;
    StepView& operator=(const StepView&) = delete;

    virtual std::int64_t number() const = 0;            // from 1
    virtual double from() const = 0;                    // where it began
    virtual double t() const = 0;                       // where it ended; before what an event sets there
    virtual double h() const = 0;                       // its length, of arclength in that parametrisation
    virtual std::span<const double> values() const = 0; // there, in the order of names()
    virtual const std::vector<std::string>& names() const = 0;
    virtual double residual() const = 0; // of the constraints there, the largest
    double operator[](std::string_view name) const { return values()[place_of(name)]; }

    // The curve inside of the step, theta = 0 where it begins to 1 where it ends, on the constraints. Throws
    // InvalidInput outside.
    virtual std::vector<double> at(double theta) const = 0;
    // The same by t, which runs evenly from from() to t(); not in arclength.
    virtual std::vector<double> operator()(double t) const = 0;
    double operator()(double t, std::string_view name) const { return (*this)(t)[place_of(name)]; }
    // The place of a name in names(); throws InvalidInput, with the nearest name.
    virtual std::size_t place_of(std::string_view name) const = 0;

protected:
    StepView() = default;
    ~StepView() = default;
};

// A crossing that was met, while its observer is called.
struct EventView {
    std::string_view name;
    double t = 0;
    std::span<const double> values;       // in the order of Solution::names
    std::span<const double> values_after; // where the event sets values; else empty
    const std::vector<std::string>& names;
};

// A function of a view that returns nothing, or what is to happen next: Next::stop ends the run with this step.
template <class View> class Observer {
public:
    Observer() = default;
    template <class F>
        requires(!std::same_as<F, Observer> && std::invocable<F&, const View&>)
    Observer(F f) {
        using Result = std::invoke_result_t<F&, const View&>;
        static_assert(std::is_void_v<Result> || std::same_as<Result, Next>,
                      "an observer returns nothing, Next::go_on or Next::stop");
        if constexpr (std::is_void_v<Result>)
            call_ = [f = std::move(f)](const View& view) mutable {
                f(view);
                return Next::go_on;
            };
        else
            call_ = std::move(f);
    }
    explicit operator bool() const { return static_cast<bool>(call_); }
    Next operator()(const View& view) const { return call_(view); }

private:
    std::function<Next(const View&)> call_;
};

} // namespace vessiot
