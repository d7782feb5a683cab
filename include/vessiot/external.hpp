// Functions of C++ inside of formulas: a table, measured data, another program.
//
//     auto spring = m.external("spring", [](double x) { return table.at(x); });
//     m.equation(der(x, 2) == -spring(x));
//
// Formulas that contain one are differentiated by its derivatives, which are given with it or formed by differences.
// A function that takes any scalar, such as [](auto x) { return x * sin(x); }, needs none of this: called with formulas
// it makes one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vessiot/expression.hpp"
#include "vessiot/functions.hpp"

namespace vessiot {

// Numbers in, numbers out: made of functions that write their results, (std::span<const double> in,
// std::span<double> out), or that return them, as a std::vector<double> say.
class VectorFunction {
public:
    VectorFunction() = default;
    VectorFunction(std::nullptr_t) {}
    template <class F>
        requires(!std::same_as<F, VectorFunction> && !std::same_as<F, std::nullptr_t>)
    VectorFunction(F f) {
        if constexpr (std::invocable<F&, std::span<const double>, std::span<double>>)
            call_ = [f = std::move(f)](std::span<const double> in, std::span<double> out) mutable {
                f(in, out);
                return out.size();
            };
        else
            call_ = [f = std::move(f)](std::span<const double> in, std::span<double> out) mutable {
                const auto results = f(in);
                std::copy_n(std::begin(results), std::min(std::size(results), out.size()), out.begin());
                return std::size(results);
            };
    }
    // Of a function that says itself how many results it has.
    using Counted = std::function<std::size_t(std::span<const double>, std::span<double>)>;
    static VectorFunction counted(Counted f) {
        VectorFunction made;
        made.call_ = std::move(f);
        return made;
    }
    explicit operator bool() const { return static_cast<bool>(call_); }
    // How many results there were; those that there is no room for are lost.
    std::size_t operator()(std::span<const double> in, std::span<double> out) const { return call_(in, out); }

private:
    Counted call_;
};

// Called from all threads that solve at the same time. What it throws reaches the caller of the solve, and ends the
// run; EvaluationFailed, or a result that is no number, says that there is no value at this point: steps get smaller.
struct ExternalFunction {
    std::int64_t n_arguments = 1, n_results = 1;
    VectorFunction f{};
    // The derivative of each result by each argument, in the order of the pattern; without a pattern the full matrix,
    // column by column. Not given: differences of f.
    VectorFunction df{};
    std::optional<SparsePattern> pattern{}; // results x arguments: where df may have entries; not given: everywhere
    std::vector<double> scale{};            // of the arguments, for differences, as in CallableSystem
};

// Such a function as a name of a model, made by Model::external.
class External {
public:
    // spring(x), of a function with one result. Throws InvalidInput for another number of arguments.
    template <std::convertible_to<Expr>... A> Expr operator()(const A&... arguments) const {
        return one({Expr(arguments)...});
    }
    // All results.
    std::vector<Expr> all(const std::vector<Expr>& arguments) const;

private:
    friend class Draft;
    External(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}
    Expr one(const std::vector<Expr>& arguments) const;

    std::shared_ptr<Draft> draft_;
    std::uint32_t id_ = 0;
};

namespace detail {

template <std::size_t> using number = double;

template <class F, std::size_t... K> constexpr bool takes(std::index_sequence<K...>) {
    return std::is_invocable_r_v<double, F&, number<K>...>;
}
// The number of numbers that a function takes, 1 to 8; 0: it is no function of numbers.
template <class F, std::size_t N = 1> constexpr std::size_t n_numbers() {
    if constexpr (N > 8)
        return 0;
    else if constexpr (takes<F>(std::make_index_sequence<N>{}))
        return N;
    else
        return n_numbers<F, N + 1>();
}

template <class F, std::size_t... K> double call_with(F& f, std::span<const double> in, std::index_sequence<K...>) {
    return f(in[K]...);
}

} // namespace detail

// f(x), f(x, y), … of numbers, up to eight of them, as an ExternalFunction.
template <class F>
    requires(detail::n_numbers<F>() > 0)
ExternalFunction external_function(F f) {
    constexpr std::size_t n = detail::n_numbers<F>();
    return {.n_arguments = n, .f = [f = std::move(f)](std::span<const double> in, std::span<double> out) mutable {
                out[0] = detail::call_with(f, in, std::make_index_sequence<n>{});
            }};
}

} // namespace vessiot
