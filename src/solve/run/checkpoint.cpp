#include "solve/run/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "solution/output_file.hpp"
#include "solve/options/option_text.hpp"
#include "solve/options/options.hpp"
#include "solve/run/archive.hpp"
#include "system/describe/describe.hpp"
#include "system/describe/fingerprint.hpp"
#include "vessiot/version.hpp"

namespace vessiot {

namespace {

constexpr std::string_view magic = "vessiot checkpoint ", format = "4\n";

// What a run may end by, and how it is computed, without another bit in its points.
bool may_differ(std::string_view name) {
    for (const std::string_view free : {"to", "to_s", "max_steps", "backend", "checkpoint_every", "checkpoint_steps"})
        if (name == free) return true;
    return false;
}

std::string shown(std::string_view name, const std::string& value) {
    std::string option = "--" + std::string(name);
    std::ranges::replace(option, '_', '-');
    return value.empty() ? fmt::format("no {}", option) : fmt::format("{} {}", option, value);
}

// ---- what differs ----

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::string stripped(const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos ? "" : line.substr(first);
}

std::string first_difference(const std::string& then, const std::string& now) {
    const std::vector<std::string> a = lines_of(then), b = lines_of(now);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
        const std::string x = k < a.size() ? a[k] : "", y = k < b.size() ? b[k] : "";
        if (x != y)
            return fmt::format("there '{}', here '{}'", shortened(stripped(x), 100), shortened(stripped(y), 100));
    }
    return "";
}

void check_identity(const std::string& path, const RunIdentity& then, const RunIdentity& now) {
    if (then.version != now.version)
        throw InvalidInput(fmt::format("{} was written by vessiot {}, and this is {}, which may compute other bits: "
                                       "resume with that version, or start anew without --resume",
                                       path, then.version, now.version));
    if (then.build != now.build)
        throw InvalidInput(fmt::format("{} was written by another build of vessiot {} ({}, and this is {}), which may "
                                       "compute other bits: resume with that build, or start anew without --resume",
                                       path, now.version, then.build, now.build));
    if (then.model != now.model)
        throw InvalidInput(fmt::format("{} is a checkpoint of another model: {}. Resume with the model, the --set and "
                                       "the --start of that run, or start anew without --resume",
                                       path, first_difference(then.model, now.model)));
    if (then.fingerprint != now.fingerprint)
        throw InvalidInput(fmt::format("{} is a checkpoint of another model: its formulas read alike, but a number, a "
                                       "definition or a table in them is not the same. Resume with the model of that "
                                       "run, or start anew without --resume",
                                       path));
    for (std::size_t k = 0; k < std::max(then.options.size(), now.options.size()); ++k) {
        static const std::pair<std::string, std::string> none{"?", ""};
        const auto& a = k < then.options.size() ? then.options[k] : none;
        const auto& b = k < now.options.size() ? now.options[k] : none;
        if (a != b)
            throw InvalidInput(fmt::format("{} is a checkpoint of a run with {}, and this one has {}: resume with the "
                                           "options of that run (--to and --max-steps may be others)",
                                           path, shown(a.first, a.second), shown(b.first, b.second)));
    }
}

void exchange(Archive& archive, RunIdentity& identity, std::string& state) {
    using Option = std::pair<std::string, std::string>;
    archive("version", identity.version);
    archive("build", identity.build);
    archive("model", identity.model);
    archive("fingerprint", identity.fingerprint);
    archive.table("options", identity.options, Archive::column("name", &Option::first),
                  Archive::column("value", &Option::second));
    archive("state", state);
}

// ---- the file ----

std::string read_all(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad())
        throw InvalidInput(fmt::format("the checkpoint {} cannot be read: {}", path, std::strerror(errno)));
    return bytes;
}

// What stands behind the head of the file.
std::string_view payload(const std::string& path, std::string_view bytes) {
    if (!bytes.starts_with(magic))
        throw InvalidInput(fmt::format("{} is no checkpoint of vessiot: it does not begin with '{}'", path, magic));
    bytes.remove_prefix(magic.size());
    if (!bytes.starts_with(format))
        throw InvalidInput(fmt::format("the checkpoint {} has the format {}, and this version of vessiot reads {}: "
                                       "resume with the version that wrote it, or start anew without --resume",
                                       path, shortened(std::string(bytes.substr(0, bytes.find('\n'))), 20),
                                       format.substr(0, format.size() - 1)));
    bytes.remove_prefix(format.size());
    std::uint64_t head[2] = {};
    if (bytes.size() < sizeof head) fail_damaged(path, "it ends early");
    std::memcpy(head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    if (bytes.size() != head[0])
        fail_damaged(path, fmt::format("it has {} bytes where {} are announced", bytes.size(), head[0]));
    if (checksum(bytes) != head[1]) fail_damaged(path, "its bytes are not those that were written");
    return bytes;
}

} // namespace

std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

void fail_damaged(const std::string& path, const std::string& why) {
    throw InvalidInput(
        fmt::format("the checkpoint {} is damaged: {}. It cannot be used; start anew without --resume", path, why));
}

std::vector<std::pair<std::string, std::string>> stream_attributes(const System& system, const Settings& options) {
    if (std::ranges::none_of(options.streams, [](const auto& stream) { return stream->needs_attributes(); })) return {};
    std::vector<std::pair<std::string, std::string>> all = {{"version", version()}, {"model_text", model_text(system)}};
    for (const GivenOption& option : changed_settings(options)) all.emplace_back(option.name, option.text);
    return all;
}

std::string model_text(const System& system) {
    const Description description = describe(system);
    std::string text = to_text(description, {.full = true});
    // with all digits, and all of them
    for (const ParameterText& p : description.parameters) {
        text += fmt::format("  {} =", p.name);
        for (const double value : p.values) text += fmt::format(" {}", value);
        text += "\n";
    }
    return text;
}

RunIdentity identity(const System& system, const Settings& options) {
    RunIdentity result{
        version(), build_identity(), model_text(system) + formulas_text(system), fingerprint(system), {}};
    fields(options, [&](const OptionField& field, const auto& value) {
        if (field.is_text && !may_differ(field.name)) result.options.emplace_back(field.name, option_text(value));
    });
    return result;
}

void check_writable(const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    const bool is_plain = std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status);
    if (std::filesystem::exists(status) && !is_plain)
        throw OutputFailed(fmt::format("{} cannot be written: a checkpoint needs a file that can be read again", path));
    const OutputFile file(path);
}

void write_checkpoint(const std::string& path, const RunIdentity& identity, const std::string& state) {
    std::string body, copy = state;
    body.reserve(state.size() + identity.model.size() + 4096);
    Archive archive = Archive::writer(body);
    RunIdentity own = identity;
    exchange(archive, own, copy);
    const std::uint64_t head[2] = {body.size(), checksum(body)};
    std::string bytes(magic);
    bytes += format;
    bytes.append(reinterpret_cast<const char*>(head), sizeof head);
    bytes += body;
    OutputFile file(path);
    file.write(bytes);
    file.finish();
}

std::string read_checkpoint(const std::string& path, const RunIdentity& now) {
    const std::string bytes = read_all(path);
    const std::string_view body = payload(path, bytes);
    RunIdentity then;
    std::string state;
    try {
        Archive archive = Archive::reader(body);
        exchange(archive, then, state);
        archive.finish();
    } catch (const BadArchive& e) {
        fail_damaged(path, e.what());
    }
    check_identity(path, then, now);
    return state;
}

} // namespace vessiot
