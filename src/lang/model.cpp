#include "lang/model.hpp"

#include <fmt/format.h>

#include "lang/parts/parts.hpp"
#include "lang/syntax/diagnostic.hpp"
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
    Warnings warnings;
    const Module module = read_module(source, warnings);
    Elaborated result = elaborate(module, settings);
    determine_orders(result.system);
    if (const auto problem = check_structure(result.system)) fail_at(*module.source, result.places, *problem);
    result.system.warnings.insert(result.system.warnings.begin(), warnings.begin(), warnings.end());
    return std::move(result.system);
}

System load_model(const std::filesystem::path& path, const Settings& settings) {
    return read_model(Source::load(path), settings);
}

} // namespace vessiot::lang
