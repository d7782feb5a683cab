// Tables with the printed and the computed numbers side by side, for people and for programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

struct Entry {
    const Cell* cell = nullptr;
    double computed = 0;
    Verdict verdict = Verdict::differs;
    std::string reason{}; // where it differs and something is known
};

struct TableResult {
    const Paper* paper = nullptr;
    const Table* table = nullptr;
    std::vector<Entry> entries{};
};

struct ClaimResult {
    const Claim* claim = nullptr;
    Finding finding{};
};

struct PaperResult {
    const Paper* paper = nullptr;
    std::vector<TableResult> tables{};
    std::vector<ClaimResult> claims{};
};

TableResult compute(const Paper& paper, const Table& table, Runner& runner);
// All of it; `begin` is told what comes next.
PaperResult compute(const Paper& paper, Runner& runner, const std::function<void(const std::string&)>& begin);

// What there is to reproduce; for programs a list of objects: paper, title, tables.
std::string list_text();
std::string list_json();

// "18049 = 18049   115 ≈ 120   6 ≠ 5 [1]": printed, verdict, computed; then the reasons.
std::string table_text(const TableResult& result);
std::string claims_text(const std::vector<ClaimResult>& claims);
// "240 exact, 51 of them fitted, 30 close, 20 differ of 290 numbers; 70 exact of 77 reference values"
std::string counts_text(const std::vector<TableResult>& tables);

// A list of objects: paper, table, row, column, published (or reference), computed, verdict; reading and whether it was
// inferred, where there is one; reason where it differs.
std::string json_text(const std::vector<TableResult>& tables);

// A page.
std::string markdown(const std::vector<PaperResult>& papers);

} // namespace vessiot::reproduce
