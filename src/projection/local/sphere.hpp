// The nearest point of a sphere, by scaling: where the manifold is one constraint
//
//   f = (d/2) (|x_I - c|^2 - R^2)       x_I: some of the coordinates
//
// p_I = c + rho (a_I - c),  rho^2 = R^2/|a_I - c|^2 = 1 - 2 f(a)/(d |a_I - c|^2), the other coordinates stay.
//
// It is recognised by what df and the second derivatives are at three points that have nothing in common with a model:
// f'' = d on the diagonal of I and nowhere else, x - df/d the same c. A function that is a sphere there but not
// everywhere (by max, say) is told by whoever evaluates f at p.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class Sphere {
public:
    // Nothing where the manifold is no sphere. Allocates.
    static std::optional<Sphere> recognise(Manifold<S>& manifold);

    // Moves x; f is the value of the constraint there. False where no nearest point exists, or no sphere.
    bool project(S f, S* x) const;

private:
    std::vector<std::int32_t> columns_; // I
    std::vector<S> centre_;
    S d_ = 0;
};

extern template class Sphere<double>;
extern template class Sphere<Quad>;

} // namespace vessiot
