#include "solve/options/choice.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"
#include "core/text.hpp"

namespace vessiot {

namespace {

// The option that a choice belongs to, for messages; its words, and what they stand for.
template <class E, std::size_t n> struct Words {
    std::string_view option;
    std::array<std::string_view, n> words;
    std::array<E, n> values;
};

constexpr auto words_for(Parametrisation) {
    using enum Parametrisation;
    return Words<Parametrisation, 3>{"parametrisation", {"auto", "time", "arclength"}, {automatic, time, arclength}};
}

constexpr auto words_for(Projected) {
    using enum Projected;
    return Words<Projected, 4>{
        "project", {"auto", "steps", "stages", "symmetric"}, {automatic, steps, stages, symmetric}};
}

constexpr auto words_for(Formulation) {
    using enum Formulation;
    return Words<Formulation, 4>{
        "formulation", {"auto", "general", "invariants", "holonomic"}, {automatic, general, invariants, holonomic}};
}

constexpr auto words_for(BrokenInvariants) {
    using enum BrokenInvariants;
    return Words<BrokenInvariants, 2>{"invariants", {"check", "impose"}, {check, impose}};
}

constexpr auto words_for(Switchings) {
    using enum Switchings;
    return Words<Switchings, 2>{"conditions", {"locate", "ignore"}, {locate, ignore}};
}

constexpr auto words_for(Precision) {
    using enum Precision;
    return Words<Precision, 2>{"precision", {"double", "quad"}, {double_, quad}};
}

constexpr auto words_for(Backend) {
    using enum Backend;
    return Words<Backend, 3>{"backend", {"auto", "jit", "interpreter"}, {automatic, jit, interpreter}};
}

constexpr auto words_for(Continuation) {
    using enum Continuation;
    return Words<Continuation, 3>{"continue", {"auto", "high", "low"}, {automatic, high, low}};
}

constexpr auto words_for(NewtonStart) {
    using enum NewtonStart;
    return Words<NewtonStart, 2>{"newton_start", {"a", "curvature"}, {a, curvature}};
}

constexpr auto words_for(StopRule) {
    using enum StopRule;
    return Words<StopRule, 5>{"newton_stop",
                              {"auto", "sound", "printed", "residual", "increment"},
                              {automatic, sound, printed, residual, increment}};
}

constexpr auto words_for(Fallback) {
    using enum Fallback;
    return Words<Fallback, 2>{"fallback", {"orthogonal", "none"}, {orthogonal, none}};
}

constexpr auto words_for(NormKind) {
    using enum NormKind;
    return Words<NormKind, 2>{"error_norm", {"rms", "max"}, {rms, max}};
}

constexpr auto words_for(OnOff) {
    using enum OnOff;
    return Words<OnOff, 2>{"this option", {"on", "off"}, {on, off}};
}

template <class E> constexpr auto words = words_for(E{});

} // namespace

template <class E> std::span<const std::string_view> words_of() {
    return words<E>.words;
}

template <class E> Choice<E>::Choice(std::string_view word) {
    const auto& known = words<E>.words;
    const auto found = std::ranges::find(known, word);
    if (found == known.end()) throw InvalidInput(unknown_word_text(words<E>.option, known, word));
    value_ = words<E>.values[static_cast<std::size_t>(found - known.begin())];
}

template <class E> std::string_view Choice<E>::word() const {
    const auto& values = words<E>.values;
    const auto found = std::ranges::find(values, value_);
    return words<E>.words[static_cast<std::size_t>(found - values.begin())];
}

// Choices of options, which options.hpp lists.
template class Choice<Parametrisation>;
template class Choice<Projected>;
template class Choice<Formulation>;
template class Choice<BrokenInvariants>;
template class Choice<Switchings>;
template class Choice<Precision>;
template class Choice<Backend>;
template class Choice<Continuation>;
template class Choice<NewtonStart>;
template class Choice<StopRule>;
template class Choice<Fallback>;
template class Choice<NormKind>;
template class Choice<OnOff>;
template std::span<const std::string_view> words_of<Parametrisation>();
template std::span<const std::string_view> words_of<Projected>();
template std::span<const std::string_view> words_of<Formulation>();
template std::span<const std::string_view> words_of<BrokenInvariants>();
template std::span<const std::string_view> words_of<Switchings>();
template std::span<const std::string_view> words_of<Precision>();
template std::span<const std::string_view> words_of<Backend>();
template std::span<const std::string_view> words_of<Continuation>();
template std::span<const std::string_view> words_of<NewtonStart>();
template std::span<const std::string_view> words_of<StopRule>();
template std::span<const std::string_view> words_of<Fallback>();
template std::span<const std::string_view> words_of<NormKind>();
template std::span<const std::string_view> words_of<OnOff>();

} // namespace vessiot
