#include "system/describe/describe.hpp"

#include <algorithm>
#include <cctype>

#include "expr/graph/derivative.hpp"
#include "system/constants.hpp"
#include "system/functions.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t count_limit = std::int64_t{1} << 40;

bool is_word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}

// Does a name stand in a text as a word of its own?
bool has_word(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool is_begin = at == 0 || !is_word_character(text[at - 1]);
        if (is_begin && (end == text.size() || !is_word_character(text[end]))) return true;
    }
    return false;
}

class Describer {
public:
    Describer(const System& system, const DescribeOptions& options)
        : system_(system), graph_(*system.graph), index_(graph_.index()), options_(options) {}

    Description operator()() {
        d_.model = system_.name;
        d_.independent = system_.independent_name;
        d_.warnings = system_.warnings;
        statements();
        parameters();
        start_point();
        run();
        structure();
        unknowns();
        return std::move(d_);
    }

    StatementText equation(const Equation& e) const {
        const char* kind = e.kind == EquationKind::written      ? "equation"
                           : e.kind == EquationKind::constraint ? "constraint"
                                                                : "motion";
        return statement(kind, equation_text(e), e.domain, e.where);
    }

private:
    std::string domain_text(DomainId id) const {
        std::string text;
        for (const VarId v : index_.domain(id).vars) text += (text.empty() ? "" : ", ") + index_.print_range(v);
        const CondId condition = index_.domain(id).cond;
        if (condition != index_.always()) text += (text.empty() ? "" : ", ") + index_.print_cond(condition);
        return text;
    }

    // An equation reads best as its author wrote it. But a loop may have another name there (loops with equal bounds
    // share one), or none (equations between arrays): the text must fit the loops that are shown with it.
    bool is_text_usable(const std::string& text, DomainId domain) const {
        if (text.empty()) return false;
        return std::ranges::all_of(index_.domain(domain).vars,
                                   [&](VarId v) { return has_word(text, index_.loop_var(v).name); });
    }

    static std::string without_keyword(std::string text, const std::string& keyword) {
        if (!text.starts_with(keyword)) return text;
        text.erase(0, keyword.size());
        text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
        return text;
    }

    StatementText statement(std::string kind, std::string text, DomainId domain, const Location& where) const {
        return {std::move(kind), std::move(text), domain_text(domain), index_.count(domain, count_limit), where.line};
    }

    // Components of one equation between vectors have its text: they are shown once.
    static void append(std::vector<StatementText>& list, StatementText s) {
        if (!list.empty() && s.line > 0 && list.back().line == s.line && list.back().text == s.text &&
            list.back().domain == s.domain)
            list.back().count += s.count;
        else
            list.push_back(std::move(s));
    }

    std::string equation_text(const Equation& e) const {
        std::string written = without_keyword(e.text, "constraint");
        if (is_text_usable(written, e.domain)) return written;
        return graph_.print(e.lhs) + " = " + graph_.print(e.rhs);
    }

    std::string invariant_text(const Invariant& v) const {
        std::string written = without_keyword(v.text, "invariant");
        if (is_text_usable(written, v.domain)) return written;
        return graph_.print(v.value) + (v.kept ? " = " + graph_.print(*v.kept) : "");
    }

    void statements() {
        for (const Equation& e : system_.equations) {
            if (e.kind == EquationKind::motion)
                add_motion(e);
            else
                append(d_.equations, equation(e));
        }
        add_definitions();
        for (const Invariant& v : system_.invariants)
            append(d_.invariants, statement("invariant", invariant_text(v), v.domain, v.where));
        if (system_.lagrangian) d_.lagrangian = graph_.print(*system_.lagrangian);
        if (system_.hamiltonian) d_.hamiltonian = graph_.print(*system_.hamiltonian);
        for (const ConjugatePair& p : system_.pairs)
            d_.pairs.push_back(graph_.array(p.position).name + ": " + graph_.array(p.momentum).name);
        for (const Force& f : system_.forces)
            d_.forces.push_back(statement(
                "force", graph_.print_read(f.unknown, f.target) + " = " + graph_.print(f.value), f.domain, f.where));
    }

    // Where the terms of an equation cannot be brought into one formula (every body acts on every other), it is the
    // element of an array, and what is added to that array follows.
    void add_motion(const Equation& e) {
        d_.derived.push_back(equation(e));
        const Node& residual = graph_.node(e.residual);
        if (residual.op != Op::read || graph_.array(residual.a).role != ArrayRole::defined) return;
        assembled_.push_back(residual.a);
        add_contributions("term", residual.a);
    }

