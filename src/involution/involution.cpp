#include "involution/involution.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "distribution/tops/top_system.hpp"
#include "expr/graph/collect.hpp"
#include "expr/graph/derivative.hpp"
#include "involution/combination.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "manifold/manifold.hpp"
#include "system/describe/describe.hpp"
#include "system/incidence.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_operations = 200'000; // of the equations for the tops, written out
constexpr int most_rounds = 24;
constexpr double rank_tolerance = 1e-9;

EvaluatorOptions interpreted() {
    EvaluatorOptions options;
    options.backend = expr::Backend::interpreter;
    return options;
}

struct Sample {
    Quad t;
    linalg::Vector<Quad> u;
};

} // namespace

// A system as it stands in one round, with its manifold: what does not depend on the values of parameters.
struct RoundFunctions {
    System system;
    Signature signature;
    Prolongation p;
    Jets<Quad> jets;
    Manifold<Quad> manifold;
    std::optional<TopSystem<Quad>> tops{};                           // made when needed
    std::optional<std::optional<std::vector<WrittenRow>>> written{}; // the same; nothing where they are too large

    explicit RoundFunctions(const System& s)
        : system(s), signature(make_signature(s)), p(prolong_written(s, signature)), jets(s, p),
          manifold(system, p, jets, ManifoldOptions{interpreted(), false, false}) {}

    void set_parameters(const System& s) {
        system.parameters = s.parameters;
        jets.set_parameters(parameter_values(s));
    }
    TopSystem<Quad>& top_system() {
        if (!tops) tops.emplace(system, p, jets, interpreted());
        return *tops;
    }
    const std::optional<std::vector<WrittenRow>>& rows() {
        if (!written) written.emplace(write_rows(system, p, most_operations));
        return *written;
    }
};

class CompletionRounds {
public:
    RoundFunctions& of(const System& system) {
        std::vector<std::pair<DomainId, NodeId>> equations;
        for (const Equation& e : system.equations) equations.emplace_back(e.domain, e.residual);
        std::unique_ptr<RoundFunctions>& found = made_[std::move(equations)];
        if (found)
            found->set_parameters(system);
        else
            found = std::make_unique<RoundFunctions>(system);
        return *found;
    }
    std::size_t size() const { return made_.size(); }

private:
    std::map<std::vector<std::pair<DomainId, NodeId>>, std::unique_ptr<RoundFunctions>> made_;
};

namespace {

// One of them, and points of its manifold.
struct Round {
    RoundFunctions& made;
    const System& system;
    const Signature& signature;
    const Prolongation& p;
    Manifold<Quad>& manifold;
    std::vector<Sample> samples; // the start point, and others near it; empty where there is none

    Round(RoundFunctions& functions, Quad t, const Guess& guess)
        : made(functions), system(made.system), signature(made.signature), p(made.p), manifold(made.manifold) {
        find_samples(manifold, t, guess(system, p));
    }

    // Samples that satisfy more equations, which hold near the start point, but not on other branches of the manifold.
    void resample(RoundFunctions& more, Quad t, const Guess& guess) {
        if (more.p.state != p.state || more.p.z.jets != p.z.jets) return;
        std::vector<Sample> before = std::exchange(samples, {});
        find_samples(more.manifold, t, guess(more.system, more.p));
        if (samples.empty()) samples = std::move(before);
    }

    void find_samples(Manifold<Quad>& on, Quad t, GuessedPoint point) {
        const auto choose = [&] {
            std::vector<std::int64_t> open;
            for (std::size_t k = 0; k < point.freedom.size(); ++k)
                if (point.freedom[k] <= Freedom::free) open.push_back(static_cast<std::int64_t>(k));
            std::vector<linalg::Vector<Quad>> found = find_solutions(on, t, point.u, point.freedom, open);
            if (found.empty()) return false;
            point.u = std::move(found[0]);
            return true;
        };
        if (!make_consistent<Quad>(on, t, point.u, point.freedom, choose)) return;
        samples.push_back({t, point.u});
        // near, and nearer where constraints that depend on each other lead astray from afar
        for (const double amount : {0.1, 0.01, 0.001})
            for (int k = 1; k <= 6 && samples.size() < 4; ++k) {
                const Quad at = t + Quad(1e-3 * k) * (1 + linalg::absolute(t));
                for (auto& u : points_near(on, at, point.u, 1, amount, 0.3, static_cast<std::uint64_t>(k)))
                    samples.push_back({at, std::move(u)});
            }
        if (samples.size() < 2) samples.clear(); // one point alone may be special
    }

