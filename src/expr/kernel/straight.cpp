#include "expr/kernel/straight.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vessiot::expr {

namespace {

constexpr std::uint32_t nothing = ~std::uint32_t{0};

std::uint64_t key(std::uint32_t buffer, std::int64_t element) {
    return (std::uint64_t{buffer} << 32) | static_cast<std::uint32_t>(element);
}

} // namespace

std::size_t StraightBuilder::Hash::operator()(const Instruction& i) const {
    std::size_t h = static_cast<std::size_t>(i.op) + 1;
    for (const std::uint32_t x : {i.a, i.b, i.c}) h = (h ^ x) * 0x9e3779b97f4a7c15U + (h >> 29);
    return h;
}

std::uint32_t StraightBuilder::buffer(const std::string& name, BufferRole role, std::int64_t size) {
    kernel_.buffers.push_back({name, role, size, -1});
    return static_cast<std::uint32_t>(kernel_.buffers.size() - 1);
}

std::uint32_t StraightBuilder::input(const std::string& name, std::int64_t size) {
    return buffer(name, BufferRole::input, size);
}

std::uint32_t StraightBuilder::output(const std::string& name, std::int64_t size) {
    return buffer(name, BufferRole::output, size);
}

std::uint32_t StraightBuilder::address(std::uint32_t buffer, std::int64_t element) {
    loop_.addresses.push_back({buffer, -1, 0});
    loop_.starts.push_back(element);
    return static_cast<std::uint32_t>(loop_.addresses.size() - 1);
}

StraightBuilder::Value StraightBuilder::intern(const Instruction& i) {
    const auto [at, is_new] = known_.try_emplace(i, static_cast<Value>(loop_.body.size()));
    if (!is_new) return at->second;
    loop_.body.push_back(i);
    int ready = 0;
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int o = 0; o < arity(i.op); ++o) ready = std::max(ready, ready_[operands[o]]);
    ready_.push_back(ready + delay(i.op));
    n_operations_ += is_leaf(i.op) ? 0 : 1;
    return at->second;
}

StraightBuilder::Value StraightBuilder::constant(Quad number) {
    const auto at = std::ranges::find(kernel_.constants, number);
    const auto k = static_cast<std::uint32_t>(at - kernel_.constants.begin());
    if (at == kernel_.constants.end()) kernel_.constants.push_back(number);
    return intern({Op::constant, k, 0, 0});
}

void StraightBuilder::fix(std::uint32_t buffer, std::int64_t element, double number) {
    fixed_[key(buffer, element)] = number;
}

StraightBuilder::Value StraightBuilder::read(std::uint32_t buffer, std::int64_t element) {
    if (const auto known = fixed_.find(key(buffer, element)); known != fixed_.end()) return constant(known->second);
    const auto [at, is_new] = addresses_.try_emplace(key(buffer, element));
    if (is_new) at->second = address(buffer, element);
    return intern({Op::read, at->second, 0, 0});
}

// Of a usual processor, in cycles.
int StraightBuilder::delay(Op op) const {
    if (is_leaf(op)) return 0;
    if (is_elementary(op)) return 40;
    return op == Op::div ? 13 : op == Op::sqrt ? 20 : 4;
}

// (x y) b as x (y b) where x is known late
StraightBuilder::Value StraightBuilder::product(Value a, Value b) {
    if (ready_[a] < ready_[b]) std::swap(a, b);
    const Instruction& left = loop_.body[a];
    if (left.op == Op::mul) {
        auto [x, y] = std::pair(left.a, left.b);
        if (ready_[x] < ready_[y]) std::swap(x, y);
        // NOTE: where there is little to gain, products that others share are worth more
        if (std::max(ready_[y], ready_[b]) + 3 * delay(Op::mul) < ready_[a]) {
            b = product(y, b);
            a = x;
        }
    }
    return intern({Op::mul, std::min(a, b), std::max(a, b), 0});
}

// a / b for b = sqrt(u) or p sqrt(u)
std::optional<StraightBuilder::Value> StraightBuilder::split(Value a, Value b) {
    const auto is_root = [&](Value v) { return loop_.body[v].op == Op::sqrt; };
    const Instruction& below = loop_.body[b];
    Value root = b;
    std::optional<Value> rest;
    if (below.op == Op::mul && (is_root(below.a) || is_root(below.b))) {
        root = is_root(below.b) ? below.b : below.a;
        rest = root == below.b ? below.a : below.b;
    }
    if (!is_root(root)) return std::nullopt;
    const Value u = loop_.body[root].a;
    const int together = rest ? std::max(ready_[u], ready_[*rest]) + delay(Op::mul) : ready_[u];
    const int apart = std::max(ready_[root], std::max(ready_[a], together) + delay(Op::div)) + delay(Op::mul);
    if (apart >= std::max(ready_[a], ready_[b]) + delay(Op::div)) return std::nullopt;
    return product(root, quotient(a, rest ? product(*rest, u) : u));
}

// a / b as a (1 / b) where b is known early
StraightBuilder::Value StraightBuilder::quotient(Value a, Value b) {
    if (splits_roots_)
        if (const auto apart = split(a, b)) return *apart;
    const bool is_late = std::max(ready_[a], ready_[b] + delay(Op::div)) + delay(Op::mul) <
                         std::max(ready_[a], ready_[b]) + delay(Op::div);
    if (!is_late || loop_.body[b].op == Op::constant) return intern({Op::div, a, b, 0});
    return product(a, intern({Op::div, constant(1), b, 0}));
}

