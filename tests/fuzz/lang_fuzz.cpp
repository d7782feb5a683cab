// No text, however malformed, crashes or hangs the parser: it gives a tree or an InvalidInput.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "lang/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    try {
        const lang::Source source("fuzz.ves", std::string(reinterpret_cast<const char*>(data), size));
        const lang::Module module = lang::parse(source);
        // Every statement lies within the text.
        for (const lang::Statement& statement : module.statements) {
            if (statement.span.begin >= statement.span.end || statement.span.end > source.text().size())
                __builtin_trap();
        }
    } catch (const InvalidInput&) {
    }
    return 0;
}