    std::vector<SampledRows> rows() {
        TopSystem<Quad>& tops = made.top_system();
        const std::int64_t k = tops.n_equations(), n = p.n_tops();
        linalg::Vector<Quad> entries(tops.pattern().entries());
        std::vector<SampledRows> result;
        for (const Sample& s : samples) {
            SampledRows here{linalg::Vector<Quad>(k), linalg::Vector<Quad>(k * n)};
            tops(s.t, s.u.data(), here.r.data(), entries.data());
            linalg::fill_dense(tops.pattern(), entries.data(), here.a.data());
            if (linalg::all_finite(here.r.data(), k) && linalg::all_finite(entries.data(), entries.size()))
                result.push_back(std::move(here));
        }
        return result;
    }

    // df at a point that is not special: the last one.
    std::vector<Quad> constraint_matrix() { return constraint_matrix(samples.back()); }

    std::vector<Quad> constraint_matrix(const Sample& at) {
        const std::int64_t k = manifold.n_constraints(), n = manifold.n_coordinates();
        linalg::Vector<Quad> f(k), entries(manifold.pattern().entries());
        manifold.df(at.t, at.u.data(), f.data(), entries.data());
        std::vector<Quad> dense(static_cast<std::size_t>(k * n));
        linalg::fill_dense(manifold.pattern(), entries.data(), dense.data());
        return dense;
    }
};

class Completion {
public:
    Completion(const System& system, Quad t, const Guess& guess, CompletionRounds& rounds)
        : rounds_(rounds), t_(t), guess_(guess), n_written_(system.equations.size()), written_(make_signature(system)) {
        result_.system = system;
    }

    Involution run() {
        for (int round = 0; round < most_rounds; ++round) {
            Round now(rounds_.of(result_.system), t_, guess_);
            if (!dropped_.empty() && !now.samples.empty()) now.resample(rounds_.of(with_dropped()), t_, guess_);
            if (now.p.n_tops() > most_completed) fail_large(now.p.n_tops());
            if (now.samples.empty()) return finish(now, {}); // the start point is not found: that is said elsewhere
            if (round > 0 && drop_dependent(now)) continue;
            const Combinations found = eliminate(now);
            note(found);
            if (add_consequences(now, found)) continue;
            if (found.rank < now.p.n_tops() && found.rank > 0 && !is_motion_unique(now, found.rank))
                fail_open(now, found);
            return finish(now, found);
        }
        throw InvalidInput(fmt::format(
            "after {} rounds of differentiation the equations of {} still have consequences that are new: the index "
            "is not bounded, or too high. {}",
            most_rounds, result_.system.name, names_of_consequences()));
    }

private:
    Combinations eliminate(Round& now) {
        const std::optional<std::vector<WrittenRow>>& rows = now.made.rows();
        if (!rows) fail_large(now.p.n_tops());
        std::vector<int> depth(rows->size());
        for (std::size_t k = 0; k < now.p.tops.selected.size(); ++k) {
            const auto i = static_cast<std::size_t>(now.p.tops.equation[k]);
            depth[i] = now.p.offsets.c[i] + depth_of(family_of(now, static_cast<std::int32_t>(i)));
        }
        std::vector<SampledRows> samples = now.rows();
        if (samples.empty()) { // no numbers to be had: that is said elsewhere
            now.samples.clear();
            return {};
        }
        return combine(*result_.system.graph, *rows, depth, std::move(samples), now.p.n_tops());
    }

    void note(const Combinations& found) {
        const auto add = [&](auto... numbers) { (result_.path.push_back(static_cast<std::uint32_t>(numbers)), ...); };
        add(found.rank, found.depth, found.rank_here, found.left.size(), found.open.size());
        for (const Combination& c : found.left) {
            add(c.h, c.depth, c.is_zero, c.is_constant, c.from.size());
            for (const std::int32_t i : c.from) add(i);
        }
        for (const std::int32_t j : found.open) add(j);
    }

    static std::size_t family_of(const Round& now, std::int32_t element) {
        const auto& first = now.signature.equations;
        return static_cast<std::size_t>(std::ranges::upper_bound(first, element) - first.begin()) - 1;
    }

    int depth_of(std::size_t equation) const {
        return equation < n_written_ ? 0 : result_.consequences[equation - n_written_].depth;
    }

