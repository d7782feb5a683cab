#include "lang/model.hpp"

#include <fmt/format.h>

#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/parser.hpp"
#include "system/check.hpp"

namespace vessiot::lang {

namespace {

[[noreturn]] void fail_at(const Source& source, const Places& places, const Mistake& problem) {
    const auto place = places.find({problem.where.line, problem.where.column});
    if (place == places.end()) throw InvalidInput(fmt::format("{}: {}", source.name(), problem.message));
    fail(source, place->second, problem.message);
}

} // namespace

System read_model(const Source& source, const Settings& settings) {
    const Module module = parse(source);
    Elaborated result = elaborate(module, settings);
    determine_orders(result.system);
    if (const auto problem = check_structure(result.system)) fail_at(source, result.places, *problem);
    return std::move(result.system);
}

System load_model(const std::filesystem::path& path, const Settings& settings) {
    return read_model(Source::load(path), settings);
}

} // namespace vessiot::lang
