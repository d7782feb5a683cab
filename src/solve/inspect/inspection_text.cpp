// The findings of an inspection, for people and for programs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "solve/inspect/inspection.hpp"
#include "system/describe/text_layout.hpp"

namespace vessiot {

namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Inspection::Value& v) {
    return fmt::format("{} = {:.10g}", v.name, v.value + 0.0); // no -0
}

std::vector<std::string> value_texts(const std::vector<Inspection::Value>& values) {
    std::vector<std::string> texts;
    for (const Inspection::Value& v : values) texts.push_back(value_text(v));
    return texts;
}

void constraints_text(TextLayout& out, const Inspection& i) {
    if (i.constraints.empty() && i.redundant.empty()) return;
    out.heading("Constraints");
    std::vector<std::string> lines;
    for (const Inspection::Constraint& c : i.constraints) {
        std::string line = fmt::format("{}{}{}", c.is_hidden ? "hidden    " : "written   ",
                                       c.domain.empty() ? "" : fmt::format("for {}: ", c.domain), c.text);
        if (!c.origin.empty()) line += fmt::format("   ({})", c.origin);
        lines.push_back(std::move(line));
    }
    out.lines(lines);
    if (i.redundant.size() == 1)
        out.line(fmt::format("redundant: {} follows from the others", i.redundant[0]));
    else if (!i.redundant.empty())
        out.line(fmt::format("redundant: each of these follows from the others: {}", joined(i.redundant, "; ")));
}

void start_text(TextLayout& out, const Inspection& i) {
    out.heading("Consistent start point");
    out.items("", value_texts(i.start));
    for (const std::string& note : i.notes) out.line(note);
    for (const std::vector<Inspection::Value>& b : i.branches) out.items("another branch: ", value_texts(b));
}

// Methods that fit; the others with what they need.
void methods_text(TextLayout& out, const Inspection& i) {
    std::vector<std::string> fitting;
    std::map<std::string, std::vector<std::string>> misfits;
    for (const Inspection::Method& m : i.methods) {
        if (m.misfit.empty())
            fitting.push_back(m.name);
        else
            misfits[m.misfit].push_back(m.name);
    }
    out.heading("Methods");
    out.items("", fitting);
    for (const auto& [misfit, names] : misfits)
        out.line(fmt::format("{} {} {}", joined(names, ", "), names.size() == 1 ? "needs" : "need", misfit));
}

std::string counted(std::int64_t n, std::string_view noun) {
    return plural(static_cast<std::size_t>(n), noun);
}

// "R_2", "R_2^(1)"
std::string projection_name(int order, std::size_t s) {
    return s == 0 ? fmt::format("R_{}", order) : fmt::format("R_{}^({})", order, s);
}

void involutive_text(TextLayout& out, const InvolutiveForm& form) {
    out.heading("Involution");
    const int s = form.differentiations();
    out.line(
        fmt::format("in jet space J_{} of dimension {}: {} is involutive{}", form.order, form.jet_dimension,
                    projection_name(form.order, static_cast<std::size_t>(s)),
                    s == 0 ? ", the equations as they are written"
                           : fmt::format(", from the equations and their derivatives up to order {}", form.order + s)));
    std::vector<std::string> table{"           dimension   symbol"};
    for (std::size_t k = 0; k < form.projections.size(); ++k)
        table.push_back(fmt::format("{:<9}  {:>9}   {:>6}", projection_name(form.order, k),
                                    form.projections[k].dimension, form.projections[k].symbol));
    out.verbatim(table);
}

Json involutive_json(const InvolutiveForm& form) {
    Json projections = Json::array();
    for (std::size_t k = 0; k < form.projections.size(); ++k)
        projections.push_back({{"name", projection_name(form.order, k)},
                               {"dimension", form.projections[k].dimension},
                               {"symbol", form.projections[k].symbol},
                               {"involutive", k + 1 == form.projections.size()}});
    return {{"order", form.order},
            {"jet_dimension", form.jet_dimension},
            {"projections", std::move(projections)},
            {"differentiations", form.differentiations()},
            {"equations_up_to_order", form.order + form.differentiations()}};
}