    // New constraints join the system; false where there are none.
    bool add_consequences(const Round& now, const Combinations& found) {
        bool is_new = false;
        Graph& g = *result_.system.graph;
        for (const Combination& c : found.left) {
            if (c.is_zero) continue;
            Consequence consequence{result_.system.equations.size(), c.depth, {}, {}};
            for (const std::int32_t i : c.from) collect(family_of(now, i), consequence.from);
            consequence.from_text = texts(consequence.from);
            if (c.is_constant || !has_unknowns(c.h)) fail_contradiction(consequence, c);
            const NodeId h = collect_equation(g, c.h);
            result_.system.equations.push_back({.kind = EquationKind::consequence,
                                                .domain = g.index().scalar_domain(),
                                                .residual = h,
                                                .lhs = h,
                                                .rhs = g.zero()});
            result_.consequences.push_back(std::move(consequence));
            is_new = true;
        }
        return is_new;
    }

    // Equations of the model, also through the consequences that an equation comes from.
    void collect(std::size_t equation, std::vector<std::size_t>& into) const {
        if (equation >= n_written_) {
            for (const std::size_t e : result_.consequences[equation - n_written_].from) collect(e, into);
        } else if (std::ranges::find(into, equation) == into.end()) {
            into.insert(std::ranges::upper_bound(into, equation), equation);
        }
    }

    // Each text once: the components of an equation between vectors have the same one.
    std::vector<std::string> texts(const std::vector<std::size_t>& equations) const {
        std::vector<std::string> result;
        for (const std::size_t e : equations) {
            std::string text = describe_equation(result_.system, result_.system.equations[e]).text;
            if (std::ranges::find(result, text) == result.end()) result.push_back(std::move(text));
        }
        return result;
    }

    bool has_unknowns(NodeId h) const {
        const Graph& g = *result_.system.graph;
        return std::ranges::any_of(dependencies(g, {h}),
                                   [&](ArrayId a) { return g.array(a).role == ArrayRole::unknown; });
    }

    // Consequences that follow from the other constraints are taken out again.
    bool drop_dependent(Round& now) {
        const std::vector<int> order = rows_by_trust(now);
        const auto k = static_cast<std::size_t>(now.manifold.n_constraints());
        const auto n = static_cast<std::size_t>(now.manifold.n_coordinates());
        const std::vector<Quad> df = now.constraint_matrix();
        std::vector<Quad> sorted(df.size());
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < n; ++j) sorted[j * k + i] = df[j * k + static_cast<std::size_t>(order[i])];
        std::set<std::size_t> gone;
        for (const int i :
             linalg::dependent_rows(sorted.data(), static_cast<int>(k), static_cast<int>(n), Quad(rank_tolerance))) {
            const ConstraintRow& r = now.manifold.rows()[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
            if (r.source >= n_written_ && r.order == 0) gone.insert(r.source);
        }
        for (const std::size_t e : gone) {
            dropped_.push_back(result_.system.equations[e]);
            result_.path.push_back(static_cast<std::uint32_t>(e));
        }
        // the consequences are the equations after the written ones, in the same order, before and after
        std::vector<Consequence> kept;
        std::vector<Equation> equations(result_.system.equations.begin(),
                                        result_.system.equations.begin() + static_cast<std::ptrdiff_t>(n_written_));
        for (Consequence& c : result_.consequences) {
            if (gone.contains(c.equation)) continue;
            equations.push_back(result_.system.equations[c.equation]);
            c.equation = equations.size() - 1;
            kept.push_back(std::move(c));
        }
        result_.consequences = std::move(kept);
        result_.system.equations = std::move(equations);
        return !gone.empty();
    }

    // Rows of the manifold, those last whose differential vanishes at one of the points: of lambda*h = 0 and h = 0 the
    // former says nothing where lambda = 0, and must not make the latter superfluous.
    static std::vector<int> rows_by_trust(Round& now) {
        const std::size_t k = now.manifold.rows().size();
        std::vector<Quad> smallest(k, 1e300), largest(k, 0);
        for (const Sample& s : now.samples) {
            const std::vector<Quad> df = now.constraint_matrix(s);
            for (std::size_t i = 0; i < k; ++i) {
                Quad size = 0;
                for (std::size_t e = i; e < df.size(); e += k) size = std::max(size, linalg::absolute(df[e]));
                smallest[i] = std::min(smallest[i], size);
                largest[i] = std::max(largest[i], size);
            }
        }
        std::vector<int> order(k);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_partition(order, [&](int i) {
            const auto row = static_cast<std::size_t>(i);
            return smallest[row] > Quad(rank_tolerance) * largest[row];
        });
        return order;
    }

    // What was taken out follows from the rest near the start point: points where it does not hold are elsewhere.
    System with_dropped() const {
        System all = result_.system;
        all.equations.insert(all.equations.end(), dropped_.begin(), dropped_.end());
        return all;
    }

