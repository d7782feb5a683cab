// Any bytes as a model: it is read or refused with a message, within the limits.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "lang/elaborate.hpp"
#include "lang/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    try {
        const lang::Source source("fuzz.ves", std::string(data, data + size));
        const lang::Module module = lang::parse(source);
        lang::elaborate(module, {.set = {{"n", "4"}}, .max_instances = 2000});
    } catch (const InvalidInput&) {
    }
    try {
        const lang::Source source("fuzz.ves", std::string(data, data + size));
        const lang::Module module = lang::parse(source);
        lang::elaborate(module, {.set = {}, .max_instances = 2000});
    } catch (const InvalidInput&) {
    }
    return 0;
}
