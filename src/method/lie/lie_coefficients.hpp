// Methods of Crouch and Grossman: coefficients, and the nodes of Gauss for those of Magnus.
//
// A step of such a method multiplies by exponentials of the slopes A_j one after the other: the conditions of order 3
// and 4 are those of Runge and Kutta and more. cg3: [CG93], cg4: [OM99]
#pragma once

#include <array>

#include "method/number.hpp"

namespace vessiot::method {

template <std::size_t S> struct CrouchGrossman {
    std::array<std::array<Quad, S>, S> a;
    std::array<Quad, S> b;
    std::array<Quad, S> c;
};

inline constexpr CrouchGrossman<3> cg3{.a = {{{0}, {3_q / 4}, {119_q / 216, 17_q / 108}}},
                                       .b = {13_q / 51, -2_q / 3, 24_q / 17},
                                       .c = {0, 3_q / 4, 17_q / 24}};

// Published with 16 digits; these are the nearest numbers that satisfy all conditions of order 4
// (tools/crouch_grossman4).
inline constexpr CrouchGrossman<5> cg4{
    .a = {{{0},
           {0.817722798812485183864383415847723193_q},
           {0.31998763754764268140960925832903477_q, 0.0659864263556021873546032286673335543_q},
           {0.921441719446494612602955614447966895_q, 0.499785777677357298630580622441638903_q,
            -1.09699844483715820771826681841610948_q},
           {0.355235855902332201054156819447120916_q, 0.239095837230732569585299130695142428_q,
            1.39185657242032459428673699011534979_q, -1.10929793921134651058417724992621633_q}}},
    .b = {0.137083152063075537029594773567693535_q, -0.0183698531564020191126108877454292072_q,
          0.739781398537077998929143616490662484_q, -0.190714256550588896697746577033424798_q,
          0.332219559106837379851619074720497986_q},
    .c = {0, 0.817722798812485183864383415847723193_q, 0.385974063903244868764212486996368325_q,
          0.324229052286693703515269418473496322_q, 0.876890326342042854342015690331396806_q}};

inline constexpr Quad sqrt3 = 1.7320508075688772935274463415058723670_q;
inline constexpr Quad sqrt15 = 3.8729833462074168851792653997823996108_q;

} // namespace vessiot::method
