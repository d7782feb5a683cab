// The dense output of a run, kept step by step; projected when it is asked for. Where an event sets values, it is that
// after the event.
//
// Functions, projection and the point are workspaces of one place at a time: threads that share a curve take turns.
// What comes out does not depend on what was asked before.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "projection/projection.hpp"
#include "solution/curve.hpp"
#include "solve/compiled.hpp"
#include "solve/recorder.hpp"
#include "solve/segment.hpp"

namespace vessiot {

// What is constant between events and switchings, levels of invariants and what is held, from a segment on.
template <class S> struct ConstantsFrom {
    std::size_t segment = 0;
    std::vector<S> values;
};

template <class S> class DenseCurve final : public Solution::Curve {
public:
    // At least one segment. The projection may be null.
    DenseCurve(std::shared_ptr<Compiled<S>> problem, std::vector<Segment<S>> segments,
               std::vector<ConstantsFrom<S>> constants, std::unique_ptr<Projection<S>> projection)
        : problem_(std::move(problem)), segments_(std::move(segments)), constants_(std::move(constants)),
          projection_(std::move(projection)), recorder_(std::make_unique<Recorder<S>>(*problem_)),
          x_(problem_->n_state() + 1) {}

    double from() const override { return direction() * static_cast<double>(segments_.front().tau()); }
    double to() const override {
        return direction() * static_cast<double>(segments_.back().tau_at(segments_.back().end()));
    }
    std::vector<double> at(double tau) const override;
    std::vector<double> sensitivities(double tau) const override;
    double t_at(double tau) const override;

private:
    // Arclength is counted from 0 upwards, also where the run goes back in t.
    double direction() const { return problem_->analysis().is_arclength && segments_.front().h() < S(0) ? -1.0 : 1.0; }
    S place(double tau) const; // the point x_ there, projected; its t. The caller holds busy_
    void hold(std::size_t segment) const;

    std::shared_ptr<Compiled<S>> problem_;
    std::vector<Segment<S>> segments_;
    std::vector<ConstantsFrom<S>> constants_; // ascending
    std::unique_ptr<Projection<S>> projection_;
    std::unique_ptr<Recorder<S>> recorder_;
    mutable linalg::Vector<S> x_;
    mutable std::mutex busy_;
};

extern template class DenseCurve<double>;
extern template class DenseCurve<expr::Quad>;

} // namespace vessiot