StraightBuilder::Value StraightBuilder::apply(Op op, Value a, Value b, Value c) {
    if (op == Op::mul) return product(a, b);
    if (op == Op::div) return quotient(a, b);
    if (op == Op::add && b < a) std::swap(a, b);
    return intern({op, a, b, c});
}

StraightBuilder::Value StraightBuilder::sum(std::vector<Value> terms) {
    if (terms.empty()) return constant(0);
    while (terms.size() > 1) {
        std::size_t n = 0;
        for (std::size_t k = 0; k + 1 < terms.size(); k += 2) terms[n++] = add(terms[k], terms[k + 1]);
        if (terms.size() % 2 == 1) terms[n++] = terms.back();
        terms.resize(n);
    }
    return terms[0];
}

// Operations that were made before are not found again: they may have been arranged in another way.
void StraightBuilder::begin_block(const std::vector<Value>& values) {
    std::erase_if(known_, [](const auto& entry) { return !is_leaf(entry.first.op); });
    for (const Value v : values) ready_[v] = 0;
}

void StraightBuilder::store(std::uint32_t buffer, std::int64_t element, Value value) {
    loop_.stores.push_back({value, address(buffer, element), StoreMode::assign});
}

// Without what reaches no store.
std::shared_ptr<const Kernel> StraightBuilder::kernel() const {
    std::vector<char> is_live(loop_.body.size(), 0);
    for (const Store& s : loop_.stores) is_live[s.value] = 1;
    const auto operands = [](Instruction& i) { return std::array<std::uint32_t*, 3>{&i.a, &i.b, &i.c}; };
    for (std::size_t k = loop_.body.size(); k-- > 0;) {
        Instruction i = loop_.body[k];
        for (int o = 0; is_live[k] && o < arity(i.op); ++o) is_live[*operands(i)[static_cast<std::size_t>(o)]] = 1;
    }
    auto result = std::make_shared<Kernel>(kernel_);
    Loop loop = loop_;
    std::vector<std::uint32_t> number(loop.body.size(), nothing);
    std::uint32_t n = 0;
    for (std::size_t k = 0; k < loop_.body.size(); ++k) {
        if (!is_live[k]) continue;
        Instruction i = loop_.body[k];
        for (int o = 0; o < arity(i.op); ++o) {
            std::uint32_t& operand = *operands(i)[static_cast<std::size_t>(o)];
            operand = number[operand];
        }
        number[k] = n;
        loop.body[n++] = i;
    }
    loop.body.resize(n);
    for (Store& s : loop.stores) s.value = number[s.value];
    result->loops.push_back(std::move(loop));
    return result;
}

StraightFormula::StraightFormula(const Kernel& kernel) : kernel_(kernel), has_calls_(!kernel.externals.empty()) {
    for (const Loop& loop : kernel.loops) {
        loops_.push_back(flatten(kernel, loop));
        n_operations_ += std::ranges::count_if(loops_.back().body, [](const Instruction& i) { return !is_leaf(i.op); });
    }
}

std::vector<std::vector<StraightFormula::Value>> StraightFormula::put(StraightBuilder& to, const Reader& read,
                                                                      bool exactly) const {
    std::vector<std::vector<Value>> written(kernel_.buffers.size());
    for (std::size_t b = 0; b < written.size(); ++b)
        if (kernel_.buffers[b].role == BufferRole::scratch || kernel_.buffers[b].role == BufferRole::output)
            written[b].assign(static_cast<std::size_t>(kernel_.buffers[b].size), nothing);
    const auto element = [&](const FlatProgram::Element& e) -> Value {
        const Buffer& buffer = kernel_.buffers[e.buffer];
        if (buffer.role == BufferRole::input) return read(e.buffer, e.index);
        const auto k = static_cast<std::size_t>(e.index);
        if (buffer.role == BufferRole::literal)
            return to.constant(kernel_.literals[static_cast<std::size_t>(buffer.literal)][k]);
        const Value v = written[e.buffer][k];
        return v == nothing ? to.constant(0) : v;
    };
    const auto made = [&](Op op, Value a, Value b, Value c) {
        return exactly ? to.exactly(op, a, b, c) : to.apply(op, a, b, c);
    };
    std::vector<Value> values;
    for (const FlatProgram& loop : loops_) {
        values.assign(loop.body.size(), nothing);
        for (std::size_t k = 0; k < loop.body.size(); ++k) {
            const Instruction& i = loop.body[k];
            if (i.op == Op::constant)
                values[k] = to.constant(i.a < kernel_.constants.size() ? kernel_.constants[i.a] : Quad(0));
            else if (i.op == Op::read)
                values[k] = element(loop.reads[i.a]);
            else
                values[k] =
                    made(i.op, values[i.a], arity(i.op) > 1 ? values[i.b] : 0, arity(i.op) > 2 ? values[i.c] : 0);
        }
        for (const FlatProgram::Store& s : loop.stores) {
            Value& at = written[s.to.buffer][static_cast<std::size_t>(s.to.index)];
            at = s.is_add && at != nothing ? to.add(at, values[s.value]) : values[s.value];
        }
    }
    std::vector<std::vector<Value>> outputs;
    for (std::size_t b = 0; b < written.size(); ++b) {
        if (kernel_.buffers[b].role != BufferRole::output) continue;
        for (Value& v : written[b])
            if (v == nothing) v = to.constant(0);
        outputs.push_back(std::move(written[b]));
    }
    return outputs;
}

} // namespace vessiot::expr
