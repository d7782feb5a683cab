#include "modelica/eliminate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>

#include "expr/functions/vmath.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "linalg/scalar.hpp"
#include "modelica/linear_form.hpp"
#include "modelica/meaning/logic.hpp"
#include "modelica/semilinear.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr int most_rounds = 100;
constexpr int highest_derivative = 2;
constexpr std::size_t most_terms = 40;     // of a sum that is solved for one of them
constexpr std::size_t most_expanded = 400; // definitions that are put into one

class Eliminator {
public:
    Eliminator(FlatModel& flat, const Source& source) : flat_(flat), g_(*flat.graph), source_(source) {
        result_.alias.resize(flat.variables.size());
        result_.defined.resize(flat.variables.size());
        for (std::size_t v = 0; v < flat.variables.size(); ++v) {
            const ArrayId array = flat.variables[v].array;
            ArrayId jet = array;
            for (int k = 0; jet != none; ++k, jet = g_.array(jet).derivative) add_jet(jet, v, k);
        }
    }

    Elimination run() {
        for (const FlatEquation& e : flat_.equations) rows_.push_back({g_.sub(e.lhs, e.rhs), e, true, false});
        for (int k = 0; k < most_rounds; ++k)
            if (!find_aliases() || !apply()) break;
        join_chains();
        define();
        break_loops();
        finish();
        keep_derivatives();
        for (const Row& row : rows_)
            if (!row.is_gone) result_.equations.push_back({row.residual, g_.zero(), row.from.span});
        return std::move(result_);
    }

private:
    struct Row {
        NodeId residual;
        FlatEquation from;
        bool is_new, is_gone;
    };
    struct Jet {
        std::size_t variable = nothing;
        int order = 0;
    };

    void add_jet(ArrayId array, std::size_t variable, int order) {
        if (jets_.size() <= array) jets_.resize(array + 1);
        jets_[array] = {variable, order};
    }
    Jet jet(ArrayId array) {
        if (array >= jets_.size() || jets_[array].variable == nothing) {
            // a derivative that was made since
            if (g_.array(array).role != ArrayRole::unknown) return {};
            for (std::size_t a = 0; a < jets_.size(); ++a)
                if (jets_[a].variable != nothing && g_.array(static_cast<ArrayId>(a)).derivative == array) {
                    add_jet(array, jets_[a].variable, jets_[a].order + 1);
                    break;
                }
        }
        return array < jets_.size() ? jets_[array] : Jet{};
    }
    const Variable& variable(std::size_t v) const { return flat_.variables[v]; }
    [[noreturn]] void fail(Span span, const std::string& message) const { lang::fail(source_, span, message); }

    // ---- constants and aliases ----

    // The variable that an atom reads; nothing: it is no variable itself.
    std::size_t plain(NodeId atom) {
        const Node n = g_.node(atom);
        if (n.op != Op::read) return nothing;
        const Jet j = jet(n.a);
        return j.order == 0 ? j.variable : nothing;
    }

    // v = sign*root + offset
    Alias find(std::size_t v) {
        Alias result{v, 1, g_.zero()};
        while (result.to != nothing && result_.alias[result.to]) {
            const Alias& next = *result_.alias[result.to];
            result.offset = g_.add(result.offset, result.sign > 0 ? next.offset : g_.neg(next.offset));
            result.sign *= next.sign;
            result.to = next.to;
        }
        return result;
    }

    bool find_aliases() {
        bool is_found = false;
        LinearForm form;
        for (Row& row : rows_) {
            if (!row.is_new || row.is_gone) continue;
            row.is_new = false;
            if (!LinearForm::make(g_, row.residual, 2, form)) continue;
            is_found |= use(row, form);
        }
        return is_found;
    }

