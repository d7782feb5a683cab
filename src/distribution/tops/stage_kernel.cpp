#include "distribution/tops/stage_kernel.hpp"

#include <map>
#include <unordered_map>

namespace vessiot {

using namespace expr;

namespace {

constexpr std::size_t operation_limit = 6000;

class Builder {
public:
    Builder(const System& system, const Prolongation& p, const ExplicitTops& tops)
        : g_(*system.graph), independent_(system.independent), n_(static_cast<std::size_t>(p.n_state())) {
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) first_[p.z.jets[k]] = p.z.first[k];
        state_.assign(static_cast<std::size_t>(p.z.size), -1);
        for (std::size_t k = 0; k < p.state.size(); ++k)
            state_[static_cast<std::size_t>(p.state[k])] = static_cast<std::int32_t>(k);
        velocity_.assign(n_, none);
        for (const Contribution& c : tops.velocity) {
            if (c.domain != g_.index().scalar_domain()) return; // families: large systems
            const auto at = g_.index().constant_value(g_.index().forms(c.target)[0]);
            velocity_[static_cast<std::size_t>(*at)] = c.body;
        }
        is_scalar_ = true;
        h_array_ = g_.add_array({.name = "h", .role = ArrayRole::auxiliary, .lo = {0}, .extent = {2}}); // h and 0
        k_array_ = g_.add_array(
            {.name = "k", .role = ArrayRole::auxiliary, .lo = {0}, .extent = {static_cast<std::int64_t>(n_)}});
    }

    bool is_scalar() const { return is_scalar_; }
    ArrayId h_array() const { return h_array_; }
    ArrayId k_array() const { return k_array_; }

    // stages[i] = k_{i+2}, and the end last; false where they get too long
    bool build(const StagePlan& plan, std::vector<std::vector<NodeId>>& stages) {
        std::vector<std::vector<NodeId>> k{read_all(k_array_)};
        const std::vector<NodeId> x = plan.x.empty() ? read_state() : constants(plan.x);
        for (std::size_t i = 1; i < plan.n; ++i) {
            const std::vector<NodeId> at = combine(x, plan.a.subspan(i * plan.stride, plan.n), k);
            const NodeId t = g_.add(g_.read(independent_), g_.mul(g_.constant(double(plan.c[i])), h()));
            k.push_back(direction(t, at));
            if (g_.cone(k.back()).size() > operation_limit * 2) return false;
        }
        const std::vector<NodeId> end = combine(x, plan.b.first(plan.n), k);
        stages.assign(k.begin() + 1, k.end());
        stages.push_back(end);
        std::vector<NodeId> all;
        for (const auto& s : stages) all.insert(all.end(), s.begin(), s.end());
        return g_.cone(all).size() <= operation_limit;
    }

private:
    NodeId element(ArrayId a, std::size_t k) {
        return g_.read(a, g_.index().list({g_.index().constant(static_cast<std::int64_t>(k))}));
    }
    NodeId h() { return element(h_array_, 0); }
    // x + 0, with a zero that the graph does not know: algebra that changes round-off, c (d z) = (c d) z, ends there
    NodeId sealed(NodeId x) { return g_.add(x, element(h_array_, 1)); }

    std::vector<NodeId> read_all(ArrayId a) {
        std::vector<NodeId> nodes;
        for (std::size_t k = 0; k < n_; ++k) nodes.push_back(element(a, k));
        return nodes;
    }

    std::vector<NodeId> constants(std::span<const Quad> values) {
        std::vector<NodeId> nodes;
        for (const Quad v : values) nodes.push_back(g_.constant(v));
        return nodes;
    }

    std::vector<NodeId> read_state() {
        std::vector<NodeId> nodes(n_, none);
        for (const auto& [jet, first] : first_) {
            for (std::int64_t e = 0; e < g_.array(jet).size(); ++e) {
                const std::int32_t at = state_[static_cast<std::size_t>(first + e)];
                if (at < 0) continue;
                nodes[static_cast<std::size_t>(at)] = g_.read(jet, g_.indices_at(jet, e));
            }
        }
        return nodes;
    }