    void add_contributions(const std::string& kind, ArrayId a) {
        const std::vector<Contribution>& contributions = graph_.array(a).definition;
        const bool is_sum = kind == "term" || contributions.size() > 1;
        for (const Contribution& c : contributions)
            d_.derived.push_back(statement(
                kind, graph_.print_read(a, c.target) + (is_sum ? " += " : " = ") + graph_.print(c.body), c.domain, {}));
    }

    // The families that derived equations name: those of `let`, and derivatives of them.
    void add_definitions() {
        std::vector<NodeId> bodies;
        for (const Equation& e : system_.equations)
            if (e.kind == EquationKind::motion) bodies.push_back(e.residual);
        for (const ArrayId a : dependencies(graph_, bodies)) {
            const Array& x = graph_.array(a);
            const bool is_shown =
                x.role == ArrayRole::defined && x.name != "sum"; // a sum stands in the equation itself
            if (is_shown && std::ranges::find(assembled_, a) == assembled_.end()) add_contributions("definition", a);
        }
    }

    // In the order of the text.
    void parameters() {
        std::vector<const Parameter*> sorted;
        sorted.reserve(system_.parameters.size());
        for (const Parameter& p : system_.parameters) sorted.push_back(&p);
        std::ranges::stable_sort(sorted, {},
                                 [](const Parameter* p) { return std::pair(p->where.line, p->where.column); });
        for (const Parameter* p : sorted) {
            ParameterText text{p->name, graph_.array(p->array).extent, {}};
            for (const Quad v : p->values) text.values.push_back(static_cast<double>(v));
            d_.parameters.push_back(std::move(text));
        }
        for (const Held& h : system_.held) {
            if (h.is_hidden) continue;
            ParameterText text{h.name, graph_.array(h.array).extent, {}};
            for (const Quad v : h.values) text.values.push_back(static_cast<double>(v));
            d_.discrete.push_back(std::move(text));
        }
    }

    // `value` is filled in by evaluate().
    AssignmentText assignment(std::string name, NodeId value, DomainId domain, const Location& where) {
        return {.name = std::move(name),
                .text = graph_.print(value),
                .domain = domain_text(domain),
                .count = index_.count(domain, count_limit),
                .line = where.line};
    }
    AssignmentText number(std::string name, NodeId value) {
        return assignment(std::move(name), value, index_.scalar_domain(), {});
    }

