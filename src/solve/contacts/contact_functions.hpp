// What the contacts of a system are at a point: gaps, their rates and accelerations, coefficients; one instance after
// the other, contact by contact.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/graph/function.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class ContactFunctions {
public:
    struct Instance {
        std::string name;
        std::size_t n_along = 0;
        std::size_t mode = 0, margin = 0, reach = 0; // places among what is held
        std::size_t heading[2] = {0, 0};
        std::size_t row = 0; // of its gap among the rows; those of sliding follow
    };
    struct Values {
        S gap = 0, terms = 0; // the largest term of the gap
        S acceleration = 0;
        S restitution = 0, friction = 0;
        S force[2] = {0, 0}; // of friction
        S slide_rate[2] = {0, 0};
    };

    explicit ContactFunctions(Compiled<S>& problem);

    const std::vector<Instance>& instances() const { return instances_; }
    std::size_t n_rows() const { return n_rows_; }
    // All values at a point, with the tops that follow from the modes now; false where there are none.
    bool values(S t, const S* u, std::vector<Values>& to);
    // Velocities along all rows, and their derivatives by the coordinates that are velocities.
    void rates(S t, const S* u, std::vector<S>& rows, std::vector<linalg::Vector<S>>& gradients);

private:
    void find_instances();
    void make_rates();
    void make_values();

    Compiled<S>& problem_;
    std::vector<Instance> instances_;
    std::size_t n_rows_ = 0;
    std::unique_ptr<RowFunction<S>> rates_;
    std::vector<std::int32_t> columns_; // of rates_: the coordinate
    std::unique_ptr<expr::Function<S>> values_;
    std::vector<S> all_, row_values_, entries_;
    linalg::Vector<S> w_;
};

extern template class ContactFunctions<double>;
extern template class ContactFunctions<Quad>;

} // namespace vessiot
