#include "decompose/algebra/polynomial.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/quad.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::decompose {

namespace {

class PolynomialReader {
public:
    PolynomialReader(std::string_view text, std::size_t n_variables) : rest_(text), n_variables_(n_variables) {}

    std::optional<Polynomial> operator()() {
        Polynomial result;
        if (rest_ == "0") return result;
        if (rest_.empty()) return std::nullopt;
        for (bool is_first = true; !rest_.empty(); is_first = false) {
            Term term{.coefficient = "1"};
            term.is_negative = rest_[0] == '-';
            if (rest_[0] == '-' || (rest_[0] == '+' && !is_first))
                rest_.remove_prefix(1);
            else if (!is_first)
                return std::nullopt;
            if (!factors(term)) return std::nullopt;
            result.terms.push_back(std::move(term));
        }
        return result;
    }

private:
    std::string_view digits() {
        const std::size_t n = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const std::string_view found = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return found;
    }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<int> number() {
        const std::string_view text = digits();
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} ? std::optional(value) : std::nullopt;
    }

    bool factors(Term& term) {
        bool is_first = true;
        do {
            if (take('x')) {
                const auto variable = number();
                if (!variable || *variable < 1 || static_cast<std::size_t>(*variable) > n_variables_) return false;
                const auto power = take('^') ? number() : std::optional(1);
                if (!power || *power < 1) return false;
                term.factors.emplace_back(static_cast<std::size_t>(*variable - 1), *power);
            } else {
                const std::string_view coefficient = digits();
                if (!is_first || coefficient.empty()) return false;
                term.coefficient = coefficient;
            }
            is_first = false;
        } while (take('*'));
        return true;
    }

    std::string_view rest_;
    std::size_t n_variables_;
};

Quad power(Quad base, int n) {
    Quad result = 1;
    for (int k = 0; k < n; ++k) result *= base;
    return result;
}

Quad coefficient(const Term& term) {
    const Quad size = to_quad(term.coefficient);
    return term.is_negative ? -size : size;
}

// prod x_i^n_i over the factors of a term; with factor k differentiated: n_k x_k^(n_k-1) x_k'.
Quad product(const Term& term, const std::vector<Quad>& values) {
    Quad result = coefficient(term);
    for (const auto& [variable, exponent] : term.factors) result *= power(values[variable], exponent);
    return result;
}
Quad product(const Term& term, const std::vector<Quad>& values, const std::vector<Quad>& rates, std::size_t k) {
    Quad result = coefficient(term);
    for (std::size_t j = 0; j < term.factors.size(); ++j) {
        const auto& [variable, exponent] = term.factors[j];
        result *= j == k ? exponent * power(values[variable], exponent - 1) * rates[variable]
                         : power(values[variable], exponent);
    }
    return result;
}

// None smaller than a thousandth of the largest.
std::vector<Quad> sizes(const std::vector<Quad>& values) {
    Quad largest = 0;
    for (const Quad v : values) largest = std::max(largest, linalg::absolute(v));
    std::vector<Quad> result;
    for (const Quad v : values) result.push_back(std::max(linalg::absolute(v), largest / 1000));
    return result;
}

double ratio(Quad sum, Quad largest) {
    return sum == 0 ? 0 : static_cast<double>(linalg::absolute(sum) / largest);
}

} // namespace

std::optional<Polynomial> read_polynomial(std::string_view text, std::size_t n_variables) {
    return PolynomialReader(text, n_variables)();
}

int Polynomial::degree() const {
    int result = 0;
    for (const Term& term : terms) {
        int sum = 0;
        for (const auto& factor : term.factors) sum += factor.second;
        result = std::max(result, sum);
    }
    return result;
}

std::string Polynomial::text(const std::vector<Variable>& variables) const {
    std::string result;
    for (const Term& term : terms) {
        std::string product;
        if (term.coefficient != "1" || term.factors.empty()) product = term.coefficient;
        for (const auto& [variable, exponent] : term.factors) {
            if (!product.empty()) product += '*';
            product += variables[variable].text;
            if (exponent > 1) product += fmt::format("^{}", exponent);
        }
        if (result.empty())
            result = term.is_negative ? "-" + product : product;
        else
            result += (term.is_negative ? " - " : " + ") + product;
    }
    return result.empty() ? "0" : result;
}

Quad partial(const Polynomial& p, const std::vector<Quad>& values, std::size_t variable) {
    std::vector<Quad> rates(values.size(), 0);
    rates[variable] = 1;
    Quad sum = 0;
    for (const Term& term : p.terms)
        for (std::size_t k = 0; k < term.factors.size(); ++k)
            if (term.factors[k].first == variable) sum += product(term, values, rates, k);
    return sum;
}

double residual(const Polynomial& p, const std::vector<Quad>& values) {
    const std::vector<Quad> size = sizes(values);
    Quad sum = 0, largest = 0;
    for (const Term& term : p.terms) {
        sum += product(term, values);
        largest = std::max(largest, linalg::absolute(product(term, size)));
    }
    return ratio(sum, largest);
}

double rate_residual(const Polynomial& p, const std::vector<Quad>& values, const std::vector<Quad>& rates) {
    const std::vector<Quad> size = sizes(values), rate_size = sizes(rates);
    Quad sum = 0, largest = 0;
    for (const Term& term : p.terms)
        for (std::size_t k = 0; k < term.factors.size(); ++k) {
            sum += product(term, values, rates, k);
            largest = std::max(largest, linalg::absolute(product(term, size, rate_size, k)));
        }
    return ratio(sum, largest);
}

} // namespace vessiot::decompose
