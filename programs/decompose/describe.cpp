#include "decompose/describe.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "system/describe/text_layout.hpp"

namespace vessiot::decompose {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t label_width = 13;
constexpr std::size_t most_meetings = 10;
constexpr std::size_t most_places = 8;
constexpr std::size_t most_names = 12;

// "1", "1 and 2", "1, 2 and 3"
std::string enumerated(const std::vector<std::string>& texts) {
    if (texts.size() < 2) return texts.empty() ? "" : texts[0];
    const std::vector<std::string> first(texts.begin(), texts.end() - 1);
    return fmt::format("{} and {}", fmt::join(first, ", "), texts.back());
}

std::string numbers_text(const std::vector<std::size_t>& components) {
    std::vector<std::string> texts;
    for (const std::size_t k : components) texts.push_back(std::to_string(k + 1));
    return fmt::format("component{} {}", components.size() == 1 ? "" : "s", enumerated(texts));
}

std::vector<std::string> equations_of(const Place& place, const std::vector<Variable>& variables) {
    std::vector<std::string> texts;
    for (const Polynomial& p : place.equations) texts.push_back(p.text(variables) + " = 0");
    return texts;
}

// Of p = a x - b with one variable x: the variable and b/a.
std::optional<std::pair<std::size_t, std::string>> solved(const Polynomial& p) {
    if (p.degree() != 1 || p.terms.size() > 2 || p.terms[0].factors.empty()) return std::nullopt;
    if (p.terms.size() == 2 && !p.terms[1].factors.empty()) return std::nullopt;
    const std::size_t variable = p.terms[0].factors[0].first;
    if (p.terms.size() == 1) return std::pair(variable, "0");
    const bool is_negative = p.terms[0].is_negative == p.terms[1].is_negative;
    return std::pair(variable, fmt::format("{}{}{}", is_negative ? "-" : "", p.terms[1].coefficient,
                                           p.terms[0].coefficient == "1" ? "" : "/" + p.terms[0].coefficient));
}

// The coordinates of a point, if all of them are rational; else none.
std::vector<std::string> coordinates(const Place& place, const std::vector<Variable>& variables) {
    std::vector<std::string> values(variables.size());
    for (const Polynomial& p : place.equations)
        if (const auto s = solved(p)) values[s->first] = s->second;
    std::vector<std::string> result;
    for (std::size_t k = 0; k < variables.size() && variables[k].kind != Variable::Kind::root; ++k) // roots are last
        if (values[k].empty())
            return {};
        else
            result.push_back(values[k]);
    return result;
}

// "(x, y) = (1, 2/3)" for a point with rational coordinates, its equations for others.
std::string place_text(const Place& place, const std::vector<Variable>& variables, bool has_names) {
    const std::vector<std::string> values = coordinates(place, variables);
    if (values.empty())
        return fmt::format("{}{}", place.dimension > 0 ? fmt::format("dimension {}: ", place.dimension) : "",
                           fmt::join(equations_of(place, variables), ", "));
    if (values.size() == 1) return fmt::format("{} = {}", variables[0].text, values[0]);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < values.size(); ++k) names.push_back(variables[k].text);
    return has_names ? fmt::format("({}) = ({})", fmt::join(names, ", "), fmt::join(values, ", "))
                     : fmt::format("({})", fmt::join(values, ", "));
}

// p = 0 has no real solution: terms of one sign, all powers even, and a constant among them. (Others may have none
// either.)
bool is_never_zero(const Polynomial& p) {
    return std::ranges::any_of(p.terms, [](const Term& t) { return t.factors.empty(); }) &&
           std::ranges::all_of(p.terms, [&](const Term& t) {
               return t.is_negative == p.terms[0].is_negative &&
                      std::ranges::all_of(t.factors, [](const auto& f) { return f.second % 2 == 0; });
           });
}

