#include "jit/loop_plan.hpp"

#include <unordered_map>

namespace vessiot::jit {

namespace {

void find_uniform(const vessiot_jit_loop& loop, LoopPlan& plan) {
    for (std::uint32_t v = loop.n_body; v-- > 0;)
        if (plan.is_live[v]) for_each_operand(loop.body[v], [&](std::uint32_t u) { plan.is_live[u] = 1; });
    for (std::uint32_t v = 0; v < loop.n_body; ++v) {
        plan.is_uniform[v] = 1;
        if (op_of(loop.body[v]) == Op::read) {
            const vessiot_jit_address& address = loop.addresses[loop.body[v].a];
            plan.is_uniform[v] = address.table < 0 && address.stride == 0;
        }
        for_each_operand(loop.body[v],
                         [&](std::uint32_t u) { plan.is_uniform[v] = plan.is_uniform[v] && plan.is_uniform[u]; });
    }
}

void find_twins(const vessiot_jit_loop& loop, LoopPlan& plan) {
    std::unordered_map<std::uint32_t, std::uint32_t> sine, cosine; // by argument
    for (std::uint32_t v = 0; v < loop.n_body; ++v) {
        const Op op = op_of(loop.body[v]);
        if (!plan.is_live[v] || plan.is_uniform[v] || (op != Op::sin && op != Op::cos)) continue;
        (op == Op::sin ? sine : cosine).emplace(loop.body[v].a, v);
    }
    for (const auto& [argument, v] : sine)
        if (const auto other = cosine.find(argument); other != cosine.end()) {
            plan.twin[v] = other->second;
            plan.twin[other->second] = v;
        }
}

} // namespace

LoopPlan::LoopPlan(const vessiot_jit_loop& loop)
    : is_live(loop.n_body, 0), is_uniform(loop.n_body, 0), twin(loop.n_body, none), stores_of(loop.n_body) {
    for (std::uint32_t k = 0; k < loop.n_stores; ++k) {
        is_live[loop.stores[k].value] = 1;
        stores_of[loop.stores[k].value].push_back(k);
        reduction_of.push_back(static_cast<std::uint32_t>(reductions.size()));
        if (mode_of(loop.stores[k]) == expr::StoreMode::reduce) reductions.push_back(k);
    }
    find_uniform(loop, *this);
    find_twins(loop, *this);
}

} // namespace vessiot::jit