    bool use(Row& row, LinearForm form) {
        // in terms of what stays
        LinearForm now{form.constant, {}};
        for (const auto& [atom, factor] : form.terms) {
            const std::size_t v = plain(atom);
            if (v == nothing) return false;
            const Alias root = find(v);
            now.constant = g_.add(now.constant, g_.mul(g_.constant(factor), root.offset));
            if (root.to == nothing) continue;
            const Quad signed_factor = root.sign > 0 ? factor : -factor;
            if (!now.terms.empty() && now.terms[0].first == root.to)
                now.terms[0].second += signed_factor;
            else
                now.terms.emplace_back(static_cast<NodeId>(root.to), signed_factor);
        }
        std::erase_if(now.terms, [](const auto& term) { return term.second == 0; });
        if (now.terms.empty()) return drop(row, now.constant);
        const std::size_t v = now.terms[0].first;
        if (now.terms.size() == 1) {
            if (is_leaf(v)) return false;
            row.is_gone = true;
            result_.alias[v] = Alias{nothing, 1, g_.neg(g_.div(now.constant, g_.constant(now.terms[0].second)))};
            ++result_.n_constants;
            return true;
        }
        const std::size_t w = now.terms[1].first;
        const Quad ratio = now.terms[1].second / now.terms[0].second;
        if (ratio != 1 && ratio != -1) return false;
        // v = -ratio*w - constant/factor
        const int sign = ratio > 0 ? -1 : 1;
        const NodeId offset = g_.neg(g_.div(now.constant, g_.constant(now.terms[0].second)));
        if (!g_.is_constant(offset) || (is_leaf(v) && is_leaf(w))) return false;
        if (is_better(w, v)) {
            join(v, {w, sign, offset});
        } else {
            join(w, {v, sign, sign > 0 ? g_.neg(offset) : offset});
        }
        row.is_gone = true;
        ++result_.n_aliases;
        return true;
    }

    // 0 = c
    bool drop(Row& row, NodeId c) {
        if (g_.is_constant(c)) {
            const auto value = static_cast<double>(g_.value(c));
            if (std::fabs(value) > 1e-9)
                fail(row.from.span, fmt::format("with what the other equations say, this one is 0 = {}", value));
        } else {
            return false; // of parameters: it is checked when the run begins
        }
        row.is_gone = true;
        return true;
    }

    // Set at events, or found at the start: no equation takes it away.
    bool is_leaf(std::size_t v) const { return variable(v).is_assigned_in_when || variable(v).is_found_at_start; }

    static int rank(const Variable& v) {
        return (v.is_assigned_in_when ? 1000 : 0) + (v.is_found_at_start ? 500 : 0) + (v.is_fixed ? 100 : 0) +
               10 * static_cast<int>(v.select) + (v.start ? 1 : 0);
    }
    bool is_better(std::size_t a, std::size_t b) const {
        const Variable &x = variable(a), &y = variable(b);
        if (rank(x) != rank(y)) return rank(x) > rank(y);
        if (x.name.size() != y.name.size()) return x.name.size() < y.name.size();
        return a < b;
    }

    // v = sign*to + offset, and what v says about its start is said about the other one.
    void join(std::size_t v, const Alias& alias) {
        const Variable from = variable(v);
        Variable& to = flat_.variables[alias.to];
        if (from.start && (!to.start || (from.is_fixed && !to.is_fixed))) {
            const NodeId moved = g_.sub(*from.start, alias.offset);
            to.start = alias.sign > 0 ? moved : g_.neg(moved);
        }
        to.is_fixed |= from.is_fixed;
        result_.alias[v] = alias;
    }

    // Puts what was found into the equations.
    bool apply() {
        bool is_changed = false;
        image_.assign(g_.n_nodes(), none);
        for (Row& row : rows_) {
            if (row.is_gone) continue;
            const NodeId now = replaced(row.residual);
            if (now == row.residual) continue;
            row.residual = now;
            row.is_new = is_changed = true;
        }
        return is_changed;
    }

