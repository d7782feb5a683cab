// The iterations for multipliers of constraints: when they have arrived, and where to begin them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/quad.hpp"
#include "linalg/vector.hpp"

namespace vessiot::method {

// Has an iteration for constraints arrived? Its residual, relative to sizes, and the largest change of what is iterated
// along with it.
template <class S> class ConstraintIteration {
public:
    enum class Next : std::uint8_t { done, go_on, slow, fail };
    Next operator()(S residual, S change);
    static bool is_small(S residual);
    std::int64_t count = 0;

private:
    S before_ = -1, change_before_ = -1, earlier_ = -1, change_earlier_ = -1;
};

// Multipliers of the positions of one part of a step, in the last steps.
template <class S> class MultiplierHistory {
public:
    explicit MultiplierHistory(std::int64_t m);
    void forget() { n_ = 0; }
    // A guess for a step of h at t, false where there is none.
    bool guess(S t, S h, S* lambda) const;
    void add(S t, S h, const S* lambda);

private:
    bool follows(S t, S h) const; // is a step of h at t the next of the same kind?

    std::array<linalg::Vector<S>, 4> last_; // the newest at newest_, then backwards in a circle
    int n_ = 0, newest_ = 0;
    S t_ = 0, h_ = 0, spacing_ = 0;
};

// Where the iteration for the positions begins, and, as long as it converges as it did before, when its last residual
// need not be looked at: it is foretold, and confirmed when the point is evaluated.
template <class S> class MultiplierGuess {
public:
    // Of n parts of a step, with m multipliers each; without this there are none.
    void use_histories(std::size_t n, std::int64_t m);
    void use_history(std::size_t k) { history_ = &histories_[k]; }
    void forget();

    void begin_solve() { is_foretold_ = false; }
    bool goes_on() const { return goes_on_; } // from the multipliers as they are
    bool operator()(S t, S h, linalg::Vector<S>& lambda) const {
        return history_ && history_->guess(t, h, lambda.data());
    }
    void note_rate(S before, S after); // of two residuals in turn
    void foretell(S residual, bool is_renewed);
    bool is_foretold() const { return is_foretold_; }
    void solved(S t, S h, const linalg::Vector<S>& lambda);
    void failed();
    // False where the residual that was foretold is too large: then the iteration goes on.
    template <class Residual> bool confirm(const Residual& residual) {
        if (!is_foretold_) return true;
        is_foretold_ = false;
        if (ConstraintIteration<S>::is_small(residual())) return true;
        rate_ = -1;
        goes_on_ = true;
        return false;
    }

private:
    std::vector<MultiplierHistory<S>> histories_;
    MultiplierHistory<S>* history_ = nullptr;
    S rate_ = -1; // residual over the one before; -1: not known
    bool is_foretold_ = false;
    bool goes_on_ = false;
};

extern template class ConstraintIteration<double>;
extern template class ConstraintIteration<Quad>;
extern template class MultiplierHistory<double>;
extern template class MultiplierHistory<Quad>;
extern template class MultiplierGuess<double>;
extern template class MultiplierGuess<Quad>;

} // namespace vessiot::method
