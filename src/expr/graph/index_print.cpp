// Index forms, conditions and ranges as text of the model language.
#include "expr/graph/index.hpp"

namespace vessiot::expr {

namespace {

// An operand of a product.
std::string factor(const std::string& text) {
    return text.find_first_of("+-") == std::string::npos ? text : "(" + text + ")";
}

void append_term(std::string& sum, std::int64_t coefficient, const std::string& text) {
    if (coefficient < 0)
        sum += "-";
    else if (!sum.empty())
        sum += "+";
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    // a sum that stands for a variable keeps its brackets only where they matter
    const bool needs_brackets = size != 1 || coefficient < 0;
    sum += (size != 1 ? std::to_string(size) + "*" : "") + (needs_brackets ? factor(text) : text);
}

} // namespace

std::string IndexSpace::print(FormId f, const Names& names) const {
    const Form& form = forms_[f];
    std::string s;
    std::int64_t constant = form.constant;
    for (const Term& term : form.terms) {
        const Atom& a = atoms_[term.atom];
        std::string x;
        switch (a.kind) {
        case Atom::Kind::var: {
            const auto it = names.find(a.a);
            x = it != names.end() ? it->second : vars_[a.a].name;
            break;
        }
        case Atom::Kind::modulo: x = "mod(" + print(a.a, names) + ", " + print(a.b, names) + ")"; break;
        case Atom::Kind::quotient:
            x = "floor(" + factor(print(a.a, names)) + "/" + factor(print(a.b, names)) + ")";
            break;
        case Atom::Kind::product: x = factor(print(a.a, names)) + "*" + factor(print(a.b, names)); break;
        case Atom::Kind::lookup:
            x = tables_[a.a].name + "[";
            for (std::size_t k = 0; k < lists_[a.b].size(); ++k) x += (k ? "," : "") + print(lists_[a.b][k], names);
            x += "]";
            break;
        }
        // a number that stands for a variable joins the constant
        if (x.find_first_not_of("0123456789") == std::string::npos)
            constant += term.coefficient * std::stoll(x);
        else
            append_term(s, term.coefficient, x);
    }
    if (s.empty()) return std::to_string(constant);
    if (constant > 0) s += "+" + std::to_string(constant);
    if (constant < 0) s += std::to_string(constant);
    return s;
}

// form < 0 and form == 0 read best with the negative terms on the other side: i < j, j > i+1, i != j.
std::string IndexSpace::print_cond(CondId c, const Names& names) const {
    const Cond& k = conds_[c];
    const auto relation = [&](FormId f, const char* sign) {
        std::string left, right;
        std::int64_t constant = forms_[f].constant;
        for (const Term& term : forms_[f].terms) {
            const Form alone{0, {{term.atom, 1}}};
            const auto it = form_ids_.find(alone);
            const std::string text = it == form_ids_.end() ? "?" : print(it->second, names);
            if (text.find_first_not_of("0123456789") == std::string::npos)
                constant += term.coefficient * std::stoll(text);
            else if (term.coefficient > 0)
                append_term(left, term.coefficient, text);
            else
                append_term(right, -term.coefficient, text);
        }
        std::string symbol = sign;
        // integers: a - 1 >= b is a > b, a + 1 <= ... likewise
        if (symbol == ">=" && constant == -1 && !right.empty()) {
            symbol = ">";
            constant = 0;
        } else if (symbol == "<" && constant == -1 && !right.empty()) {
            symbol = "<=";
            constant = 0;
        }
        if (left.empty()) { // c - b < 0 as b > c
            std::swap(left, right);
            constant = -constant;
            symbol = symbol == "<" ? ">" : symbol == ">=" ? "<=" : symbol == "<=" ? ">=" : symbol == ">" ? "<" : symbol;
        }
        if (right.empty())
            right = std::to_string(-constant);
        else if (constant != 0)
            right += (constant < 0 ? "+" : "-") + std::to_string(constant < 0 ? -constant : constant);
        return left + " " + symbol + " " + right;
    };
    switch (k.kind) {
    case Cond::Kind::yes: return "always";
    case Cond::Kind::no: return "never";
    case Cond::Kind::negative: return relation(k.a, "<");
    case Cond::Kind::zero: return relation(k.a, "==");
    case Cond::Kind::both: return print_cond(k.a, names) + " and " + print_cond(k.b, names);
    case Cond::Kind::complement: {
        const Cond& inner = conds_[k.a];
        if (inner.kind == Cond::Kind::zero) return relation(inner.a, "!=");
        if (inner.kind == Cond::Kind::negative) return relation(inner.a, ">=");
        return "not (" + print_cond(k.a, names) + ")";
    }
    }
    return {};
}

std::string IndexSpace::print_range(VarId v, const Names& names) const {
    const auto it = names.find(v);
    return (it != names.end() ? it->second : vars_[v].name) + " = " + print(vars_[v].lo, names) + ".." +
           print(vars_[v].hi, names);
}

} // namespace vessiot::expr
