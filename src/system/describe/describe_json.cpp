// A description for programs. Keys that `vessiot solve --json` has too (class, order, unknowns, equations) mean the
// same.
#include <cmath>

#include <nlohmann/json.hpp>

#include "system/describe/describe.hpp"

namespace vessiot {

namespace {

using Json = nlohmann::ordered_json;

// Numbers are written with as many digits as they need to be read back exactly; what is not finite is null.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json statement(const StatementText& s) {
    return {{"kind", s.kind},
            {"text", s.text},
            {"domain", s.domain.empty() ? Json(nullptr) : Json(s.domain)},
            {"count", s.count},
            {"line", s.line > 0 ? Json(s.line) : Json(nullptr)}};
}

Json statements(const std::vector<StatementText>& list) {
    Json result = Json::array();
    for (const StatementText& s : list) result.push_back(statement(s));
    return result;
}

Json value_of(const AssignmentText& a) {
    return a.value ? number(*a.value) : Json(nullptr);
}

Json assignments(const std::vector<AssignmentText>& list) {
    Json result = Json::array();
    for (const AssignmentText& a : list)
        result.push_back({{"name", a.name},
                          {"text", a.text},
                          {"domain", a.domain.empty() ? Json(nullptr) : Json(a.domain)},
                          {"count", a.count},
                          {"value", value_of(a)},
                          {"line", a.line > 0 ? Json(a.line) : Json(nullptr)}});
    return result;
}

// Row-major values as nested lists.
Json nested(const ParameterText& p, std::size_t dimension, std::size_t& next) {
    if (dimension == p.shape.size()) return number(p.values.at(next++));
    Json result = Json::array();
    for (std::int64_t k = 0; k < p.shape[dimension]; ++k) result.push_back(nested(p, dimension + 1, next));
    return result;
}

Json unknown_list(const Description& d) {
    Json result = Json::array();
    for (const UnknownText& u : d.unknowns)
        result.push_back({{"name", u.name}, {"shape", u.shape}, {"order", u.order}, {"role", name(u.in.role)}});
    return result;
}

Json parameters(const std::vector<ParameterText>& all) {
    Json result = Json::object();
    for (const ParameterText& p : all) {
        std::size_t next = 0;
        result[p.name] = nested(p, 0, next);
    }
    return result;
}

Json output(const Description& d) {
    Json result = Json::object();
    if (d.output_every) result["every"] = value_of(*d.output_every);
    if (!d.output_at.empty()) {
        result["at"] = Json::array();
        for (const AssignmentText& t : d.output_at) result["at"].push_back(value_of(t));
    }
    if (!d.section.empty()) result["section"] = d.section;
    result["columns"] = Json::array();
    for (const AssignmentText& o : d.outputs) result["columns"].push_back({{"name", o.name}, {"text", o.text}});
    return result;
}

Json events(const Description& d) {
    Json result = Json::array();
    for (const EventText& e : d.events) {
        result.push_back({{"name", e.name},
                          {"text", e.text},
                          {"direction", e.direction.empty() ? "both" : e.direction},
                          {"stop", e.is_stop}});
        if (!e.then.empty()) result.back()["then"] = e.then;
    }
    return result;
}

Json operations(const Operations& o) {
    return {{"code", o.code}, {"work", o.work}};
}

Json matrix(const MatrixSize& m) {
    return {{"rows", m.rows}, {"columns", m.columns}, {"nonzeros", m.nonzeros}};
}

Json native(const NativeText& n) {
    if (!n.is_native) return {{"available", false}, {"reason", n.reason}};
    return {{"available", true}, {"compile_s", n.seconds}, {"code_bytes", n.code_bytes}};
}

const char* determination(Determination d) {
    switch (d) {
    case Determination::overdetermined: return "overdetermined";
    case Determination::underdetermined: return "underdetermined";
    case Determination::square: break;
    }
    return "square";
}

} // namespace

Json to_json(const Description& d) {
    const Classification& c = d.classification;
    Json result = {{"model", d.model},
                   {"status", "success"},
                   {"class", name(c.system_class)},
                   {"order", c.order},
                   {"unknowns", c.n_unknowns},
                   {"equations", c.n_equations},
                   {"determination", determination(c.determination)},
                   {"algebraic_unknowns", c.n_algebraic},
                   {"multipliers", c.n_multipliers},
                   {"templates", c.n_templates}};
    result["unknown_list"] = unknown_list(d);
    result["equation_list"] = statements(d.equations);
    if (d.lagrangian) result["lagrangian"] = *d.lagrangian;
    if (d.hamiltonian) {
        result["hamiltonian"] = *d.hamiltonian;
        result["pairs"] = d.pairs;
    }
    result["forces"] = statements(d.forces);
    result["derived"] = statements(d.derived);
    result["invariants"] = statements(d.invariants);
    result["parameters"] = parameters(d.parameters);
    if (!d.discrete.empty()) result["discrete"] = parameters(d.discrete);
    result["start"] = assignments(d.start);
    result["guesses"] = assignments(d.guesses);
    result["hold"] = statements(d.holds);
    if (!d.initially.empty()) result["initially"] = statements(d.initially);
    if (!d.ends.empty()) result["end"] = assignments(d.ends);
    if (!d.periodic.empty()) result["periodic"] = statements(d.periodic);
    if (!d.free.empty()) result["free"] = d.free;
    result["independent"] = d.independent;
    result["interval"] = d.from && d.to ? Json{value_of(*d.from), value_of(*d.to)} : Json(nullptr);
    result["options"] = Json::object();
    for (const auto& [option, value] : d.options) result["options"][option] = value;
    result["output"] = output(d);
    result["events"] = events(d);
    result["sparsity"] = {{"df", matrix(d.df)}, {"d2f_lower", matrix(d.d2f)}};
    result["operations"] = {{"f", operations(d.f)}, {"f_df", operations(d.f_df)}, {"f_df_d2f", operations(d.f_df_d2f)}};
    if (d.native) result["native"] = native(*d.native);
    result["warnings"] = d.warnings;
    return result;
}

} // namespace vessiot
