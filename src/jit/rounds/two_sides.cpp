#include "jit/rounds/two_sides.hpp"

#include <algorithm>
#include <cmath>

namespace vessiot::jit {

TwoSides::TwoSides(const vessiot_jit_kernel& kernel, const vessiot_jit_loop& loop, std::uint32_t guard)
    : kernel_(kernel), loop_(loop), depends_(loop.n_body, 0), part_(loop.n_body, Part::nowhere) {
    std::vector<char> leads(loop.n_body, 0); // to the guard
    leads[guard] = depends_[guard] = 1;
    for (std::uint32_t v = guard + 1; v-- > 0;)
        if (leads[v]) for_each_operand(loop.body[v], [&](std::uint32_t u) { leads[u] = 1; });
    for (std::uint32_t v = 0; v < loop.n_body; ++v)
        for_each_operand(loop.body[v], [&](std::uint32_t u) { depends_[v] |= depends_[u]; });
    for (const int side : {0, 1}) simplify(side, guard);
    const std::vector<char> no = needed(0), yes = needed(1);
    for (std::uint32_t v = 0; v < loop.n_body; ++v) {
        if (leads[v] || (yes[v] && no[v] && !depends_[v]))
            part_[v] = Part::before;
        else
            part_[v] = yes[v] && no[v] ? Part::both : yes[v] ? Part::yes : no[v] ? Part::no : Part::nowhere;
    }
}

// Conditions, and selections by them.
std::uint32_t TwoSides::simplified(const vessiot_jit_instruction& i, const std::vector<std::uint32_t>& alias,
                                   std::uint32_t otherwise) const {
    const auto a = [&] { return alias[i.a]; };
    const auto b = [&] { return alias[i.b]; };
    switch (op_of(i)) {
    case Op::constant: {
        const double number = kernel_.constants[i.a];
        return number == 1 ? is_one : number == 0 && !std::signbit(number) ? is_zero : otherwise;
    }
    case Op::select: return a() == is_one ? b() : a() == is_zero ? alias[i.c] : otherwise;
    case Op::logical_not: return a() == is_one ? is_zero : a() == is_zero ? is_one : otherwise;
    case Op::logical_and:
        if (a() == is_zero || b() == is_zero) return is_zero;
        return a() == is_one && b() == is_one ? is_one : otherwise;
    case Op::logical_or:
        if (a() == is_one || b() == is_one) return is_one;
        return a() == is_zero && b() == is_zero ? is_zero : otherwise;
    default: return otherwise;
    }
}

void TwoSides::simplify(int side, std::uint32_t guard) {
    std::vector<std::uint32_t>& alias = alias_[static_cast<std::size_t>(side)];
    alias.resize(loop_.n_body);
    for (std::uint32_t v = 0; v < loop_.n_body; ++v)
        alias[v] = v == guard ? (side ? is_one : is_zero) : simplified(loop_.body[v], alias, v);
}

std::vector<char> TwoSides::needed(int side) const {
    const std::vector<std::uint32_t>& alias = alias_[static_cast<std::size_t>(side)];
    std::vector<char> result(loop_.n_body, 0);
    const auto need = [&](std::uint32_t v) {
        if (alias[v] < loop_.n_body) result[alias[v]] = 1;
    };
    for (std::uint32_t k = 0; k < loop_.n_stores; ++k) need(loop_.stores[k].value);
    for (std::uint32_t v = loop_.n_body; v-- > 0;)
        if (result[v]) for_each_operand(loop_.body[v], need);
    return result;
}

void TwoSides::move_before(std::uint32_t v) {
    if (part_[v] == Part::before) return;
    part_[v] = Part::before;
    for_each_operand(loop_.body[v], [&](std::uint32_t u) { move_before(u); });
}

bool TwoSides::bring_together(const std::uint32_t* calls, std::uint32_t n) {
    const auto differs = [&](std::uint32_t v) { return part_[v] != part_[calls[0]]; };
    if (std::none_of(calls, calls + n, differs)) return true;
    if (std::any_of(calls, calls + n, [&](std::uint32_t v) { return depends_[v] != 0; })) return false;
    for (std::uint32_t k = 0; k < n; ++k) move_before(calls[k]);
    return true;
}

} // namespace vessiot::jit