    NodeId replaced(NodeId root) {
        for (const NodeId n : g_.cone({root})) {
            if (n < image_.size() && image_[n] != none) continue;
            if (n >= image_.size()) image_.resize(g_.n_nodes(), none);
            image_[n] = replaced_node(n);
        }
        return image_[root];
    }

    NodeId replaced_node(NodeId n) {
        const Node x = g_.node(n);
        if (x.op == Op::constant || x.op == Op::index_value) return n;
        if (x.op == Op::read) return replaced_read(n, x.a);
        const int k = arity(x.op);
        const NodeId a = image_[x.a], b = k > 1 ? image_[x.b] : 0, c = k > 2 ? image_[x.c] : 0;
        if (a == x.a && (k < 2 || b == x.b) && (k < 3 || c == x.c)) return n;
        return rebuilt(g_, x, a, b, c);
    }

    NodeId replaced_read(NodeId n, ArrayId array) {
        const Jet j = jet(array);
        if (j.variable == nothing || !result_.alias[j.variable]) return n;
        const Alias root = find(j.variable);
        if (root.to == nothing) return j.order == 0 ? root.offset : g_.zero();
        ArrayId to = variable(root.to).array;
        for (int k = 0; k < j.order; ++k) to = g_.derivative(to), add_jet(to, root.to, k + 1);
        const NodeId read = root.sign > 0 ? g_.read(to) : g_.neg(g_.read(to));
        return j.order == 0 ? g_.add(read, root.offset) : read;
    }

