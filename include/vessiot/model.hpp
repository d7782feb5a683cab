// A differential system written in C++, as it stands in a textbook. Each statement of the model language
// (docs/language.md) is a function here; a text and a C++ model with the same statements are the same system.
//
//     vessiot::Model m("pendulum");
//     auto g = m.parameter("g", 9.81), l = m.parameter("l", 1.0);
//     auto x = m.unknown("x"), y = m.unknown("y"), lambda = m.unknown("lambda");
//     m.equation(der(x, 2) == -lambda * x);
//     m.equation(der(y, 2) == -lambda * y - g);
//     m.equation(x * x + y * y == l * l);
//
// A statement is checked where it stands: what is wrong with it throws InvalidInput there, and the model is as it was
// before. Whether the equations determine the unknowns is checked when the model is used.
//
// Using a model (solve, compile, describe) does not change it: while nobody adds statements, any number of threads may
// use one.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vessiot/error.hpp"
#include "vessiot/expression.hpp"
#include "vessiot/external.hpp"
#include "vessiot/matrix.hpp"
#include "vessiot/table.hpp"

namespace vessiot {

class ModelBuilder;

// The numbers of elements in each direction: {n}, {n, 2}.
class Shape {
public:
    template <std::integral... N>
        requires(sizeof...(N) > 0)
    Shape(N... n) : extent{static_cast<std::int64_t>(n)...} {}
    std::vector<std::int64_t> extent;
};

// The loops of a statement, outermost first: i or {i, j}. The statement holds for all their values.
class Loops {
public:
    Loops() = default;
    Loops(const Index& i) : indices{i} {}
    Loops(std::initializer_list<Index> all) : indices(all) {}
    std::vector<Index> indices;
};

// A position of a hamiltonian and its momentum: two unknowns, or two arrays of one shape.
class Pair {
public:
    Pair(Expr position, Expr momentum) : scalars{std::move(position), std::move(momentum)} {}
    Pair(Array position, Array momentum) : arrays{std::move(position), std::move(momentum)} {}
    std::vector<Expr> scalars;
    std::vector<Array> arrays;
};

enum class Crossing : std::uint8_t { both, rising, falling };

struct EventOptions {
    Crossing crossing = Crossing::both; // of lhs - rhs through zero, in the direction of travel
    bool is_stop = false;               // the solution ends there
    // What is set there: {x == 0, der(y) == -0.9 * der(y)}, of values before; unknowns, derivatives below the highest
    // and what is discrete. The rest is made consistent, and the solution goes on. Not with is_stop.
    std::vector<Equality> then{};
    // Where algebraic unknowns are looked for after it, {v == 1}; without, they are continued from their values before.
    std::vector<Equality> guess{};
};

// What a contact does when it is met; formulas of whatever there is.
struct ContactOptions {
    Expr restitution = 0; // 0 .. 1: the part of the speed that it gives back
    Expr friction = 0;    // >= 0, Coulomb's coefficient
    // With friction, the sliding velocity, or two: {der(x)}. Affine in the velocities.
    std::vector<Expr> along{};
};

// The time between events, of parameters: Every{0.01}.
struct Every {
    Expr interval;
};

// Wherever a condition switches or another event happens: what `then` sets is set until nothing changes.
struct Always {};

struct ModelOptions {
    std::string independent = "t"; // the name of the independent variable
};

// What is said about a text model from outside.
struct TextSettings {
    // Parameters and their values, numbers or formulas of constants; what is computed from them follows.
    std::vector<std::pair<std::string, std::string>> set{};
    // The largest number of instances of one loop nest, and of elements of one array, >= 1: a slip such as 1e9 for 1e3
    // is caught by it.
    std::int64_t max_instances = 100'000'000;
};

class Model {
public:
    explicit Model(const std::string& name, const ModelOptions& options = {});
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    // A model in the language of docs/language.md, from a file or from text (its name stands in messages). It is
    // complete: statements cannot be added.
    static Model load(const std::filesystem::path& path, const TextSettings& settings = {});
    static Model parse(const std::string& text, const std::string& name = "model", const TextSettings& settings = {});

    const std::string& name() const;

    // ---- names. Each is ASCII or Greek letters, digits and _ (a Greek letter and its spelled name are the same), is
    // used once in a model, and is no word of the model language ----

    Expr t() const; // the independent variable
    Expr unknown(const std::string& name);
    Array unknown(const std::string& name, const Shape& shape);
    // A matrix of unknowns, and the group it stays in, in the words of the model language: "SO(3)", "Stiefel(4,2)".
    Matrix matrix(const std::string& name, const Shape& shape, const std::string& group = "");
    // Finite numbers; Functions::set_parameter changes them later. Arrays in row-major order.
    Expr parameter(const std::string& name, double value);
    Array parameter(const std::string& name, const Shape& shape, const std::vector<double>& values);
    // Constant between events, which set it with `then`; the values are those at the start.
    Expr discrete(const std::string& name, double value);
    Array discrete(const std::string& name, const Shape& shape, const std::vector<double>& values);
    // A loop index from..to, both included; nothing where to < from. Several may have one name. A bound may use another
    // index, in whose loop this one then stands.
    Index index(const std::string& name, const Index& from, const Index& to);
    // A function of C++ under a name (external.hpp); one of a few numbers alone, or with its derivative.
    External external(const std::string& name, const ExternalFunction& function);
    template <class F>
        requires(detail::n_numbers<F>() > 0)
    External external(const std::string& name, F f) {
        return external(name, external_function(std::move(f)));
    }
    template <class F, class D>
        requires(detail::n_numbers<F>() == 1 && detail::n_numbers<D>() == 1)
    External external(const std::string& name, F f, D df) {
        ExternalFunction both = external_function(std::move(f));
        both.df = external_function(std::move(df)).f;
        return external(name, both);
    }
    // A function that is given by points (table.hpp): values[k] at x[k]; values[k*n + l] at (x[k], y[l]), n the size of
    // y.
    TableFunction table(const std::string& name, const std::vector<double>& x, const std::vector<double>& values,
                        const TableOptions& options = {});
    TableFunction table(const std::string& name, const std::vector<double>& x, const std::vector<double>& y,
                        const std::vector<double>& values, const TableOptions& options = {});
    // A named quantity for all values of the loops: computed once for each, read as an array.
    Array let(const std::string& name, const Loops& loops, const Expr& value);

