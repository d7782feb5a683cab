// Choices among a few: an enumerator, Parametrisation::arclength, or its word on the command line, "arclength".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vessiot {

enum class Parametrisation : std::uint8_t { automatic, time, arclength }; // what steps are measured in
enum class Projected : std::uint8_t { automatic, steps, stages, symmetric };
enum class Formulation : std::uint8_t { automatic, general, invariants, holonomic };
enum class BrokenInvariants : std::uint8_t { check, impose };
enum class Switchings : std::uint8_t { locate, ignore }; // of conditions
enum class Precision : std::uint8_t { double_, quad };   // 16 or 34 digits
enum class Continuation : std::uint8_t { automatic, high, low };
enum class Fallback : std::uint8_t { orthogonal, none };
enum class NormKind : std::uint8_t { rms, max };
enum class OnOff : std::uint8_t { on, off };

// What evaluates the equations; all give the same bits.
enum class Backend : std::uint8_t {
    automatic,   // start on the interpreter, go over to native code once it is there
    interpreter, // nothing else
    jit,         // native code from the first evaluation; InvalidInput if it cannot be had
};

// Where the iteration for the nearest point begins, at z = (p, mu).
enum class NewtonStart : std::uint8_t {
    a,         // (a, 0), a the point to be projected. [Tuomela, Arponen 2001, (5.2)]
    curvature, // moved by the curvature of the manifold at the start of the step. [the same, (5.3)]
};

// When it ends, and iterations along rays do.
enum class StopRule : std::uint8_t {
    automatic, // sound
    sound,     // at round-off, or where residuals stop falling
    printed,   // nearest point: |z_k - z_(k-1)| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|. [Tuomela, Arponen, Normi, 6.1]
    residual,  // rays: residuals below a tolerance
    increment, // coordinates, of rays lengths, change less than a tolerance; 1e-7. [Tuomela, Arponen 2001, 5.3]
};

template <class E> class Choice {
public:
    constexpr Choice(E value) : value_(value) {}
    // Throws InvalidInput, with the words that there are, where it is none of them.
    Choice(std::string_view word);
    Choice(const char* word) : Choice(std::string_view(word)) {}
    Choice(const std::string& word) : Choice(std::string_view(word)) {}

    constexpr E value() const { return value_; }
    std::string_view word() const;
    friend constexpr bool operator==(Choice a, Choice b) { return a.value_ == b.value_; }

private:
    E value_;
};

// One that need not be given.
template <class E> using Chosen = std::optional<Choice<E>>;

} // namespace vessiot
