// What the projection along rays knows beside its iteration: the rays of a step, the quality of the sets, the sizes of
// rows.
#pragma once

#include <optional>

#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/ray/ray_geometry.hpp"

namespace vessiot {

// One map a step: rays that failed after others had not make the step fail, and from its start to where that happened
// all points are nearest ones.
template <class S> class RaysOfStep {
public:
    void begin(S tau) {
        tau_ = tau;
        n_ = 0;
        first_determinant_ = 0;
        is_nearest_ = missed_from_ != missed_to_ && (tau - missed_from_) * (tau - missed_to_) <= S(0);
    }
    void forget() { missed_from_ = missed_to_ = 0; }
    bool is_nearest() const { return is_nearest_; } // all points of this step are
    bool has_rays() const { return n_ > 0; }
    void add_ray() { ++n_; }
    void miss(S tau) {
        missed_from_ = tau_;
        missed_to_ = tau;
        is_nearest_ = true;
    }
    // Is the determinant of a ray a third to three times that of the first one?
    bool is_like_first(S determinant) {
        if (first_determinant_ == S(0)) first_determinant_ = determinant;
        if (first_determinant_ == S(0)) return true;
        const S ratio = determinant / first_determinant_;
        return ratio >= S(third) && ratio <= S(1 / third);
    }

private:
    static constexpr double third = 1.0 / 3;

    S tau_ = 0;                         // where the step began
    S missed_from_ = 0, missed_to_ = 0; // where a step began, and where a ray failed in it; the same: nowhere
    int n_ = 0;                         // rays in this step
    S first_determinant_ = 0;           // of the first of them; 0: not known
    bool is_nearest_ = false;
};

// How near the rays are to being tangent, and when sets are chosen again; not for very many constraints.
template <class S> class RayQuality {
public:
    RayQuality(const linalg::Pattern& df, const std::vector<std::int32_t>& atom) : is_single_(df.rows <= 1) {
        if (RayGeometry<S>::is_possible(df.rows, df.columns)) geometry_.emplace(df, atom);
    }

    bool has_geometry() const { return geometry_.has_value(); }
    void forget() { now_ = -1; }
    // Has it fallen to a third of what it was when the sets were chosen?
    bool is_low(const Partition& partition) const { return is_free(partition) && !(now_ > S(1.0 / 3) * best_); }
    // Other sets, by df at x; false where it says nothing about them.
    bool choose(const S* df, const S* x, Partition& partition) {
        if (!geometry_->load(df)) return false;
        now_ = best_ = geometry_->choose(x, partition);
        return true;
    }
    // Looks at it where it matters.
    void look(const S* df, const S* a, const Partition& partition) {
        if (is_free(partition)) now_ = geometry_->load(df) ? geometry_->quality(a, partition) : S(0);
    }
    // Of a point whose projection failed; -1: not known.
    S of(const S* df, const S* x, const Partition& partition) {
        return geometry_ && geometry_->load(df) ? geometry_->quality(x, partition) : S(-1);
    }

private:
    bool is_free(const Partition& partition) const { return partition.is_chosen && !is_single_ && geometry_; }

    bool is_single_; // one constraint: there is no choice
    std::optional<RayGeometry<S>> geometry_;
    S now_ = -1, best_ = 0; // at the last point, -1 for unknown; when the sets were chosen
};

// What residuals of rows are measured by, at a point; the largest terms in it are good for some projections.
template <class S> class RowSizes {
public:
    RowSizes(Manifold<S>& manifold, S floor)
        : manifold_(manifold), floor_(floor), terms_(manifold.n_constraints()), size_(manifold.n_constraints()) {}

    void forget() { is_trusted_ = false; }
    void find(S t, const S* x, const S* df) {
        if (!is_trusted_ || ++n_since_terms_ == terms_last) {
            manifold_.terms(t, x, terms_.data());
            n_since_terms_ = 0;
        }
        is_trusted_ = true;
        manifold_.sizes(terms_.data(), x, df, floor_, size_.data());
    }
    S operator[](std::int64_t row) const { return size_[row]; }

private:
    static constexpr int terms_last = 16; // projections

    Manifold<S>& manifold_;
    S floor_;
    linalg::Vector<S> terms_, size_;
    int n_since_terms_ = 0;
    bool is_trusted_ = false; // terms_ are of a point that was accepted
};

} // namespace vessiot
