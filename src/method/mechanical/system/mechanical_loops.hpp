// The loops of a step of a mechanical system that go over all its positions or constraints.
#pragma once

#include <cstdint>

#include "core/quad.hpp"

namespace vessiot::method {

// y_k = base_k + kappa (f_k + d_k),  q_k = q_0,k + h y_k
template <class S> struct KickAndDrift {
    const S *base, *f, *d, *q_0;
    S kappa, h;
};
void kick_and_drift(std::int64_t n, const KickAndDrift<double>& by, double* y, double* q);
void kick_and_drift(std::int64_t n, const KickAndDrift<Quad>& by, Quad* y, Quad* q);

// max_i |b_i| w_i; not a number where one of the b_i is not finite.
double weighted_maximum(std::int64_t n, const double* b, const double* w);
Quad weighted_maximum(std::int64_t n, const Quad* b, const Quad* w);

// max_i |b_i|
double largest_size(std::int64_t n, const double* b);
Quad largest_size(std::int64_t n, const Quad* b);

// a_i += factor b_i
void add_multiple(std::int64_t n, double factor, const double* b, double* a);
void add_multiple(std::int64_t n, Quad factor, const Quad* b, Quad* a);

} // namespace vessiot::method
