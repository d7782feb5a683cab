// The gallery: every model can be read, its data file has the form that gallery/README.md describes, its start point
// satisfies the equations that it can be put into, and so do the reference points; what is conserved has the same value
// at all of them. A typing error in an equation, a start value or a reference value shows in one of these.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quadmath.h>

#include "support/gallery.hpp"

namespace vessiot::gallery_test {
namespace {

using nlohmann::json;
using test::ParameterSettings;

double rounded(Quad x) {
    return static_cast<double>(x);
}

// The numbers of a data file are decimal strings, so that they keep the digits that a double has no room for.
const std::regex decimal(R"(-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)");

bool is_decimal(const json& value) {
    return value.is_string() && std::regex_match(value.get<std::string>(), decimal);
}

ParameterSettings settings(const json& point) {
    ParameterSettings set;
    if (point.contains("parameters"))
        for (const auto& [name, value] : point["parameters"].items()) set.emplace_back(name, value.get<std::string>());
    return set;
}

// A point with values for some of the coordinates, and how far each may be off.
struct Point {
    Quad t = 0;
    std::vector<Quad> z, uncertainty;
    std::vector<bool> is_known;
};

Point start(const System& system, const Coordinates& coordinates) {
    const test::StartPoint at = test::start_point(system, coordinates);
    return {at.t, at.z, std::vector<Quad>(at.z.size()), at.is_given};
}

// The digits of a reference are significant ones: half a unit of the last one is up to five times 10^-digits of the
// value. Of values below 0.001 they count from there.
Point reference_point(const json& reference, const std::vector<std::string>& names) {
    Point point{.t = test::read_quad(reference["t"]),
                .z = std::vector<Quad>(names.size()),
                .uncertainty = std::vector<Quad>(names.size()),
                .is_known = std::vector<bool>(names.size())};
    const Quad relative = 5 * powq(10, -reference["digits"].get<int>());
    for (std::size_t k = 0; k < names.size(); ++k)
        if (const auto value = reference["values"].find(names[k]); value != reference["values"].end()) {
            point.z[k] = test::read_quad(*value);
            point.uncertainty[k] = relative * fmaxq(fabsq(point.z[k]), Quad(0.001));
            point.is_known[k] = true;
        }
    return point;
}

// Values of the rows of a system and how far they may be off because the point is.
struct Rows {
    std::vector<Quad> value, uncertainty;
    std::vector<bool> is_known; // all coordinates of the row are
};

Rows evaluate(const System& system, const Point& point) {
    SystemFunctions<Quad> functions(system, {.d2f = false});
    const expr::SparseMatrix& df = functions.df();
    const auto m = static_cast<std::size_t>(functions.n_equations());
    Rows rows{
        .value = std::vector<Quad>(m), .uncertainty = std::vector<Quad>(m), .is_known = std::vector<bool>(m, true)};
    std::vector<Quad> local(df.position.size()), entries(df.row.size());
    functions(point.t, point.z.data(), nullptr, rows.value.data(), local.data(), nullptr);
    df.assemble(local.data(), entries.data());
    for (std::size_t c = 0; c < point.z.size(); ++c)
        for (auto k = df.column_start[c]; k < df.column_start[c + 1]; ++k) {
            const auto e = static_cast<std::size_t>(k);
            const auto r = static_cast<std::size_t>(df.row[e]);
            if (!point.is_known[c]) rows.is_known[r] = false;
            // rounding in quad precision comes on top, some 1e-33 of the terms
            rows.uncertainty[r] +=
                fabsq(entries[e]) * (point.uncertainty[c] + Quad(1e-32) * fmaxq(fabsq(point.z[c]), 1));
        }
    return rows;
}

// The system whose rows are the quantities that the motion keeps: the invariants of the model, and the outputs that
// the data file calls conserved.
System conserved_quantities(const System& system, const json& data) {
    System quantities = system;
    quantities.equations.clear();
    for (const Invariant& i : system.invariants)
        quantities.equations.push_back({.domain = i.domain, .residual = i.value, .text = i.text});
    if (data.contains("conserved"))
        for (const std::string name : data["conserved"])
            for (const Output& o : system.outputs)
                if (o.name == name)
                    quantities.equations.push_back(
                        {.domain = system.graph->index().scalar_domain(), .residual = o.value, .text = name});
    return quantities;
}

class Gallery : public testing::TestWithParam<std::string> {};

TEST_P(Gallery, ModelIsReadWithoutWarning) {
    const System system = test::gallery_system(GetParam());
    EXPECT_EQ(system.name, GetParam());
    for (const std::string& warning : system.warnings) ADD_FAILURE() << warning;
    EXPECT_TRUE(system.from && system.to) << "no interval";
    EXPECT_TRUE(!system.start.empty() || system.has_ends());
}

TEST_P(Gallery, DataFileHasTheDocumentedForm) {
    static const std::set<std::string> known_keys{"title", "source",    "traits",    "index",    "start_residual",
                                                  "note",  "conserved", "published", "reference"};
    static const std::set<std::string> known_traits{
        "explicit", "invariants", "holonomic", "implicit", "overdetermined", "hamiltonian", "lagrangian",
        "stiff",    "chaotic",    "periodic",  "large",    "events",         "ends"};
    static const std::set<std::string> known_point_keys{"t",      "s",      "passage", "parameters",
                                                        "digits", "source", "values"};
    const json data = test::gallery_data(GetParam());
    const System system = test::gallery_system(GetParam());

    for (const auto& [key, value] : data.items()) EXPECT_TRUE(known_keys.contains(key)) << key;
    const std::string text = test::gallery_text(GetParam());
    EXPECT_EQ("# " + data.at("title").get<std::string>(), text.substr(0, text.find('\n')));
    EXPECT_FALSE(data.at("source").get<std::string>().empty());
    for (const std::string trait : data.at("traits")) EXPECT_TRUE(known_traits.contains(trait)) << trait;
    if (data.contains("index")) {
        EXPECT_GE(data["index"].get<int>(), 0);
    }
    if (data.contains("start_residual")) {
        EXPECT_TRUE(is_decimal(data["start_residual"]));
    }
    if (data.contains("conserved")) {
        for (const std::string name : data["conserved"])
            EXPECT_TRUE(std::any_of(system.outputs.begin(), system.outputs.end(),
                                    [&](const Output& o) { return o.name == name; }))
                << name << " is not an output of the model";
    }
    if (data.contains("published")) {
        for (const json& figure : data["published"])
            for (const char* key : {"where", "what", "value"})
                EXPECT_TRUE(figure.contains(key) && figure[key].is_string()) << figure;
    }

    // a reference, or a note that says why there is none
    EXPECT_TRUE(!data.at("reference").empty() || data.contains("note"));
    for (const json& point : data["reference"]) {
        for (const auto& [key, value] : point.items()) EXPECT_TRUE(known_point_keys.contains(key)) << key;
        EXPECT_TRUE(is_decimal(point.at("t"))) << point["t"];
        EXPECT_GE(point.at("digits").get<int>(), 5);
        EXPECT_LE(point["digits"].get<int>(), 33);
        EXPECT_FALSE(point.at("source").get<std::string>().empty());
        if (point.contains("s")) {
            EXPECT_TRUE(is_decimal(point["s"])) << point["s"];
        }
        EXPECT_FALSE(point.at("values").empty());
        const System at = test::gallery_system(GetParam(), settings(point));
        const std::vector<std::string> names = coordinate_names(at, jet_coordinates(at));
        for (const auto& [name, value] : point["values"].items()) {
            EXPECT_TRUE(is_decimal(value)) << name << ": " << value;
            EXPECT_TRUE(std::find(names.begin(), names.end(), name) != names.end())
                << name << " is not a value of the model";
        }
    }
}

TEST_P(Gallery, StartPointSatisfiesTheEquations) {
    const json data = test::gallery_data(GetParam());
    const System system = test::gallery_system(GetParam());
    const Rows rows = evaluate(system, start(system, jet_coordinates(system)));
    // start values are expressions and literals of 30 digits; a model with rounded ones says how far it is off
    const Quad allowed = data.contains("start_residual") ? test::read_quad(data["start_residual"]) : 0;
    for (std::size_t r = 0; r < rows.value.size(); ++r)
        if (rows.is_known[r]) {
            EXPECT_LE(rounded(fabsq(rows.value[r])), rounded(fmaxq(allowed, rows.uncertainty[r])))
                << "equation row " << r;
        }
}

TEST_P(Gallery, ReferencePointsSatisfyTheEquations) {
    const json data = test::gallery_data(GetParam());
    for (const json& reference : data.at("reference")) {
        const System system = test::gallery_system(GetParam(), settings(reference));
        const std::vector<std::string> names = coordinate_names(system, jet_coordinates(system));
        const Rows rows = evaluate(system, reference_point(reference, names));
        for (std::size_t r = 0; r < rows.value.size(); ++r)
            if (rows.is_known[r]) {
                EXPECT_LE(rounded(fabsq(rows.value[r])), rounded(rows.uncertainty[r]))
                    << "equation row " << r << " at t = " << reference["t"];
            }
    }
}

TEST_P(Gallery, ConservedQuantitiesAgreeBetweenStartAndReference) {
    const json data = test::gallery_data(GetParam());
    for (const json& reference : data["reference"]) {
        const System system = test::gallery_system(GetParam(), settings(reference));
        const System quantities = conserved_quantities(system, data);
        if (quantities.equations.empty()) continue;
        const Coordinates coordinates = jet_coordinates(system);
        const Rows at_start = evaluate(quantities, start(system, coordinates));
        const Rows later = evaluate(quantities, reference_point(reference, coordinate_names(system, coordinates)));
        for (std::size_t r = 0; r < later.value.size(); ++r)
            if (at_start.is_known[r] && later.is_known[r]) {
                EXPECT_LE(rounded(fabsq(later.value[r] - at_start.value[r])),
                          rounded(at_start.uncertainty[r] + later.uncertainty[r]))
                    << "conserved quantity " << r << " at t = " << reference["t"];
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Gallery, testing::ValuesIn(test::gallery_names()),
                         [](const auto& model) { return model.param; });

} // namespace
} // namespace vessiot::gallery_test
