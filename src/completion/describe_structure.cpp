#include "completion/describe_structure.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "system/describe/text_layout.hpp"

namespace vessiot {

namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::int64_t n, std::string_view noun) {
    return plural(static_cast<std::size_t>(n), noun);
}

SubSystemText sub_system(const System& system, const Signature& s, const SubSystem& part) {
    SubSystemText text;
    std::size_t family = 0, last = system.equations.size();
    for (const std::int32_t i : part.equations) {
        while (i >= s.equations[family + 1]) ++family;
        if (family != last) {
            text.equations.push_back({describe_equation(system, system.equations[family])});
            last = family;
        }
        ++text.equations.back().count;
        text.numbers.push_back(i + 1);
    }
    for (const std::int32_t j : part.unknowns) text.unknowns.push_back(element_name(system, j));
    return text;
}

// Components of one equation between vectors have its text: they are shown once.
void append(std::vector<EquationOffset>& list, EquationOffset e) {
    if (!list.empty()) {
        EquationOffset& last = list.back();
        if (e.equation.line > 0 && last.equation.line == e.equation.line && last.equation.text == e.equation.text &&
            last.equation.domain == e.equation.domain && last.c.lowest == e.c.lowest && last.c.highest == e.c.highest) {
            last.equation.count += e.equation.count;
            last.c.count += e.c.count;
            return;
        }
    }
    list.push_back(std::move(e));
}

std::string times(std::int32_t n) {
    return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

std::string equation_text(const StatementText& e) {
    return e.domain.empty() ? e.text : fmt::format("for {}: {}", e.domain, e.text);
}

std::string differentiated_text(const EquationOffset& e) {
    std::string text = "differentiated ";
    if (!e.c.is_uniform()) text += e.c.lowest > 0 ? times(e.c.lowest) + " to " : "up to ";
    text += times(e.c.highest);
    if (!e.equation.domain.empty()) text += " for " + e.equation.domain;
    text += ": " + e.equation.text;
    if (e.equation.domain.empty() && e.equation.count > 1) text += fmt::format("   ({} equations)", e.equation.count);
    return text;
}

std::string blocks_text(const StructureText& s) {
    if (s.n_blocks == 1) return fmt::format("1 block of {}", counted(s.largest_block, "equation"));
    if (s.largest_block == 1) return fmt::format("{} blocks of 1 equation", s.n_blocks);
    return fmt::format("{} blocks, the largest of {}", s.n_blocks, counted(s.largest_block, "equation"));
}

void singular_text(TextLayout& out, const SubSystemText& part, bool is_over) {
    const std::int64_t n_equations = std::ssize(part.numbers), n_unknowns = std::ssize(part.unknowns);
    out.line(fmt::format("too {}: {} for {}", is_over ? "many" : "few", counted(n_equations, "equation"),
                         counted(n_unknowns, "unknown")));
    std::vector<std::string> lines;
    lines.reserve(part.equations.size());
    for (const PartOfFamily& e : part.equations) {
        lines.push_back("  " + equation_text(e.equation));
        if (e.count < e.equation.count) lines.back() += fmt::format("   ({} of {})", e.count, e.equation.count);
    }
    out.lines(lines);
    if (!part.unknowns.empty()) out.items("  unknowns ", part.unknowns);
}

Json offset(const OffsetRange& range) {
    return range.is_uniform() ? Json(range.lowest) : Json{range.lowest, range.highest};
}

Json sub_system_json(const SubSystemText& part) {
    return {{"equations", part.numbers}, {"unknowns", part.unknowns}};
}

// Is it a motion, of positions with velocities: all that has derivatives is of second order, or a hamiltonian says so?
bool is_motion(const System& system) {
    if (system.hamiltonian) return true;
    const auto has_order = [&](int order) {
        return std::ranges::any_of(system.unknowns, [&](const Unknown& u) { return u.order == order; });
    };
    return has_order(2) &&
           std::ranges::all_of(system.unknowns, [](const Unknown& u) { return u.order == 0 || u.order == 2; });
}

// How many equations contain velocities and nothing higher. With more equations than unknowns such are taken for the
// derivatives of others.
std::int64_t count_velocity_equations(const System& system) {
    const expr::Graph& g = *system.graph;
    constexpr std::int64_t most = std::int64_t{1} << 31;
    std::int64_t n = 0, n_equations = 0, n_unknowns = 0;
    for (const Unknown& u : system.unknowns) n_unknowns += g.array(u.array).size();
    for (const Equation& e : system.equations) {
        if (e.kind == EquationKind::consequence) continue;
        const std::int64_t count = g.index().count(e.domain, most);
        n_equations += count;
        if (system.hamiltonian && e.kind != EquationKind::constraint) continue;
        int highest = 0;
        for (const expr::ArrayId a : expr::dependencies(g, {e.residual}))
            if (g.array(a).role == expr::ArrayRole::unknown) highest = std::max(highest, g.array(a).order);
        if (highest == 1) n += count;
    }
    return n_equations > n_unknowns ? 0 : n;
}

} // namespace

