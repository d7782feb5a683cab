// The linear systems of an implicit step, 1 - h / lambda J for each real eigenvalue lambda of the method and each pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "distribution/derivative/shifted_solver.hpp"
#include "method/implicit/implicit_numbers.hpp"

namespace vessiot::method {

template <class S> class StageSolvers {
public:
    using C = linalg::Complex<S>;

    // The numbers must stay where they are; `coupling` of derivatives of the solution, null where there are none.
    StageSolvers(const ImplicitNumbers<S>& numbers, Linearised<S>& j, Coupling<S>* coupling = nullptr)
        : numbers_(numbers) {
        for (std::size_t k = 0; k < numbers.real.size(); ++k)
            real_.push_back(std::make_unique<ShiftedSolver<S>>(j, coupling));
        for (std::size_t k = 0; k < numbers.pairs.size(); ++k)
            pairs_.push_back(std::make_unique<ShiftedSolver<C>>(j, coupling));
    }

    std::int64_t size() const { return static_cast<std::int64_t>(real_.size() + pairs_.size()); }
    bool is_for(S h) const { return h_ == h; }
    // J has changed.
    void forget() { h_ = 0; }
    // False where one of them is singular.
    bool factor(S h) {
        bool is_regular = true;
        for (std::size_t k = 0; k < real_.size() && is_regular; ++k)
            is_regular = real_[k]->factor(h / numbers_.real[k]);
        for (std::size_t k = 0; k < pairs_.size() && is_regular; ++k)
            is_regular = pairs_[k]->factor(C(h) / numbers_.pairs[k]);
        h_ = is_regular ? h : S(0);
        return is_regular;
    }
    // Multiplications of factor(), and of a solution with each.
    typename linalg::SquareSolver<S>::Work work() const {
        typename linalg::SquareSolver<S>::Work sum;
        const auto add = [&](const auto& solver) {
            sum.factor += solver->work().factor;
            sum.solve += solver->work().solve;
        };
        std::ranges::for_each(real_, add);
        std::ranges::for_each(pairs_, add);
        return sum;
    }
    ShiftedSolver<S>& real(std::size_t k) { return *real_[k]; }
    ShiftedSolver<C>& pair(std::size_t k) { return *pairs_[k]; }

private:
    const ImplicitNumbers<S>& numbers_;
    std::vector<std::unique_ptr<ShiftedSolver<S>>> real_;
    std::vector<std::unique_ptr<ShiftedSolver<C>>> pairs_;
    S h_ = 0; // of the factors; 0: there are none
};

} // namespace vessiot::method
