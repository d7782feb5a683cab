#include "method/user/user_formula.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/user/coefficient.hpp"
#include "method/user/coefficient_file.hpp"

namespace vessiot::method {

namespace {

constexpr std::string_view formula_keys[] = {"name", "alpha", "beta", "on", "order", "comment"};
constexpr std::string_view formula_needs[] = {"alpha", "beta"};
const CoefficientKeys formula_file{.what = "a multistep formula",
                                   .known = formula_keys,
                                   .needed = formula_needs,
                                   .list = "alpha, beta, name, on, order and comment",
                                   .example = R"({"alpha": [0, -1, 1], "beta": ["-1/2", "3/2", 0]})"};

// A method with all that its entry points to.
struct OwnedFormula {
    std::string name;
    MultistepFormula formula;
    std::vector<Quad> parts; // that the entry points to
    double uncertainty = 0;  // of the coefficients, relative
    MethodInfo info;
};

std::string zero_text(std::complex<double> z) {
    if (std::abs(z.imag()) < 1e-9) return fmt::format("{:.6g}", z.real());
    return fmt::format("{:.6g} {} {:.6g} i, of size {:.6g}", z.real(), z.imag() < 0 ? "-" : "+", std::abs(z.imag()),
                       std::abs(z));
}

class FormulaMaker {
public:
    FormulaMaker(const LinearMultistep& given, const std::string& source) : given_(given), source_(source) {}

    OwnedFormula operator()() {
        check_user_name(given_.name, source_);
        owned_.name = given_.name;
        check_sizes();
        owned_.formula.alpha = numbers(given_.alpha, "alpha");
        owned_.formula.beta = numbers(given_.beta, "beta");
        normalise();
        const int order = checked_order();
        check_roots();
        if (given_.is_direct && owned_.formula.is_explicit())
            fail("the last beta is 0, so that the formula is explicit: on the equations as they stand, where M of "
                 "M u' = F(u) may be singular, only implicit ones make sense");
        owned_.parts = parts_of_formula(owned_.formula);
        owned_.info = multistep_entry(owned_.name, owned_.parts, order, given_.is_direct, "");
        return std::move(owned_);
    }

private:
    [[noreturn]] void fail(const std::string& text) const { throw InvalidInput(fmt::format("{}: {}", source_, text)); }

    void check_sizes() const {
        const std::size_t n = given_.alpha.size();
        if (n < 2) fail("alpha is too short: a formula of k steps has k + 1 coefficients, oldest first");
        if (given_.beta.size() != n)
            fail(fmt::format("alpha and beta have k + 1 coefficients each, but alpha has {} and beta {}", n,
                             given_.beta.size()));
        if (n > most_multistep_steps + 1)
            fail(fmt::format("the formula has {} steps, and there is room for {}", n - 1, most_multistep_steps));
    }

    std::vector<Quad> numbers(const std::vector<Coefficient>& list, std::string_view what) {
        std::vector<Quad> result;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto read = read_coefficient(list[i].text);
            if (!read)
                fail(fmt::format("{}[{}] is a number or a fraction, such as 0.25 or \"1/4\", but found '{}'", what, i,
                                 list[i].text));
            owned_.uncertainty = std::max(owned_.uncertainty, read->uncertainty);
            result.push_back(read->value);
        }
        return result;
    }

    // alpha_k = 1
    void normalise() {
        MultistepFormula& f = owned_.formula;
        const Quad leading = f.alpha.back();
        if (leading == 0) fail("the last alpha is 0: it is the coefficient of the new point");
        for (std::vector<Quad>* list : {&f.alpha, &f.beta})
            for (Quad& x : *list) x /= leading;
        if (f.alpha[0] == 0 && f.beta[0] == 0)
            fail("the first alpha and the first beta are both 0: leave them out, the formula has fewer steps");
    }

    int checked_order() const {
        const MultistepOrder found = order_of(owned_.formula, owned_.uncertainty, most_multistep_order + 1);
        const auto defect = static_cast<double>(found.defect);
        if (found.order < 0)
            fail(fmt::format("inconsistent: rho(1) = sum of alpha = {:.6g}, but it must be 0", defect));
        if (found.order < 1)
            fail(fmt::format("inconsistent: rho'(1) - sigma(1) = {:.6g} (with alpha_k = 1), but it must be 0", defect));
        if (found.order > most_multistep_order)
            fail(
                fmt::format("the order is above {}, for which there is no method to start with", most_multistep_order));
        if (given_.order > found.order)
            fail(fmt::format("the order is said to be {}, but it is {}: the condition of order {} is off by {:.3g}",
                             given_.order, found.order, found.order + 1, defect));
        return found.order;
    }

    void check_roots() const {
        const RootCondition rho = root_condition(owned_.formula.alpha);
        if (rho.holds) return;
        fail(fmt::format("unstable: the root condition does not hold, for rho has {} {}. Zeros must not lie outside of "
                         "the unit circle, and those on it must be simple; else errors grow however small the step",
                         rho.is_multiple ? "the multiple zero" : "the zero", zero_text(rho.worst)));
    }

    const LinearMultistep& given_;
    const std::string& source_;
    OwnedFormula owned_;
};

// All that were added; they never move.
struct FormulaStore {
    std::mutex mutex;
    std::deque<OwnedFormula> all;
};

FormulaStore& formula_store() {
    static FormulaStore it;
    return it;
}

bool is_same_formula(const OwnedFormula& x, const OwnedFormula& y) {
    return x.name == y.name && x.parts == y.parts && x.info.family == y.info.family;
}

} // namespace

const MethodInfo& add_multistep(const LinearMultistep& formula, const std::string& source) {
    OwnedFormula made = FormulaMaker(formula, source)();
    FormulaStore& s = formula_store();
    const std::lock_guard lock(s.mutex);
    for (auto known = s.all.rbegin(); known != s.all.rend(); ++known)
        if (known->name == made.name) {
            if (is_same_formula(*known, made)) return known->info;
            break;
        }
    OwnedFormula& kept = s.all.emplace_back(std::move(made));
    kept.info.name = kept.name;
    kept.info.parts = kept.parts;
    return kept.info;
}

const MethodInfo& load_multistep(const std::string& path) {
    const CoefficientMembers members = read_coefficient_file(path, formula_file);
    LinearMultistep formula;
    formula.name = user_name(members, path);
    formula.alpha = coefficient_list(members.at("alpha"), path, "alpha");
    formula.beta = coefficient_list(members.at("beta"), path, "beta");
    if (members.contains("order")) formula.order = claimed_order(members.at("order"), path, "order");
    if (const auto on = members.find("on"); on != members.end()) {
        formula.is_direct = on->second.text == "equations";
        if (!formula.is_direct && on->second.text != "manifold")
            throw InvalidInput(fmt::format("{}: on is \"manifold\" or \"equations\" (as they stand), but found '{}'",
                                           path, on->second.text));
    }
    return add_multistep(formula, path);
}

const MethodInfo* find_user_multistep(std::string_view name) {
    FormulaStore& s = formula_store();
    const std::lock_guard lock(s.mutex);
    for (auto known = s.all.rbegin(); known != s.all.rend(); ++known)
        if (known->name == name) return &known->info;
    return nullptr;
}

} // namespace vessiot::method