    void join_chains() {
        std::vector<std::size_t> rows;
        std::vector<NodeId> residuals;
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            if (rows_[k].is_gone) continue;
            rows.push_back(k);
            residuals.push_back(rows_[k].residual);
        }
        for (const SemiLinearRow& now : join_semilinear(g_, residuals)) {
            Row& row = rows_[rows[now.row]];
            row.residual = g_.sub(now.lhs, now.rhs);
            row.from = {now.lhs, now.rhs, row.from.span};
        }
    }

    // ---- definitions ----

    // What an expression reads: variables with the highest derivative of each.
    std::vector<std::pair<std::size_t, int>> reads(NodeId node) {
        std::vector<std::pair<std::size_t, int>> result;
        for (const NodeId n : g_.cone({node})) {
            const Node x = g_.node(n);
            if (x.op != Op::read) continue;
            const Jet j = jet(x.a);
            if (j.variable == nothing) continue;
            const auto it = std::ranges::find(result, j.variable, &std::pair<std::size_t, int>::first);
            if (it == result.end())
                result.emplace_back(j.variable, j.order);
            else
                it->second = std::max(it->second, j.order);
        }
        return result;
    }

    bool is_smooth(NodeId node) {
        return std::ranges::none_of(g_.cone({node}), [&](NodeId n) {
            const Op op = g_.node(n).op;
            return op == Op::select || op == Op::abs || op == Op::sign || op == Op::min || op == Op::max ||
                   op == Op::floor || op == Op::ceil || op == Op::locate || op == Op::pick ||
                   (op >= Op::less && op <= Op::logical_not);
        });
    }

    void define() {
        const std::size_t n = flat_.variables.size();
        highest_.assign(n, 0);
        of_.resize(n);
        is_kept_.assign(n, 0);
        for (Row& row : rows_)
            if (!row.is_gone)
                for (const auto& [v, order] : reads(row.residual)) highest_[v] = std::max(highest_[v], order);
        for (const FlatEquation& e : flat_.initial)
            for (const NodeId side : {e.lhs, e.rhs})
                for (auto [v, order] : reads(side)) {
                    const Alias root = find(v);
                    if (root.to != nothing) highest_[root.to] = std::max(highest_[root.to], order);
                }
        for (const Look look : {Look::sides, Look::terms, Look::expanded}) {
            bool is_changed = true;
            while (is_changed) {
                is_changed = false;
                for (Row& row : rows_)
                    if (!row.is_gone && define_by(row, look)) is_changed = true;
            }
        }
    }

    // Where a row is looked at for something to define: what a side stands for alone, any of its terms, or any of its
    // terms with what is defined put in.
    enum class Look : std::uint8_t { sides, terms, expanded };

    struct Candidate {
        std::size_t variable;
        NodeId value;
        std::vector<std::pair<std::size_t, int>> reads;
    };

    bool define_by(Row& row, Look look) {
        LinearForm form;
        if (!LinearForm::make(g_, row.residual, most_terms, form)) return false;
        if (look == Look::expanded && !expand(form)) return false;
        std::optional<Candidate> best;
        for (std::size_t k = 0; k < form.terms.size(); ++k) {
            const auto [v, factor, is_divisor] = scaled(form.terms[k].first);
            if (v == nothing || result_.defined[v]) continue;
            if (look == Look::sides && !is_side(row, v)) continue;
            if (look == Look::expanded && is_small(form, k)) continue;
            if (best && !is_better(best->variable, v)) continue;
            if (!may_define(v)) continue;
            const NodeId value = value_of(form, k);
            Candidate c{v, is_divisor ? g_.mul(value, factor) : g_.div(value, factor), {}};
            c.reads = reads(c.value);
            if (is_allowed(c)) best = std::move(c);
        }
        if (!best) return false;
        take(row, *best);
        return true;
    }

    // A factor that may be what is left of larger ones.
    static bool is_small(const LinearForm& form, std::size_t k) {
        const auto size = [](const auto& term) { return std::fabs(static_cast<double>(term.second)); };
        return size(form.terms[k]) < 1e-6 * size(*std::ranges::max_element(form.terms, {}, size));
    }

    // Puts in what is defined, where that is a sum itself. False: nothing to put in, or too many terms.
    bool expand(LinearForm& form) {
        bool is_changed = false;
        for (std::size_t n = 0; n < most_expanded; ++n) {
            const auto is_defined = [&](const auto& term) {
                const std::size_t v = plain(term.first);
                return v != nothing && result_.defined[v].has_value();
            };
            const auto it = std::ranges::find_if(form.terms, is_defined);
            if (it == form.terms.end()) return is_changed;
            const auto [atom, factor] = *it;
            form.terms.erase(it);
            LinearForm inner;
            if (!LinearForm::make(g_, *result_.defined[plain(atom)], most_terms, inner)) return false;
            form.constant = g_.add(form.constant, g_.mul(g_.constant(factor), inner.constant));
            for (const auto& [other, of_other] : inner.terms) form.add(other, factor * of_other);
            if (form.terms.size() > 10 * most_terms) return false;
            is_changed = true;
        }
        return false;
    }

    // v, p of an atom p*v or v/p, where p is made of parameters and not zero.
    struct Scaled {
        std::size_t variable;
        NodeId p;
        bool is_divisor = false;
    };
    Scaled scaled(NodeId atom) {
        const Node n = g_.node(atom);
        if (n.op == Op::mul) {
            for (const auto& [p, v] : {std::pair(n.a, n.b), std::pair(n.b, n.a)})
                if (const std::size_t of = plain(v); of != nothing && is_nonzero(p)) return {of, p};
        }
        if (n.op == Op::div)
            if (const std::size_t of = plain(n.a); of != nothing && is_nonzero(n.b))
                return {of, n.b, true};
        return {plain(atom), g_.one()};
    }

    // Of parameters, with the values that they have?
    bool is_nonzero(NodeId node) {
        if (g_.node(node).varies) return false;
        std::unordered_map<NodeId, Quad> value;
        for (const NodeId k : g_.cone({node})) {
            const Node n = g_.node(k);
            if (n.op == Op::read) {
                const auto it = std::ranges::find(flat_.parameters, n.a, &FlatParameter::array);
                if (it == flat_.parameters.end()) return false;
                value[k] = it->value;
            } else if (g_.is_constant(k)) {
                value[k] = g_.value(k);
            } else {
                const int size = arity(n.op);
                if (size < 1 || size > 3 || n.op == Op::pick || n.op == Op::locate) return false;
                value[k] = expr::apply<Quad>(n.op, value[n.a], size > 1 ? value[n.b] : 0, size > 2 ? value[n.c] : 0);
            }
        }
        return linalg::is_finite(value[node]) && value[node] != 0;
    }

    // Does a side of the equation, as it was written, stand for v alone?
    bool is_side(const Row& row, std::size_t v) {
        for (const NodeId side : {row.from.lhs, row.from.rhs}) {
            const Node n = g_.node(side);
            const std::size_t w = plain(n.op == Op::neg ? n.a : side);
            if (w != nothing && find(w).to == v) return true;
        }
        return false;
    }

    bool may_define(std::size_t v) const { return !is_kept_[v] && !is_leaf(v); }

    NodeId value_of(const LinearForm& form, std::size_t k) {
        NodeId sum = form.constant;
        for (std::size_t j = 0; j < form.terms.size(); ++j)
            if (j != k) sum = g_.add(sum, g_.mul(g_.constant(form.terms[j].second), form.terms[j].first));
        return g_.div(sum, g_.constant(-form.terms[k].second));
    }

    // ± a derivative of another variable
    std::optional<std::size_t> derivative_of(NodeId value) {
        Node n = g_.node(value);
        if (n.op == Op::neg) n = g_.node(n.a);
        if (n.op != Op::read) return {};
        const Jet j = jet(n.a);
        if (j.variable == nothing || j.order != 1) return {};
        return j.variable;
    }

    bool is_allowed(const Candidate& c) {
        const Variable& v = variable(c.variable);
        const std::optional<std::size_t> of = derivative_of(c.value);
        if (v.is_fixed && !v.is_discrete() && !(of && !result_.defined[*of])) return false;
        const bool is_state = v.select >= StateSelect::prefer && highest_[c.variable] > 0;
        if (is_state && !of && !c.reads.empty()) return false;
        const int order = highest_[c.variable];
        if (order > 0 && !is_smooth(c.value)) return false;
        for (const auto& [w, k] : c.reads) {
            if (w == c.variable) return false;
        }
        if (order > 0 && !may_raise(c.reads, order)) return false;
        return !reaches(c.reads, c.variable);
    }

    // May everything that is read be differentiated so often: no derivative above the second, and nothing that jumps?
    bool may_raise(const std::vector<std::pair<std::size_t, int>>& reads, int by) {
        for (const auto& [w, k] : reads) {
            const int order = k + by;
            if (order <= highest_[w] && order <= highest_derivative) continue;
            if (!result_.defined[w]) {
                if (order > highest_derivative) return false;
                continue;
            }
            if (!is_smooth(*result_.defined[w]) || !may_raise(of_[w], order)) return false;
        }
        return true;
    }

    void raise(const std::vector<std::pair<std::size_t, int>>& reads, int by) {
        for (const auto& [w, k] : reads) {
            const int order = k + by;
            if (order <= highest_[w]) continue;
            highest_[w] = order;
            if (result_.defined[w]) raise(of_[w], order);
        }
    }

    // Does one of these, by its definition, read v?
    bool reaches(const std::vector<std::pair<std::size_t, int>>& from, std::size_t v) {
        ++walk_;
        seen_.resize(flat_.variables.size(), 0);
        std::vector<std::size_t> open;
        for (const auto& [w, k] : from) open.push_back(w);
        while (!open.empty()) {
            const std::size_t w = open.back();
            open.pop_back();
            if (w == v) return true;
            if (seen_[w] == walk_) continue;
            seen_[w] = walk_;
            if (result_.defined[w])
                for (const auto& [u, k] : of_[w]) open.push_back(u);
        }
        return false;
    }

    void take(Row& row, const Candidate& c) {
        const std::optional<std::size_t> of = derivative_of(c.value);
        const Variable& v = variable(c.variable);
        if (of && v.is_fixed) is_kept_[*of] = 1; // whose derivative begins with a given value
        result_.defined[c.variable] = c.value;
        of_[c.variable] = c.reads;
        raise(c.reads, highest_[c.variable]);
        row.is_gone = true;
        row_of_[c.variable] = static_cast<std::size_t>(&row - rows_.data());
        ++result_.n_definitions;
    }

    // Conditions that depend on each other in a circle are found by iteration, as events set them.
    void break_loops() {
        for (Row& row : rows_) {
            if (row.is_gone) continue;
            LinearForm form;
            if (!LinearForm::make(g_, row.residual, most_terms, form)) continue;
            for (std::size_t k = 0; k < form.terms.size(); ++k) {
                const std::size_t v = plain(form.terms[k].first);
                if (v == nothing || result_.defined[v] || is_leaf(v) || !variable(v).is_discrete()) continue;
                if (!is_side(row, v)) continue;
                flat_.updates.push_back({v, value_of(form, k)});
                flat_.variables[v].is_assigned_in_when = true;
                row.is_gone = true;
                break;
            }
        }
    }

    // Definitions in an order in which each comes behind what it reads.
    void finish() {
        std::vector<char> state(flat_.variables.size(), 0);
        std::vector<std::pair<std::size_t, std::size_t>> open;
        for (std::size_t v = 0; v < state.size(); ++v) {
            if (!result_.defined[v] || state[v]) continue;
            open.emplace_back(v, 0);
            state[v] = 1;
            while (!open.empty()) {
                auto& [w, next] = open.back();
                if (next < of_[w].size()) {
                    const std::size_t u = of_[w][next++].first;
                    if (result_.defined[u] && !state[u]) {
                        state[u] = 1;
                        open.emplace_back(u, 0);
                    }
                    continue;
                }
                result_.order.push_back(w);
                open.pop_back();
            }
        }
        // aliases, to what stays at once
        for (std::size_t v = 0; v < state.size(); ++v)
            if (result_.alias[v]) result_.alias[v] = find(v);
    }

    // What nothing needs but the results may contain a derivative that no equation does, which then nothing
    // determines (the force of a prescribed motion): its definition stays an equation.
    void keep_derivatives() {
        highest_.assign(flat_.variables.size(), -1); // now: of what equations read
        for (const Row& row : rows_)
            if (!row.is_gone) raise(reads(row.residual), 0);
        const std::vector<std::size_t> order = result_.order;
        for (const std::size_t v : order) {
            if (highest_[v] >= 0 || variable(v).is_discrete() || !reads_above(of_[v], 0)) continue;
            result_.defined[v].reset();
            std::erase(result_.order, v);
            --result_.n_definitions;
            Row& row = rows_[row_of_.at(v)];
            row.is_gone = false;
            raise(reads(row.residual), 0);
        }
    }

    // A higher derivative than equations do, of something that is in them?
    bool reads_above(const std::vector<std::pair<std::size_t, int>>& reads, int by) const {
        return std::ranges::any_of(reads, [&](const auto& read) {
            const auto& [w, k] = read;
            if (highest_[w] >= k + by) return false;
            return result_.defined[w] ? reads_above(of_[w], k + by) : k + by > 0 && highest_[w] >= 0;
        });
    }

    FlatModel& flat_;
    Graph& g_;
    const Source& source_;
    Elimination result_;
    std::vector<Row> rows_;
    std::vector<Jet> jets_; // by array
    std::vector<NodeId> image_;
    std::vector<int> highest_; // derivative of a variable that something reads, by definitions too
    std::vector<std::vector<std::pair<std::size_t, int>>> of_;
    std::unordered_map<std::size_t, std::size_t> row_of_; // of what is defined
    std::vector<char> is_kept_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t walk_ = 0;
};

} // namespace

Elimination eliminate(FlatModel& flat, const Source& source) {
    return Eliminator(flat, source).run();
}

} // namespace vessiot::modelica