    Involution finish(Round& now, const Combinations& found) {
        result_.prolongation = now.p;
        if (now.samples.empty()) return std::move(result_);
        const auto k = static_cast<int>(now.manifold.n_constraints());
        const auto n = static_cast<int>(now.manifold.n_coordinates());
        const std::vector<Quad> df = now.constraint_matrix();
        const std::int64_t rank = k - std::ssize(linalg::dependent_rows(df.data(), k, n, Quad(rank_tolerance)));
        result_.phase_dimension = now.p.n_state() - rank;
        result_.rank = found.rank;
        result_.is_regular_here = found.rank_here == now.p.n_tops();
        const bool has_algebraic = std::ranges::any_of(highest_orders(written_), [](std::int32_t q) { return q <= 0; });
        result_.index = found.depth - (now.p.is_raised ? 1 : 0) + (has_algebraic ? 1 : 0);
        result_.hidden_constraints =
            std::max<std::int64_t>(count_constraints(written_, result_.phase_dimension).hidden, 0);
        find_redundant(now, df, rank);
        return std::move(result_);
    }

    // Are the derivatives of all coordinates determined, whatever else is open? The columns of A that belong to them
    // are independent of each other and of the rest: rank A = rank A_rest + their number.
    bool is_motion_unique(Round& now, int rank) {
        const SampledRows here = std::move(now.rows().back());
        std::vector<std::int32_t> rest;
        for (std::size_t j = 0; j < now.p.top.size(); ++j)
            if (now.p.offsets.d[j] == 0) rest.push_back(static_cast<std::int32_t>(j));
        const std::int64_t k = here.r.size();
        linalg::PivotedQr<Quad> qr(static_cast<int>(k), static_cast<int>(rest.size()));
        for (std::size_t j = 0; j < rest.size(); ++j)
            std::copy_n(here.a.data() + rest[j] * k, k, qr.matrix() + static_cast<std::int64_t>(j) * k);
        qr.factor(Quad(rank_tolerance));
        if (rank != qr.rank() + now.p.n_tops() - std::ssize(rest)) return false;
        std::vector<std::string> names;
        for (const std::int32_t j : rest) names.push_back(name_of_top(now, j));
        result_.open = fmt::format("{} {}", shortened(fmt::format("{}", fmt::join(names, ", ")), 60),
                                   names.size() == 1 ? "is" : "are");
        return true;
    }

    // Equations without which the manifold and the tops are the same.
    void find_redundant(Round& now, const std::vector<Quad>& df, std::int64_t rank) {
        const std::int64_t n_equations = now.signature.n_equations;
        if (n_equations - now.p.n_tops() <= std::ssize(result_.consequences) || n_written_ > 60) return;
        const std::vector<SampledRows> samples = now.rows();
        for (std::size_t e = 0; e < n_written_; ++e) {
            const auto is_other = [&](std::size_t source) {
                if (source < n_written_) return source != e;
                const auto& from = result_.consequences[source - n_written_].from;
                return std::ranges::find(from, e) == from.end();
            };
            std::vector<std::int32_t> constraints, tops;
            for (std::size_t r = 0; r < now.manifold.rows().size(); ++r)
                if (is_other(now.manifold.rows()[r].source)) constraints.push_back(static_cast<std::int32_t>(r));
            for (std::int32_t i = 0; i < n_equations; ++i)
                if (is_other(family_of(now, i))) tops.push_back(i);
            if (rank_of(df.data(), now.manifold.n_constraints(), now.manifold.n_coordinates(), constraints) == rank &&
                rank_of(samples.back().a.data(), n_equations, now.p.n_tops(), tops) == now.p.n_tops())
                result_.redundant.push_back(e);
        }
    }

    static std::int64_t rank_of(const Quad* dense, std::int64_t k, std::int64_t n,
                                const std::vector<std::int32_t>& rows) {
        linalg::PivotedQr<Quad> qr(static_cast<int>(rows.size()), static_cast<int>(n));
        for (std::int64_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < rows.size(); ++i)
                qr.matrix()[j * std::ssize(rows) + static_cast<std::int64_t>(i)] = dense[j * k + rows[i]];
        qr.factor(Quad(rank_tolerance));
        return qr.rank();
    }

    std::string names_of_consequences() const {
        std::vector<std::string> few;
        for (const Consequence& c : result_.consequences) {
            const std::string text = describe_equation(result_.system, result_.system.equations[c.equation]).text;
            if (few.size() < 3 && text.size() < 100) few.push_back(text);
        }
        return few.empty() ? "" : fmt::format("Among them are {}.", fmt::join(few, "; "));
    }

