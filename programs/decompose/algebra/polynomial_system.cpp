#include "decompose/algebra/polynomial_system.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/utf8.hpp"
#include "decompose/algebra/angles.hpp"
#include "decompose/algebra/exact_number.hpp"
#include "decompose/position_equations.hpp"
#include "lang/syntax/number_text.hpp"
#include "linalg/scalar.hpp"
#include "system/constants.hpp"

namespace vessiot::decompose {

using namespace expr;

namespace {

constexpr int most_power = 64;

bool is_trigonometric(Op op) {
    return op == Op::sin || op == Op::cos || op == Op::tan;
}

// numerator/denominator, both in Singular's language; an empty denominator is 1
struct Quotient {
    std::string numerator, denominator{};
};

struct Constant {
    std::string text;
    bool is_rational = true;
};

class Translator {
public:
    explicit Translator(const System& system) : system_(system), graph_(*system.graph) {}

    PolynomialSystem operator()() {
        const std::vector<WrittenOut> equations = position_equations(system_, result_.notes);
        find_positions(equations);
        find_angles(equations);
        make_variables();
        for (const WrittenOut& e : equations) {
            where_ = system_.equations[e.equation].where;
            result_.constraints.push_back(translate(e.residual).numerator);
            if (result_.equations.empty() || result_.equations.back() != e.equation)
                result_.equations.push_back(e.equation);
        }
        return std::move(result_);
    }

private:
    struct Use {
        bool is_plain = false;
        std::vector<Quad> angles{};            // its coefficients in arguments of sin, cos, tan
        std::size_t variable = 0, sine = 0;    // numbers of variables: plain or cosine, and sine
        Quad step = 0;                         // angles: cos(step*x), sin(step*x)
        Location plain_where{}, angle_where{}; // for messages
    };

    // ---- what occurs ----

    [[noreturn]] void fail(const std::string& message) const { throw NotPolynomial(where_, message); }

    std::string shown(NodeId n) const {
        std::string text = graph_.print(n);
        constexpr std::size_t most = 60;
        if (text.size() > most) {
            text.resize(most);
            while (find_invalid_utf8(text)) text.pop_back();
            text += "…";
        }
        return text;
    }

    void find_positions(const std::vector<WrittenOut>& equations) {
        std::vector<std::pair<std::size_t, std::int64_t>> found; // number of the unknown, address; t last
        std::unordered_set<ArrayId> parameters;
        for (const WrittenOut& e : equations)
            for (const NodeId n : graph_.cone({e.residual})) {
                const Node& x = graph_.node(n);
                if (x.op != Op::read) continue;
                if (graph_.array(x.a).role == ArrayRole::parameter)
                    parameters.insert(x.a);
                else
                    found.emplace_back(rank(x.a), graph_.address(x.a, x.b, {}));
            }
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        for (const auto& [unknown, address] : found) {
            const ArrayId array =
                unknown < system_.unknowns.size() ? system_.unknowns[unknown].array : system_.independent;
            numbers_[{array, address}] = result_.positions.size();
            result_.positions.push_back({array, address, graph_.print_read(array, graph_.indices_at(array, address))});
        }
        uses_.resize(result_.positions.size());
        for (std::size_t k = 0; k < system_.parameters.size(); ++k)
            if (parameters.contains(system_.parameters[k].array)) result_.parameters.push_back(k);
    }

    std::size_t rank(ArrayId array) const {
        const auto unknown = std::ranges::find(system_.unknowns, array, &Unknown::array);
        return static_cast<std::size_t>(unknown - system_.unknowns.begin());
    }

    std::size_t position(const Node& read) const { return numbers_.at({read.a, graph_.address(read.a, read.b, {})}); }

    // What is not inside of sin, cos, tan and not constant, operands first.
    std::vector<NodeId> polynomial_part(NodeId root) const {
        std::vector<NodeId> open{root}, order;
        std::unordered_set<NodeId> known{root};
        while (!open.empty()) {
            const NodeId n = open.back();
            open.pop_back();
            order.push_back(n);
            const Node& x = graph_.node(n);
            if (!x.varies || is_trigonometric(x.op)) continue;
            const NodeId operands[] = {x.a, x.b, x.c};
            for (int k = 0; k < arity(x.op); ++k)
                if (known.insert(operands[k]).second) open.push_back(operands[k]);
        }
        std::ranges::sort(order);
        return order;
    }

