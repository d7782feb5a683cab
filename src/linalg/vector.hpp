// Vectors that start on a cache line and are padded with zeros to whole blocks of 8, and the kernels that work on them.
//
// combine                  out = y + h sum_j c_j k_j
// weighted_sum_of_squares  sum_i (e_i / (atol + rtol max(|y0_i|, |y1_i|)))^2
//
// For double they are compiled for several vector units and chosen at run time. The results are the same on all of
// them: nothing is contracted, and sums are 8 interleaved partial sums, p_l over i = l mod 8, added as
// ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7)).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/quad.hpp"

namespace vessiot::linalg {

// The next multiple of 8.
inline constexpr std::int64_t padded(std::int64_t n) {
    return (n + 7) / 8 * 8;
}

template <class S> class Vector {
public:
    Vector() = default;
    explicit Vector(std::int64_t n) : data_(make(n)), size_(n) {}
    Vector(const Vector& other) : Vector(other.size_) { std::copy(other.begin(), other.end(), begin()); }
    Vector(Vector&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Vector& operator=(Vector other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Vector() { ::operator delete(data_, alignment); }
    // NOTE: that of the standard library moves three times, and frees nothing as often
    friend void swap(Vector& a, Vector& b) noexcept {
        std::swap(a.data_, b.data_);
        std::swap(a.size_, b.size_);
    }

    S* data() { return data_; }
    const S* data() const { return data_; }
    std::int64_t size() const { return size_; }
    S& operator[](std::int64_t i) { return data_[i]; }
    const S& operator[](std::int64_t i) const { return data_[i]; }
    S* begin() { return data_; }
    S* end() { return data_ + size_; }
    const S* begin() const { return data_; }
    const S* end() const { return data_ + size_; }

private:
    static constexpr std::align_val_t alignment{64};

    static S* make(std::int64_t n) {
        if (n <= 0) return nullptr;
        const auto count = static_cast<std::size_t>(padded(n));
        S* data = static_cast<S*>(::operator new(count * sizeof(S), alignment));
        std::fill_n(data, count, S(0));
        return data;
    }

    S* data_ = nullptr;
    std::int64_t size_ = 0;
};

// out_i = y_i + h sum_j coefficient_j k_j,i for i < n_padded, a multiple of 8; y may be null, which stands for zeros.
// out may be y or one of the k. Summed in the order of j.
template <class S>
void combine(std::int64_t n_padded, const S* y, S h, int count, const S* coefficient, const S* const* k, S* out);

// sum_i (e_i / (atol + rtol max(|y0_i|, |y1_i|)))^2 for i < n; a term with e_i = 0 is 0 whatever the divisor.
template <class S> S weighted_sum_of_squares(std::int64_t n, const S* e, const S* y0, const S* y1, S atol, S rtol);

template <>
void combine(std::int64_t n_padded, const double* y, double h, int count, const double* coefficient,
             const double* const* k, double* out);
template <>
double weighted_sum_of_squares(std::int64_t n, const double* e, const double* y0, const double* y1, double atol,
                               double rtol);
extern template void combine(std::int64_t, const Quad*, Quad, int, const Quad*, const Quad* const*, Quad*);
extern template Quad weighted_sum_of_squares(std::int64_t, const Quad*, const Quad*, const Quad*, Quad, Quad);

} // namespace vessiot::linalg