std::int64_t degrees_of_freedom(const System& system, std::int64_t phase_dimension) {
    if (!is_motion(system)) return phase_dimension;
    const std::int64_t twice = phase_dimension - count_velocity_equations(system);
    return twice >= 0 && twice % 2 == 0 ? twice / 2 : phase_dimension;
}

StructureText describe(const System& system, const Structure& structure) {
    StructureText text;
    const Signature& s = structure.signature;
    text.n_equations = s.n_equations;
    text.n_unknowns = s.n_unknowns;
    text.is_square = structure.is_square;
    text.is_regular = structure.is_regular;
    if (!structure.is_regular) {
        text.overdetermined = sub_system(system, s, structure.singular.overdetermined);
        text.underdetermined = sub_system(system, s, structure.singular.underdetermined);
        return text;
    }
    const std::int64_t dimension = structure.phase_dimension;
    text.index = structure.index;
    text.manifold_dimension = dimension + 1;
    text.degrees_of_freedom = degrees_of_freedom(system, dimension);
    text.hidden_constraints = structure.constraints.hidden;
    for (std::size_t k = 0; k < structure.c.size(); ++k)
        append(text.equations, {describe_equation(system, system.equations[k]), structure.c[k]});
    for (std::size_t k = 0; k < structure.d.size(); ++k)
        text.unknowns.push_back({system.unknowns[k].name, structure.d[k]});
    text.n_blocks = structure.blocks.n_blocks();
    text.largest_block = structure.blocks.largest();
    return text;
}

std::string to_text(const StructureText& s, const TextOptions& options) {
    TextLayout out(options.full);
    out.heading("Structural analysis");
    if (!s.is_square) {
        out.line(fmt::format("{} for {}: there is no structure to pair them by; numbers decide",
                             counted(s.n_equations, "equation"), counted(s.n_unknowns, "unknown")));
        return out.finish();
    }
    if (!s.is_regular) {
        out.line("structurally singular: unknowns and equations cannot be paired");
        singular_text(out, s.overdetermined, true);
        singular_text(out, s.underdetermined, false);
        return out.finish();
    }
    out.line(fmt::format(
        "structural index {}, {}, {}", s.index, counted(s.degrees_of_freedom, "degree") + " of freedom",
        s.hidden_constraints == 0 ? "no hidden constraints" : counted(s.hidden_constraints, "hidden constraint")));
    std::vector<std::string> lines;
    for (const EquationOffset& e : s.equations)
        if (e.c.highest > 0) lines.push_back(differentiated_text(e));
    for (const UnknownOffset& u : s.unknowns)
        if (!u.d.is_uniform())
            lines.push_back(
                fmt::format("highest derivative of {}: order {} to {}, by element", u.name, u.d.lowest, u.d.highest));
    out.lines(lines);
    out.line("for the highest derivatives: " + blocks_text(s));
    out.line("by structure alone, without numbers: terms that cancel are not noticed");
    return out.finish();
}

Json to_json(const StructureText& s) {
    Json result = {{"structural_index", nullptr},
                   {"degrees_of_freedom", nullptr},
                   {"manifold_dimension", nullptr},
                   {"hidden_constraints", nullptr},
                   {"offsets", nullptr},
                   {"blocks", nullptr}};
    if (s.is_square && !s.is_regular)
        result["structurally_singular"] = {{"overdetermined", sub_system_json(s.overdetermined)},
                                           {"underdetermined", sub_system_json(s.underdetermined)}};
    if (!s.is_regular) return result;
    result["structural_index"] = s.index;
    result["degrees_of_freedom"] = s.degrees_of_freedom;
    result["manifold_dimension"] = s.manifold_dimension;
    result["hidden_constraints"] = s.hidden_constraints;
    Json equations = Json::array(), unknowns = Json::array();
    for (const EquationOffset& e : s.equations)
        equations.push_back({{"text", e.equation.text},
                             {"domain", e.equation.domain.empty() ? Json(nullptr) : Json(e.equation.domain)},
                             {"count", e.equation.count},
                             {"c", offset(e.c)}});
    for (const UnknownOffset& u : s.unknowns)
        unknowns.push_back({{"name", u.name}, {"count", u.d.count}, {"d", offset(u.d)}});
    result["offsets"] = {{"equations", std::move(equations)}, {"unknowns", std::move(unknowns)}};
    result["blocks"] = {{"count", s.n_blocks}, {"largest", s.largest_block}};
    return result;
}

} // namespace vessiot
