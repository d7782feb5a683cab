#include "expr/kernel/lower.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "expr/graph/derivative.hpp"
#include "expr/graph/split.hpp"
#include "expr/kernel/gather.hpp"
#include "expr/kernel/layout.hpp"

namespace vessiot::expr {

namespace {

// One value and where it goes, for every instance of a domain.
struct Item {
    int layer = 0; // items read only what earlier layers wrote
    DomainId domain = 0;
    AddressForm target;
    NodeId body = 0;
    bool is_sum = false; // accumulates
};

// A parameter expression that the prologue computes: position in the hoisted buffer.
struct Hoisted {
    DomainId domain = 0;
    FormId position = 0;
    NodeId body = 0;
};

// Builds the body of one loop: instructions in an order that keeps operands close to their use.
class BodyBuilder {
public:
    using Place = std::function<AddressForm(NodeId read)>;
    using Hoist = std::function<std::optional<AddressForm>(NodeId)>;

    BodyBuilder(Graph& g, Kernel& kernel, std::unordered_map<NodeId, std::uint32_t>& constants, Place place,
                Hoist hoist)
        : graph_(g), kernel_(kernel), constants_(constants), place_(std::move(place)), hoist_(std::move(hoist)) {}

    std::uint32_t value(NodeId root) {
        std::vector<NodeId> stack{root};
        while (!stack.empty()) {
            const NodeId n = stack.back();
            if (values_.contains(n)) {
                stack.pop_back();
                continue;
            }
            const Node x = graph_.node(n); // a copy: hoisting may make nodes
            const NodeId operands[] = {x.a, x.b, x.c};
            if (x.op == Op::constant) {
                emit(n, {Op::constant, constant(n)});
            } else if (x.op == Op::index_value) {
                emit(n, {Op::read, 0}); // patched once the number of addresses is known
                literal_reads_.emplace_back(values_.at(n), literal(x.a));
            } else if (x.op == Op::read) {
                emit(n, {Op::read, address(place_(n))});
            } else if (auto place = x.op == Op::argument ? std::nullopt : hoist_(n)) {
                emit(n, {Op::read, address(*place)});
            } else {
                bool is_ready = true;
                for (int k = arity(x.op); k-- > 0;)
                    if (!values_.contains(operands[k])) {
                        stack.push_back(operands[k]);
                        is_ready = false;
                    }
                if (!is_ready) continue;
                Instruction i{x.op, values_.at(x.a)};
                if (arity(x.op) > 1) i.b = values_.at(x.b);
                if (arity(x.op) > 2) i.c = values_.at(x.c);
                if (x.op == Op::call) i.b = external(x.b), i.c = x.c;
                emit(n, i);
            }
            stack.pop_back();
        }
        return values_.at(root);
    }

    std::uint32_t address(const AddressForm& a) {
        auto [it, is_new] = address_ids_.try_emplace(a, static_cast<std::uint32_t>(addresses.size()));
        if (is_new) addresses.push_back(a);
        return it->second;
    }

    // Literal addresses come after the others.
    void patch_literals() {
        for (auto [value, k] : literal_reads_) body[value].a = static_cast<std::uint32_t>(addresses.size()) + k;
    }

    std::vector<AddressForm> addresses;
    std::vector<FormId> literals;
    std::vector<Instruction> body;

private:
    void emit(NodeId n, Instruction i) {
        values_.emplace(n, static_cast<std::uint32_t>(body.size()));
        body.push_back(i);
    }
    std::uint32_t constant(NodeId n) {
        auto [it, is_new] = constants_.try_emplace(n, static_cast<std::uint32_t>(kernel_.constants.size()));
        if (is_new) kernel_.constants.push_back(graph_.value(n));
        return it->second;
    }
    std::uint32_t external(std::uint32_t number) {
        auto& all = kernel_.externals;
        const auto it = std::find(all.begin(), all.end(), graph_.external(number));
        if (it != all.end()) return static_cast<std::uint32_t>(it - all.begin());
        all.push_back(graph_.external(number));
        return static_cast<std::uint32_t>(all.size() - 1);
    }
    std::uint32_t literal(FormId f) {
        const auto it = std::find(literals.begin(), literals.end(), f);
        if (it == literals.end()) literals.push_back(f);
        return static_cast<std::uint32_t>(std::find(literals.begin(), literals.end(), f) - literals.begin());
    }

