// Greedy: every smaller candidate is tried in turn, and the first that fails in the same way is the next to be shrunk.
// Right sides follow from left sides and solutions (system.hpp), so that candidates are true again.
#include "differential/shrink.hpp"

#include <algorithm>
#include <cmath>

namespace vessiot::differential {
namespace {

// Every formula with one node replaced by something simpler.
void simpler(const Formula& f, const std::function<void(const Formula&)>& give) {
    const bool is_leaf = f->operands.empty() || f->op == Op::unknown;
    if (f->op == Op::number) {
        for (const double by : {0.0, 1.0, std::round(f->value), std::round(10 * f->value) / 10})
            if (by != f->value && std::fabs(by) <= std::fabs(f->value) + 1) give(number(by));
        return;
    }
    if (f->op != Op::unknown) {
        give(number(0));
        give(number(1));
    }
    if (is_leaf) return;
    if (f->op == Op::add || f->op == Op::multiply)
        for (std::size_t k = 0; k < f->operands.size(); ++k) {
            std::vector<Formula> rest = f->operands;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
            give(with_operands(*f, rest));
        }
    if (f->op != Op::sum)
        for (const Formula& operand : f->operands) give(operand);
    for (std::size_t k = f->op == Op::sum ? 2 : 0; k < f->operands.size(); ++k)
        simpler(f->operands[k], [&](const Formula& by) {
            std::vector<Formula> operands = f->operands;
            operands[k] = by;
            give(with_operands(*f, operands));
        });
}

bool mentions(const Formula& f, const std::string& name) {
    bool found = false;
    if (f) visit(f, [&](const Node& node) { found = found || (node.op == Op::unknown && node.name == name); });
    return found;
}

// Without the unknown: equations that mention it go, or see a 0 in its place where one fewer is enough.
System without_unknown(System system, std::size_t which, std::size_t equation) {
    const std::string name = system.unknowns[which].name;
    system.unknowns.erase(system.unknowns.begin() + static_cast<std::ptrdiff_t>(which));
    if (equation < system.equations.size())
        system.equations.erase(system.equations.begin() + static_cast<std::ptrdiff_t>(equation));
    const auto clear = [&](Formula& f) {
        if (f && mentions(f, name))
            f = replace(f, [&](const Node& n) { return n.op == Op::unknown && n.name == name ? number(0) : nullptr; });
    };
    for (std::vector<Equation>* list : {&system.equations, &system.constraints})
        for (Equation& e : *list) {
            clear(e.left);
            clear(e.moved);
            clear(e.right);
        }
    for (Formula& f : system.invariants) clear(f);
    clear(system.lagrangian);
    return system;
}

class Candidates {
public:
    explicit Candidates(const Finding& finding) : finding_(finding) {
        drop_parts();
        drop_options();
        simplify();
        shorten();
    }
    std::vector<Finding> all;

private:
    void give(System system) { all.push_back({std::move(system), finding_.run, finding_.outcome}); }

    template <class List> void drop_one(List System::* list) {
        for (std::size_t k = 0; k < (finding_.system.*list).size(); ++k) {
            System system = finding_.system;
            (system.*list).erase((system.*list).begin() + static_cast<std::ptrdiff_t>(k));
            give(std::move(system));
        }
    }

    void drop_parts() {
        const System& s = finding_.system;
        for (std::size_t u = 0; u < s.unknowns.size(); ++u) {
            if (s.lagrangian) give(without_unknown(s, u, s.equations.size()));
            for (std::size_t e = 0; e < s.equations.size(); ++e)
                if (mentions(s.equations[e].left, s.unknowns[u].name)) give(without_unknown(s, u, e));
        }
        drop_one(&System::equations);
        drop_one(&System::invariants);
        drop_one(&System::events);
        for (std::size_t k = 0; k < s.constraints.size(); ++k) {
            System system = s;
            system.constraints.erase(system.constraints.begin() + static_cast<std::ptrdiff_t>(k));
            if (k < system.multipliers.size() && s.constraints[k].loop == 0)
                system.multipliers.erase(system.multipliers.begin() + static_cast<std::ptrdiff_t>(k));
            give(std::move(system));
        }
    }

