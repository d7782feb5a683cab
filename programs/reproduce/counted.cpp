#include "reproduce/counted.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "projection/inexact.hpp"
#include "projection/kind.hpp"
#include "projection/newton.hpp"

namespace vessiot::reproduce {

namespace {

// A maker of projections is a function without a state: where its projections write is known to the thread.
thread_local std::vector<std::shared_ptr<CountedSteps>>* lists_of_thread = nullptr;

class CountedProjection final : public Projection<double> {
public:
    explicit CountedProjection(std::unique_ptr<Projection<double>> inner)
        : inner_(std::move(inner)), steps_(std::make_shared<CountedSteps>()) {
        if (lists_of_thread) lists_of_thread->push_back(steps_);
    }

    std::string_view name() const override { return inner_->name(); }
    bool finds_nearest() const override { return true; }
    void begin_step(double tau, const double* x) override {
        steps_->parts.push_back({tau, 0});
        inner_->begin_step(tau, x);
    }
    void forget() override { inner_->forget(); }
    ProjectionReport<double> project(double tau, double* x) override {
        const ProjectionReport<double> report = inner_->project(tau, x);
        if (!steps_->parts.empty()) steps_->parts.back().iterations += report.iterations;
        return report;
    }
    const ProjectionCounts& counts() const override { return inner_->counts(); }

private:
    std::unique_ptr<Projection<double>> inner_;
    std::shared_ptr<CountedSteps> steps_;
};

using Made = std::unique_ptr<Projection<double>>;

Made make_newton(const ProjectionParts<double>& p) {
    return std::make_unique<CountedProjection>(std::make_unique<NewtonProjection<double>>(p.manifold, p.options));
}

Made make_inexact(const ProjectionParts<double>& p) {
    return std::make_unique<CountedProjection>(std::make_unique<InexactProjection<double>>(p.manifold, p.options));
}

std::unique_ptr<Projection<Quad>> refuse(const ProjectionParts<Quad>&) {
    throw InvalidInput("iterations are counted in double precision only");
}

ProjectionKind kind(std::string_view name, ProjectionKind::Maker<double> make, bool has_forcing) {
    return {.name = name,
            .help = "of published tables",
            .needs = "",
            .can = {.finds_nearest = true, .has_forcing = has_forcing},
            .make_double = make,
            .make_quad = refuse};
}

} // namespace

std::vector<std::int64_t> CountedSteps::accepted(std::size_t parts_per_attempt) const {
    std::vector<std::int64_t> result;
    for (std::size_t k = 0; k + parts_per_attempt <= parts.size(); k += parts_per_attempt) {
        const std::size_t next = k + parts_per_attempt;
        if (next < parts.size() && parts[next].tau == parts[k].tau) continue;
        std::int64_t sum = 0;
        for (std::size_t i = k; i < next; ++i) sum += parts[i].iterations;
        result.push_back(sum);
    }
    return result;
}

Counting::Counting() {
    lists_of_thread = &lists_;
}

Counting::~Counting() {
    lists_of_thread = nullptr;
}

const CountedSteps& Counting::steps() const {
    static const CountedSteps none;
    const auto most = std::ranges::max_element(lists_, {}, [](const auto& list) { return list->parts.size(); });
    return most == lists_.end() ? none : **most;
}

void add_counted_projections() {
    static const bool is_added = [] {
        projection_table().add(kind("counted-newton", make_newton, false));
        projection_table().add(kind("counted-inexact", make_inexact, true));
        return true;
    }();
    static_cast<void>(is_added);
}

} // namespace vessiot::reproduce
