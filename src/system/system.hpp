// A differential system as its author wrote it: unknowns, equations, invariants, start values, in jet coordinates
// x, x', x'', ... over one expression graph. Text models (lang/) and C++ models (vessiot/model.hpp) both end here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot {

// Where something was written, for messages; line 0: nowhere (C++ models, derived equations).
struct Location {
    int line = 0;
    int column = 0;
};

struct Parameter {
    std::string name;
    expr::ArrayId array = expr::none;    // role parameter; its extent is that of the declaration
    std::vector<Quad> values{};          // row-major
    bool is_used = false;                // in an expression, a size, a bound or another parameter
    bool is_structural = false;          // in a size, a bound, an index: the formulas are those for this value
    std::vector<expr::NodeId> formula{}; // of each element, where it is computed from other parameters; else empty
    Location where{};
};

// A quantity that is constant between the events of a run: no equation, projection or start consistency moves it.
struct Held {
    std::string name;
    expr::ArrayId array = expr::none; // role auxiliary
    std::vector<Quad> values{};       // where a run begins, row-major
    Location where{};
    bool is_hidden = false;              // no quantity of the model, and no column of its results; these come last
    std::vector<expr::NodeId> formula{}; // of each value, where it is computed from parameters; else empty
};

struct Unknown {
    std::string name;
    expr::ArrayId array = expr::none; // the jet of order 0
    int order = 0;                    // highest derivative in the equations; 0: algebraic
    bool is_multiplier = false;       // made for a constraint or contact of a lagrangian or hamiltonian
    Location where{};
    bool is_hidden = false; // no quantity of the model, and no column of its results
};

enum class EquationKind {
    written,     // lhs = rhs of the model
    constraint,  // a `constraint` of a lagrangian or hamiltonian
    motion,      // derived from a lagrangian or hamiltonian
    consequence, // found by completion: it follows from the others and their derivatives
};

// A family of equations: residual = 0 for every instance of the domain.
struct Equation {
    EquationKind kind = EquationKind::written;
    expr::DomainId domain = 0;
    expr::NodeId residual = 0; // lhs - rhs
    expr::NodeId lhs = 0, rhs = 0;
    std::string text{}; // as the author wrote it; empty for derived ones
    Location where{};
};

// A quantity that the flow keeps, for every instance of the domain.
struct Invariant {
    expr::DomainId domain = 0;
    expr::NodeId value = 0;           // the expression
    std::optional<expr::NodeId> kept; // the value it is kept at; without: that of the start point
    std::string text{};
    Location where{};
};

// jet[target] = value for every instance: a start value or a guess. The value depends on parameters and indices only.
struct StartValue {
    expr::ArrayId jet = expr::none;
    expr::DomainId domain = 0;
    expr::ListId target = 0;
    expr::NodeId value = 0;
    Location where{};
};

// An unknown (or an element of one) that is not moved when the start point is made consistent.
struct Hold {
    expr::ArrayId jet = expr::none;
    expr::DomainId domain = 0;
    expr::ListId target = 0;
    Location where{};
};

// A parameter, or an element of one, that conditions at the ends determine.
struct FreeParameter {
    std::size_t parameter = 0; // number in System::parameters
    std::int64_t element = 0;  // of it, row-major
    Location where{};
};

// gap >= 0 for every instance of the domain, beside a lagrangian or hamiltonian; what is made of it: contacts.hpp.
struct Contact {
    std::string name; // "floor", "b[#].floor"
    expr::DomainId domain = 0;
    expr::NodeId gap = 0, restitution = 0, friction = 0;
    std::vector<expr::NodeId> sliding{}; // velocities along which friction acts: none, one or two
    std::string text{};
    Location where{};
    // The element that belongs to an instance, of arrays: force, friction_force and what is held.
    expr::ListId target = 0;
    expr::ArrayId force = expr::none, friction_force = expr::none;
    expr::ArrayId mode = expr::none, margin = expr::none, reach = expr::none, heading = expr::none;
};

struct Force {
    expr::ArrayId unknown = expr::none;
    expr::DomainId domain = 0;
    expr::ListId target = 0;
    expr::NodeId value = 0;
    Location where{};
};

