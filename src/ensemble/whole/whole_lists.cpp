#include "ensemble/whole/whole_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "ensemble/whole/member_lists.hpp"
#include "expr/graph/derivative.hpp"
#include "expr/kernel/evaluator.hpp"
#include "lanes/lane_crew.hpp"
#include "solve/run/recorder.hpp"

namespace vessiot::ensemble {

namespace {

constexpr std::string_view start_prefix = "start:";

std::vector<Quad> values_with(const ProblemCore& core, const RunOptions& run) {
    return parameter_values(core.with_parameters(run));
}

// The element of all parameters that has this name; none where others follow it, or where it is several.
std::optional<std::size_t> element_of(const ProblemCore& core, RunOptions run, const std::string& name) {
    const std::vector<Quad> before = values_with(core, run);
    std::optional<std::size_t> found;
    for (const double other : {0.3719462, 1.4180339}) { // one of them is not what it is now
        run.parameters.emplace_back(name, other);
        const std::vector<Quad> after = values_with(core, run);
        for (std::size_t k = 0; k < after.size(); ++k) {
            if (after[k] == before[k]) continue;
            if (found && *found != k) return std::nullopt;
            found = k;
        }
    }
    return found;
}

// What of a system has to be computed anew for each member, and is not, in lists.
bool has_formulas_of(const System& system, const std::vector<std::size_t>& elements) {
    std::vector<expr::NodeId> nodes;
    for (const Parameter& p : system.parameters) nodes.insert(nodes.end(), p.formula.begin(), p.formula.end());
    if (system.from) nodes.push_back(*system.from);
    if (system.to) nodes.push_back(*system.to);
    const std::vector<expr::ArrayId> read = expr::dependencies(*system.graph, nodes);
    std::size_t first = 0;
    for (const Parameter& p : system.parameters) {
        const std::size_t end = first + p.values.size();
        const bool varies = std::ranges::any_of(elements, [&](std::size_t e) { return e >= first && e < end; });
        if (varies && std::ranges::find(read, p.array) != read.end()) return true;
        first = end;
    }
    return false;
}

class WholeMaker {
public:
    explicit WholeMaker(const WholeStudy& study) : study_(study), values_(study.varied.size()), told_(study.core) {}

    std::optional<WholeLists> make() {
        if (study_.columns.empty() || !SolveInParts::fits(study_.core) || !choose_varied()) return std::nullopt;
        told_.tell(study_.run(0, values_));
        if (!told_.options().streams.empty() || told_.options().on_step) return std::nullopt;
        SolveInParts solve(study_.core, told_);
        if (!is_plain(solve)) return std::nullopt;
        MemberParts parts{.workspace = solve.workspace(),
                          .run = solve.run(),
                          .settings = told_.options(),
                          .parameters = parameters_,
                          .starts = starts_,
                          .t = solve.run().t()};
        const double h = solve.run().h();
        parts.h_first = told_.options().h_first > 0 ? std::optional(h) : std::nullopt;
        while (!solve.run().is_over() && !parts.lent) {
            if (!solve.run().advance()) break;
            parts.lent = solve.run().lend();
        }
        if (!parts.lent || !has_plain_steps(*parts.lent)) return std::nullopt;
        const lanes::LaneRun lent{parts.lent->kernels, parts.lent->stretch, parts.lent->controller};
        lanes::fill_numbers(lent, parts.t, parts.numbers.data());
        parts.numbers[lanes::rounds_left_number] = static_cast<double>(told_.options().max_steps);
        lists_.round = lanes::make_whole_round(lent.kernels->blocks(), lent.controller->options(),
                                               {solve.run().watched_rows(), ConservationWatch<double>::noticed},
                                               parts.numbers.data());
        lists_.n = lent.kernels->blocks().formulas().n();
        lists_.n_varied = values_.size();
        lists_.n_columns = study_.columns.size();
        lists_.end = parts.lent->stretch->end;
        lists_.fixed = lanes::fixed_inputs(*lists_.round);
        lists_.evaluator = solve.run().evaluator();
        lists_.code = solve.code_cache();
        solve.run().go_on();
        const std::optional<Solution> solution = solve.finish();
        if (!solution || has_notes(*solution)) return std::nullopt;
        lists_.start = start_list(parts, lists_.fixed);
        lists_.record = record_list(parts, lists_.end, places_of(*solution));
        if (!lists_.start || !lists_.record || !are_right()) return std::nullopt;
        return std::move(lists_);
    }

private:
    // Elements of parameters, and the rest.
    bool choose_varied() {
        RunOptions plain = study_.run(0, values_);
        for (std::size_t k = 0; k < study_.varied.size(); ++k) {
            const std::string& name = study_.varied[k];
            if (name.starts_with(start_prefix)) {
                starts_.emplace_back(name.substr(start_prefix.size()), k);
                continue;
            }
            const auto element = element_of(study_.core, plain, name);
            if (!element) return false;
            parameters_.emplace_back(*element, k);
            elements_.push_back(*element);
        }
        return true;
    }

    bool is_plain(SolveInParts& solve) {
        Workspace<double>& w = solve.workspace();
        const System& system = w.problem().system();
        const Engine<double>& engine = w.engine();
        const Distribution<double>& d = w.problem().distribution();
        const bool has_functions = d.velocity_function() && d.tops_function() && !has_calls(*d.velocity_function()) &&
                                   !has_calls(*d.tops_function());
        return w.is_open_to(elements_) && !has_formulas_of(system, elements_) && has_functions && system.held.empty() &&
               system.guesses.empty() && system.holds.empty() && system.initially.empty() &&
               told_.options().guess.empty() && !w.problem().base() && !engine.watch.is_on() &&
               !(engine.conservation && !elements_.empty()) && !w.problem().evaluator().contraction &&
               !solve.run().is_over();
    }