    Graph& graph_;
    Kernel& kernel_;
    std::unordered_map<NodeId, std::uint32_t>& constants_;
    Place place_;
    Hoist hoist_;
    std::unordered_map<NodeId, std::uint32_t> values_;
    std::map<AddressForm, std::uint32_t> address_ids_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> literal_reads_;
};

class Lowering {
public:
    Lowering(Graph& g, const std::vector<BufferSpec>& inputs, bool hoist) : graph_(g), hoist_(hoist) {
        for (const BufferSpec& b : inputs) add_buffer(b, BufferRole::input);
        if (hoist_) hoisted_buffer_ = add_buffer({"hoisted", {}}, BufferRole::input);
    }

    std::uint32_t add_buffer(const BufferSpec& spec, BufferRole role) {
        const auto number = static_cast<std::uint32_t>(kernel_.buffers.size());
        kernel_.buffers.push_back({.name = spec.name, .role = role});
        for (ArrayId a : spec.arrays) place(a, number);
        return number;
    }

    void add_outputs(const std::vector<BufferSpec>& outputs, std::int64_t expand_limit) {
        for (const BufferSpec& b : outputs) add_buffer(b, BufferRole::output);
        add_scratch();
        std::vector<Contribution> all;
        for (const BufferSpec& b : outputs)
            for (ArrayId a : b.arrays)
                all.insert(all.end(), graph_.array(a).definition.begin(), graph_.array(a).definition.end());
        const bool is_small = expand_limit > 0 && expanded_size(graph_, all, expand_limit) <= expand_limit;
        for (const BufferSpec& b : outputs)
            for (ArrayId a : b.arrays) is_small ? define_expanded(a) : define(a);
    }

    // Arrays between the loops; sums have a buffer of their own, which starts at zero.
    void add_scratch() {
        scratch_buffer_ = add_buffer({"scratch", {}}, BufferRole::scratch);
        sums_buffer_ = add_buffer({"sums", {}}, BufferRole::scratch);
    }

    // What the main kernel hoisted, as outputs of this one.
    void add_hoisted(const Lowering& main) {
        const std::uint32_t out = add_buffer({"hoisted", {}}, BufferRole::output);
        kernel_.buffers[out].size = main.hoisted_size_;
        add_scratch();
        for (auto [a, form] : main.hoisted_arrays_) {
            places_[a] = {out, form};
            layers_.erase(a);
        }
        for (auto [a, form] : main.hoisted_arrays_) define(a);
        for (const Hoisted& h : main.hoisted_) add_item({1 + layer_of(h.body), h.domain, {out, h.position}, h.body});
    }

    bool has_hoisted() const { return hoisted_size_ > 0; }

    std::shared_ptr<const Kernel> finish() {
        std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
            return std::pair(a.layer, a.domain) < std::pair(b.layer, b.domain);
        });
        fill_with_zeros({sums_buffer_, 0}, kernel_.buffers[sums_buffer_].size, 0);
        std::size_t i = 0;
        for (int layer = 0; layer <= n_layers_; ++layer) {
            for (auto& [of_layer, fill] : fills_)
                if (of_layer == layer) kernel_.loops.push_back(std::move(fill));
            while (i < items_.size() && items_[i].layer == layer) i = add_loops(i);
        }
        drop_empty_hoisted();
        return std::make_shared<const Kernel>(std::move(kernel_));
    }

private:
    struct Place {
        std::uint32_t buffer = 0;
        std::int64_t offset = 0;
    };

    // The items from number i on that share layer and domain, in one loop if possible; returns the next one.
    std::size_t add_loops(std::size_t i) {
        const std::size_t first = i;
        while (i < items_.size() && items_[i].layer == items_[first].layer && items_[i].domain == items_[first].domain)
            ++i;
        std::vector<Item> group(items_.begin() + static_cast<std::ptrdiff_t>(first),
                                items_.begin() + static_cast<std::ptrdiff_t>(i));
        // one store per buffer and loop may add (reductions apart): the others follow in loops of their own
        while (!group.empty()) group = add_loop(group);
        return i;
    }

    void place(ArrayId a, std::uint32_t buffer) {
        places_[a] = {buffer, kernel_.buffers[buffer].size};
        kernel_.buffers[buffer].size += graph_.array(a).size();
    }

    AddressForm address_of(ArrayId a, ListId indices) {
        const Place p = places_.at(a);
        return {p.buffer, graph_.index().add(graph_.address_form(a, indices), graph_.index().constant(p.offset))};
    }

    // Number of layers below an expression.
    int layer_of(NodeId body) {
        int layer = 0;
        for (NodeId n : graph_.cone({body}))
            if (graph_.node(n).op == Op::read) layer = std::max(layer, require(graph_.node(n).a));
        return layer;
    }

