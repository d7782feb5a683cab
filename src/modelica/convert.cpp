#include "modelica/convert.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "expr/table/number_list.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr int deepest = 30;                // operations inside each other; what is deeper gets a name
constexpr std::size_t longest = 1'000'000; // characters of a formula

// How tightly an operator binds.
enum Binding : int { any, sum, term, sign, power, atom };

bool is_logical(Op op) {
    return op >= Op::less && op <= Op::logical_not;
}

std::string number_text(double value) {
    if (!std::isfinite(value))
        throw InvalidInput(fmt::format("a number of the model is {}, which cannot be written as text", value));
    std::string text = fmt::format("{}", value);
    return std::signbit(value) ? "(" + text + ")" : text;
}

// Names of the language for names of a text: other signs become '_'.
class NewNames {
public:
    std::string operator()(const std::string& old) {
        std::string name;
        for (const char c : old) {
            const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (is_kept)
                name += c;
            else if (!name.empty() && name.back() != '_')
                name += '_';
        }
        while (name.ends_with('_')) name.pop_back();
        if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "v" + name;
        const bool is_word = lang::why_reserved(name).has_value() || name == "e" || name == "size";
        if (is_word) name += "_1";
        std::string unique = name;
        for (int k = 2; !used_.insert(unique).second; ++k) unique = fmt::format("{}_{}", name, k);
        return unique;
    }

private:
    std::set<std::string> used_;
};

class Converter {
public:
    explicit Converter(const System& system) : s_(system), g_(*system.graph) {
        names_[s_.independent] = new_name_(s_.independent_name);
        for (const Parameter& p : s_.parameters) names_[p.array] = new_name_(p.name);
        for (const Held& h : s_.held) names_[h.array] = new_name_(h.name);
        for (const Unknown& u : s_.unknowns) {
            std::string name = new_name_(u.name);
            for (ArrayId jet = u.array; jet != none; jet = g_.array(jet).derivative, name += '\'') names_[jet] = name;
        }
        count_uses();
    }

    std::string run() {
        declarations();
        for (const Equation& e : s_.equations) statement("0 = " + formula(e.residual));
        for (const Equation& e : s_.initially) statement("initially 0 = " + formula(e.residual));
        start();
        run_statements();
        return std::move(out_);
    }

private:
    void statement(const std::string& text) { out_ += text + "\n"; }

    // ---- formulas ----

    std::vector<NodeId> roots() const {
        std::vector<NodeId> all;
        for (const auto* list : {&s_.equations, &s_.initially})
            for (const Equation& e : *list) all.push_back(e.residual);
        for (const auto* list : {&s_.start, &s_.guesses})
            for (const StartValue& v : *list) all.push_back(v.value);
        for (const Event& e : s_.events)
            for (const Reset& r : e.then) all.push_back(r.value);
        for (const Output& o : s_.outputs) all.push_back(o.value);
        return all;
    }

    // How often a node is written: what is written twice gets a name.
    void count_uses() {
        const std::vector<NodeId> all = roots();
        for (const NodeId n : g_.cone(all)) {
            const Node x = g_.node(n);
            const int k = arity(x.op);
            if (k > 0) ++uses_[x.a];
            if (k > 1) ++uses_[x.b];
            if (k > 2) ++uses_[x.c];
        }
        for (const NodeId n : all) ++uses_[n];
    }

    std::string formula(NodeId root) {
        make_names(root);
        return text(root, any);
    }

    // Names for what is used twice or lies too deep, each behind what it reads.
    void make_names(NodeId root) {
        for (const NodeId n : g_.cone({root})) {
            const Node x = g_.node(n);
            const int k = arity(x.op);
            if (k == 0 || lets_.contains(n) || depth_.contains(n)) continue;
            int depth = depth_of(x.a);
            if (k > 1) depth = std::max(depth, depth_of(x.b));
            if (k > 2) depth = std::max(depth, depth_of(x.c));
            depth_[n] = depth + 1;
            const bool is_list = x.op == Op::locate || x.op == Op::pick;
            const bool is_wanted = (uses_[n] > 1 && (depth > 0 || is_list)) || depth >= deepest;
            if (!is_wanted || is_logical(x.op) || n == root) continue;
            const std::string value = text(n, any);
            const std::string name = new_name_(fmt::format("s{}", lets_.size() + 1));
            statement(fmt::format("let {} = {}", name, value));
            lets_[n] = name;
            depth_[n] = 0;
        }
    }