    // Values of what stands in no loop, all in one go.
    void evaluate(std::vector<std::pair<AssignmentText*, NodeId>> numbers) {
        std::vector<NodeId> nodes;
        std::erase_if(numbers,
                      [&](const auto& n) { return !n.first->domain.empty() || graph_.node(n.second).levels != 0; });
        nodes.reserve(numbers.size());
        for (const auto& [text, node] : numbers) nodes.push_back(node);
        const std::vector<Quad> values = evaluate_constants(system_, nodes);
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k].first->value = static_cast<double>(values[k]);
    }

    void start_point() {
        const auto fill = [&](const std::vector<StartValue>& values, std::vector<AssignmentText>& out) {
            for (const StartValue& v : values)
                out.push_back(assignment(graph_.print_read(v.jet, v.target), v.value, v.domain, v.where));
        };
        fill(system_.start, d_.start);
        fill(system_.guesses, d_.guesses);
        for (const Hold& h : system_.holds) d_.holds.push_back(hold(h, "hold"));
        for (const Equation& e : system_.initially)
            append(d_.initially,
                   statement("initially", without_keyword(equation_text(e), "initially"), e.domain, e.where));
        fill(system_.ends, d_.ends);
        for (const Hold& h : system_.periodic) d_.periodic.push_back(hold(h, "periodic"));
        for (const FreeParameter& f : system_.free) {
            const expr::ArrayId array = system_.parameters[f.parameter].array;
            d_.free.push_back(system_.graph->print_read(array, system_.graph->indices_at(array, f.element)));
        }
    }

    // A whole array is held by its name: x, x'.
    StatementText hold(const Hold& h, const std::string& word) const {
        StatementText s = statement(word, graph_.print_read(h.jet, h.target), h.domain, h.where);
        if (s.count != graph_.array(h.jet).size() || s.domain.empty()) return s;
        const std::string primes(static_cast<std::size_t>(graph_.array(h.jet).order), '\'');
        s.text = graph_.array(h.jet).name + primes;
        s.domain.clear();
        return s;
    }

    void run() {
        if (system_.from) d_.from = number("from", *system_.from);
        if (system_.to) d_.to = number("to", *system_.to);
        if (system_.output_every) d_.output_every = number("every", *system_.output_every);
        for (const NodeId t : system_.output_at) d_.output_at.push_back(number("at", t));
        for (const Output& o : system_.outputs) d_.outputs.push_back(number(o.name, o.value));
        for (const Event& e : system_.events) d_.events.push_back(event(e));
        if (system_.section) d_.section = system_.section->event;
        for (const Option& o : system_.options) d_.options.emplace_back(o.name, o.value);

        std::vector<std::pair<AssignmentText*, NodeId>> numbers;
        numbers.reserve(d_.start.size() + d_.guesses.size() + d_.ends.size());
        for (std::size_t k = 0; k < d_.start.size(); ++k) numbers.emplace_back(&d_.start[k], system_.start[k].value);
        for (std::size_t k = 0; k < d_.guesses.size(); ++k)
            numbers.emplace_back(&d_.guesses[k], system_.guesses[k].value);
        for (std::size_t k = 0; k < d_.ends.size(); ++k) numbers.emplace_back(&d_.ends[k], system_.ends[k].value);
        if (d_.from) numbers.emplace_back(&*d_.from, *system_.from);
        if (d_.to) numbers.emplace_back(&*d_.to, *system_.to);
        if (d_.output_every) numbers.emplace_back(&*d_.output_every, *system_.output_every);
        for (std::size_t k = 0; k < d_.output_at.size(); ++k)
            numbers.emplace_back(&d_.output_at[k], system_.output_at[k]);
        evaluate(std::move(numbers));
    }

    EventText event(const Event& e) const {
        const Node value = graph_.node(e.value);
        EventText text{.name = e.name, .is_stop = e.is_stop};
        text.text = e.is_always           ? "always"
                    : e.every             ? "every " + graph_.print(*e.every)
                    : value.op == Op::sub ? graph_.print(value.a) + " = " + graph_.print(value.b)
                                          : graph_.print(e.value) + " = 0";
        if (e.direction == EventDirection::rising) text.direction = "rising";
        if (e.direction == EventDirection::falling) text.direction = "falling";
        const auto add = [&](const Reset& r, const std::string& word) {
            const StatementText s = statement("then", graph_.print_read(r.jet, r.target), r.domain, r.where);
            text.then.push_back(word + s.text + " = " + graph_.print(r.value) +
                                (s.domain.empty() ? "" : " for " + s.domain));
        };
        for (const Reset& r : e.then) add(r, "");
        for (const Reset& r : e.guesses) add(r, "guess ");
        return text;
    }

    void structure() {
        const auto make = [&](bool df, bool d2f, Backend backend) {
            return SystemFunctions<double>(system_, {.df = df, .d2f = d2f, .evaluator = {.backend = backend}});
        };
        const auto count = [](SystemFunctions<double>& functions) {
            const Kernel& kernel = functions.function().kernel();
            return Operations{kernel.n_operations(), kernel.n_evaluated()};
        };
        auto f = make(false, false, Backend::interpreter);
        d_.f = count(f);
        auto f_df = make(true, false, Backend::interpreter);
        d_.f_df = count(f_df);
        auto all = make(true, true, options_.compile ? Backend::automatic : Backend::interpreter);
        d_.f_df_d2f = count(all);
        d_.df = {all.df().rows, all.df().columns, all.df().n_entries()};
        d_.d2f = {all.d2f().rows, all.d2f().columns, all.d2f().n_entries()};
        if (options_.compile) d_.native = native(all.function().evaluator());
        d_.classification = classify(system_, all);
    }

    static NativeText native(const Evaluator& evaluator) {
        evaluator.wait();
        return {.is_native = evaluator.is_native(),
                .reason = evaluator.reason(),
                .seconds = evaluator.compile_seconds(),
                .code_bytes = static_cast<std::int64_t>(evaluator.code_size())};
    }

    void unknowns() {
        for (std::size_t k = 0; k < system_.unknowns.size(); ++k) {
            const Unknown& u = system_.unknowns[k];
            d_.unknowns.push_back({u.name, graph_.array(u.array).extent, u.order, d_.classification.unknowns[k]});
        }
    }

    const System& system_;
    const Graph& graph_;
    const IndexSpace& index_;
    const DescribeOptions& options_;
    std::vector<ArrayId> assembled_; // equations of motion that are sums of terms
    Description d_;
};

} // namespace

Description describe(const System& system, const DescribeOptions& options) {
    return Describer(system, options)();
}

StatementText describe_equation(const System& system, const Equation& equation) {
    const DescribeOptions options;
    return Describer(system, options).equation(equation);
}

} // namespace vessiot