    // Makes sure that an array is there to be read; returns its layer (0: given from outside).
    int require(ArrayId a) {
        if (auto it = layers_.find(a); it != layers_.end()) return it->second;
        const Array& x = graph_.array(a);
        if (x.role != ArrayRole::defined) {
            if (!places_.contains(a))
                throw std::logic_error("lower: '" + graph_.print_read(a, graph_.index().list({})) +
                                       "' is read but is in no input buffer");
            return layers_[a] = 0;
        }
        if (hoist_ && !x.varies) {
            place(a, hoisted_buffer_);
            hoisted_arrays_.emplace_back(a, places_[a].offset);
            return layers_[a] = 0;
        }
        if (!places_.contains(a)) place(a, is_accumulated(x) ? sums_buffer_ : scratch_buffer_);
        define(a);
        return layers_.at(a);
    }

    bool is_accumulated(const Array& x) const { return !x.is_disjoint && !are_disjoint(graph_.index(), x.definition); }

    // Items (and zeros where they are needed) that compute an array that has its place.
    void define(ArrayId a) {
        if (layers_.contains(a)) return;
        Array x = graph_.array(a);
        x.definition = inline_families(graph_, x.definition, false);
        int layer = 0;
        for (const Contribution& c : x.definition) layer = std::max(layer, layer_of(c.body));
        layers_[a] = ++layer;
        std::int64_t n_covered = 0;
        for (const Contribution& c : x.definition) n_covered += graph_.index().count(c.domain, x.size());
        const bool is_sum = is_accumulated(x);
        // the buffer of sums is filled as a whole
        if (places_.at(a).buffer != sums_buffer_ && (is_sum || (!x.is_disjoint && n_covered < x.size())))
            fill_with_zeros(places_.at(a), x.size(), layer);
        for (const Contribution& c : x.definition) add_item({layer, c.domain, address_of(a, c.target), c.body, is_sum});
    }

    void define_expanded(ArrayId a) {
        const Array x = graph_.array(a);
        std::vector<NodeId> values(static_cast<std::size_t>(x.size()), graph_.zero());
        for (const Contribution& c : expand(graph_, x.definition)) {
            NodeId& v = values[static_cast<std::size_t>(graph_.address(a, c.target, {}))];
            v = graph_.add(v, c.body);
        }
        const Place p = places_.at(a);
        for (std::size_t k = 0; k < values.size(); ++k) {
            const FormId position = graph_.index().constant(p.offset + static_cast<std::int64_t>(k));
            add_item({1 + layer_of(values[k]), graph_.index().scalar_domain(), {p.buffer, position}, values[k]});
        }
    }

    void add_item(const Item& item) {
        n_layers_ = std::max(n_layers_, item.layer);
        for (const Piece& p : split_by_index_conditions(graph_, item.domain, item.body)) {
            Item part = item;
            part.domain = p.domain;
            part.body = p.body;
            items_.push_back(part);
        }
    }

    void fill_with_zeros(Place p, std::int64_t size, int layer) {
        if (size == 0) return;
        Loop fill;
        fill.addresses.push_back({.buffer = p.buffer, .stride = 1});
        fill.body.push_back({Op::constant, zero()});
        fill.stores.push_back({0, 0, StoreMode::assign});
        fill.lengths = {size};
        fill.starts = {p.offset};
        n_layers_ = std::max(n_layers_, layer);
        fills_.emplace_back(layer, std::move(fill));
    }

    std::uint32_t zero() {
        const NodeId n = graph_.zero();
        auto [it, is_new] = constants_.try_emplace(n, static_cast<std::uint32_t>(kernel_.constants.size()));
        if (is_new) kernel_.constants.push_back(0);
        return it->second;
    }

    // Parameter expressions: scalars always, families where they save more than a multiplication.
    std::optional<AddressForm> hoist(NodeId n, DomainId domain) {
        const Node x = graph_.node(n);
        if (!hoist_ || x.varies) return std::nullopt;
        IndexSpace& index = graph_.index();
        std::vector<VarId> vars;
        std::uint32_t levels = 0;
        for (VarId v : index.domain(domain).vars)
            if (x.levels >> index.loop_var(v).level & 1U) {
                vars.push_back(v);
                levels |= 1U << index.loop_var(v).level;
            }
        // a condition may be what keeps the indices in range
        const CondId cond = vars.empty() ? index.always() : index.domain(domain).cond;
        if ((index.cond_levels(cond) & ~levels) != 0) return std::nullopt;
        if (!vars.empty() && (!index.is_box(index.domain(vars)) || !is_worth_a_table(n))) return std::nullopt;
        const DomainId own = index.domain(vars, cond);
        auto [it, is_new] = hoisted_ids_.try_emplace({n, own}, 0);
        if (is_new) {
            Buffer& buffer = kernel_.buffers[hoisted_buffer_];
            std::vector<std::int64_t> lo, hi;
            index.bounding_box(index.domain(vars), lo, hi);
            std::int64_t size = 1;
            for (std::size_t k = 0; k < lo.size(); ++k) size *= hi[k] - lo[k] + 1;
            it->second = index.add(index.position_in_box(vars, lo, hi), index.constant(buffer.size));
            buffer.size += size;
            hoisted_.push_back({own, it->second, n});
            for (NodeId m : graph_.cone({n})) // arrays that it reads are needed by the prologue only
                if (graph_.node(m).op == Op::read && graph_.array(graph_.node(m).a).role == ArrayRole::defined)
                    require(graph_.node(m).a);
        }
        return AddressForm{hoisted_buffer_, it->second};
    }