    void drop_options() {
        for (std::size_t k = 0; k < finding_.run.options.size(); ++k) {
            if (finding_.run.options[k].second == "interpreter") continue; // the faster one for small systems
            Finding smaller = finding_;
            smaller.run.options.erase(smaller.run.options.begin() + static_cast<std::ptrdiff_t>(k));
            all.push_back(std::move(smaller));
        }
    }

    // of: System& -> the formula
    void simplify_one(const std::function<Formula&(System&)>& of) {
        System copy = finding_.system;
        const Formula f = of(copy);
        if (!f) return;
        simpler(f, [&](const Formula& by) {
            System system = finding_.system;
            of(system) = by;
            give(std::move(system));
        });
    }

    void simplify() {
        const System& s = finding_.system;
        for (std::size_t k = 0; k < s.equations.size(); ++k)
            for (Formula Equation::* side : {&Equation::left, &Equation::moved, &Equation::right})
                simplify_one([k, side](System& system) -> Formula& { return system.equations[k].*side; });
        for (std::size_t k = 0; k < s.constraints.size(); ++k)
            simplify_one([k](System& system) -> Formula& { return system.constraints[k].left; });
        for (std::size_t k = 0; k < s.invariants.size(); ++k)
            simplify_one([k](System& system) -> Formula& { return system.invariants[k]; });
        simplify_one([](System& system) -> Formula& { return system.lagrangian; });
        for (std::size_t k = 0; k < s.multipliers.size(); ++k)
            simplify_one([k](System& system) -> Formula& { return system.multipliers[k]; });
        for (std::size_t k = 0; k < s.unknowns.size(); ++k)
            simplify_one([k](System& system) -> Formula& { return system.unknowns[k].solution; });
    }

    void shorten() {
        System system = finding_.system;
        system.to = (system.from + system.to) / 2;
        if (std::fabs(system.to - system.from) > 0.05) give(std::move(system));
    }

    const Finding& finding_;
};

// Nodes; and numbers that take long to read, so that every step makes a finding smaller and the search ends.
double weight(const Formula& f) {
    double total = 0;
    if (f)
        visit(f, [&](const Node& node) {
            const bool is_number = node.op == Op::number;
            total += !is_number        ? 1
                     : node.value == 0 ? 0
                     : node.value == 1 ? 0.1
                                       : 0.2 + 0.02 * static_cast<double>(text(node.value).size());
        });
    return total;
}

double weight(const Finding& finding) {
    const System& s = finding.system;
    double total = std::fabs(s.to - s.from) / 100 + 3 * static_cast<double>(finding.run.options.size());
    for (const Unknown& u : s.unknowns) total += 10 + weight(u.solution);
    for (const std::vector<Equation>* list : {&s.equations, &s.constraints})
        for (const Equation& e : *list) total += 5 + weight(e.left) + weight(e.moved) + weight(e.right);
    for (const Formula& f : s.invariants) total += 5 + weight(f);
    for (const Formula& f : s.multipliers) total += weight(f);
    return total + weight(s.lagrangian) + 5 * static_cast<double>(s.events.size());
}

} // namespace

Finding shrink(Finding finding, const Limits& limits, int budget, const Judge& judge_one) {
    bool is_smaller = true;
    while (is_smaller && budget > 0) {
        is_smaller = false;
        const Candidates candidates(finding);
        for (const Finding& candidate : candidates.all) {
            if (budget <= 0) break;
            if (weight(candidate) >= weight(finding) || !complaint(candidate.system).empty()) continue;
            --budget;
            const Outcome outcome = judge_apart(candidate.system, {candidate.run}, limits, judge_one)[0];
            if (outcome.verdict != Verdict::wrong || outcome.reason != finding.outcome.reason) continue;
            finding = {candidate.system, candidate.run, outcome};
            is_smaller = true;
            break;
        }
    }
    return finding;
}

} // namespace vessiot::differential
