// One toy of each kind, added in one place: a projection, a distribution, a family of methods with its method, a
// format. Programs that this file is linked into have them from the start.
#include <fstream>
#include <memory>
#include <string>

#include "distribution/kind.hpp"
#include "distribution/solve.hpp"
#include "io/format.hpp"
#include "method/make_family.hpp"
#include "method/one_step.hpp"
#include "method/registry.hpp"
#include "projection/kind.hpp"
#include "projection/newton.hpp"

namespace vessiot {
namespace {

// ---- a projection: the nearest point, by another name ----

template <class S> class ToyProjection final : public NewtonProjection<S> {
public:
    using NewtonProjection<S>::NewtonProjection;
    std::string_view name() const override { return "toy"; }
};

template <class S> std::unique_ptr<Projection<S>> make_projection(const ProjectionParts<S>& p) {
    return std::make_unique<ToyProjection<S>>(p.manifold, p.options);
}

const ProjectionKind toy_projection{.name = "toy",
                                    .help = "a toy that projects",
                                    .needs = "",
                                    .can = {.finds_nearest = true, .carries_derivatives = true},
                                    .make_double = make_projection<double>,
                                    .make_quad = make_projection<Quad>};

// ---- a distribution: that of another one ----

template <class S> class ToyDistribution final : public Distribution<S> {
public:
    explicit ToyDistribution(const DistributionParts<S>& p)
        : Distribution<S>(p.shape.prolongation), inner_(p.shape.system, p.shape.prolongation, p.jets, p.evaluator) {}
    std::string_view name() const override { return "toy-solve"; }
    PointStatus tops(S t, const S* u, S* w) override {
        ++this->counts_.evaluations;
        return inner_.tops(t, u, w);
    }

private:
    SolveDistribution<S> inner_;
};

template <class S>
std::unique_ptr<Distribution<S>> make_distribution(const DistributionParts<S>& parts, std::string& misfit) {
    misfit = misfit_of_square("toy-solve", parts.shape);
    return misfit.empty() ? std::make_unique<ToyDistribution<S>>(parts) : nullptr;
}

const DistributionKind toy_distribution{.name = "toy-solve",
                                        .help = "a toy that finds directions",
                                        .needs = "as many equations as unknowns",
                                        .suits = never_suits,
                                        .make_double = make_distribution<double>,
                                        .make_quad = make_distribution<Quad>};

// ---- a family: the midpoint rule ----

template <class S> class ToyStepper final : public method::OneStep<S> {
public:
    ToyStepper(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
        : method::OneStep<S>(field, projection, options), middle_(field.size()), slope_(field.size()) {}

private:
    bool advance(S h, StepReport<S>& report) override {
        const S *x = this->from(), *f = this->first();
        for (std::int64_t i = 0; i < this->size(); ++i) middle_[i] = x[i] + h / S(2) * f[i];
        if (!this->evaluate(this->from_tau() + h / S(2), middle_.data(), slope_.data(), report)) return false;
        for (std::int64_t i = 0; i < this->size(); ++i) this->to()[i] = x[i] + h * slope_[i];
        return true;
    }

    linalg::Vector<S> middle_, slope_;
};

const method::Family toy_family{
    .name = "toys", .make_double = method::make_as<ToyStepper, double>, .make_quad = method::make_as<ToyStepper, Quad>};

const method::MethodInfo toy_methods[] = {{.name = "toy_midpoint",
                                           .family = &toy_family,
                                           .n_stages = 2,
                                           .n_effective_stages = 2,
                                           .order = 2,
                                           .dense_order = 2,
                                           .cite = "HLW06",
                                           .tableau = {}}};

// ---- a format: how many points there are ----

void write_toy(const Solution& solution, const std::string& path, const io::FileContext&) {
    std::ofstream(path) << "a toy file: " << solution.t.size() << " points of " << solution.model << "\n";
}

// ---- the one place ----

[[maybe_unused]] const bool are_added = [] {
    projection_table().add(toy_projection);
    distribution_table().add(toy_distribution);
    method::add_methods(toy_methods);
    io::format_table().add(
        {.name = ".toy", .option = "--out", .help = "a toy that writes", .write = write_toy, .needs_all = true});
    return true;
}();

} // namespace
} // namespace vessiot