// ---- linear systems ----

std::vector<std::string> matrix_text(std::string_view name, const std::vector<Quad>& entries, int n) {
    std::vector<std::string> cells;
    std::size_t width = 0;
    for (const Quad& x : entries) {
        cells.push_back(fmt::format("{:.6g}", static_cast<double>(x) + 0.0));
        width = std::max(width, cells.back().size());
    }
    std::vector<std::string> rows;
    for (int i = 0; i < n; ++i) {
        std::string row = fmt::format("{:<2}", i == 0 ? name : "");
        for (int j = 0; j < n; ++j) row += fmt::format("  {:>{}}", cells[static_cast<std::size_t>(i * n + j)], width);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string eigenvalue_text(const std::complex<double>& x) {
    const double small = 1e-14 * std::abs(x);
    const double re = std::fabs(x.real()) < small ? 0 : x.real(), im = std::fabs(x.imag()) < small ? 0 : x.imag();
    if (im == 0) return fmt::format("{:.6g}", re);
    return fmt::format("{:.6g} {} {:.6g}i", re, im < 0 ? "-" : "+", std::fabs(im));
}

constexpr int most_shown = 10; // rows of matrices

// Where all of it is y' + C y = d there is nothing to say that the equations do not say.
void kronecker_text(TextLayout& out, const KroneckerForm& k, bool is_full) {
    if (!k.form || k.form->blocks.empty()) return;
    const linalg::PencilForm& f = *k.form;
    out.heading("Linear system, in the form of Weierstrass and Kronecker");
    if (!k.is_sound()) {
        out.line(fmt::format("too badly conditioned to be found: it fits to {:.1g} only", f.residual));
        return;
    }
    out.items("B u' + A u = d(t), u = ", k.names);
    out.line("with u = Q (y, z) it is y' + C y = (P d)_1, N z' + z = (P d)_2: P A Q = diag(C, 1), P B Q = diag(1, N)");
    std::vector<std::string> sizes, lambdas;
    for (const int size : f.blocks) sizes.push_back(fmt::format("{}", size));
    for (const auto& x : k.eigenvalues) lambdas.push_back(eigenvalue_text(x));
    out.line(fmt::format("y {} {}; N, ones above its diagonal, has {} of size {}: index of nilpotency {}",
                         f.n_regular == 0 ? "is" : "has",
                         f.n_regular == 0 ? "empty" : counted(f.n_regular, "component"),
                         counted(std::ssize(f.blocks), "block"), joined(sizes, ", "), f.index()));
    if (!lambdas.empty()) out.items("y is made of exp(lambda t), lambda = ", lambdas);
    if (f.gap < 1e-6)
        out.line(fmt::format("note: a number that is {:.1g} of those beside it was taken for one that is not 0; if it "
                             "is, the form is another",
                             f.gap));
    if (f.n > most_shown && !is_full) return;
    if (f.n_regular > 0) out.verbatim(matrix_text("C", f.c, f.n_regular));
    out.verbatim(matrix_text("P", f.p, f.n));
    out.verbatim(matrix_text("Q", f.q, f.n));
}

Json matrix_json(const std::vector<Quad>& entries, int n) {
    Json rows = Json::array();
    for (int i = 0; i < n; ++i) {
        Json row = Json::array();
        for (int j = 0; j < n; ++j)
            row.push_back(static_cast<double>(entries[static_cast<std::size_t>(i * n + j)]) + 0.0);
        rows.push_back(std::move(row));
    }
    return rows;
}

Json kronecker_json(const KroneckerForm& k) {
    Json result = {{"u", k.names}, {"regular", k.form.has_value()}};
    if (!k.form) return result;
    const linalg::PencilForm& f = *k.form;
    Json eigenvalues = Json::array();
    for (const auto& x : k.eigenvalues) eigenvalues.push_back({x.real() + 0.0, x.imag() + 0.0});
    result.update({{"sound", k.is_sound()},
                   {"residual", f.residual},
                   {"gap", f.gap},
                   {"condition", f.condition},
                   {"nilpotency", f.index()},
                   {"blocks", f.blocks},
                   {"eigenvalues", std::move(eigenvalues)},
                   {"C", matrix_json(f.c, f.n_regular)},
                   {"P", matrix_json(f.p, f.n)},
                   {"Q", matrix_json(f.q, f.n)}});
    return result;
}

} // namespace

std::string to_text(const Inspection& i, const TextOptions& options) {
    TextLayout out(options.full);
    out.heading("At the start point");
    if (!i.is_checked) {
        out.line(i.problem);
        return out.finish();
    }
    const SystemSummary& s = i.system;
    out.line(fmt::format(
        "index {}, {} of freedom, {}, manifold of dimension {}", s.index, counted(s.degrees_of_freedom, "degree"),
        s.hidden_constraints == 0 ? "no hidden constraints" : counted(s.hidden_constraints, "hidden constraint"),
        s.manifold_dimension));
    if (i.condition > 0)
        out.line(fmt::format("the equations determine the highest derivatives (condition number {:.2g})", i.condition));
    else
        out.line("the equations determine the highest derivatives");
    constraints_text(out, i);
    if (i.involutive) involutive_text(out, *i.involutive);
    if (i.kronecker) kronecker_text(out, *i.kronecker, options.full);
    start_text(out, i);
    methods_text(out, i);
    return out.finish();
}

Json to_json(const Inspection& i) {
    Json result = {{"checked", i.is_checked}, {"problem", i.problem.empty() ? Json(nullptr) : Json(i.problem)}};
    if (!i.is_checked) return result;
    result["index"] = i.system.index;
    result["degrees_of_freedom"] = i.system.degrees_of_freedom;
    result["manifold_dimension"] = i.system.manifold_dimension;
    result["hidden_constraints"] = i.system.hidden_constraints;
    result["condition"] = i.condition > 0 ? Json(i.condition) : Json(nullptr);
    Json constraints = Json::array(), violated = Json::array(), moved = Json::array(), branches = Json::array(),
         methods = Json::object();
    for (const Inspection::Constraint& c : i.constraints)
        constraints.push_back({{"hidden", c.is_hidden},
                               {"text", c.text},
                               {"domain", c.domain.empty() ? Json(nullptr) : Json(c.domain)},
                               {"count", c.count},
                               {"origin", c.origin.empty() ? Json(nullptr) : Json(c.origin)}});
    const auto values = [](const std::vector<Inspection::Value>& list) {
        Json object = Json::object();
        for (const Inspection::Value& v : list) object[v.name] = v.value + 0.0;
        return object;
    };
    for (const StartReport::Violation& v : i.report.violations)
        violated.push_back({{"equation", v.equation},
                            {"derivative", v.derivative},
                            {"hidden", v.is_hidden},
                            {"residual", v.residual}});
    for (const StartReport::Move& m : i.report.moves)
        moved.push_back({{"name", m.name}, {"from", m.from}, {"to", m.to}});
    for (const auto& b : i.branches) branches.push_back(values(b));
    for (const Inspection::Method& m : i.methods) methods[m.name] = m.misfit.empty() ? Json(nullptr) : Json(m.misfit);
    result["constraints"] = std::move(constraints);
    result["redundant"] = i.redundant;
    result["involution"] = i.involutive ? involutive_json(*i.involutive) : Json(nullptr);
    result["linear"] = i.kronecker ? kronecker_json(*i.kronecker) : Json(nullptr);
    result["consistent_start"] = {{"values", values(i.start)},
                                  {"violated", std::move(violated)},
                                  {"moved", std::move(moved)},
                                  {"notes", i.notes}};
    result["branches"] = std::move(branches);
    result["methods"] = std::move(methods);
    return result;
}

} // namespace vessiot
