// The coefficients of an implicit method as numbers of the run, in the notation of implicit_coefficients.hpp.
#pragma once

#include <vector>

#include "linalg/complex.hpp"
#include "method/implicit/implicit_coefficients.hpp"
#include "method/implicit/implicit_parts.hpp"

namespace vessiot::method {

template <class S> struct ImplicitNumbers {
    explicit ImplicitNumbers(const TableauView& tableau)
        : exact(tableau), c(cast<S>(exact.c)), t(cast<S>(exact.t)), t_inverse(cast<S>(exact.t_inverse)),
          g(cast<S>(exact.g)), d(cast<S>(exact.d)), dense(cast<S>(exact.dense)), dense_0(cast<S>(exact.dense_0)),
          e(cast<S>(exact.e)), real(cast<S>(exact.real)), d_0(static_cast<S>(exact.d_0)),
          gamma_0(static_cast<S>(exact.gamma_0)) {
        for (const auto& p : exact.pairs) pairs.push_back({static_cast<S>(p.re), static_cast<S>(p.im)});
    }

    ImplicitCoefficients exact;
    std::vector<S> c, t, t_inverse, g, d, dense, dense_0, e;
    std::vector<S> real; // eigenvalues
    std::vector<linalg::Complex<S>> pairs;
    S d_0, gamma_0;
};

} // namespace vessiot::method
