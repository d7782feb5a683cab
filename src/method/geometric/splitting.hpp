// Splitting methods for systems in two halves (separable.hpp), q' = a(t, p) and p' = b(t, q). [HLW06, I.1, II.5, V.3]
//
// One half stands still while the other moves, which is exact. The symmetric step of order 2 is that of Störmer and
// Verlet, kick first or drift first:
//
//   p += h/2 b(t, q),   q += h a(t + h/2, p),   p += h/2 b(t + h, q)
//   q += h/2 a(t, p),   p += h b(t + h/2, q),   q += h/2 a(t + h, p)
//
// and steps of g_1 h, g_2 h, .., g_s h one after the other have a higher order (split_coefficients.hpp). For
// Hamiltonian systems all are symplectic, and with constant steps they are their own inverse with -h.
//
// Halves are compiled apart, where the derivatives are formulas; else V is evaluated as a whole. Neighbouring moves of
// one half need one evaluation, also where one step ends and the next begins. Cost of a step: s evaluations of each
// half.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "expr/graph/function.hpp"
#include "method/one_step.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class Splitting final : public OneStep<S> {
public:
    // The system must be separable.
    Splitting(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    enum Half : int { position = 0, momentum = 1 };

    void begin(S tau, const S* x) override;
    bool needs_first() const override { return false; }

    bool advance(S h, StepReport<S>& report) override;
    void compile(const std::vector<char>& is_momentum);
    // The derivative of a half at (tau, to()); false where it has no value.
    bool derivative(Half half, S tau, S* dx, StepReport<S>& report);
    bool find_first(StepReport<S>& report);
    void move(Half half, S h, const S* dx);

    Parts<S>& parts_;
    std::vector<S> sizes_; // g_k
    Half first_;           // that moves first
    std::vector<std::int32_t> members_[2];
    std::optional<expr::Function<S>> functions_[2];
    linalg::Vector<S> at_start_, at_end_, inner_; // of the half that moves first at both ends, and of the other
    S start_tau_ = 0, end_tau_ = 0;
    bool has_start_ = false, has_end_ = false; // they are known
};

extern template class Splitting<double>;
extern template class Splitting<Quad>;

extern const Family kick_first_family;

extern const Family drift_first_family;

} // namespace vessiot::method
