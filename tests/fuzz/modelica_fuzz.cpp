// No text, however malformed, crashes or hangs the reader of Base Modelica: it gives a system or an InvalidInput.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "modelica/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    try {
        const lang::Source source("fuzz.bmo", std::string(reinterpret_cast<const char*>(data), size));
        modelica::read_model(source);
    } catch (const InvalidInput&) {
    }
    return 0;
}
