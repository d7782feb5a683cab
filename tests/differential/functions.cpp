#include "differential/functions.hpp"

#include <string>

namespace vessiot::differential {
namespace {

Formula polynomial(Choice& choice) {
    const Formula t = time();
    Formula result = number(choice.decimal(-1, 1)) + choice.decimal(-0.8, 0.8) * t;
    if (choice.chance(0.4)) result = result + choice.decimal(-0.3, 0.3) * power(t, 2);
    if (choice.chance(0.1)) result = result + choice.decimal(-0.1, 0.1) * power(t, 3);
    return result;
}

Formula wave(Choice& choice) {
    const Formula argument = choice.decimal(0.5, 2) * time() + number(choice.chance(0.5) ? choice.decimal(-2, 2) : 0);
    return choice.decimal(0.3, 1.2) * call(choice.chance(0.5) ? "sin" : "cos", {argument});
}

Formula exponential(Choice& choice) {
    if (choice.chance(0.6)) return choice.decimal(-1, 1) * call("exp", {choice.decimal(-1, 0.5) * time()});
    return choice.decimal(-0.8, 0.8) * call("exp", {choice.decimal(-0.8, 0.8) * call("sin", {time()})});
}

Formula one_term(Choice& choice, const std::vector<Formula>& v, double size) {
    const Formula a = choice.of(v), b = choice.of(v);
    const Formula c = number(std::round(1000 * choice.between(0.3, 1) * size) / (choice.chance(0.5) ? 1000 : -1000));
    switch (choice.below(8)) {
    case 0: return c * a;
    case 1: return 0.5 * (c * a * b);
    case 2: return c * call("sin", {a});
    case 3: return c * call("cos", {a + b});
    case 4: return c * call("cos", {time()}) * a;
    case 5: return 0.5 * (c * power(a, 2));
    case 6: return c * a / (number(1) + power(b, 2));
    default: return c * call("tanh", {a});
    }
}

} // namespace

Formula smooth_function(Choice& choice, int depth) {
    if (depth > 0 && choice.chance(0.45)) {
        const Formula a = smooth_function(choice, depth - 1), b = smooth_function(choice, depth - 1);
        return choice.chance(0.7) ? a + b : a * b;
    }
    switch (choice.below(3)) {
    case 0: return polynomial(choice);
    case 1: return wave(choice);
    default: return exponential(choice);
    }
}

Formula smooth_family(Choice& choice) {
    const Formula i = index("i");
    const Formula shift = choice.decimal(0.1, 0.6) * i;
    switch (choice.below(3)) {
    case 0: return choice.decimal(0.3, 1.2) * call("sin", {choice.decimal(0.5, 1.5) * time() + shift});
    case 1: return shift + choice.decimal(-0.5, 0.5) * time() * call("cos", {i + time()});
    default: return call("exp", {choice.decimal(-0.6, -0.1) * time()}) * (number(choice.decimal(-1, 1)) + shift);
    }
}

Formula positive_function(Choice& choice) {
    return number(1) + 0.3 * call(choice.chance(0.5) ? "sin" : "cos", {choice.decimal(0.5, 2) * time()});
}

Formula coupling(Choice& choice, const std::vector<Formula>& variables, double size, int n_terms) {
    std::vector<Formula> terms;
    for (int k = 0; k < n_terms; ++k) terms.push_back(one_term(choice, variables, size));
    return add(std::move(terms));
}

Formula coefficient(Choice& choice, double value, int& counter) {
    return choice.chance(0.3) ? parameter("p" + std::to_string(++counter), value) : number(value);
}

} // namespace vessiot::differential