std::string smooth_text(const Component& c) {
    if (!c.singular_dimension) return "smooth or not: not decided";
    if (c.is_smooth()) return "smooth";
    return fmt::format("not smooth: its singular points have dimension {}", *c.singular_dimension);
}

class Text {
public:
    Text(const Decomposition& d, bool full) : d_(d), full_(full), out_(full) {}

    std::string operator()(const std::string& written) {
        headline();
        for (std::size_t k = 0; k < d_.answer.components.size(); ++k) component(k);
        meetings();
        start();
        if (d_.answer.is_radical == false)
            row("multiplicity", "the constraints have multiple zeros (their ideal is not radical): their derivatives "
                                "may be dependent all along a component; those of its own equations are not");
        for (const std::string& note : d_.notes) row("note", note);
        if (!d_.problem.empty()) row("not decided", d_.problem);
        end(written);
        return out_.finish();
    }

private:
    void row(std::string_view label, const std::string& text) { out_.labelled(label, label_width, text); }

    void headline() {
        std::vector<std::string> names;
        for (const Position& p : d_.polynomials.positions) names.push_back(p.name);
        if (names.size() > most_names && !full_) {
            const std::size_t more = names.size() - most_names;
            names.resize(most_names);
            names.push_back(fmt::format("{} more", more));
        }
        out_.heading(
            fmt::format("{}: {} on {}", d_.model_name, plural(d_.n_constraints, "constraint"), enumerated(names)));
        const std::size_t n = d_.answer.components.size();
        const bool all_smooth = std::ranges::all_of(d_.answer.components, &Component::is_smooth);
        const std::string smooth = !all_smooth ? "" : n == 1 ? ", smooth" : n == 2 ? ", both smooth" : ", all smooth";
        row("result", n == 1 ? fmt::format("1 component{}: over {} the constraints cannot be split", smooth, field())
                             : fmt::format("{} over {}{}", plural(n, "component"), field(), smooth));
    }

    // "the rational numbers", or with the roots that were added to them
    std::string field() const {
        std::vector<std::string> roots;
        for (const Variable& v : d_.polynomials.variables)
            if (v.kind == Variable::Kind::root) roots.push_back(v.text);
        return roots.empty() ? "the rational numbers" : fmt::format("the rational numbers with {}", enumerated(roots));
    }

    void component(std::size_t k) {
        const Component& c = d_.answer.components[k];
        const bool has_start = std::ranges::find(d_.start.on, k) != d_.start.on.end();
        row(fmt::format("component {}", k + 1), fmt::format("dimension {}, {}{}{}", c.dimension, smooth_text(c),
                                                            has_no_real_points(c.generators) ? ", no real points" : "",
                                                            has_start ? "; the start point is on it" : ""));
        for (const std::string& g : d_.generators(k)) row("", g + " = 0");
        if (c.generators.empty()) row("", "all points");
        places("singular", "at ", c.singular_places);
    }

    void places(std::string_view label, const std::string& prefix, const std::vector<Place>& list) {
        const std::size_t n = full_ ? list.size() : std::min(list.size(), most_places);
        for (std::size_t k = 0; k < n; ++k)
            row(k == 0 ? label : "", (k == 0 ? prefix : std::string("and ")) +
                                         place_text(list[k], d_.polynomials.variables, k == 0) +
                                         (has_no_real_points(list[k].equations) ? " (no real points)" : ""));
        if (n < list.size()) row("", fmt::format("and at {} more places; --full shows all", list.size() - n));
    }

    void meetings() {
        const auto& list = d_.answer.meetings;
        const std::size_t n = full_ ? list.size() : std::min(list.size(), most_meetings);
        for (std::size_t k = 0; k < n; ++k)
            places(k == 0 ? "meeting" : "", fmt::format("{} at ", numbers_text({list[k].first, list[k].second})),
                   list[k].places);
        if (n < list.size()) row("", fmt::format("and {} more pairs that meet; --full shows all", list.size() - n));
        if (list.empty() && d_.answer.has_meetings && d_.answer.components.size() > 1)
            row("meeting", "none: the components have no points in common");
    }

