// Texts that a model includes.
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/parts/parts.hpp"
#include "lang/syntax/parser.hpp"

namespace vessiot::lang {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_texts = 1000;

// Reads each text once.
class Includer {
public:
    Includer(Module& module, std::shared_ptr<Source> all) : module_(module), all_(std::move(all)) {}

    void run() {
        const std::string first = all_->name();
        path_.push_back({key_of(first), {}});
        known_[key_of(first)] = first;
        module_.statements = with_included(std::move(module_.statements));
    }

private:
    struct Open {
        std::string key;
        Span span; // of the statement that includes it
    };

    // A library has its own name as key, a file the place where it is.
    static std::string key_of(const fs::path& path) {
        std::error_code ignored;
        const fs::path found = fs::weakly_canonical(path, ignored);
        return ignored || found.empty() ? path.string() : found.string();
    }

    // The statements, with those of a text in place of what includes it.
    std::vector<Statement> with_included(std::vector<Statement> statements) {
        std::vector<Statement> result;
        for (Statement& s : statements) {
            const auto* include = std::get_if<IncludeStatement>(&s.node);
            if (!include) {
                result.push_back(std::move(s));
                continue;
            }
            for (Statement& other : texts_of(*include)) result.push_back(std::move(other));
        }
        return result;
    }

    std::vector<Statement> texts_of(const IncludeStatement& include) {
        const Span span = include.path_span;
        const bool is_library = fs::path(include.path).extension() != ".ves";
        const fs::path file = fs::path(all_->name_at(span.begin)).parent_path() / include.path;
        const std::string key = is_library ? std::string(include.path) : key_of(file);
        for (std::size_t k = 0; k < path_.size(); ++k)
            if (path_[k].key == key) fail_circle(k, span);
        if (!known_.try_emplace(key, std::string(include.path)).second) return {}; // it is there already
        if (known_.size() > most_texts) fail(*all_, span, fmt::format("more than {} texts are included", most_texts));
        const std::uint32_t begin = is_library ? append_library(include) : append_file(file, span);
        path_.push_back({key, span});
        std::vector<Statement> found = with_included(parse_text(*all_, begin, module_.store));
        path_.pop_back();
        return found;
    }

    std::uint32_t append_library(const IncludeStatement& include) {
        const auto text = library_text(include.path);
        if (text) return all_->append(Source(fmt::format("library/{}.ves", include.path), std::string(*text)));
        const std::vector<std::string_view> names = library_names();
        const auto meant = nearest(include.path, names);
        fail(*all_, include.path_span,
             fmt::format("there is no library '{}'{} Libraries are: {}; a file is included by its name with '.ves'",
                         include.path, meant ? fmt::format("; did you mean '{}'?", *meant) : ".", first_names(names)));
    }

    std::uint32_t append_file(const fs::path& file, Span span) {
        std::optional<Source> text;
        try {
            text.emplace(Source::load(file));
        } catch (const InvalidInput& e) {
            fail(*all_, span, e.what());
        }
        return all_->append(*text);
    }

    [[noreturn]] void fail_circle(std::size_t from, Span span) {
        std::string way;
        for (std::size_t k = from + 1; k < path_.size(); ++k)
            way += fmt::format(", which is included in {}", all_->line_text(path_[k].span.begin));
        fail(*all_, span, fmt::format("this text includes itself: here{}", way));
    }

    Module& module_;
    std::shared_ptr<Source> all_;
    std::vector<Open> path_;
    std::map<std::string, std::string> known_;
};

bool has_includes(const Module& module) {
    for (const Statement& s : module.statements)
        if (std::holds_alternative<IncludeStatement>(s.node)) return true;
    return false;
}

} // namespace

Module read_module(const Source& source, Warnings& warnings) {
    Module module = parse(source);
    if (has_includes(module)) {
        auto all = std::make_shared<Source>(source);
        module.with_included = all;
        module.source = all.get();
        Includer(module, all).run();
    }
    expand_parts(module, warnings);
    return module;
}

} // namespace vessiot::lang
