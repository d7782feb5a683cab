#include "lanes/round_places.hpp"

namespace vessiot::lanes {

std::vector<FixedInput> fixed_inputs(const expr::Kernel& round) {
    std::vector<FixedInput> result;
    const expr::Loop& loop = round.loops.front();
    for (const expr::Instruction& i : loop.body) {
        if (i.op != expr::Op::read) continue;
        const std::uint32_t buffer = loop.addresses[i.a].buffer;
        if (buffer >= method::parameter_input && buffer <= method::term_input)
            result.push_back({buffer, loop.starts[i.a]});
    }
    return result;
}

namespace {

std::uint32_t place_of(std::uint32_t buffer, std::int64_t element, std::int64_t n) {
    const auto e = static_cast<std::uint32_t>(element);
    switch (buffer) {
    case method::start_input:
    case point_out: return point_place + e;
    case method::first_input:
    case direction_out: return direction_place(n) + e;
    default: return element == accepted_number ? accepted_place(n) : e; // numbers
    }
}

} // namespace

expr::RepeatedList repeated(const expr::Kernel& round, std::int64_t n, Crew crew) {
    const expr::Loop& loop = round.loops.front();
    expr::RepeatedList list{.kernel = &round,
                            .reads = std::vector<expr::RepeatedList::Read>(loop.addresses.size()),
                            .stores = {},
                            .n_state = static_cast<std::uint32_t>(n_state(n, crew)),
                            .n_fixed = static_cast<std::uint32_t>(fixed_inputs(round).size()),
                            .outcome = static_cast<std::uint32_t>(outcome_number)};
    std::uint32_t next = 0;
    for (const expr::Instruction& i : loop.body) { // in the order of fixed_inputs()
        if (i.op != expr::Op::read) continue;
        const std::uint32_t buffer = loop.addresses[i.a].buffer;
        const bool is_fixed = buffer >= method::parameter_input && buffer <= method::term_input;
        list.reads[i.a] = {is_fixed ? next++ : place_of(buffer, loop.starts[i.a], n), is_fixed};
    }
    for (const expr::Store& s : loop.stores)
        list.stores.push_back(place_of(loop.addresses[s.address].buffer, loop.starts[s.address], n));
    return list;
}

} // namespace vessiot::lanes