    bool is_worth_a_table(NodeId n) const {
        int n_operations = 0;
        for (NodeId m : graph_.cone({n})) {
            const Op op = graph_.node(m).op;
            if (op == Op::div || op == Op::sqrt || op == Op::call || is_elementary(op)) return true;
            n_operations += !is_leaf(op);
        }
        return n_operations > 1;
    }

    // Makes a loop of the items; returns those that must not be in it.
    std::vector<Item> add_loop(const std::vector<Item>& group) {
        const DomainId domain = group[0].domain;
        BodyBuilder builder(
            graph_, kernel_, constants_, [&](NodeId n) { return address_of(graph_.node(n).a, graph_.node(n).b); },
            [&](NodeId n) { return hoist(n, domain); });
        Loop loop;
        for (const Item& item : group) {
            const std::uint32_t value = builder.value(item.body);
            loop.stores.push_back({value, builder.address(item.target), StoreMode::assign});
        }
        builder.patch_literals();
        loop.body = std::move(builder.body);
        const auto first_literal = static_cast<std::uint32_t>(kernel_.buffers.size());
        auto values = lay_out(graph_.index(), domain, builder.addresses, builder.literals, first_literal, loop);
        if (loop.lengths.empty()) return {}; // no instances
        std::vector<Item> kept, later;
        std::set<std::uint32_t> added; // buffers
        for (std::size_t k = 0; k < group.size(); ++k) {
            const Address& a = loop.addresses[loop.stores[k].address];
            if (group[k].is_sum)
                loop.stores[k].mode = a.table < 0 && a.stride == 0 ? StoreMode::reduce : StoreMode::add;
            const bool clashes = loop.stores[k].mode == StoreMode::add && !added.insert(a.buffer).second;
            (clashes ? later : kept).push_back(group[k]);
        }
        if (!later.empty()) {
            add_loop(kept);
            return later;
        }
        for (auto& v : values) {
            kernel_.buffers.push_back({.name = "index values",
                                       .role = BufferRole::literal,
                                       .size = static_cast<std::int64_t>(v.size()),
                                       .literal = static_cast<std::int32_t>(kernel_.literals.size())});
            kernel_.literals.push_back(std::move(v));
        }
        kernel_.loops.push_back(std::move(loop));
        return {};
    }

    // A kernel without parameter expressions has no hoisted buffer.
    void drop_empty_hoisted() {
        if (!hoist_) return;
        hoisted_size_ = kernel_.buffers[hoisted_buffer_].size;
        if (hoisted_size_ > 0) return;
        kernel_.buffers.erase(kernel_.buffers.begin() + hoisted_buffer_);
        for (Loop& loop : kernel_.loops)
            for (Address& a : loop.addresses) a.buffer -= a.buffer > hoisted_buffer_;
    }

    Graph& graph_;
    bool hoist_;
    std::int64_t hoisted_size_ = 0;
    int n_layers_ = 0;
    Kernel kernel_;
    std::uint32_t hoisted_buffer_ = none, scratch_buffer_ = none, sums_buffer_ = none;
    std::unordered_map<ArrayId, Place> places_;
    std::unordered_map<ArrayId, int> layers_;
    std::vector<Item> items_;
    std::vector<std::pair<int, Loop>> fills_;
    std::unordered_map<NodeId, std::uint32_t> constants_;
    std::vector<Hoisted> hoisted_;
    std::map<std::pair<NodeId, DomainId>, FormId> hoisted_ids_;
    std::vector<std::pair<ArrayId, std::int64_t>> hoisted_arrays_;
};

} // namespace

Lowered lower(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
              const LowerOptions& options) {
    Lowering main(g, inputs, options.hoist);
    main.add_outputs(outputs, options.expand_limit);
    // the loops are made first: they decide what is hoisted
    Lowered result;
    result.kernel = main.finish();
    if (main.has_hoisted()) {
        Lowering prologue(g, inputs, false);
        prologue.add_hoisted(main);
        result.prologue = prologue.finish();
    }
    return result;
}

} // namespace vessiot::expr
