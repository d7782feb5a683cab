// A system that is not written in formulas: its equations are functions of C++, a table, another program.
//
//     vessiot::CallableSystem s;
//     s.name = "pendulum";
//     s.unknowns = {{"phi", 2}};                                        // phi, phi', phi''
//     s.f = [](double t, std::span<const double> z, std::span<double> f) { f[0] = z[2] + std::sin(z[0]); };
//     s.start = {{"phi", 1}};
//     auto sol = vessiot::Problem(s).solve({.to = 10});
//
// A function that takes any scalar, [](auto t, auto z, auto f) { … }, is called once with formulas (expression.hpp),
// which are then differentiated as often as it takes, and compiled. Derivatives of others are those given with them, or
// differences. With the pattern of df, coordinates that no equation has in common are moved together, so that the
// number of evaluations does not grow with the size of a sparse system.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

struct CallableUnknown {
    std::string name;
    int order = 1; // the highest derivative in the equations, 0 to 64; 0: algebraic
};

// A function (t, z, out) that writes its results, or (t, z) that returns them, as a std::vector<double> say. What it
// throws reaches the caller of the solve, which ends there; EvaluationFailed, or a result that is no number, says that
// there is no value at this point: steps get smaller. It is called from all threads that solve at the same time.
class SystemFunction {
public:
    SystemFunction() = default;
    SystemFunction(std::nullptr_t) {} // not set
    template <class F>
        requires(!std::same_as<F, SystemFunction> && !std::same_as<F, std::nullptr_t>)
    SystemFunction(F f) {
        using In = std::span<const double>;
        using Formulas = std::span<const Expr>;
        if constexpr (std::invocable<F&, Expr, Formulas, std::span<Expr>>) formulas_ = f;
        if constexpr (std::invocable<F&, double, In, std::span<double>>)
            numbers_ = [f = std::move(f)](double t, In z, std::span<double> out) mutable {
                f(t, z, out);
                return out.size();
            };
        else
            numbers_ = [f = std::move(f)](double t, In z, std::span<double> out) mutable {
                const auto results = f(t, z);
                std::copy_n(std::begin(results), std::min(std::size(results), out.size()), out.begin());
                return std::size(results);
            };
    }
    explicit operator bool() const { return static_cast<bool>(numbers_); }
    // How many results there were; those that there is no room for are lost.
    std::size_t operator()(double t, std::span<const double> z, std::span<double> out) const {
        return numbers_(t, z, out);
    }
    bool takes_formulas() const { return static_cast<bool>(formulas_); }
    void operator()(const Expr& t, std::span<const Expr> z, std::span<Expr> out) const { formulas_(t, z, out); }

private:
    std::function<std::size_t(double, std::span<const double>, std::span<double>)> numbers_;
    std::function<void(Expr, std::span<const Expr>, std::span<Expr>)> formulas_;
};

// Constraints g(t, y) = 0, or quantities that the flow keeps; y is as for CallableSystem::rhs.
struct CallablePart {
    std::int64_t n = 1; // how many
    SystemFunction f{};
    SystemFunction df{};                    // as CallableSystem::df
    std::optional<SparsePattern> pattern{}; // n x size of y
};

struct CallableEvent {
    std::string name;
    SystemFunction f{}; // of t and y, as CallableSystem::rhs; one result, which is zero there
    Crossing crossing = Crossing::both;
    bool is_stop = false; // the solution ends there
};

struct CallableSystem {
    using Residual = SystemFunction;
    using Jacobian = SystemFunction;

    std::string name = "callable"; // in messages
    std::vector<CallableUnknown> unknowns{};
    // One of these two. f(t, z, out): out is the residual of each equation. z has for each unknown, one after the
    // other, the unknown and its derivatives up to the order: x, x', x'', y, y', ... rhs(t, y, out): out is the highest
    // derivative of each unknown of order >= 1. y has the derivatives below the highest, and algebraic unknowns, which
    // constraints determine.
    Residual f{}, rhs{};
    // df(t, z, out): out is the derivative of each result by each coordinate, in the order of the pattern; without a
    // pattern the full matrix, column by column.
    Jacobian df{};                          // empty: differences
    std::optional<SparsePattern> pattern{}; // where df may have entries; not given: everywhere
    std::int64_t n_equations = 0;           // of f, >= 1; 0: as many as unknowns
    // Do the functions depend on t? Derivatives by t are differences, also beside df.
    bool depends_on_t = true;
    std::optional<CallablePart> constraints{}, invariants{};
    std::vector<CallableEvent> events{};
    std::vector<std::pair<std::string, double>> start{}, guess{}; // by the names of coordinates: {"x'", 0.5}
    double from = 0;
    std::optional<double> to{}; // not given: said when it is solved
    // How large each coordinate typically is, > 0: differences move it by a small part of that, or of its value where
    // that is larger. Not given: 1.
    std::vector<double> scale{};
    // Of Functions: a result that is not finite, or that was never set, throws EvaluationFailed, which names the
    // equation; false lets it pass.
    bool check_finite = true;
};

// The same as a model, to be solved, described, or completed by formulas. Throws InvalidInput where the description
// makes no sense.
Model make_model(const CallableSystem& system);

// Where f depends on its arguments, found by giving each of them no value (NaN) in turn at a point: n + 1 evaluations.
// What is hidden behind a comparison at that point is not found.
SparsePattern detect_pattern(const SystemFunction& f, std::int64_t n_results, double t, std::span<const double> z);

Solution solve(const CallableSystem& system, const SolveOptions& options = {});

// if_ (expression.hpp) for functions that take any scalar.
inline double if_(bool condition, double a, double b) {
    return condition ? a : b;
}

} // namespace vessiot
