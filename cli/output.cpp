#include "cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "cli/progress.hpp"
#include "core/printable.hpp"
#include "solution/output_file.hpp"

namespace vessiot::cli {

namespace {

constexpr int patience_ms = 1000; // for who reads, after Ctrl-C

// After Ctrl-C what can still be written is written: a reader that takes nothing any more is not waited for.
// NOTE: a pipe that has room takes PIPE_BUF bytes without waiting.
void write_raw(std::string_view rest) {
    while (!rest.empty()) {
        std::size_t part = rest.size();
        if (is_interrupted()) {
            pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
            if (::poll(&out, 1, patience_ms) == 0)
                throw OutputError("interrupted: standard output is not complete, since nobody reads it");
            part = std::min<std::size_t>(part, PIPE_BUF);
        }
        const ssize_t n = ::write(STDOUT_FILENO, rest.data(), part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw OutputError(
                fmt::format("standard output cannot be written: {}", std::strerror(n < 0 ? errno : ENOSPC)));
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

} // namespace

void write_output(std::string_view text) {
    write_raw(printable(text));
}

void write_json_output(std::string_view text) {
    write_raw(printable(text, EscapeStyle::json));
}

void write_json(const nlohmann::ordered_json& object) {
    write_json_output(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void write_message(std::string_view text) {
    write_all(STDERR_FILENO, printable(text) + "\n");
}

} // namespace vessiot::cli
