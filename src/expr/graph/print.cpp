// Expressions as text of the model language, with as few brackets as it needs.
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/element_name.hpp"
#include "expr/graph/graph.hpp"
#include "expr/table/number_list.hpp"

namespace vessiot::expr {

namespace {

enum Precedence { lowest, disjunction, conjunction, comparison, sums, products, unary, power, atom };

// Longer texts help nobody: the rest is an ellipsis.
constexpr std::size_t max_length = 20'000;
constexpr int max_depth = 2'000;

class Printer {
public:
    explicit Printer(const Graph& g) : graph_(g) {}

    std::string operator()(NodeId n) {
        print(n, lowest);
        return std::move(out_);
    }

    std::string element(ArrayId a, ListId indices) {
        read(a, indices);
        return std::move(out_);
    }

private:
    void bracketed(Precedence own, Precedence outer, const auto& body) {
        if (own < outer) out_ += '(';
        body();
        if (own < outer) out_ += ')';
    }

    void binary(const Node& x, const char* symbol, Precedence own, Precedence outer, Precedence right) {
        bracketed(own, outer, [&] {
            print(x.a, own);
            out_ += symbol;
            print(x.b, right);
        });
    }

    void number(NodeId n, Precedence outer) {
        const auto value = static_cast<double>(graph_.value(n));
        bracketed(value < 0 ? unary : atom, outer, [&] { out_ += fmt::format("{}", value); });
    }

    // u*v, with u*u as u^2
    void product(const Node& x, Precedence outer) {
        if (x.a == x.b) {
            bracketed(power, outer, [&] {
                print(x.a, atom);
                out_ += "^2";
            });
            return;
        }
        binary(x, "*", products, outer, products);
    }

    // f(x, y), or f[2](x, y) of several results
    void call_of_user(NodeId n) {
        const Node& x = graph_.node(n);
        const External& function = *graph_.external(x.b);
        out_ += function.name();
        if (function.n_results() > 1) out_ += fmt::format("[{}]", x.c + 1);
        bool is_first = true;
        for (const NodeId argument : graph_.arguments(n)) {
            out_ += std::exchange(is_first, false) ? "(" : ", ";
            print(argument, lowest);
        }
        out_ += ')';
    }

    // A piece of a table, c_0 + (x - o)*(…), as what it was written: torque(x).
    bool table_call(NodeId n) {
        std::vector<NodeId> arguments;
        const std::string_view table = table_of(n, arguments);
        if (table.empty()) return false;
        out_ += table;
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            out_ += k == 0 ? "(" : ", ";
            print(arguments[k], lowest);
        }
        out_ += ')';
        return true;
    }

    // Its name and arguments; empty where this is something else.
    std::string_view table_of(NodeId n, std::vector<NodeId>& arguments) const {
        const Node& x = graph_.node(n);
        if (x.op != Op::add || graph_.node(x.b).op != Op::mul) return {};
        const Node& product = graph_.node(x.b);
        for (const NodeId way : {product.a, product.b}) {
            const Node& w = graph_.node(way);
            if (w.op != Op::sub || graph_.node(w.b).op != Op::pick) continue;
            const NumberList::Text& text = list_of(graph_, w.b).text();
            if (text.order != 0) continue;
            arguments.push_back(w.a);
            const Node& first = graph_.node(x.a);
            const std::string_view found =
                first.op == Op::pick ? list_of(graph_, x.a).text().name : table_of(x.a, arguments);
            return found == text.name ? found : std::string_view();
        }
        return {};
    }

    // A coefficient of a table, as the derivative that it stands for, of what tells the piece: torque'(t).
    void list_call(NodeId n, const char* before) {
        const NumberList::Text& text = list_of(graph_, n).text();
        const Node& x = graph_.node(n);
        const Node& place = graph_.node(x.a);
        out_ += before + text.name + std::string(static_cast<std::size_t>(text.order), '\'') + '(';
        print(x.op == Op::pick && place.op == Op::locate ? place.a : x.a, lowest);
        out_ += ')';
    }

    void call(const Node& x) {
        out_ += name(x.op);
        out_ += '(';
        const NodeId operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < arity(x.op); ++k) {
            if (k > 0) out_ += ", ";
            print(operands[k], lowest);
        }
        out_ += ')';
    }

