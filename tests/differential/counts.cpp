#include "differential/counts.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "differential/classes/classes.hpp"

namespace vessiot::differential {
namespace {

std::string word(Verdict verdict) {
    return std::string(verdict_names[static_cast<std::size_t>(verdict)]);
}

} // namespace

void Counts::add(const std::string& class_name, const Outcome& outcome, bool is_plain) {
    ++counts_[fmt::format("verdict {} {}", class_name, word(outcome.verdict))];
    if (is_plain) ++counts_[fmt::format("plain {} {}", class_name, word(outcome.verdict))];
    if (outcome.verdict != Verdict::solved)
        ++counts_[fmt::format("reason {} {}", word(outcome.verdict), outcome.reason)];
}

void Counts::merge(const Counts& other) {
    systems += other.systems;
    for (const auto& [key, n] : other.counts_) counts_[key] += n;
}

std::int64_t Counts::of(Verdict verdict) const {
    std::int64_t total = 0;
    for (const auto& [key, n] : counts_)
        if (key.starts_with("verdict ") && key.ends_with(" " + word(verdict))) total += n;
    return total;
}

std::string Counts::table() const {
    std::map<std::string, std::map<std::string, std::int64_t>> rows;
    for (const auto& [key, n] : counts_) {
        std::istringstream words(key);
        std::string kind, name, verdict;
        words >> kind >> name >> verdict;
        if (kind == "verdict") rows[name][verdict] = n, rows["all"][verdict] += n;
    }
    std::string text = fmt::format("{:16}", "runs");
    for (const std::string_view name : verdict_names) text += fmt::format("{:>9}", name);
    for (const auto& [name, row] : rows) {
        if (name == "all") continue;
        text += fmt::format("\n{:16}", name);
        for (const std::string_view verdict : verdict_names)
            text += fmt::format("{:9}", row.contains(std::string(verdict)) ? row.at(std::string(verdict)) : 0);
    }
    text += fmt::format("\n{:16}", "all");
    for (const std::string_view verdict : verdict_names) text += fmt::format("{:9}", rows["all"][std::string(verdict)]);
    for (const std::string_view verdict : {"refused", "failed", "unclear", "known", "WRONG"}) {
        std::vector<std::pair<std::int64_t, std::string>> reasons;
        const std::string prefix = fmt::format("reason {} ", verdict);
        for (const auto& [key, n] : counts_)
            if (key.starts_with(prefix)) reasons.emplace_back(n, key.substr(prefix.size()));
        std::ranges::sort(reasons, std::ranges::greater());
        for (std::size_t k = 0; k < std::min<std::size_t>(8, reasons.size()); ++k)
            text += fmt::format("\n  {:7} {:6}  {}", verdict, reasons[k].first, reasons[k].second);
    }
    return fmt::format("{} systems\n{}\n", systems, text);
}

std::string Counts::weak_classes(double share) const {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> solved_of;
    for (const auto& [key, n] : counts_) {
        std::istringstream words(key);
        std::string kind, name, verdict;
        words >> kind >> name >> verdict;
        const ClassInfo* const info = find_class(name);
        if (kind != "plain" || (info && info->is_false)) continue;
        solved_of[name].second += n;
        if (verdict == word(Verdict::solved)) solved_of[name].first += n;
    }
    std::string weak;
    for (const auto& [name, n] : solved_of)
        if (static_cast<double>(n.first) < share * static_cast<double>(n.second))
            weak += fmt::format("{}{} ({} of {})", weak.empty() ? "" : ", ", name, n.first, n.second);
    return weak;
}

std::string Counts::serialised() const {
    std::string text = fmt::format("{}\n", systems);
    for (const auto& [key, n] : counts_) text += fmt::format("{} {}\n", n, key);
    return text;
}

Counts Counts::read(const std::string& text) {
    Counts counts;
    std::istringstream lines(text);
    std::string line;
    if (std::getline(lines, line)) counts.systems = std::stoll(line);
    while (std::getline(lines, line)) {
        const std::size_t space = line.find(' ');
        counts.counts_[line.substr(space + 1)] = std::stoll(line);
    }
    return counts;
}

} // namespace vessiot::differential