    void find_angles(const std::vector<WrittenOut>& equations) {
        for (const WrittenOut& e : equations) {
            where_ = system_.equations[e.equation].where;
            for (const NodeId n : polynomial_part(e.residual)) {
                const Node& x = graph_.node(n);
                if (!x.varies) continue;
                if (x.op == Op::read) {
                    Use& use = uses_[position(x)];
                    use.is_plain = true;
                    use.plain_where = where_;
                } else if (is_trigonometric(x.op)) {
                    for (const auto& [position, coefficient] : angle(n).coefficients) {
                        uses_[position].angles.push_back(coefficient);
                        uses_[position].angle_where = where_;
                    }
                }
            }
        }
    }

    // The argument of a sin, cos or tan.
    const LinearForm& angle(NodeId function) {
        const NodeId argument = graph_.node(function).a;
        const auto known = angles_.find(argument);
        if (known != angles_.end()) return known->second;
        std::unordered_map<NodeId, LinearForm> forms;
        for (const NodeId n : graph_.cone({argument}))
            if (auto form = linear(n, forms)) forms.emplace(n, std::move(*form));
        const auto form = forms.find(argument);
        if (form == forms.end())
            fail(fmt::format("'{}' is no polynomial, and '{}' is no sum of unknowns with constant coefficients: only "
                             "of these can sin and cos be replaced by variables c, s with c^2 + s^2 = 1",
                             shown(function), shown(argument)));
        return angles_.emplace(argument, form->second).first->second;
    }

    std::optional<LinearForm> linear(NodeId n, const std::unordered_map<NodeId, LinearForm>& known) {
        const Node& x = graph_.node(n);
        if (!x.varies) return LinearForm{.constant = number(n)};
        if (x.op == Op::read) return LinearForm{.coefficients = {{position(x), 1}}};
        const auto a = known.find(x.a), b = known.find(x.b);
        if (a == known.end() || (arity(x.op) > 1 && b == known.end())) return std::nullopt;
        LinearForm form = a->second;
        switch (x.op) {
        case Op::add: return form.add(b->second, 1);
        case Op::sub: return form.add(b->second, -1);
        case Op::neg: return form.scale(-1);
        case Op::mul:
            if (b->second.coefficients.empty()) return form.scale(b->second.constant);
            form = b->second;
            return a->second.coefficients.empty() ? std::optional(form.scale(a->second.constant)) : std::nullopt;
        case Op::div:
            if (!b->second.coefficients.empty() || b->second.constant == 0) return std::nullopt;
            return form.scale(1 / b->second.constant);
        default: return std::nullopt;
        }
    }

    // ---- variables ----

    std::string singular_name(std::size_t variable) const { return fmt::format("x{}", variable + 1); }

    std::size_t add_variable(Variable v) {
        result_.variables.push_back(std::move(v));
        return result_.variables.size() - 1;
    }

    void make_variables() {
        using Kind = Variable::Kind;
        for (std::size_t k = 0; k < uses_.size(); ++k) {
            Use& use = uses_[k];
            const std::string& name = result_.positions[k].name;
            if (use.angles.empty()) {
                use.variable = add_variable({.kind = Kind::plain, .text = name, .position = k});
                continue;
            }
            where_ = use.angle_where;
            if (use.is_plain)
                fail(fmt::format("'{}' stands inside of sin or cos and, in line {}, outside of them too: no "
                                 "polynomials say how these two depend on each other",
                                 name, use.plain_where.line));
            const auto step = common_step(use.angles);
            if (!step)
                fail(fmt::format("the coefficients of '{}' in sin and cos have no common step (as those of x and 2*x "
                                 "have, those of x and pi*x have not), so that they cannot be replaced by variables "
                                 "c, s with c^2 + s^2 = 1",
                                 name));
            use.step = *step;
            const std::string argument = angle_text(*step, name);
            use.variable = add_variable(
                {.kind = Kind::cosine, .text = fmt::format("cos({})", argument), .position = k, .factor = *step});
            use.sine = add_variable(
                {.kind = Kind::sine, .text = fmt::format("sin({})", argument), .position = k, .factor = *step});
            result_.relations.push_back(
                fmt::format("{}^2+{}^2-1", singular_name(use.variable), singular_name(use.sine)));
        }
    }

