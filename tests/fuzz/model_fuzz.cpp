// Any bytes as a model: it is read or refused with a message, within the limits. Half of them with a parameter that is
// set from outside.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "fuzz/mutate_model.hpp"
#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    try {
        const lang::Source source("fuzz.ves", std::string(data, data + size));
        const lang::Module module = lang::parse(source);
        lang::Settings settings{.set = {}, .max_instances = 200};
        if (fuzz::is_one_in(2, data, size)) settings.set = {{"n", "4"}};
        lang::elaborate(module, settings);
    } catch (const InvalidInput&) {
    }
    return 0;
}
