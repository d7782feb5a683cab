#include "lang/meaning/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"

namespace vessiot::lang {

Value Value::listed(Dims dims, std::vector<expr::NodeId> elements) {
    Value value;
    value.dims_ = std::move(dims);
    value.elements_ = std::make_shared<const std::vector<expr::NodeId>>(std::move(elements));
    return value;
}

Value Value::family(Dims dims, Element element) {
    Value value;
    value.dims_ = std::move(dims);
    value.element_ = std::make_shared<const Element>(std::move(element));
    return value;
}

std::int64_t Value::size() const {
    std::int64_t size = 1;
    for (const std::int64_t dim : dims_) size *= dim;
    return size;
}

namespace {

std::string components(const Dims& dims) {
    return plural(static_cast<std::size_t>(dims[0]), "component");
}

} // namespace

std::string describe(const Dims& dims) {
    if (dims.empty()) return "a number";
    if (dims.size() == 1) return fmt::format("a vector with {}", components(dims));
    if (dims.size() == 2) return fmt::format("a {} x {} matrix", dims[0], dims[1]);
    return fmt::format("an array of {}", fmt::join(dims, " x "));
}

std::string describe_mismatch(const std::string& first, const Dims& a, const std::string& second, const Dims& b) {
    if (a.size() == 1 && b.size() == 1) return fmt::format("{} has {}, {} {}", first, components(a), second, b[0]);
    const auto part = [](const std::string& what, const Dims& dims) {
        return dims.size() == 1 ? fmt::format("{} has {}", what, components(dims))
                                : fmt::format("{} is {}", what, describe(dims));
    };
    return fmt::format("{}, {}", part(first, a), part(second, b));
}

} // namespace vessiot::lang