    // x, 2*x, x/2, 3*x/2
    static std::string angle_text(Quad step, const std::string& name) {
        const auto exact = recognise(step);
        if (!exact || !exact->is_rational()) return fmt::format("{}*{}", lang::exact_text(step), name);
        const std::string& rational = exact->terms[0].rational;
        const std::size_t slash = rational.find('/');
        const std::string top = rational.substr(0, slash);
        const std::string product = top == "1" ? name : fmt::format("{}*{}", top, name);
        return slash == std::string::npos ? product : product + rational.substr(slash);
    }

    std::string root_name(std::int64_t prime) {
        const auto known = std::ranges::find_if(
            result_.variables, [&](const Variable& v) { return v.kind == Variable::Kind::root && v.prime == prime; });
        if (known != result_.variables.end())
            return singular_name(static_cast<std::size_t>(known - result_.variables.begin()));
        const std::string name = singular_name(
            add_variable({.kind = Variable::Kind::root, .text = fmt::format("sqrt({})", prime), .prime = prime}));
        result_.relations.push_back(fmt::format("{}^2-{}", name, prime));
        return name;
    }

    // ---- numbers ----

    // Of a node without unknowns.
    Quad number(NodeId n) const {
        const Node& x = graph_.node(n);
        if (x.op == Op::constant) return graph_.value(n);
        if (x.op == Op::read && graph_.array(x.a).role == ArrayRole::parameter) {
            const auto p = std::ranges::find(system_.parameters, x.a, &Parameter::array);
            return p->values[static_cast<std::size_t>(graph_.address(x.a, x.b, {}))];
        }
        return evaluate_constants(system_, {n})[0];
    }

    std::optional<Constant> recognised(Quad value) {
        const auto exact = recognise(value);
        if (!exact) return std::nullopt;
        if (exact->is_rational()) return Constant{fmt::format("({})", exact->terms[0].rational)};
        std::string text;
        for (const RootTerm& term : exact->terms) {
            text += fmt::format("{}({})", text.empty() ? "" : "+", term.rational);
            for (const std::int64_t prime : term.roots) text += "*" + root_name(prime);
        }
        return Constant{define(text), false};
    }

    // Exact where it is made of exact numbers by + - * / and powers; else by its value.
    std::optional<Constant> combined(const Node& x) {
        if (x.op != Op::add && x.op != Op::sub && x.op != Op::mul && x.op != Op::neg && x.op != Op::div)
            return std::nullopt;
        const auto& a = constants_.at(x.a);
        if (!a) return std::nullopt;
        if (x.op == Op::neg) return Constant{define("-" + a->text), a->is_rational};
        const auto& b = constants_.at(x.b);
        if (!b || (x.op == Op::div && (!b->is_rational || number(x.b) == 0))) return std::nullopt;
        return Constant{define(fmt::format("{}{}{}", a->text, name(x.op), b->text)), a->is_rational && b->is_rational};
    }

    std::optional<Constant> constant(NodeId root) {
        for (const NodeId n : graph_.cone({root})) {
            if (constants_.contains(n)) continue;
            auto value = combined(graph_.node(n));
            constants_[n] = value ? value : recognised(number(n));
        }
        return constants_.at(root);
    }

    std::string constant_or_fail(NodeId n) {
        const auto value = constant(n);
        if (!value) fail_number(n);
        return value->text;
    }

    [[noreturn]] void fail_number(NodeId n) const {
        const std::string text = shown(n), digits = lang::number_text(static_cast<double>(number(n)));
        fail(fmt::format("'{}'{} is neither rational nor made of square roots of rational numbers, as the coefficients "
                         "of polynomials must be here: give it a value with few digits, or make it an unknown with an "
                         "equation of its own",
                         text, text == digits ? "" : fmt::format(" = {}", digits)));
    }