    void start() {
        if (d_.start.on.size() == 1) return; // said already
        if (d_.start.on.empty()) {
            const auto nearest = std::ranges::min_element(d_.start.residuals);
            row("start point",
                fmt::format("on no component; nearest is component {}, off by {:.2g}. A start line with values that "
                            "satisfy the constraints decides, or --component K",
                            nearest - d_.start.residuals.begin() + 1, *nearest));
        } else {
            row("start point",
                fmt::format("on {}, where they meet{}", numbers_text(d_.start.on),
                            d_.start.along ? fmt::format("; its velocity is along component {}", *d_.start.along + 1)
                            : d_.chosen    ? ""
                                           : "; its velocity does not decide: choose one with --component K"));
        }
    }

    void end(const std::string& written) {
        if (!written.empty())
            row("written",
                fmt::format("{}: the model with component {} in place of its constraints{}", written, *d_.chosen + 1,
                            d_.then ? fmt::format(", and component {} from where they meet", *d_.then + 1) : ""));
    }

    const Decomposition& d_;
    bool full_;
    TextLayout out_;
};

Json places_json(const std::vector<Place>& places, const std::vector<Variable>& variables) {
    Json list = Json::array();
    for (const Place& p : places)
        list.push_back({{"dimension", p.dimension},
                        {"equations", equations_of(p, variables)},
                        {"complex", has_no_real_points(p.equations)}});
    return list;
}

Json component_json(const Decomposition& d, std::size_t k) {
    const Component& c = d.answer.components[k];
    Json json{{"dimension", c.dimension},
              {"generators", d.generators(k)},
              {"minimal", c.is_minimal},
              {"complex", has_no_real_points(c.generators)},
              {"smooth", nullptr},
              {"singular_points", places_json(c.singular_places, d.polynomials.variables)},
              {"start", std::ranges::find(d.start.on, k) != d.start.on.end()},
              {"start_residual", d.start.residuals[k]}};
    if (c.singular_dimension) json["smooth"] = c.is_smooth();
    return json;
}

} // namespace

bool has_no_real_points(const std::vector<Polynomial>& equations) {
    return std::ranges::any_of(equations, is_never_zero);
}

std::string message(const Decomposition& d) {
    std::string text = plural(d.answer.components.size(), "component");
    text += d.start.on.empty() ? "; the start point is on none"
                               : fmt::format("; the start point is on {}", numbers_text(d.start.on));
    return d.problem.empty() ? text : fmt::format("{}; {}", text, d.problem);
}

std::string to_text(const Decomposition& d, const std::string& written, bool full) {
    return Text(d, full)(written);
}

Json to_json(const Decomposition& d, const std::string& written) {
    Json names = Json::array(), components = Json::array(), meetings = Json::array();
    for (const Position& p : d.polynomials.positions) names.push_back(p.name);
    for (std::size_t k = 0; k < d.answer.components.size(); ++k) components.push_back(component_json(d, k));
    for (const Meeting& m : d.answer.meetings)
        meetings.push_back(
            {{"components", {m.first + 1, m.second + 1}}, {"places", places_json(m.places, d.polynomials.variables)}});
    Json json{
        {"model", d.model_name}, {"status", "success"},      {"message", message(d)}, {"constraints", d.n_constraints},
        {"unknowns", names},     {"components", components}, {"meetings", meetings},  {"radical", nullptr},
        {"chosen", nullptr},     {"file", nullptr},          {"notes", d.notes}};
    if (d.answer.is_radical) json["radical"] = *d.answer.is_radical;
    if (d.chosen) json["chosen"] = *d.chosen + 1;
    if (!written.empty()) json["file"] = written;
    return json;
}

} // namespace vessiot::decompose