// Positions and momenta of a hamiltonian: whole arrays, or scalars. Element k of one belongs to element k of the other.
struct ConjugatePair {
    expr::ArrayId position = expr::none, momentum = expr::none;
};

// A matrix of unknowns, and the group it stays in (groups.hpp).
enum class MatrixGroup { none, gl, sl, o, so, sp, stiefel, se };

struct MatrixUnknown {
    std::string name;
    expr::ArrayId array = expr::none;
    std::int64_t rows = 0, columns = 0;
    MatrixGroup group = MatrixGroup::none;
    Location where{};
};

struct Output {
    std::string name;
    expr::NodeId value = 0;
    Location where{};
};

enum class EventDirection { both, rising, falling };

// jet[target] = value for every instance, when an event is met. The value is that of the point before.
struct Reset {
    expr::ArrayId jet = expr::none; // or the array of what is held
    expr::DomainId domain = 0;
    expr::ListId target = 0;
    expr::NodeId value = 0;
    Location where{};
};

// What happens at an instance of a contact; the instances of all contacts are numbered, one contact after the other.
enum class ContactChange { hit, release, slip, stick };
struct ContactEvent {
    std::size_t instance = 0;
    ContactChange change = ContactChange::hit;
};

struct Event {
    std::string name;
    expr::NodeId value = 0; // lhs - rhs; 1 where it happens at given times
    EventDirection direction = EventDirection::both;
    bool is_stop = false;
    Location where{};
    std::vector<Reset> then{};           // empty where it changes nothing
    std::optional<expr::NodeId> every{}; // > 0: it happens at t0, t0 + every, t0 + 2 every, ..., and is no crossing
    std::vector<Reset> guesses{};        // where algebraic unknowns are looked for after it
    std::optional<ContactEvent> contact{};
    // No crossing: wherever a condition switches or another event happens it sets values, again and again until none
    // of them changes.
    bool is_always = false;
};

// What has to be true at every point of a run: where it is not, the run ends, or a note says so.
struct Requirement {
    expr::NodeId condition = 0;
    std::string message{};
    bool is_error = true;
    Location where{};
};

// The points to report are the crossings of this event.
struct Section {
    std::string event;
    Location where{};
};

// An option of the model, as written: the parts that use it read it.
struct Option {
    std::string name;
    std::string value; // text; lists keep their brackets
    Location where{};
};

struct System {
    std::string name; // of the model: the file's name without its ending
    std::shared_ptr<expr::Graph> graph;
    std::string independent_name = "t";
    expr::ArrayId independent = expr::none;
    std::vector<Parameter> parameters;
    std::vector<Held> held;
    std::vector<Unknown> unknowns;   // multipliers last
    std::vector<Equation> equations; // written, then constraints, then motion
    std::vector<Invariant> invariants;
    std::vector<Force> forces;
    std::vector<Contact> contacts;
    std::optional<expr::NodeId> lagrangian;
    std::optional<expr::NodeId> hamiltonian;
    std::vector<ConjugatePair> pairs; // of the hamiltonian
    std::vector<MatrixUnknown> matrices;
    std::vector<StartValue> start;
    std::vector<StartValue> guesses;
    std::vector<Hold> holds;
    std::vector<Equation> initially;      // they hold at the start point only
    std::vector<StartValue> ends;         // values at the end of the interval
    std::vector<Hold> periodic;           // what is the same at both ends
    std::vector<FreeParameter> free;      // found from these conditions
    std::optional<expr::NodeId> from, to; // the interval of `solve`
    std::optional<expr::NodeId> output_every;
    std::vector<expr::NodeId> output_at;
    std::optional<Section> section;
    std::vector<Output> outputs;
    std::vector<Event> events;
    std::vector<Requirement> requirements;
    std::vector<Option> options;
    std::vector<std::string> warnings; // ready to print

    bool has_ends() const { return !ends.empty() || !periodic.empty() || !free.empty(); }
    const Unknown* unknown(const std::string& wanted) const {
        for (const Unknown& u : unknowns)
            if (u.name == wanted) return &u;
        return nullptr;
    }
    const Held* find_held(expr::ArrayId array) const {
        for (const Held& h : held)
            if (h.array == array) return &h;
        return nullptr;
    }
};

} // namespace vessiot