    int depth_of(NodeId n) const {
        const auto it = depth_.find(n);
        return it == depth_.end() ? 0 : it->second;
    }

    std::string text(NodeId n, Binding around) {
        if (const auto it = lets_.find(n); it != lets_.end()) return it->second;
        const Node x = g_.node(n);
        const auto binary = [&](const char* op, Binding left, Binding right, Binding own) {
            std::string made = text(x.a, left) + op + text(x.b, right);
            check_length(made);
            return around > own ? "(" + made + ")" : made;
        };
        switch (x.op) {
        case Op::constant: return number_text(static_cast<double>(g_.value(n)));
        case Op::read: return names_.at(x.a);
        case Op::add: return binary(" + ", sum, sum, sum);
        case Op::sub: return binary(" - ", sum, term, sum);
        case Op::mul: return binary("*", term, sign, term);
        case Op::div: return binary("/", term, power, term);
        case Op::pow: return binary("^", atom, atom, power);
        case Op::neg: {
            const std::string made = "-" + text(x.a, power);
            return around > any ? "(" + made + ")" : made;
        }
        case Op::select: return fmt::format("if({}, {}, {})", condition(x.a), text(x.b, any), text(x.c, any));
        case Op::locate:
        case Op::pick: return fmt::format("{}({})", table(n), text(x.a, any));
        default: break;
        }
        if (is_logical(x.op)) return fmt::format("if({}, 1, 0)", condition(n));
        if (x.op == Op::index_value || x.op == Op::call || x.op == Op::argument)
            throw InvalidInput("a formula of the model cannot be written as text");
        std::string made = fmt::format("{}({}", name(x.op), text(x.a, any));
        if (arity(x.op) > 1) made += ", " + text(x.b, any);
        check_length(made);
        return made + ")";
    }

    std::string condition(NodeId n) {
        const Node x = g_.node(n);
        const auto of_numbers = [&](const char* op) { return text(x.a, sum) + op + text(x.b, sum); };
        const auto of_conditions = [&](const char* op) {
            std::string made = "(" + condition(x.a) + op + condition(x.b) + ")";
            check_length(made);
            return made;
        };
        switch (x.op) {
        case Op::less: return of_numbers(" < ");
        case Op::less_equal: return of_numbers(" <= ");
        case Op::equal: return of_numbers(" == ");
        case Op::not_equal: return of_numbers(" != ");
        case Op::logical_and: return of_conditions(" and ");
        case Op::logical_or: return of_conditions(" or ");
        case Op::logical_not: return "not (" + condition(x.a) + ")";
        default: return text(n, sum) + " != 0";
        }
    }

    static void check_length(const std::string& text) {
        if (text.size() > longest)
            throw InvalidInput(fmt::format("a formula of the model has more than {} characters as text", longest));
    }

