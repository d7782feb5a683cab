#include "expr/interpreter/flat_program.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "expr/kernel/bit_ops.hpp"

namespace vessiot::expr {

namespace {

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

class Flattener {
public:
    Flattener(const Kernel& kernel, const Loop& loop)
        : kernel_(kernel), loop_(loop), shares_(loop.n_instances() > 1), live_(live_values(loop)) {}

    FlatProgram run() {
        for (segment_ = 0; segment_ < loop_.lengths.size(); ++segment_) {
            partials_.assign(loop_.stores.size(), {});
            for (auto& p : partials_) p.fill(nothing);
            for (i_ = 0; i_ < loop_.lengths[segment_]; ++i_, ++instance_) add_instance();
            end_segment();
        }
        return std::move(program_);
    }

private:
    static std::vector<bool> live_values(const Loop& loop) {
        std::vector<bool> live(loop.body.size(), false);
        for (const Store& store : loop.stores) live[store.value] = true;
        for (std::size_t k = loop.body.size(); k-- > 0;) {
            const Instruction& i = loop.body[k];
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            for (int o = 0; live[k] && o < arity(i.op); ++o) live[operands[o]] = true;
        }
        return live;
    }

    FlatProgram::Element element(std::uint32_t k) const {
        const Address& address = loop_.addresses[k];
        if (address.table >= 0) return {address.buffer, loop_.tables[address.table][instance_]};
        return {address.buffer, loop_.starts[segment_ * loop_.addresses.size() + k] + address.stride * i_};
    }

    void add_instance() {
        value_.assign(loop_.body.size(), nothing);
        for (std::size_t k = 0; k < loop_.body.size(); ++k) {
            if (!live_[k]) continue;
            const Instruction& i = loop_.body[k];
            if (i.op == Op::constant)
                value_[k] = add({Op::constant, i.a, 0, 0});
            else if (i.op == Op::read)
                value_[k] = add_read(element(i.a));
            else if (i.op == Op::call)
                value_[k] = add({Op::call, value_[i.a], i.b, i.c});
            else
                value_[k] =
                    add({i.op, value_[i.a], arity(i.op) > 1 ? value_[i.b] : 0, arity(i.op) > 2 ? value_[i.c] : 0});
        }
        for (std::size_t s = 0; s < loop_.stores.size(); ++s) {
            const Store& store = loop_.stores[s];
            const std::uint32_t value = value_[store.value];
            if (store.mode != StoreMode::reduce) {
                program_.stores.push_back({value, element(store.address), store.mode == StoreMode::add});
                continue;
            }
            std::uint32_t& partial = partials_[s][i_ % reduction_width];
            partial = add({Op::add, partial == nothing ? zero() : partial, value, 0});
        }
    }

    void end_segment() {
        for (std::size_t s = 0; s < loop_.stores.size(); ++s) {
            const Store& store = loop_.stores[s];
            if (store.mode != StoreMode::reduce) continue;
            const auto& p = partials_[s];
            const std::uint32_t even = sum(sum(p[0], p[4]), sum(p[2], p[6]));
            const std::uint32_t odd = sum(sum(p[1], p[5]), sum(p[3], p[7]));
            i_ = 0; // stride 0: any instance has the address
            program_.stores.push_back({sum(even, odd), element(store.address), true});
        }
    }

    // A partial sum that nothing went to is +0, and adding +0 changes no partial sum: none of them is -0, since they
    // start from +0.
    std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
        return a == nothing ? b : b == nothing ? a : add({Op::add, a, b, 0});
    }

    std::uint32_t zero() { return add({Op::constant, static_cast<std::uint32_t>(kernel_.constants.size()), 0, 0}); }

    std::uint32_t add_read(const FlatProgram::Element& e) {
        const auto number = static_cast<std::uint32_t>(program_.reads.size());
        if (shares_) {
            const auto [place, is_new] = reads_.try_emplace({e.buffer, e.index}, number);
            if (!is_new) return add({Op::read, place->second, 0, 0});
        }
        program_.reads.push_back(e);
        return add({Op::read, number, 0, 0});
    }

    std::uint32_t add(const Instruction& i) {
        const auto number = static_cast<std::uint32_t>(program_.body.size());
        if (shares_) {
            const auto [place, is_new] = known_.try_emplace({i.op, i.a, i.b, i.c}, number);
            if (!is_new) return place->second;
        }
        program_.body.push_back(i);
        return number;
    }