    // x + h sum_j c_j k_j, as linalg::combine does it
    std::vector<NodeId> combine(const std::vector<NodeId>& x, std::span<const Quad> c,
                                const std::vector<std::vector<NodeId>>& k) {
        std::vector<NodeId> result;
        for (std::size_t e = 0; e < n_; ++e) {
            NodeId sum = none;
            for (std::size_t j = 0; j < k.size(); ++j) {
                if (c[j] == 0) continue;
                const NodeId term = g_.mul(g_.constant(double(c[j])), sealed(k[j][e]));
                sum = sum == none ? sealed(term) : g_.add(sum, term);
            }
            result.push_back(sum == none ? x[e] : g_.add(x[e], g_.mul(h(), sum)));
        }
        return result;
    }

    // V with t and the coordinates replaced
    std::vector<NodeId> direction(NodeId t, const std::vector<NodeId>& x) {
        std::unordered_map<NodeId, NodeId> image;
        for (const NodeId n : g_.cone(velocity_)) {
            const Node node = g_.node(n);
            if (node.op == Op::read && node.a == independent_)
                image[n] = t;
            else if (const auto at = node.op == Op::read ? first_.find(node.a) : first_.end(); at != first_.end())
                image[n] = coordinate(node, at->second, x, n);
            else
                image[n] = arity(node.op) > 0 ? g_.rebuild_with(n, image) : n;
        }
        std::vector<NodeId> result;
        for (const NodeId v : velocity_) result.push_back(image.at(v));
        return result;
    }

    NodeId coordinate(const Node& read, std::int64_t first, const std::vector<NodeId>& x, NodeId itself) const {
        const std::int32_t at = state_[static_cast<std::size_t>(first + g_.address(read.a, read.b, {}))];
        return at < 0 ? itself : x[static_cast<std::size_t>(at)];
    }

    Graph& g_;
    ArrayId independent_;
    std::size_t n_;
    std::map<ArrayId, std::int64_t> first_;
    std::vector<std::int32_t> state_; // by position in z
    std::vector<NodeId> velocity_;
    ArrayId h_array_ = none, k_array_ = none;
    bool is_scalar_ = false;
};

} // namespace

std::unique_ptr<StageKernel> StageKernel::make(const System& system, const Prolongation& p, const ExplicitTops& tops,
                                               Jets<double>& jets, const EvaluatorOptions& evaluator,
                                               const StagePlan& plan) {
    if (evaluator.backend == expr::Backend::interpreter || plan.n < 2 || p.n_state() > 64) return nullptr;
    Graph& g = *system.graph;
    Builder builder(system, p, tops);
    std::vector<std::vector<NodeId>> stages;
    if (!builder.is_scalar() || !builder.build(plan, stages)) return nullptr;
    std::vector<BufferSpec> inputs = jets.inputs(), outputs;
    inputs.push_back({"h", {builder.h_array()}});
    inputs.push_back({"k", {builder.k_array()}});
    for (const std::vector<NodeId>& stage : stages) {
        std::vector<Contribution> elements;
        for (std::size_t e = 0; e < stage.size(); ++e)
            elements.push_back({g.index().scalar_domain(),
                                g.index().list({g.index().constant(static_cast<std::int64_t>(e))}), stage[e]});
        outputs.push_back({"stage", {g.define("stage", {0}, {p.n_state()}, elements, true)}});
    }
    EvaluatorOptions thorough = evaluator; // called for every step: good code pays
    thorough.quality = CodeQuality::full;
    Function<double> function(g, inputs, outputs, thorough);
    jets.prepare(function);
    return std::unique_ptr<StageKernel>(new StageKernel(jets, std::move(function), plan.n));
}

void StageKernel::operator()(double t, double h, const double* u, double* const* k, double* end) {
    h_[0] = h;
    const double* const* inputs = jets_.at(t, u);
    double** slots = function_.slots();
    for (int i = 0; i < Jets<double>::n_inputs; ++i) slots[i] = const_cast<double*>(inputs[i]); // only read
    slots[Jets<double>::n_inputs] = h_;
    slots[Jets<double>::n_inputs + 1] = k[0];
    double** outputs = function_.output_slots();
    for (std::size_t i = 1; i < n_; ++i) outputs[i - 1] = k[i];
    outputs[n_ - 1] = end;
    function_.run();
}

} // namespace vessiot
