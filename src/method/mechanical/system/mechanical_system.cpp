#include "method/mechanical/system/mechanical_system.hpp"

#include "core/error.hpp"
#include "method/mechanical/system/mechanical_loops.hpp"
#include "method/mechanical/system/shape_columns.hpp"

namespace vessiot::method {

namespace {

template <class S> MechanicalShape checked_shape(const Parts<S>& parts) {
    MechanicalShape shape = mechanical_shape(parts.system, parts.prolongation);
    if (!shape.misfit.empty()) throw InvalidInput("the method needs " + shape.misfit);
    if (parts.is_arclength)
        throw InvalidInput("methods of mechanics step in time: leave --parametrisation arclength out");
    return shape;
}

} // namespace

template <class S> S relative_size(const linalg::Vector<S>& b, const linalg::Vector<S>& inverse) {
    return weighted_maximum(b.size(), b.data(), inverse.data());
}

template <class S>
MechanicalSystem<S>::MechanicalSystem(const Parts<S>& parts) : MechanicalSystem(parts, checked_shape(parts)) {}

template <class S>
MechanicalSystem<S>::MechanicalSystem(const Parts<S>& parts, const MechanicalShape& shape)
    : n_(shape.n()), m_(shape.m()), n_state_(parts.prolongation.n_state()), forces_(parts, shape),
      velocities_vary_(forces_.momenta() || reads(parts.system, parts.prolongation, shape.velocities, shape.q) ||
                       reads_time(parts.system, shape.velocities)),
      velocities_(shape.is_hamiltonian ? std::make_unique<HamiltonianVelocities<S>>(parts, shape, forces_.positions(),
                                                                                    forces_.Y_pattern())
                                       : nullptr),
      constraints_(parts, shape, forces_.positions()),
      matrix_({n_, m_, forces_, velocities_.get(), constraints_}, parts.is_mechanical) {}

template <class S> MechanicalPoint<S> MechanicalSystem<S>::make_point() const {
    Point p;
    p.u = linalg::Vector<S>(n_state_);
    forces_.make(p);
    if (m_ > 0 && velocities_) p.Z = linalg::Vector<S>(velocities_->Z_pattern().entries());
    constraints_.make(p);
    matrix_.make(p);
    return p;
}

template <class S> void MechanicalSystem<S>::add_directions(Point& p, S factor, const S* lambda, S* out) {
    if (m_ > 0) add_multiple(n_, factor, forces_.directions(p, lambda), out);
}

template <class S> void MechanicalSystem<S>::move(Point& p, const Move& by, const S* lambda, S* y, S* q) {
    const S* const directions = forces_.directions(p, lambda);
    kick_and_drift(n_, KickAndDrift<S>{by.base, p.force.data(), directions, by.q_0, by.kappa, by.h}, y, q);
}

template <class S> bool MechanicalSystem<S>::constrain(Point& p) {
    if (m_ == 0) return true;
    if (velocities_) velocities_->find_Z(p);
    constraints_.read(p);
    constraints_.measure(p);
    return matrix_.factor(p.G.data(), p, p);
}

template <class S> bool MechanicalSystem<S>::renew(const Point& from, Point& to) {
    constraints_.read(to);
    return matrix_.factor(to.G.data(), from, to);
}

template class MechanicalSystem<double>;
template class MechanicalSystem<Quad>;
template double relative_size(const linalg::Vector<double>&, const linalg::Vector<double>&);
template Quad relative_size(const linalg::Vector<Quad>&, const linalg::Vector<Quad>&);

} // namespace vessiot::method