    // ---- polynomials ----

    std::string define(const std::string& formula) {
        std::string name = fmt::format("n{}", result_.definitions.size() + 1);
        result_.definitions.push_back(fmt::format("poly {}={};", name, formula));
        return name;
    }

    Quotient translate(NodeId root) {
        for (const NodeId n : polynomial_part(root)) {
            if (done_.contains(n)) continue;
            const Node x = graph_.node(n);
            // NOTE: a constant is translated where it is used, so that one that is only divided by may be a root
            if (!x.varies) continue;
            done_[n] = quotient(n, x);
        }
        return operand(root);
    }

    Quotient operand(NodeId n) { return graph_.node(n).varies ? done_.at(n) : Quotient{constant_or_fail(n)}; }

    Quotient quotient(NodeId n, const Node& x) {
        switch (x.op) {
        case Op::read: return {singular_name(uses_[position(x)].variable)};
        case Op::neg: {
            const Quotient a = operand(x.a);
            return {define("-" + a.numerator), a.denominator};
        }
        case Op::add: return sum(operand(x.a), operand(x.b), '+');
        case Op::sub: return sum(operand(x.a), operand(x.b), '-');
        case Op::mul: return product(operand(x.a), operand(x.b));
        case Op::div: return ratio(x);
        case Op::pow: return power(n, x);
        case Op::sin:
        case Op::cos:
        case Op::tan: return trigonometric(n, x);
        default:
            fail(fmt::format("'{}' is no polynomial: a decomposition needs constraints made of +, -, *, /, whole "
                             "powers, and sin, cos and tan of sums of unknowns. {}",
                             shown(n),
                             x.op == Op::sqrt ? fmt::format("Square the equation, or make an unknown {0} of it, with "
                                                            "the equation {0}^2 = {1}.",
                                                            free_name(), shown(x.a))
                                              : "Try to write the constraint without it."));
        }
    }

    // A name that the model does not have.
    std::string free_name() const {
        const auto is_taken = [&](const std::string& name) {
            return system_.unknown(name) ||
                   std::ranges::find(system_.parameters, name, &Parameter::name) != system_.parameters.end();
        };
        std::string name = "r";
        while (is_taken(name)) name += "r";
        return name;
    }

    Quotient sum(const Quotient& a, const Quotient& b, char sign) {
        if (a.denominator == b.denominator)
            return {define(fmt::format("{}{}{}", a.numerator, sign, b.numerator)), a.denominator};
        const auto times = [](const std::string& factor, const std::string& denominator) {
            return denominator.empty() ? factor : fmt::format("{}*{}", factor, denominator);
        };
        const std::string numerator =
            define(fmt::format("{}{}{}", times(a.numerator, b.denominator), sign, times(b.numerator, a.denominator)));
        return {numerator, joint_denominator(a, b)};
    }

    Quotient product(const Quotient& a, const Quotient& b) {
        return {define(fmt::format("{}*{}", a.numerator, b.numerator)), joint_denominator(a, b)};
    }

    std::string joint_denominator(const Quotient& a, const Quotient& b) {
        if (a.denominator.empty()) return b.denominator;
        if (b.denominator.empty()) return a.denominator;
        return define(fmt::format("{}*{}", a.denominator, b.denominator));
    }

    Quotient ratio(const Node& x) {
        if (graph_.node(x.b).varies) return divided(operand(x.a), operand(x.b), shown(x.b));
        const Quotient a = operand(x.a);
        const Quad divisor = number(x.b);
        if (divisor == 0) fail(fmt::format("'{}' is 0, and something is divided by it", shown(x.b)));
        const auto known = constant(x.b);
        if (known && known->is_rational) return {define(fmt::format("{}/{}", a.numerator, known->text)), a.denominator};
        // NOTE: 1/sqrt(3) is sqrt(3)/3; of a sum of several roots nothing is known
        const auto inverse = recognised(1 / divisor);
        if (!inverse) fail_number(x.b);
        return {define(fmt::format("{}*{}", a.numerator, inverse->text)), a.denominator};
    }

