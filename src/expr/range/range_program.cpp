#include "expr/range/range_program.hpp"

#include <map>
#include <utility>

#include "expr/interpreter/flat_program.hpp"

namespace vessiot::expr {

namespace {

constexpr std::int64_t most_operations = 2000;

} // namespace

std::optional<RangeProgram> RangeProgram::make(Graph& g, const std::vector<BufferSpec>& inputs, NodeId value) {
    IndexSpace& index = g.index();
    const ArrayId array =
        g.define("range", {0}, {1}, {{index.scalar_domain(), index.list({index.constant(0)}), value}}, true);
    LowerOptions options;
    options.hoist = false;
    const Lowered lowered = lower(g, inputs, {{"range", {array}}}, options);
    const Kernel& kernel = *lowered.kernel;
    if (kernel.n_evaluated() > most_operations || !kernel.externals.empty()) return std::nullopt;

    RangeProgram program;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> places; // of what buffers hold
    const auto add_value = [&](const Range& r) {
        program.values_.push_back(r);
        return static_cast<std::uint32_t>(program.values_.size() - 1);
    };
    const auto place_of = [&](const FlatProgram::Element& e) {
        const auto [at, is_new] = places.try_emplace({e.buffer, e.index}, 0);
        if (!is_new) return at->second;
        const Buffer& buffer = kernel.buffers[e.buffer];
        if (buffer.role == BufferRole::literal) {
            const Quad x = kernel.literals[static_cast<std::size_t>(buffer.literal)][static_cast<std::size_t>(e.index)];
            return at->second = add_value(Range::constant(static_cast<double>(x)));
        }
        at->second = add_value({});
        if (buffer.role == BufferRole::input) {
            program.reads_.push_back({e.buffer, e.index});
            program.read_to_.push_back(at->second);
        }
        return at->second;
    };
    for (const Loop& loop : kernel.loops) {
        const FlatProgram flat = flatten(kernel, loop);
        std::vector<std::uint32_t> value_of(flat.body.size());
        for (std::size_t k = 0; k < flat.body.size(); ++k) {
            const Instruction& i = flat.body[k];
            if (i.op == Op::constant) {
                const bool is_zero = i.a == kernel.constants.size();
                value_of[k] = add_value(Range::constant(is_zero ? 0 : static_cast<double>(kernel.constants[i.a])));
            } else if (i.op == Op::read) {
                value_of[k] = place_of(flat.reads[i.a]);
            } else {
                const int n = arity(i.op);
                value_of[k] = add_value({});
                program.steps_.push_back(
                    {i.op, value_of[k], value_of[i.a], n > 1 ? value_of[i.b] : 0, n > 2 ? value_of[i.c] : 0});
            }
        }
        for (const FlatProgram::Store& s : flat.stores) {
            std::uint32_t from = value_of[s.value];
            const auto before = places.find({s.to.buffer, s.to.index});
            if (s.is_add && before != places.end()) {
                const std::uint32_t sum = add_value({});
                program.steps_.push_back({Op::add, sum, before->second, from, 0});
                from = sum;
            }
            places[{s.to.buffer, s.to.index}] = from;
            if (kernel.buffers[s.to.buffer].role == BufferRole::output) program.result_ = from;
        }
    }
    return program;
}

Range RangeProgram::operator()(const Range* reads) {
    for (std::size_t k = 0; k < read_to_.size(); ++k) values_[read_to_[k]] = reads[k];
    for (const Step& s : steps_) values_[s.result] = apply(s.op, values_[s.a], values_[s.b], values_[s.c]);
    return values_[result_];
}

} // namespace vessiot::expr