    void print(NodeId n, Precedence outer) {
        if (out_.size() > max_length || depth_ > max_depth) {
            if (!out_.ends_with("…")) out_ += "…";
            return;
        }
        ++depth_;
        const Node& x = graph_.node(n);
        switch (x.op) {
        case Op::constant: number(n, outer); break;
        case Op::read: read(x.a, x.b); break;
        case Op::index_value: {
            const std::string text = graph_.index().print(x.a, names_);
            const bool is_plain = text.find_first_of("+-*") == std::string::npos;
            bracketed(is_plain ? atom : sums, outer, [&] { out_ += text; });
            break;
        }
        case Op::add:
            if (!table_call(n)) binary(x, " + ", sums, outer, sums);
            break;
        case Op::sub: binary(x, " - ", sums, outer, products); break;
        case Op::mul: product(x, outer); break;
        case Op::div: binary(x, "/", products, outer, unary); break;
        case Op::pow:
            bracketed(power, outer, [&] {
                print(x.a, atom);
                out_ += '^';
                print(x.b, unary);
            });
            break;
        case Op::neg:
            bracketed(unary, outer, [&] {
                out_ += '-';
                print(x.a, products);
            });
            break;
        case Op::less: binary(x, " < ", comparison, outer, sums); break;
        case Op::less_equal: binary(x, " <= ", comparison, outer, sums); break;
        case Op::equal: binary(x, " == ", comparison, outer, sums); break;
        case Op::not_equal: binary(x, " != ", comparison, outer, sums); break;
        case Op::logical_and: binary(x, " and ", conjunction, outer, comparison); break;
        case Op::logical_or: binary(x, " or ", disjunction, outer, conjunction); break;
        case Op::logical_not:
            bracketed(comparison, outer, [&] {
                out_ += "not ";
                print(x.a, atom);
            });
            break;
        case Op::call: call_of_user(n); break;
        case Op::locate: list_call(n, "piece of "); break;
        case Op::pick: list_call(n, ""); break;
        default: call(x);
        }
        --depth_;
    }

    void read(ArrayId a, ListId indices) {
        const Array& x = graph_.array(a);
        if (x.role == ArrayRole::defined && x.name == "sum" && x.definition.size() == 1)
            return sum(x.definition[0], indices);
        std::vector<std::string> at;
        for (const FormId form : graph_.index().forms(indices)) at.push_back(graph_.index().print(form, names_));
        out_ += (x.order > 3 ? "der(" : "") + element_name(x.name, at);
        out_ += x.order > 3 ? fmt::format(", {})", x.order) : std::string(static_cast<std::size_t>(x.order), '\'');
    }

    // A sum is shown as what it is: its range and its template. The variables that it does not sum over stand for the
    // indices of the element; those that it sums over get names that nothing else in it has.
    void sum(const Contribution& c, ListId indices) {
        const IndexSpace& index = graph_.index();
        const auto forms = index.forms(indices);
        const Domain& domain = index.domain(c.domain);
        IndexSpace::Names names = names_;
        std::set<std::string> taken;
        for (NodeId n : graph_.cone({c.body}))
            if (graph_.node(n).op == Op::read) taken.insert(graph_.array(graph_.node(n).a).name);
        for (FormId f : forms) {
            std::vector<VarId> used;
            index.variables(f, used);
            for (VarId v : used) taken.insert(names_.contains(v) ? names_.at(v) : index.loop_var(v).name);
        }
        std::string text = "sum(";
        for (std::size_t k = 0; k < domain.vars.size(); ++k)
            if (k < forms.size()) names[domain.vars[k]] = index.print(forms[k], names_);
        for (std::size_t k = forms.size(); k < domain.vars.size(); ++k) {
            std::string name = index.loop_var(domain.vars[k]).name;
            for (const char* other : {"i", "j", "k", "l", "m", "n", "i1", "j1", "k1", "l1"}) {
                if (!taken.contains(name)) break;
                name = other;
            }
            taken.insert(name);
            names[domain.vars[k]] = name;
            text += index.print_range(domain.vars[k], names) + ", ";
        }
        if (domain.cond != index.always()) text += index.print_cond(domain.cond, names) + ", ";
        out_ += text;
        std::swap(names, names_);
        print(c.body, lowest);
        std::swap(names, names_);
        out_ += ')';
    }

    const Graph& graph_;
    IndexSpace::Names names_; // of loop variables, where they differ from their own
    std::string out_;
    int depth_ = 0;
};

} // namespace

std::string Graph::print(NodeId n) const {
    return Printer(*this)(n);
}

std::string Graph::print_read(ArrayId a, ListId indices) const {
    return Printer(*this).element(a, indices);
}

} // namespace vessiot::expr