    [[noreturn]] void fail_large(std::int64_t n) const {
        throw InvalidInput(
            fmt::format("the equations of {} do not determine their highest derivatives at the start point, and it is "
                        "too large ({} unknowns) for what follows from them to be found with numbers, which is done up "
                        "to {}. Write hidden constraints as further equations, or begin with a smaller size.",
                        result_.system.name, n, most_completed));
    }

    [[noreturn]] void fail_contradiction(const Consequence& consequence, const Combination& c) const {
        Graph& g = *result_.system.graph;
        const std::string formula = g.is_constant(c.h) ? "" : shortened(g.print(collect_equation(g, c.h)), 80);
        throw InvalidInput(fmt::format(
            "the equations of {} contradict each other: {} {} that {} = 0{}{}", result_.system.name,
            fmt::join(consequence.from_text, "; "), consequence.from.size() == 1 ? "says" : "together say",
            formula.empty() ? fmt::format("{:.6g}", std::fabs(c.value)) : formula,
            c.is_constant && !formula.empty() ? ", which is another number wherever the constraints hold" : "",
            c.depth == 0
                ? "."
                : fmt::format(", after {} of differentiation.", plural(static_cast<std::size_t>(c.depth), "round"))));
    }

    [[noreturn]] void fail_open(const Round& now, const Combinations& found) const {
        std::vector<std::string> names;
        for (const std::int32_t j : found.open) {
            if (names.size() == 5) break;
            names.push_back(name_of_top(now, j));
        }
        std::string because;
        for (const Combination& c : found.left) {
            if (!c.is_zero || c.from.size() < 2 || !because.empty()) continue;
            std::vector<std::size_t> equations;
            for (const std::int32_t i : c.from) collect(family_of(now, i), equations);
            std::vector<std::string> names_of_equations = texts(equations);
            if (names_of_equations.size() > 4) names_of_equations.resize(4);
            because = fmt::format(" ({} depend on each other)", fmt::join(names_of_equations, "; "));
        }
        const bool is_one = now.p.n_tops() == 1;
        throw InvalidInput(fmt::format(
            "{}, but the equations of {} give only {} for {}, however often they are differentiated: nothing "
            "determines {}{}{}. Another equation is needed.",
            plural(static_cast<std::size_t>(now.p.n_tops()), "unknown"), result_.system.name,
            plural(static_cast<std::size_t>(found.rank), "independent condition"), is_one ? "it" : "them",
            fmt::join(names, ", "), found.open.size() > names.size() ? ", ..." : "", because));
    }

    static std::string name_of_top(const Round& now, std::int32_t j) {
        const std::int32_t at = now.p.top[static_cast<std::size_t>(j)];
        std::size_t k = 0;
        while (k + 1 < now.p.z.jets.size() && now.p.z.first[k + 1] <= at) ++k;
        Graph& g = *now.system.graph;
        return g.print_read(now.p.z.jets[k], g.indices_at(now.p.z.jets[k], at - now.p.z.first[k]));
    }

    CompletionRounds& rounds_;
    Quad t_;
    const Guess& guess_;
    std::size_t n_written_;
    Signature written_; // of the model's own equations
    Involution result_;
    std::vector<Equation> dropped_; // consequences that were taken out again
};

} // namespace

Involution complete(const System& system, Quad t, const Guess& guess) {
    CompletionRounds rounds;
    return Completion(system, t, guess, rounds).run();
}

RepeatedCompletion::RepeatedCompletion() : rounds_(std::make_unique<CompletionRounds>()) {}
RepeatedCompletion::~RepeatedCompletion() = default;

Involution RepeatedCompletion::operator()(const System& system, Quad t, const Guess& guess) {
    return Completion(system, t, guess, *rounds_).run();
}

std::size_t RepeatedCompletion::n_rounds() const {
    return rounds_->size();
}

bool is_alike(const Involution& a, const Involution& b) {
    const auto is_same = [](const Equation& x, const Equation& y) {
        return x.domain == y.domain && x.residual == y.residual;
    };
    return a.path == b.path && std::ranges::equal(a.system.equations, b.system.equations, is_same) &&
           a.redundant == b.redundant && a.index == b.index && a.phase_dimension == b.phase_dimension &&
           a.hidden_constraints == b.hidden_constraints && a.rank == b.rank && a.open == b.open &&
           a.is_regular_here == b.is_regular_here;
}

} // namespace vessiot