    struct ElementKey {
        std::uint32_t buffer;
        std::int64_t index;
        bool operator==(const ElementKey&) const = default;
    };
    struct InstructionKey {
        Op op;
        std::uint32_t a, b, c;
        bool operator==(const InstructionKey&) const = default;
    };
    struct Hash {
        static std::size_t mix(std::size_t h, std::uint64_t x) { return (h ^ x) * 0x9e3779b97f4a7c15U + (h >> 29); }
        std::size_t operator()(const ElementKey& k) const { return mix(mix(1, k.buffer), k.index); }
        std::size_t operator()(const InstructionKey& k) const {
            return mix(mix(mix(mix(1, static_cast<std::uint64_t>(k.op)), k.a), k.b), k.c);
        }
    };

    const Kernel& kernel_;
    const Loop& loop_;
    const bool shares_; // one instance alone comes without repetitions
    const std::vector<bool> live_;
    FlatProgram program_;
    std::size_t segment_ = 0, instance_ = 0;
    std::int64_t i_ = 0;
    std::vector<std::uint32_t> value_; // of the current instance: number in program_.body
    std::vector<std::array<std::uint32_t, reduction_width>> partials_;
    std::unordered_map<ElementKey, std::uint32_t, Hash> reads_;
    std::unordered_map<InstructionKey, std::uint32_t, Hash> known_;
};

// Greedy: of the kinds that have operations ready, take the one with the most. Arithmetic runs go on while their own
// results make more of the same kind ready (sums, products), since they are executed in order; elementary functions
// are evaluated all at once.
class RunScheduler {
public:
    explicit RunScheduler(const std::vector<Instruction>& body) : body_(body) {
        find_users();
        for (std::uint32_t k = 0; k < body.size(); ++k)
            if (!is_leaf(body[k].op) && missing_[k] == 0) ready(k);
    }

    RunSchedule run() {
        for (;;) {
            const auto most = std::max_element(ready_.begin(), ready_.end(),
                                               [](const auto& a, const auto& b) { return a.size() < b.size(); });
            if (most->empty()) return std::move(result_);
            emit(static_cast<Op>(most - ready_.begin()));
        }
    }

private:
    template <class Visit> void for_operands(std::uint32_t k, Visit visit) const {
        const Instruction& i = body_[k];
        if (arity(i.op) > 0 && !is_leaf(body_[i.a].op)) visit(i.a);
        if (arity(i.op) > 1 && !is_leaf(body_[i.b].op)) visit(i.b);
        if (arity(i.op) > 2 && !is_leaf(body_[i.c].op)) visit(i.c);
    }

    void find_users() {
        missing_.assign(body_.size(), 0);
        first_user_.assign(body_.size() + 1, 0);
        for (std::uint32_t k = 0; k < body_.size(); ++k)
            for_operands(k, [&](std::uint32_t o) { ++first_user_[o + 1], ++missing_[k]; });
        for (std::size_t k = 0; k < body_.size(); ++k) first_user_[k + 1] += first_user_[k];
        users_.resize(first_user_.back());
        auto next = first_user_;
        for (std::uint32_t k = 0; k < body_.size(); ++k)
            for_operands(k, [&](std::uint32_t o) { users_[next[o]++] = k; });
    }

    void ready(std::uint32_t k) { ready_[static_cast<int>(body_[k].op)].push_back(k); }

    void emit(Op op) {
        auto& list = ready_[static_cast<int>(op)];
        const auto first = static_cast<std::uint32_t>(result_.order.size());
        const std::size_t n = list.size();
        std::size_t done = 0;
        for (; done < (is_elementary(op) ? n : list.size()); ++done) {
            const std::uint32_t k = list[done];
            result_.order.push_back(k);
            for (auto u = first_user_[k]; u < first_user_[k + 1]; ++u)
                if (--missing_[users_[u]] == 0) ready(users_[u]);
        }
        list.erase(list.begin(), list.begin() + done);
        result_.runs.push_back({op, first, static_cast<std::uint32_t>(done)});
    }

    const std::vector<Instruction>& body_;
    std::vector<std::uint32_t> missing_;            // operands not yet computed
    std::vector<std::uint32_t> first_user_, users_; // who uses value k: users_[first_user_[k] ..]
    std::array<std::vector<std::uint32_t>, n_list_ops> ready_;
    RunSchedule result_;
};

} // namespace

FlatProgram flatten(const Kernel& kernel, const Loop& loop) {
    return Flattener(kernel, loop).run();
}

RunSchedule schedule_runs(const std::vector<Instruction>& body) {
    return RunScheduler(body).run();
}

} // namespace vessiot::expr
