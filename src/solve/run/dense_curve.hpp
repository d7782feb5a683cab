// The dense output of a run, kept step by step; projected when it is asked for. Where an event sets values, it is that
// after the event.
//
// Functions and projection are those of a workspace of the problem, which is taken for each point: threads that share
// a curve do not wait for each other. Where workspaces serve only once the curve has that of its run, and threads take
// turns. What comes out does not depend on what was asked before.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "solution/curve.hpp"
#include "solve/problem/pool.hpp"
#include "solve/run/segment.hpp"

namespace vessiot {

// What is constant between events and switchings, kept values of invariants and what is held, from a segment on.
template <class S> struct ConstantsFrom {
    std::size_t segment = 0;
    std::vector<S> values;
};

template <class S> struct CurveData {
    std::vector<Segment<S>> segments;          // at least one
    std::vector<ConstantsFrom<S>> constants{}; // ascending
};

template <class S> class DenseCurve final : public Solution::Curve {
public:
    // Of a run in this workspace, which the curve keeps where it serves only once.
    DenseCurve(CurveData<S> data, Loan<S>& loan);

    double from() const override { return direction() * static_cast<double>(data_.segments.front().tau()); }
    double to() const override {
        return direction() * static_cast<double>(data_.segments.back().tau_at(data_.segments.back().end()));
    }
    std::vector<double> at(double tau) const override;
    std::vector<double> sensitivities(double tau) const override;
    double t_at(double tau) const override;

private:
    // Arclength is counted from 0 upwards, also where the run goes back in t.
    double direction() const { return is_arclength_ && data_.segments.front().h() < S(0) ? -1.0 : 1.0; }
    // Calls use(engine, t, x) at the point there, projected.
    template <class Use> void visit(double tau, const Use& use) const;
    S place(Engine<S>& engine, double tau, linalg::Vector<S>& x) const; // x there; its t
    void hold(Compiled<S>& problem, std::size_t segment) const;

    CurveData<S> data_;
    bool is_arclength_;
    Numbers numbers_;
    std::shared_ptr<Pool<S>> pool_;
    std::unique_ptr<Workspace<S>> own_;
    mutable std::mutex busy_; // own_
};

extern template class DenseCurve<double>;
extern template class DenseCurve<Quad>;

} // namespace vessiot
