// No text, however malformed, crashes or hangs the reader of Base Modelica: it gives a system or an InvalidInput; and
// what a system is converted to is a text that the language reads.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "modelica/convert.hpp"
#include "modelica/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    std::string text;
    try {
        const lang::Source source("fuzz.bmo", std::string(reinterpret_cast<const char*>(data), size));
        text = modelica::to_ves(modelica::read_model(source));
    } catch (const InvalidInput&) {
        return 0;
    }
    lang::read_model(lang::Source("fuzz.ves", text)); // NOTE: what it throws is a finding
    return 0;
}