    // A list of numbers as a table of steps: of places, how many are passed; of values, that of a place.
    std::string table(NodeId n) {
        const NumberList& list = list_of(g_, n);
        const bool is_locate = g_.node(n).op == Op::locate;
        const auto [known, is_new] = tables_.emplace(std::pair(is_locate, list.handle()), "");
        if (!is_new) return known->second;
        const std::string made = new_name_(fmt::format("table{}", tables_.size()));
        known->second = made;
        const std::vector<double>& numbers = list.numbers<double>();
        if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
            throw InvalidInput("a table of the model has no values outside of its points, which cannot be written as "
                               "text: export it with another kind of extrapolation");
        std::string points = is_locate ? "-1e300: 0" : numbers.empty() ? "0: 0" : "";
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            points += points.empty() ? "" : ", ";
            points += is_locate ? fmt::format("{}: {}", numbers[k], k + 1) : fmt::format("{}: {}", k, numbers[k]);
        }
        if (!is_locate) points += fmt::format(", {}: {}", numbers.size(), numbers.empty() ? 0.0 : numbers.back());
        statement(fmt::format("table {}(s) = [{}] step outside hold", made, points));
        return made;
    }

    // ---- statements ----

    static std::string one_line(std::string text) {
        for (char& c : text)
            if (c == '\n' || c == '\r') c = ' ';
        return printable(text);
    }

    static std::string comment(const std::string& name, const std::string& old) {
        return name == old ? "" : "  # " + printable(old);
    }

    void declarations() {
        statement("# " + printable(s_.name) + ", from Base Modelica");
        statement("independent " + names_.at(s_.independent));
        for (const Parameter& p : s_.parameters)
            statement(fmt::format("parameter {} = {}{}", names_.at(p.array),
                                  number_text(static_cast<double>(p.values.at(0))),
                                  comment(names_.at(p.array), p.name)));
        for (const Held& h : s_.held) {
            const std::string value =
                h.formula.empty() ? number_text(static_cast<double>(h.values.at(0))) : formula(h.formula[0]);
            statement(
                fmt::format("discrete {} = {}{}", names_.at(h.array), value, comment(names_.at(h.array), h.name)));
        }
        for (const Unknown& u : s_.unknowns)
            statement("unknown " + names_.at(u.array) + comment(names_.at(u.array), u.name));
    }

    void start() {
        last_of_each(s_.start, [&](const StartValue& v) {
            statement(fmt::format("start {} = {}", names_.at(v.jet), formula(v.value)));
        });
        last_of_each(s_.guesses, [&](const StartValue& v) {
            statement(fmt::format("guess {} = {}", names_.at(v.jet), formula(v.value)));
        });
        last_of_each(s_.holds, [&](const Hold& h) { statement("hold " + names_.at(h.jet)); });
    }

    // What is said twice of one quantity counts as it is said last.
    template <class List, class Write> static void last_of_each(const List& list, const Write& write) {
        std::map<ArrayId, std::size_t> last;
        for (std::size_t k = 0; k < list.size(); ++k) last[list[k].jet] = k;
        for (std::size_t k = 0; k < list.size(); ++k)
            if (last.at(list[k].jet) == k) write(list[k]);
    }

    void run_statements() {
        if (s_.from && s_.to)
            statement(
                fmt::format("solve {} = {} .. {}", names_.at(s_.independent), formula(*s_.from), formula(*s_.to)));
        for (const Option& o : s_.options) statement(fmt::format("option {} = {}", o.name, o.value));
        if (s_.output_every) statement("output every " + formula(*s_.output_every));
        for (const Output& o : s_.outputs) {
            const std::string value = formula(o.value), name = new_name_(o.name);
            statement(fmt::format("output {} = {}{}", name, value, comment(name, o.name)));
        }
        for (const Event& e : s_.events) {
            std::vector<std::string> set;
            for (const Reset& r : e.then) set.push_back(fmt::format("{} = {}", names_.at(r.jet), formula(r.value)));
            statement(fmt::format("event {}: always then {}", new_name_(e.name), fmt::join(set, ", ")));
        }
        for (const Requirement& r : s_.requirements)
            statement(fmt::format("# assertion in line {}: {}", r.where.line, one_line(r.message)));
    }

    const System& s_;
    const Graph& g_;
    NewNames new_name_;
    std::unordered_map<ArrayId, std::string> names_;
    std::unordered_map<NodeId, int> uses_, depth_;
    std::unordered_map<NodeId, std::string> lets_;
    std::map<std::pair<bool, double>, std::string> tables_;
    std::string out_;
};

} // namespace

std::string to_ves(const System& system) {
    return Converter(system).run();
}

} // namespace vessiot::modelica
