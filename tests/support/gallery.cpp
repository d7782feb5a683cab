#include "support/gallery.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/quad.hpp"
#include "expr/graph/function.hpp"
#include "lang/model.hpp"
#include "system/constants.hpp"

namespace vessiot::test {

using namespace expr;

namespace {

std::filesystem::path path_of(const std::string& name, const char* ending) {
    return std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (name + ending);
}

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// Puts the values of start or guess statements into z.
void apply(const System& system, const Coordinates& coordinates, const std::vector<StartValue>& values,
           std::vector<Quad>& z, std::vector<bool>& is_set) {
    Graph& g = *system.graph;
    BufferSpec parameters{"p", {}};
    for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
    const std::vector<Quad> p = parameter_values(system);
    for (const StartValue& v : values) {
        const auto jet = std::find(coordinates.jets.begin(), coordinates.jets.end(), v.jet);
        if (jet == coordinates.jets.end()) continue; // a derivative above those of the equations
        const auto first =
            static_cast<std::size_t>(coordinates.first[static_cast<std::size_t>(jet - coordinates.jets.begin())]);
        const expr::Array shape = g.array(v.jet);
        const auto n = static_cast<std::size_t>(shape.size());
        // the value and, beside it, a one for each element that has a value
        const ArrayId value = g.define("start", shape.lo, shape.extent, {{v.domain, v.target, v.value}});
        const ArrayId mark = g.define("mark", shape.lo, shape.extent, {{v.domain, v.target, g.one()}});
        Function<Quad> function(g, {parameters}, {{"value", {value}}, {"mark", {mark}}},
                                {.backend = expr::Backend::interpreter});
        std::vector<Quad> computed(n), marks(n);
        const Quad* inputs[] = {p.data()};
        Quad* outputs[] = {computed.data(), marks.data()};
        function.prepare(inputs);
        function(inputs, outputs);
        for (std::size_t k = 0; k < n; ++k)
            if (marks[k] != 0) {
                z[first + k] = computed[k];
                is_set[first + k] = true;
            }
    }
}

} // namespace

std::vector<std::string> gallery_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery"))
        if (entry.path().extension() == ".ves") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string gallery_text(const std::string& name) {
    return read(path_of(name, ".ves"));
}

nlohmann::json gallery_data(const std::string& name) {
    return nlohmann::json::parse(read(path_of(name, ".json")));
}

System gallery_system(const std::string& name, const ParameterSettings& set) {
    return lang::load_model(path_of(name, ".ves"), {.set = set});
}

StartPoint start_point(const System& system, const Coordinates& coordinates) {
    const auto n = static_cast<std::size_t>(coordinates.size);
    StartPoint point{.z = std::vector<Quad>(n), .is_given = std::vector<bool>(n), .is_guessed = std::vector<bool>(n)};
    if (system.from) point.t = evaluate_constants(system, {*system.from})[0];
    apply(system, coordinates, system.guesses, point.z, point.is_guessed);
    apply(system, coordinates, system.start, point.z, point.is_given);
    for (std::size_t k = 0; k < n; ++k)
        if (point.is_given[k]) point.is_guessed[k] = false;
    return point;
}

Quad read_quad(const std::string& text) {
    const bool is_negative = !text.empty() && text[0] == '-';
    const Quad value = to_quad(std::string_view(text).substr(is_negative ? 1 : 0));
    return is_negative ? -value : value;
}

} // namespace vessiot::test