    // ---- the system ----

    // Any order, linear or not; more equations than unknowns are welcome.
    void equation(const Equality& equation) { this->equation(Loops{}, equation); }
    void equation(const Loops& loops, const Equality& equation);
    void equation(const MatrixEquality& equation); // one for each entry
    // A conserved quantity; without a value the one at the start point is taken.
    void invariant(const Expr& quantity) { invariant(Loops{}, quantity); }
    void invariant(const Loops& loops, const Expr& quantity);
    void invariant(const Equality& quantity) { invariant(Loops{}, quantity); }
    void invariant(const Loops& loops, const Equality& quantity);
    // With a lagrangian or hamiltonian: a holonomic constraint, a multiplier is made for it. Otherwise an equation.
    void constraint(const Equality& equation) { constraint(Loops{}, equation); }
    void constraint(const Loops& loops, const Equality& equation);
    // d/dt L_q' - L_q + G^T lambda = force, G the derivative of lhs - rhs of the constraints. Several add up.
    void lagrangian(const Expr& L);
    // q' = H_p, p' = -H_q - G^T lambda + force.
    void hamiltonian(const Expr& H, const std::vector<Pair>& pairs);
    // y' = B grad H + force: brackets that are not canonical, for coordinates y that are unknowns or elements of them.
    // B is antisymmetric, and its brackets have the Jacobi identity; both are tried with numbers.
    void hamiltonian(const Expr& H) { hamiltonian(H, {}); }
    void poisson(const Matrix& B, const std::vector<Expr>& y);
    void poisson(const Matrix& B, const Array& y);
    // x == value: a generalised force on the equation of x.
    void force(const Equality& force) { this->force(Loops{}, force); }
    void force(const Loops& loops, const Equality& force);
    // gap >= 0, beside a lagrangian or hamiltonian: impacts, rest and friction. Its force is the column name.force; its
    // impacts are events with its name.
    void contact(const std::string& name, const Expr& gap, const ContactOptions& options = {}) {
        contact(name, Loops{}, gap, options);
    }
    void contact(const std::string& name, const Loops& loops, const Expr& gap, const ContactOptions& options = {});
    // lambda[1], lambda[2], ... in the order of the constraints and then of their loops: for outputs, events, start
    // values and guesses. Their number is that of the constraints when the model is used.
    Array multipliers() const;

    // ---- start point, interval, output ----

    // x == value or der(x) == value; the value depends on parameters and loop indices only.
    void start(const Equality& value) { start(Loops{}, value); }
    void start(const Loops& loops, const Equality& value);
    void start(const MatrixEquality& value);
    void guess(const Equality& value) { guess(Loops{}, value); }
    void guess(const Loops& loops, const Equality& value);
    // Unknowns that are not moved when the start point is made consistent.
    void hold(const Expr& unknown) { hold(Loops{}, unknown); }
    void hold(const Loops& loops, const Expr& unknown);
    void hold(const Array& unknowns);
    // An equation of the start point alone, of any derivatives that the equations determine: der(x) == 0.
    void initially(const Equality& equation) { initially(Loops{}, equation); }
    void initially(const Loops& loops, const Equality& equation);

    // Values at the end of the interval; what nobody gave at the start is found so that they hold.
    void end(const Equality& value) { end(Loops{}, value); }
    void end(const Loops& loops, const Equality& value);
    // What is the same at both ends: x, der(x).
    void periodic(const Expr& unknown) { periodic(Loops{}, unknown); }
    void periodic(const Loops& loops, const Expr& unknown);
    void periodic(const Array& unknowns);
    // A parameter, or an element of one, that is found as well; its value is the first guess.
    void free(const Expr& parameter);

    void interval(const Expr& from, const Expr& to); // backwards where to < from
    void event(const std::string& name, const Equality& crossing, const EventOptions& options = {});
    // At the start, and every so often from there on; > 0. It crosses nothing, in no direction.
    void event(const std::string& name, const Every& every, const EventOptions& options = {});
    // event("rule", Always{}, {.then = {on == if_(x < 1, 1, on)}}); nothing else can be said about it.
    void event(const std::string& name, const Always& always, const EventOptions& options);
    void output(const std::string& name, const Expr& value); // a named column
    void output_every(const Expr& interval);                 // > 0
    void output_at(const std::vector<double>& times);
    void output_section(const std::string& event); // the points are its crossings
    void option(const std::string& name, const std::string& value);
    void option(const std::string& name, const char* value) { option(name, std::string(value)); }
    void option(const std::string& name, double value);

    // ---- what it is ----

    // A page of text: unknowns, equations (the derived ones included), class, sparsity. Throws InvalidInput where the
    // equations do not determine the unknowns, as everything that uses the model does.
    std::string describe() const;
    std::vector<std::string> warnings() const;

private:
    friend class ModelAccess; // the rest of the library
    explicit Model(std::unique_ptr<ModelBuilder> builder);

    std::unique_ptr<ModelBuilder> builder_;
};

} // namespace vessiot
