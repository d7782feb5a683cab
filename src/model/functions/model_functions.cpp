// Functions of a model: SystemFunctions, with local values assembled into entries.
//
// Three kernels, each made when it is first needed: f; f and df; f, df and d2f. An evaluation runs the smallest one
// that has all that is asked for.
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "model/builder.hpp"
#include "model/functions/functions_base.hpp"
#include "system/functions.hpp"

namespace vessiot {

namespace {

SparsePattern to_pattern(const expr::SparseMatrix& m) {
    SparsePattern p{.rows = m.rows, .columns = m.columns, .column_start = m.column_start, .row = m.row};
    p.column_start.resize(static_cast<std::size_t>(m.columns) + 1, 0);
    return p;
}

// Parameters that stand in a formula, so that the kernels read them.
std::set<std::string> changeable_parameters(const System& s) {
    std::vector<expr::NodeId> roots;
    const auto add = [&](const auto& items, auto member) {
        for (const auto& item : items) roots.push_back(item.*member);
    };
    add(s.equations, &Equation::residual);
    add(s.invariants, &Invariant::value);
    add(s.start, &StartValue::value);
    add(s.guesses, &StartValue::value);
    add(s.outputs, &Output::value);
    add(s.events, &Event::value);
    for (const Event& e : s.events) {
        add(e.then, &Reset::value);
        add(e.guesses, &Reset::value);
    }
    roots.insert(roots.end(), s.output_at.begin(), s.output_at.end());
    for (const Invariant& i : s.invariants)
        if (i.kept) roots.push_back(*i.kept);
    for (const auto& root : {s.from, s.to, s.output_every})
        if (root) roots.push_back(*root);
    std::set<expr::ArrayId> read;
    for (const expr::ArrayId a : expr::dependencies(*s.graph, roots)) read.insert(a);
    std::set<std::string> names;
    for (const Parameter& p : s.parameters)
        if (read.contains(p.array)) names.insert(p.name);
    return names;
}

class ModelFunctions final : public FunctionsBase {
public:
    ModelFunctions(const System& system, std::set<std::string> structural, const CompileOptions& options)
        : system_(system), structural_(std::move(structural)), changeable_(changeable_parameters(system)) {
        evaluator_.backend = options.backend == Backend::jit           ? expr::Backend::jit
                             : options.backend == Backend::interpreter ? expr::Backend::interpreter
                                                                       : expr::Backend::automatic;
        evaluator_.contraction = options.contraction;
        if (!(options.expected_evaluations >= 0)) {
            throw InvalidInput(
                fmt::format("expected_evaluations = {}, but it must be >= 0", options.expected_evaluations));
        }
        evaluator_.expected_evaluations = options.expected_evaluations;
        const Coordinates z = jet_coordinates(system_);
        names_ = coordinate_names(system_, z);
        for (const Quad v : parameter_values(system_)) parameters_.push_back(static_cast<double>(v));
        n_equations_ = kernel(0).functions.n_equations();
    }

    const std::string& name() const override { return system_.name; }
    std::int64_t n_equations() const override { return n_equations_; }
    std::int64_t n_coordinates() const override { return static_cast<std::int64_t>(names_.size()); }
    const std::vector<std::string>& names() const override { return names_; }
    const SparsePattern& df_pattern() override {
        if (!df_pattern_) df_pattern_ = to_pattern(kernel(kernels_[2] ? 2 : 1).functions.df());
        return *df_pattern_;
    }
    const SparsePattern& d2f_pattern() override {
        if (!d2f_pattern_) d2f_pattern_ = to_pattern(kernel(2).functions.d2f());
        return *d2f_pattern_;
    }

    void evaluate(double t, std::span<const double> z, std::span<const double> mu, std::span<double> f,
                  std::span<double> df, std::span<double> d2f) override {
        Kernel& k = kernel(!d2f.empty() ? 2 : !df.empty() ? 1 : 0);
        k.functions(t, z.data(), mu.data(), f.empty() ? k.f.data() : f.data(), k.df.data(), k.d2f.data());
        if (!df.empty()) k.functions.df().assemble(k.df.data(), df.data());
        if (!d2f.empty()) k.functions.d2f().assemble(k.d2f.data(), d2f.data());
    }

