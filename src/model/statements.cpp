// The statements of a C++ model, each in the words of the model language.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/builder.hpp"
#include "system/constants.hpp"

namespace vessiot {

using expr::NodeId;
using expr::Op;

// A formula of parameters and loop indices.
NodeId ModelBuilder::constant(Elaboration& elaborate, std::uint32_t formula, const std::string& what) {
    const NodeId node = elaborate(formula);
    if (system_.graph->node(node).varies) {
        throw InvalidInput(fmt::format("{} can depend on parameters and loop indices only, but this one changes: {}",
                                       what, system_.graph->print(node)));
    }
    return node;
}

// An unknown, an element of one, or a derivative: what can be given a value. Or what is discrete, where that is
// allowed.
NodeId ModelBuilder::target(Elaboration& elaborate, std::uint32_t formula, const std::string& example,
                            bool takes_discrete) {
    const NodeId node = elaborate(formula);
    const expr::Node& n = system_.graph->node(node);
    if (takes_discrete && n.op == Op::read && system_.find_held(n.a)) return node;
    if (n.op != Op::read || system_.graph->array(n.a).role != expr::ArrayRole::unknown) {
        throw InvalidInput(fmt::format("an unknown or a derivative of one is needed, such as {}, but this is {}",
                                       example, system_.graph->print(node)));
    }
    return node;
}

void ModelBuilder::add_equation(EquationKind kind, const Loops& loops, const Equality& equation) {
    const std::string word = kind == EquationKind::constraint ? "constraint" : "equation";
    const std::uint32_t left = draft_->id(equation.lhs), right = draft_->id(equation.rhs);
    const std::string what = fmt::format("{} {}", word, n_statements_[word] + 1);
    if (draft_->node(left).has_multiplier || draft_->node(right).has_multiplier) {
        fail(what +
             ": the multipliers follow from the constraints; they can be used in output, event, start and guess, but "
             "not here");
    }
    state(what, loops, {}, [=](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
        const NodeId lhs = elaborate(left), rhs = elaborate(right);
        if (statement.is_empty()) return;
        const NodeId residual = system.graph->sub(lhs, rhs);
        if (!system.graph->node(residual).varies && !system.graph->is_constant(residual, 0)) {
            throw InvalidInput(
                fmt::format("it contains no unknown: {} = {}", system.graph->print(lhs), system.graph->print(rhs)));
        }
        system.equations.push_back(
            {.kind = kind, .domain = statement.domain(), .residual = residual, .lhs = lhs, .rhs = rhs});
    });
    ++n_statements_[word];
}

void ModelBuilder::add_initially(const Loops& loops, const Equality& equation) {
    const std::uint32_t left = draft_->id(equation.lhs), right = draft_->id(equation.rhs);
    state(fmt::format("initially {}", ++n_statements_["initially"]), loops, {left, right},
          [=](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
              const NodeId lhs = elaborate(left), rhs = elaborate(right);
              if (statement.is_empty()) return;
              const NodeId residual = system.graph->sub(lhs, rhs);
              if (!system.graph->node(residual).varies && !system.graph->is_constant(residual, 0)) {
                  throw InvalidInput(fmt::format("it contains no unknown: {} = {}", system.graph->print(lhs),
                                                 system.graph->print(rhs)));
              }
              system.initially.push_back({.domain = statement.domain(), .residual = residual, .lhs = lhs, .rhs = rhs});
          });
}

void ModelBuilder::add_invariant(const Loops& loops, const Expr& quantity, const Expr* kept) {
    const std::uint32_t value = draft_->id(quantity);
    const std::uint32_t kept_id = kept ? draft_->id(*kept) : Draft::none;
    const std::string what = fmt::format("invariant {}", n_statements_["invariant"] + 1);
    state(what, loops, {}, [=](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
        NodeId node = elaborate(value);
        std::optional<NodeId> constant;
        if (kept_id != Draft::none) constant = elaborate(kept_id);
        if (statement.is_empty()) return;
        // E = c, where c moves as well: E - c = 0
        if (constant && system.graph->node(*constant).varies) {
            node = system.graph->sub(node, *constant);
            constant = system.graph->zero();
        }
        if (!system.graph->node(node).varies) {
            throw InvalidInput(fmt::format("it contains no unknown: {}", system.graph->print(node)));
        }
        system.invariants.push_back({statement.domain(), node, constant});
    });
    ++n_statements_["invariant"];
}

// ---- mechanics ----

void ModelBuilder::add_lagrangian(const Expr& L) {
    check_is_open();
    if (system_.hamiltonian) fail("a model has a lagrangian or a hamiltonian, not both");
    const std::uint32_t formula = draft_->id(L);
    state("lagrangian", {}, {}, [=](System& system, Elaboration& elaborate, auto&) {
        const NodeId term = elaborate(formula);
        system.lagrangian = system.lagrangian ? system.graph->add(*system.lagrangian, term) : term;
    });
}

void ModelBuilder::set_hamiltonian(const Expr& H, const std::vector<Pair>& pairs) {
    check_is_open();
    if (system_.hamiltonian) fail("the hamiltonian is given twice; a model has one");
    if (system_.lagrangian) fail("a model has a lagrangian or a hamiltonian, not both");
    if (poisson_ && !pairs.empty()) fail("hamiltonian: with a Poisson structure it has no pairs: hamiltonian(H)");
    std::vector<ConjugatePair> conjugate;
    std::set<expr::ArrayId> paired;
    const auto unknown = [&](const DraftArray& x) {
        if (x.kind != DraftArrayKind::unknown)
            fail(fmt::format("hamiltonian: it pairs unknowns, but '{}' is none", x.name));
        if (!paired.insert(x.array).second) fail(fmt::format("hamiltonian: '{}' is paired twice", x.name));
        return x.array;
    };
    const auto scalar = [&](const Expr& e) -> const DraftArray& {
        const DraftNode& n = draft_->node(draft_->id(e));
        if (n.kind != DraftKind::read || n.c != 0) {
            fail("hamiltonian: pairs are of single unknowns or of whole arrays, such as {x, px} or {Q, P}");
        }
        return draft_->array(n.a);
    };
    for (const Pair& pair : pairs) {
        const bool is_array = !pair.arrays.empty();
        const DraftArray& q = is_array ? draft_->array(draft_->id(pair.arrays[0])) : scalar(pair.scalars[0]);
        const DraftArray& p = is_array ? draft_->array(draft_->id(pair.arrays[1])) : scalar(pair.scalars[1]);
        if (q.extent != p.extent) {
            fail(fmt::format(
                "hamiltonian: a position and its momentum must have the same shape, but '{}' and '{}' differ", q.name,
                p.name));
        }
        conjugate.push_back({unknown(q), unknown(p)});
    }
    const std::uint32_t formula = draft_->id(H);
    state("hamiltonian", {}, {}, [=](System& system, Elaboration& elaborate, auto&) {
        system.hamiltonian = elaborate(formula);
        system.pairs = conjugate;
    });
}

void ModelBuilder::add_force(const Loops& loops, const Equality& force) {
    const std::uint32_t left = draft_->id(force.lhs), right = draft_->id(force.rhs);
    const std::string what = fmt::format("force {}", n_statements_["force"] + 1);
    state(what, loops, {}, [=, this](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
        const expr::Node unknown = system.graph->node(target(elaborate, left, "force(x == …)"));
        if (system.graph->array(unknown.a).order > 0) {
            throw InvalidInput(fmt::format("a force acts on the equation of an unknown, such as force({} == …)",
                                           system.graph->array(unknown.a).name));
        }
        const NodeId value = elaborate(right);
        if (statement.is_empty() || system.graph->is_constant(value, 0)) return;
        system.forces.push_back({unknown.a, statement.domain(), unknown.b, value});
    });
    ++n_statements_["force"];
}

// ---- the start point ----

void ModelBuilder::add_start(bool is_guess, const Loops& loops, const Equality& value) {
    const std::string word = is_guess ? "guess" : "start";
    const std::uint32_t left = draft_->id(value.lhs), right = draft_->id(value.rhs);
    const std::string what = fmt::format("{} {}", word, n_statements_[word] + 1);
    state(what, loops, {left, right},
          [=, this](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
              const NodeId node = target(elaborate, left, word + "(x == 1)", !is_guess);
              const expr::Node jet = system.graph->node(node);
              const NodeId given = constant(elaborate, right, is_guess ? "a guess" : "a start value");
              if (statement.is_empty()) return;
              if (!given_[is_guess ? 1 : 0].emplace(jet.a, statement.domain(), jet.b).second) {
                  throw InvalidInput(fmt::format("a {} for {} is given twice", is_guess ? "guess" : "start value",
                                                 system.graph->print(node)));
              }
              (is_guess ? system.guesses : system.start).push_back({jet.a, statement.domain(), jet.b, given});
          });
    ++n_statements_[word];
}

void ModelBuilder::add_end(const Loops& loops, const Equality& value) {
    const std::uint32_t left = draft_->id(value.lhs), right = draft_->id(value.rhs);
    state(fmt::format("end {}", ++n_statements_["end"]), loops, {left, right},
          [=, this](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
              const expr::Node jet = system.graph->node(target(elaborate, left, "end(x == 1)"));
              const NodeId given = constant(elaborate, right, "a value at the end");
              if (!statement.is_empty()) system.ends.push_back({jet.a, statement.domain(), jet.b, given});
          });
}

void ModelBuilder::add_free(const Expr& parameter) {
    const std::uint32_t formula = draft_->id(parameter);
    state("free", {}, {formula}, [=](System& system, Elaboration& elaborate, auto&) {
        const expr::Node node = system.graph->node(elaborate(formula));
        const auto found = node.op == expr::Op::read ? std::ranges::find(system.parameters, node.a, &Parameter::array)
                                                     : system.parameters.end();
        if (found == system.parameters.end())
            throw InvalidInput("free(p) names a parameter, or an element of one, that is to be found");
        const std::int64_t element = system.graph->address(node.a, node.b, {});
        system.free.push_back({static_cast<std::size_t>(found - system.parameters.begin()), element});
    });
}

void ModelBuilder::add_named(bool is_periodic, const Loops& loops, const Expr& unknown) {
    const std::string word = is_periodic ? "periodic" : "hold";
    const std::uint32_t formula = draft_->id(unknown);
    state(word, loops, {formula}, [=, this](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
        const expr::Node jet = system.graph->node(target(elaborate, formula, word + "(x)"));
        if (!statement.is_empty())
            (is_periodic ? system.periodic : system.holds).push_back({jet.a, statement.domain(), jet.b});
    });
}

void ModelBuilder::add_named(bool is_periodic, const Array& unknowns) {
    check_is_open();
    const DraftArray x = draft_->array(draft_->id(unknowns));
    if (x.kind != DraftArrayKind::unknown)
        fail(is_periodic ? fmt::format("periodic: unknowns are, but '{}' is none", x.name)
                         : fmt::format("hold: unknowns are held, but '{}' is none", x.name));
    Loops loops;
    for (std::size_t k = 0; k < x.extent.size(); ++k)
        loops.indices.push_back(draft_->add_loop(std::string(1, static_cast<char>('i' + k)), 1, x.extent[k]));
    add_named(is_periodic, loops, unknowns.element(loops.indices));
}

// ---- interval, events, output ----

void ModelBuilder::set_interval(const Expr& from, const Expr& to) {
    check_is_open();
    if (system_.from) fail("interval: it is given twice; a model has one");
    const std::uint32_t first = draft_->id(from), last = draft_->id(to);
    state("interval", {}, {}, [=, this](System& system, Elaboration& elaborate, auto&) {
        const NodeId begin = constant(elaborate, first, "the begin of the interval");
        system.to = constant(elaborate, last, "the end of the interval");
        system.from = begin;
    });
}

void ModelBuilder::add_event(const std::string& event, std::vector<std::uint32_t> formulas, const EventOptions& options,
                             const EventMaker& make) {
    check_is_open();
    if (event.empty()) fail("event: it needs a name, but it is empty");
    if (events_.contains(event)) fail(fmt::format("the event '{}' is given twice", event));
    if (options.is_stop && !options.then.empty())
        fail(fmt::format("event '{}': is_stop ends the run, and then says how it goes on: an event has one of them",
                         event));
    if (options.then.empty() && !options.guess.empty())
        fail(fmt::format("event '{}': a guess says where to look for what follows, but then sets nothing", event));
    using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    const auto noted = [&](const std::vector<Equality>& equalities) {
        Pairs pairs;
        for (const Equality& set : equalities) {
            pairs.emplace_back(draft_->id(set.lhs), draft_->id(set.rhs));
            formulas.insert(formulas.end(), {pairs.back().first, pairs.back().second});
        }
        return pairs;
    };
    const Pairs then = noted(options.then), guess = noted(options.guess);
    state(fmt::format("event '{}'", event), {}, formulas, [=, this](System& system, Elaboration& elaborate, auto&) {
        const EventDirection direction = options.crossing == Crossing::rising    ? EventDirection::rising
                                         : options.crossing == Crossing::falling ? EventDirection::falling
                                                                                 : EventDirection::both;
        Event made{.name = event, .direction = direction, .is_stop = options.is_stop};
        make(system, elaborate, made);
        const auto add = [&](const Pairs& pairs, const char* example, std::vector<Reset>& resets) {
            for (const auto& [to, from] : pairs) {
                const NodeId set = target(elaborate, to, example, true);
                const expr::Node jet = system.graph->node(set);
                const auto is_same = [&](const Reset& r) { return r.jet == jet.a && r.target == jet.b; };
                if (std::ranges::any_of(resets, is_same))
                    throw InvalidInput(fmt::format("it sets {} twice", system.graph->print(set)));
                resets.push_back({jet.a, system.graph->index().scalar_domain(), jet.b, elaborate(from)});
            }
        };
        add(then, "then = {der(x) == -der(x)}", made.then);
        add(guess, "guess = {v == 1}", made.guesses);
        system.events.push_back(std::move(made));
    });
    events_.insert(event);
}

void ModelBuilder::add_event(const std::string& event, const Equality& crossing, const EventOptions& options) {
    const std::uint32_t left = draft_->id(crossing.lhs), right = draft_->id(crossing.rhs);
    add_event(event, {left, right}, options, [=](System& system, Elaboration& elaborate, Event& made) {
        const NodeId lhs = elaborate(left);
        made.value = system.graph->sub(lhs, elaborate(right));
        if (!system.graph->node(made.value).varies) throw InvalidInput("it contains no unknown: it never happens");
    });
}

void ModelBuilder::add_event(const std::string& event, const Every& every, const EventOptions& options) {
    const std::uint32_t formula = draft_->id(every.interval);
    if (options.crossing != Crossing::both)
        fail(fmt::format("event '{}': at given times it crosses nothing and has no direction", event));
    add_event(event, {formula}, options, [=, this](System& system, Elaboration& elaborate, Event& made) {
        const NodeId node = constant(elaborate, formula, "the time between the events");
        const auto value = static_cast<double>(evaluate_constants(system, {node}).front());
        if (!(value > 0)) {
            throw InvalidInput(
                fmt::format("the time between the events must be positive, but it is {}", lang::number_text(value)));
        }
        made.value = system.graph->one();
        made.every = node;
    });
}

void ModelBuilder::add_event(const std::string& event, const Always& /*always*/, const EventOptions& options) {
    if (options.then.empty() || !options.guess.empty() || options.is_stop || options.crossing != Crossing::both)
        fail(fmt::format("event '{}': what is looked at always sets values (then), and nothing else is said of it",
                         event));
    add_event(event, {}, options, [](System& system, Elaboration&, Event& made) {
        made.value = system.graph->one();
        made.is_always = true;
    });
}

void ModelBuilder::add_contact(const std::string& contact, const Loops& loops, const Expr& gap,
                               const ContactOptions& options) {
    check_is_open();
    if (contact.empty()) fail("contact: it needs a name, but it is empty");
    if (events_.contains(contact))
        fail(fmt::format("the contact '{}' is given twice, or an event has its name", contact));
    if (names_.contains(contact)) fail(fmt::format("contact: '{}' is {} already", contact, names_.at(contact)));
    if (options.along.size() > 2)
        fail(fmt::format("contact '{}': friction acts along one or two velocities, but {} are given", contact,
                         options.along.size()));
    const std::uint32_t height = draft_->id(gap), restitution = draft_->id(options.restitution),
                        friction = draft_->id(options.friction);
    std::vector<std::uint32_t> along;
    for (const Expr& v : options.along) along.push_back(draft_->id(v));
    state(fmt::format("contact '{}'", contact), loops, {},
          [=](System& system, Elaboration& elaborate, Elaboration::Statement& statement) {
              Contact made{.name = contact, .text = contact};
              made.gap = elaborate(height);
              made.restitution = elaborate(restitution);
              made.friction = elaborate(friction);
              for (const std::uint32_t v : along) made.sliding.push_back(elaborate(v));
              if (along.empty() && !system.graph->is_constant(made.friction, 0))
                  throw InvalidInput("friction needs the velocity that it acts along: .along = {der(x)}");
              if (statement.is_empty()) return;
              made.domain = statement.domain();
              system.contacts.push_back(std::move(made));
          });
    events_.insert(contact);
}

void ModelBuilder::set_output_section(const std::string& event) {
    check_is_open();
    if (system_.section) fail("output_section: it is given twice; a model has one");
    if (!events_.contains(event))
        fail(fmt::format("output_section: a section shows the crossings of an event, but '{}' is none of this model",
                         event));
    state("output_section", {}, {}, [=](System& system, Elaboration&, auto&) { system.section = Section{event}; });
}

void ModelBuilder::add_output(const std::string& column, const Expr& value) {
    check_is_open();
    if (column.empty()) fail("output: a column needs a name, but it is empty");
    if (const auto taken = names_.find(column);
        taken != names_.end() && (taken->second == "an unknown" || taken->second == "a discrete quantity" ||
                                  taken->second == "the independent variable")) {
        fail(fmt::format("output: '{}' is {} and has a column already; choose another name", column, taken->second));
    }
    if (outputs_.contains(column)) fail(fmt::format("the output '{}' is given twice", column));
    const std::uint32_t formula = draft_->id(value);
    state(fmt::format("output '{}'", column), {}, {formula}, [=](System& system, Elaboration& elaborate, auto&) {
        system.outputs.push_back({column, elaborate(formula)});
    });
    outputs_.insert(column);
}

void ModelBuilder::set_output_every(const Expr& interval) {
    check_is_open();
    if (system_.output_every) fail("output_every: it is given twice");
    const std::uint32_t formula = draft_->id(interval);
    state("output_every", {}, {}, [=, this](System& system, Elaboration& elaborate, auto&) {
        const NodeId node = constant(elaborate, formula, "the output interval");
        const auto value = static_cast<double>(evaluate_constants(system, {node}).front());
        if (!(value > 0)) {
            throw InvalidInput(
                fmt::format("the output interval must be positive, but it is {}", lang::number_text(value)));
        }
        system.output_every = node;
    });
}

void ModelBuilder::add_output_at(const std::vector<double>& times) {
    check_is_open();
    for (const double time : times)
        if (!std::isfinite(time)) fail(fmt::format("output_at: an output point is {}, but it must be finite", time));
    for (const double time : times) {
        const std::uint32_t formula = draft_->id(Expr(time));
        state("output_at", {}, {},
              [=](System& system, Elaboration& elaborate, auto&) { system.output_at.push_back(elaborate(formula)); });
    }
}

void ModelBuilder::add_option(const std::string& option, const std::string& value) {
    check_is_open();
    if (option.empty()) fail("option: it needs a name, but it is empty");
    for (const Option& other : system_.options)
        if (other.name == option) fail(fmt::format("the option '{}' is given twice", option));
    system_.options.push_back({option, value});
    complete_.reset();
}

} // namespace vessiot