    static bool has_plain_steps(const Run<double>::Lent& lent) {
        const Stretch<double>& s = *lent.stretch;
        return s.has_plain_first && s.n_wanted == std::numeric_limits<int>::max() &&
               std::abs(s.report) == std::numeric_limits<double>::max();
    }

    bool has_notes(const Solution& solution) const {
        const std::vector<std::string>& warnings = study_.core.system().warnings;
        return std::ranges::any_of(solution.notes, [&](const std::string& note) {
            return std::ranges::none_of(warnings, [&](const std::string& w) { return w.starts_with(note); });
        });
    }

    // Where the columns are in a solution: among its names, then its outputs.
    std::vector<std::size_t> places_of(const Solution& s) const {
        std::vector<std::size_t> places;
        for (const std::string& name : study_.columns) {
            const auto output = std::ranges::find(s.output_names, name);
            places.push_back(output == s.output_names.end()
                                 ? s.column_of(name)
                                 : s.names.size() + static_cast<std::size_t>(output - s.output_names.begin()));
        }
        return places;
    }

    // What the start list says of the member whose values these are.
    struct Begun {
        std::vector<double> numbers, point, direction, fixed;
        bool is_plain() const { return numbers[lanes::outcome_number] == 0; }
    };
    Begun begun(expr::Evaluator& start) const {
        const auto n = static_cast<std::size_t>(lists_.n);
        Begun b{std::vector<double>(lanes::n_numbers), std::vector<double>(n), std::vector<double>(n),
                std::vector<double>(lists_.fixed.size())};
        const double* in[] = {values_.data()};
        double* out[] = {b.numbers.data(), b.point.data(), b.direction.data(), b.fixed.data()};
        start(in, out);
        return b;
    }

    // Members here and there: most have to be plain, and a few are compared with runs.
    bool are_right() {
        const expr::EvaluatorOptions once{.backend = expr::Backend::interpreter};
        expr::Evaluator start(lists_.start, once), record(lists_.record, once);
        const std::int64_t n = std::min<std::int64_t>(study_.n_members, 64);
        std::int64_t n_plain = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const RunOptions run = study_.run(n > 1 ? k * (study_.n_members - 1) / (n - 1) : 0, values_);
            const Begun b = begun(start);
            n_plain += b.is_plain() ? 1 : 0;
            if (b.is_plain() && k % 21 == 0 && !is_right(run, b, record)) return false;
        }
        return 4 * n_plain >= 3 * n;
    }

    bool is_right(const RunOptions& run, const Begun& b, expr::Evaluator& record) {
        told_.tell(run);
        SolveInParts solve(study_.core, told_);
        if (!is_start(solve.run(), b)) return false;
        while (!solve.run().is_over()) {
            const auto lent = solve.run().lend();
            if (lent && !has_inputs(*lent->kernels, b.fixed)) return false;
            if (lent) break;
            solve.run().advance();
        }
        solve.run().go_on();
        const std::vector<double> end(solve.run().point(), solve.run().point() + lists_.n);
        const std::optional<Solution> solution = solve.finish();
        if (!solution) return true; // it fails on its way
        std::vector<double> row(lists_.n_columns);
        const double* from[] = {values_.data(), end.data()};
        double* to[] = {row.data()};
        record(from, to);
        return !has_notes(*solution) && is_row(*solution, row);
    }

    static bool is_same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

    bool is_start(Run<double>& run, const Begun& b) const {
        const double* const v = run.direction();
        if (!v || run.t() != b.numbers[lanes::t_number]) return false;
        const double rest = lists_.end - run.t(), h = std::abs(rest) <= 1.01 * std::abs(run.h()) ? rest : run.h();
        if (!is_same(h, b.numbers[lanes::h_number])) return false;
        for (std::int64_t e = 0; e < lists_.n; ++e) {
            const auto k = static_cast<std::size_t>(e);
            if (!is_same(b.point[k], run.point()[e]) || !is_same(b.direction[k], v[e])) return false;
        }
        return true;
    }

    bool has_inputs(const method::FusedAttempt& kernels, const std::vector<double>& fixed) const {
        std::array<double*, method::n_attempt_inputs> slots{};
        kernels.bind(slots.data());
        for (std::size_t k = 0; k < lists_.fixed.size(); ++k)
            if (!is_same(slots[lists_.fixed[k].buffer][lists_.fixed[k].element], fixed[k])) return false;
        return true;
    }

    bool is_row(const Solution& s, const std::vector<double>& row) const {
        const std::vector<std::size_t> places = places_of(s);
        const std::size_t last = s.t.size() - 1, n = s.names.size(), n_outputs = s.output_names.size();
        for (std::size_t k = 0; k < places.size(); ++k) {
            const double value =
                places[k] < n ? s.numbers[last * n + places[k]] : s.output_numbers[last * n_outputs + places[k] - n];
            if (!is_same(value, row[k])) return false;
        }
        return s.t.back() == lists_.end;
    }

    const WholeStudy& study_;
    std::vector<double> values_;
    Told told_;
    WholeLists lists_;
    std::vector<std::pair<std::size_t, std::size_t>> parameters_; // element, number of what varies
    std::vector<std::size_t> elements_;
    std::vector<std::pair<std::string, std::size_t>> starts_;
};

} // namespace

std::optional<WholeLists> make_whole_lists(const WholeStudy& study) {
    try {
        return WholeMaker(study).make();
    } catch (const InvalidInput&) { // of the first member, or of one that is compared
        return std::nullopt;
    }
}

} // namespace vessiot::ensemble