    void set_parameter(const std::string& name, std::span<const double> values) override {
        const auto [first, size] = find(name);
        if (structural_.contains(name) || !changeable_.contains(name)) {
            throw InvalidInput(
                fmt::format("{0}: the parameter '{1}' cannot be changed here, since no formula reads it: it "
                            "decided sizes, loops or other parameters. Make the model anew (from text: "
                            "Model::load(path, {{.set = {{{{\"{1}\", \"…\"}}}}}}))",
                            system_.name, name));
        }
        if (values.size() != size) {
            throw InvalidInput(fmt::format("{}: the parameter '{}' has {}, but {} given", system_.name, name,
                                           plural(size, "element"),
                                           values.size() == 1 ? "1 is" : fmt::format("{} are", values.size())));
        }
        for (const double v : values) {
            if (!std::isfinite(v)) {
                throw InvalidInput(
                    fmt::format("{}: parameter {} = {}, but it must be a finite number", system_.name, name, v));
            }
        }
        std::copy(values.begin(), values.end(), parameters_.begin() + static_cast<std::ptrdiff_t>(first));
        for (auto& k : kernels_)
            if (k) prepare(*k);
    }

    std::vector<double> parameter(const std::string& name) const override {
        const auto [first, size] = find(name);
        const auto begin = parameters_.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(size)};
    }

    bool is_native() const override {
        bool all = true;
        for (const auto& k : kernels_) all &= !k || k->functions.function().evaluator().is_native();
        return all;
    }

    void wait() const override {
        for (const auto& k : kernels_)
            if (k) k->functions.function().evaluator().wait();
    }

private:
    struct Kernel {
        Kernel(const System& system, const FunctionsOptions& options) : functions(system, options) {}
        SystemFunctions<double> functions;
        std::vector<double> f, df, d2f; // local values, and results that nobody asked for
    };

    Kernel& kernel(int n) {
        auto& k = kernels_[static_cast<std::size_t>(n)];
        if (!k) {
            k = std::make_unique<Kernel>(system_, FunctionsOptions{.df = n > 0, .d2f = n > 1, .evaluator = evaluator_});
            k->f.resize(static_cast<std::size_t>(k->functions.n_equations()));
            k->df.resize(k->functions.df().position.size());
            k->d2f.resize(k->functions.d2f().position.size());
            prepare(*k);
        }
        return *k;
    }

    void prepare(Kernel& k) {
        k.functions.parameters() = parameters_;
        k.functions.prepare();
    }

    // The place of a parameter in parameters_, and its number of elements.
    std::pair<std::size_t, std::size_t> find(const std::string& name) const {
        std::size_t first = 0;
        std::vector<std::string_view> known;
        for (const Parameter& p : system_.parameters) {
            if (p.name == name) return {first, p.values.size()};
            first += p.values.size();
            known.push_back(p.name);
        }
        const auto meant = nearest(name, known);
        throw InvalidInput(fmt::format("{}: there is no parameter '{}'{}", system_.name, name,
                                       meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
    }

    System system_;
    std::set<std::string> structural_, changeable_;
    expr::EvaluatorOptions evaluator_;
    std::vector<std::string> names_;
    std::vector<double> parameters_;
    std::int64_t n_equations_ = 0;
    std::array<std::unique_ptr<Kernel>, 3> kernels_;
    std::optional<SparsePattern> df_pattern_, d2f_pattern_;
};

} // namespace

std::unique_ptr<FunctionsBase> make_functions(const Model& model, const CompileOptions& options) {
    ModelBuilder& builder = ModelAccess::builder(model);
    return std::make_unique<ModelFunctions>(with_own_graph(builder.complete()), builder.structural_parameters(),
                                            options);
}

} // namespace vessiot
