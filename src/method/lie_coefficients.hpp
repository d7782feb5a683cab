// Methods of Crouch and Grossman: coefficients, and the nodes of Gauss for those of Magnus.
//
// A step of such a method multiplies by exponentials of the slopes A_j one after the other: the conditions of order 3
// and 4 are those of Runge and Kutta and more. cg3: [CG93], cg4: [OM99]
#pragma once

#include <array>

#include "method/number.hpp"

namespace vessiot::method {

template <std::size_t S> struct CrouchGrossman {
    std::array<std::array<float128, S>, S> a;
    std::array<float128, S> b;
    std::array<float128, S> c;
};

inline constexpr CrouchGrossman<3> cg3{.a = {{{0}, {3_q / 4}, {119_q / 216, 17_q / 108}}},
                                       .b = {13_q / 51, -2_q / 3, 24_q / 17},
                                       .c = {0, 3_q / 4, 17_q / 24}};

inline constexpr CrouchGrossman<5> cg4{
    .a = {{{0},
           {0.8177227988124852_q},
           {0.3199876375476427_q, 0.0659864263556022_q},
           {0.9214417194464946_q, 0.4997857776773573_q, -1.0969984448371582_q},
           {0.3552358559023322_q, 0.2390958372307326_q, 1.3918565724203246_q, -1.1092979392113465_q}}},
    .b = {0.1370831520630755_q, -0.0183698531564020_q, 0.7397813985370780_q, -0.1907142565505889_q,
          0.3322195591068374_q},
    .c = {0, 0.8177227988124852_q, 0.3859740639032449_q, 0.3242290522866937_q, 0.8768903263420429_q}};

inline constexpr float128 sqrt3 = 1.7320508075688772935274463415058723670_q;
inline constexpr float128 sqrt15 = 3.8729833462074168851792653997823996108_q;

} // namespace vessiot::method