    // a/b = (a1 b2)/(a2 b1), with a note and a condition
    Quotient divided(const Quotient& a, const Quotient& b, const std::string& text) {
        if (std::ranges::find(result_.denominators, b.numerator) == result_.denominators.end()) {
            result_.denominators.push_back(b.numerator);
            result_.notes.push_back(fmt::format("line {}: multiplied by {}, which must not be 0", where_.line, text));
        }
        return product(a, {b.denominator.empty() ? "1" : b.denominator, b.numerator});
    }

    Quotient power(NodeId n, const Node& x) {
        const Node& exponent = graph_.node(x.b);
        const Quad e = exponent.varies ? Quad(0.5) : number(x.b);
        const Quad size = linalg::absolute(e);
        if (size > most_power || Quad(static_cast<int>(size)) != size)
            fail(fmt::format("'{}' is no polynomial: its exponent is no whole number up to {}", shown(n), most_power));
        const Quotient a = operand(x.a);
        const auto raised = [&](const std::string& base) {
            return base.empty() ? base : define(fmt::format("{}^{}", base, static_cast<int>(size)));
        };
        const Quotient result{raised(a.numerator), raised(a.denominator)};
        return e < 0 ? divided({"1"}, result, shown(x.a)) : result;
    }

    // cos and sin of sum m_k (b_k x_k) + delta: the parts of exp(i delta) prod (c_k + i s_k)^m_k
    Quotient trigonometric(NodeId n, const Node& x) {
        const auto known = turns_.find(x.a);
        std::pair<std::string, std::string> turn;
        if (known != turns_.end()) {
            turn = known->second;
        } else {
            const LinearForm form = angle(n);
            turn = turned(form, n);
            turns_[x.a] = turn;
        }
        if (x.op == Op::tan) return divided({turn.second}, {turn.first}, fmt::format("cos({})", shown(x.a)));
        return {x.op == Op::cos ? turn.first : turn.second};
    }

    std::pair<std::string, std::string> turned(const LinearForm& form, NodeId function) {
        const auto part = [&](Quad value, std::string_view what) {
            // NOTE: cos(pi/2) is 0 up to the rounding of pi/2
            if (linalg::absolute(value) < 1e-30) return std::string("0");
            const auto exact = recognised(value);
            if (!exact)
                fail(fmt::format("'{}' cannot be made a polynomial: {} of its constant part is neither rational nor "
                                 "made of square roots of rational numbers",
                                 shown(function), what));
            return exact->text;
        };
        std::string cosine = part(cosq(form.constant), "the cosine"), sine = part(sinq(form.constant), "the sine");
        for (const auto& [position, coefficient] : form.coefficients) {
            const Use& use = uses_[position];
            const std::string c = singular_name(use.variable), s = singular_name(use.sine);
            const Quad times = linalg::absolute(coefficient) / use.step;
            const char plus = coefficient > 0 ? '+' : '-', minus = coefficient > 0 ? '-' : '+';
            for (int k = 0; k < static_cast<int>(times + Quad(0.5)); ++k) {
                const std::string next = define(fmt::format("{}*{}{}{}*{}", cosine, c, minus, sine, s));
                sine = define(fmt::format("{}*{}{}{}*{}", sine, c, plus, cosine, s));
                cosine = next;
            }
        }
        return {cosine, sine};
    }

    const System& system_;
    Graph& graph_;
    PolynomialSystem result_;
    Location where_;                                                  // the equation at hand
    std::map<std::pair<ArrayId, std::int64_t>, std::size_t> numbers_; // of positions
    std::vector<Use> uses_;                                           // by position
    std::unordered_map<NodeId, LinearForm> angles_;
    std::unordered_map<NodeId, std::pair<std::string, std::string>> turns_; // cos and sin of an angle
    std::unordered_map<NodeId, std::optional<Constant>> constants_;
    std::unordered_map<NodeId, Quotient> done_;
};

} // namespace

std::size_t PolynomialSystem::n_roots() const {
    return static_cast<std::size_t>(std::ranges::count(variables, Variable::Kind::root, &Variable::kind));
}

PolynomialSystem make_polynomials(const System& system) {
    return Translator(system)();
}

} // namespace vessiot::decompose
