// What is behind a Model: its System as far as it is written, and the System that everything else works with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/draft.hpp"
#include "model/elaboration.hpp"
#include "system/mechanics/poisson.hpp"
#include "system/own_graph.hpp"
#include "system/system.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

class ModelBuilder {
public:
    ModelBuilder(const std::string& name, const ModelOptions& options);
    explicit ModelBuilder(System complete); // a text model

    const std::string& name() const { return draft_->model_name(); }
    const std::shared_ptr<Draft>& draft() const { return draft_; }
    const Expr& independent() const {
        check_is_open();
        return independent_;
    }

    // ---- names ----
    std::uint32_t declare(DraftArray array);
    // A parameter, or what is discrete, with its values; as many as its elements.
    std::uint32_t declare(DraftArrayKind kind, const std::string& name, const std::vector<std::int64_t>& extent,
                          const std::vector<double>& values);
    Index index(const std::string& name, const Index& from, const Index& to);
    // A matrix of unknowns with the equations of its group.
    Matrix matrix(const std::string& name, const std::vector<std::int64_t>& extent, const std::string& group);
    Array let(const std::string& name, const Loops& loops, const Expr& value);
    External external(const std::string& name, const ExternalFunction& function);
    // One argument: values[k] at grid[0][k]; two: by rows.
    TableFunction table(const std::string& name, const std::vector<std::vector<double>>& grid,
                        const std::vector<double>& values, const TableOptions& options);
    Array multipliers() const {
        check_is_open();
        return draft_->array_handle(multipliers_);
    }

    // All elements of an array, by rows.
    std::vector<Expr> elements(const Array& array) const;

    // ---- statements ----
    void add_equation(EquationKind kind, const Loops& loops, const Equality& equation);
    void add_initially(const Loops& loops, const Equality& equation);
    void add_invariant(const Loops& loops, const Expr& quantity, const Expr* kept);
    void add_lagrangian(const Expr& L); // several add up
    void set_hamiltonian(const Expr& H, const std::vector<Pair>& pairs);
    void set_poisson(const Matrix& B, const std::vector<Expr>& coordinates);
    void add_force(const Loops& loops, const Equality& force);
    void add_start(bool is_guess, const Loops& loops, const Equality& value);
    void add_named(bool is_periodic, const Loops& loops, const Expr& unknown); // hold, periodic
    void add_named(bool is_periodic, const Array& unknowns);
    void add_end(const Loops& loops, const Equality& value);
    void add_free(const Expr& parameter);
    void set_interval(const Expr& from, const Expr& to);
    void add_event(const std::string& name, const Equality& crossing, const EventOptions& options);
    void add_event(const std::string& name, const Every& every, const EventOptions& options);
    void add_event(const std::string& name, const Always& always, const EventOptions& options);
    void add_contact(const std::string& name, const Loops& loops, const Expr& gap, const ContactOptions& options);
    void set_output_section(const std::string& event);
    void add_output(const std::string& name, const Expr& value);
    void set_output_every(const Expr& interval);
    void add_output_at(const std::vector<double>& times);
    void add_option(const std::string& name, const std::string& value);

    // Everything, with the equations of motion and the multipliers; made anew after a change. Throws InvalidInput where
    // the equations do not determine the unknowns. From any number of threads, while none changes the model; nobody
    // adds to its graph.
    const System& complete();
    // Parameters whose values decided indices.
    std::set<std::string> structural_parameters() const;

private:
    // What a statement does once its loops are open.
    using Action = std::function<void(System&, Elaboration&, Elaboration::Statement&)>;

    [[noreturn]] void fail(const std::string& message) const;
    void check_name(const std::string& name, const std::string& normal) const;
    void check_is_open() const;
    std::string new_name(const std::string& name) const;
    std::vector<std::uint32_t> loop_numbers(const Loops& loops) const;
    // Works on a statement now, or, where it names multipliers, when they are there. What is wrong with it is said with
    // the name of the model and of the statement.
    void state(const std::string& what, const Loops& loops, const std::vector<std::uint32_t>& formulas,
               const Action& action);
    void run(const std::string& what, const std::vector<std::uint32_t>& loops, System& system, Elaboration& elaboration,
             const Action& action);
    expr::NodeId constant(Elaboration& elaboration, std::uint32_t formula, const std::string& what);
    expr::NodeId target(Elaboration& elaboration, std::uint32_t formula, const std::string& example,
                        bool takes_discrete = false);
    void finish(System& system);
    void check_hamiltonian(const System& system) const;
    void add_poisson_motion(System& system) const;
    // `make` says when it happens.
    using EventMaker = std::function<void(System&, Elaboration&, Event&)>;
    void add_event(const std::string& name, std::vector<std::uint32_t> formulas, const EventOptions& options,
                   const EventMaker& make);

    class Multipliers;
    struct Deferred {
        std::string what;
        std::vector<std::uint32_t> loops;
        Action action;
    };
    using Given = std::set<std::tuple<expr::ArrayId, expr::DomainId, expr::ListId>>;

    std::shared_ptr<Draft> draft_;
    System system_; // as written
    std::optional<PoissonStructure> poisson_;
    std::optional<Elaboration> elaboration_; // none: a text model
    std::optional<System> complete_;
    std::mutex completing_; // complete_ is made by one thread, when it is first asked for
    std::vector<Deferred> deferred_;
    std::map<std::string, std::string> names_; // what each one is
    std::map<std::string, int> n_statements_;
    std::set<std::string> index_names_, events_, outputs_;
    Given given_[2]; // start values and guesses
    std::uint32_t multipliers_ = 0;
    Expr independent_ = 0;
};

// How the rest of the library sees a Model.
class ModelAccess {
public:
    static ModelBuilder& builder(const Model& model) { return *model.builder_; }
    // A complete model.
    static Model made(System system) { return Model(std::make_unique<ModelBuilder>(std::move(system))); }
    // For the caller alone: what it adds to the graph leaves the model as it is.
    static System system(const Model& model) { return with_own_graph(model.builder_->complete()); }
};

} // namespace vessiot
