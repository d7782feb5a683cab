// The curve of a run: the polynomial of the last step, and those of all steps where they are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solve/run/dense_curve.hpp"
#include "solve/run/segment.hpp"

namespace vessiot {

template <class S> class RunCurve {
public:
    // Of so many coordinates. All steps are kept, or no more than `most` (0: any number): a longer curve is dropped.
    RunCurve(std::int64_t n, int degree, bool is_kept, std::int64_t most)
        : segment(n, degree), is_kept_(is_kept), most_(most) {}

    Segment<S> segment;    // of the last step
    bool is_given = false; // it does not come from the stepper

    void take(Stepper<S>& stepper, S tau, S h) {
        if (!is_given) segment.take(stepper, tau, h);
    }
    bool is_kept() const { return is_kept_; }
    void keep() {
        if (!is_kept_) return;
        kept_.push_back(segment);
        if (most_ == 0 || std::ssize(kept_) <= most_) return;
        is_kept_ = false;
        kept_ = {};
        constants_ = {};
    }
    // What is constant from here on.
    void keep_constants(std::span<const S> constants) {
        if (is_kept_ && !constants.empty()) constants_.push_back({kept_.size(), {constants.begin(), constants.end()}});
    }
    const Segment<S>& last() const { return kept_.back(); }
    std::optional<CurveData<S>> data() const {
        if (kept_.empty()) return std::nullopt;
        return CurveData<S>{kept_, constants_};
    }
    // The same; there is none after it.
    std::optional<CurveData<S>> take_data() {
        if (kept_.empty()) return std::nullopt;
        return CurveData<S>{std::move(kept_), std::move(constants_)};
    }

private:
    bool is_kept_;
    std::int64_t most_;
    std::vector<Segment<S>> kept_;
    std::vector<ConstantsFrom<S>> constants_;
};

} // namespace vessiot
