// A one-step method at work: from the current point tries a step, which the loop then accepts or tries again smaller.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "method/estimate/error_square.hpp"
#include "method/registry.hpp"
#include "projection/projection.hpp"
#include "projection/ray/partition.hpp"
#include "vessiot/choices.hpp"

namespace vessiot {

namespace method {
class FusedAttempt;
}

enum class StepOutcome : std::uint8_t {
    done,
    no_direction_here, // V fails at the current point itself: smaller steps will not help
    no_direction,      // V fails at a stage
    no_projection,
    no_derivative,  // of V at the current point, for methods that need it
    no_convergence, // of the iteration for the stages of an implicit method
    no_chart,       // the step leaves the region where its coordinates are good
    no_way_on,      // and smaller steps will not help: the report says why
};

// What failed in an attempt, and where. Pointers are valid until the next one.
template <class S> struct StepFailure {
    S tau = 0;                // where V was asked for and had no value
    const S* point = nullptr; // null: not known
    // no_derivative: the equation for the tops and the coordinate (or, behind them, the top) whose derivative has no
    // value.
    std::pair<std::int64_t, std::int64_t> derivative{-1, -1};
    std::string_view text{}; // where there is more to say than the outcome does
};

template <class S> struct StepReport {
    StepOutcome outcome = StepOutcome::done;
    PointStatus why = PointStatus::good;
    S error = 0;          // norm of the estimate, <= 1 is good; 0 where there is none
    ErrorSquare square{}; // of this error, where it is known
    S residual = 0;       // of the constraints at the new point, as the projection saw it
    S distance = 0;       // weighted norm of how far the new point was moved by its projection
    S caution = 1;        // a factor of the next step, below 1 where this one was hard to compute
    S shrink = 0;         // no_convergence: the part of the step to try next
    // of a stepper that chooses its steps: the size of the one made, and of the next; 0: as the loop has it
    S taken = 0, next = 0;
    StepFailure<S> failed{};
};

// Which points of a step are projected.
enum class Project : std::uint8_t {
    nothing,
    steps,     // the result
    stages,    // the result, and every stage before V is evaluated there
    symmetric, // both ends of a step, by the same multipliers (symmetric_projection.hpp)
};

// Where the estimate of a step's error comes from.
enum class Estimate : std::uint8_t {
    none,
    by_weights,          // the embedded method: h sum_i (b_i - b_hat_i) k_i; none where there is no such method
    by_projected_points, // the same with its point projected as the result is, for one projection more
    by_doubling,         // a step against two of half the size (doubling.hpp): for every method
};

template <class S> struct Parts;

template <class S> struct StepperOptions {
    S rtol = S(1e-6), atol = S(1e-9);
    Project project = Project::steps;
    bool continue_embedded = false; // the point of the embedded method goes on
    Estimate estimate = Estimate::by_weights;
    NormKind norm = NormKind::rms;
    // > 0: x is made of blocks of so many numbers; each is measured by itself, in multiples of 1 / scale, and the
    // largest error counts.
    std::int64_t block = 0;
    std::vector<S> block_scale{};
    bool is_between = false;       // values inside of steps will be read: their errors count as well (between.hpp)
    bool only_first_block = false; // the errors of the others do not count
    bool has_fixed_order = false;  // of a method of any order: that of its entry, whatever the tolerances
    bool to_round_off = false;     // iterations go on to the round-off: steps are constant, and no tolerance counts
    Parts<S>* parts = nullptr;     // the system (parts.hpp), for methods that need more than a field
    int max_order = 0;             // of methods whose order varies; 0: of the method
    S tau_end = 0, h_max = 0;      // for those that choose their steps: where the run ends, and the largest one
    std::shared_ptr<const Partition> partition{}; // of group preserving schemes; null: all coordinates are one set
};

// What a stepper counts; the loop makes statistics of it.
struct StepperCounts {
    std::int64_t stages = 0; // stage points computed
    std::int64_t projections = 0;
    std::int64_t newton_iterations = 0, newton_max = 0;
    std::int64_t jacobians = 0, factorisations = 0; // of implicit methods
    std::int64_t stage_iterations = 0;              // for the stages of implicit methods
    // steps that a stepper which chooses them tried again
    std::int64_t rejected_error = 0, rejected_iteration = 0;

    // All but newton_max, a maximum, by their names.
    template <class Visit> static void visit(const Visit& visit) {
        visit("stages", &StepperCounts::stages);
        visit("projections", &StepperCounts::projections);
        visit("newton_iterations", &StepperCounts::newton_iterations);
        visit("jacobians", &StepperCounts::jacobians);
        visit("factorisations", &StepperCounts::factorisations);
        visit("stage_iterations", &StepperCounts::stage_iterations);
        visit("rejected_error", &StepperCounts::rejected_error);
        visit("rejected_iteration", &StepperCounts::rejected_iteration);
    }
    void add(const StepperCounts& other);
    // Without projections: of points that are not those of steps.
    void add_stages(const StepperCounts& other);
    void add_projection(std::int64_t iterations) {
        ++projections;
        newton_iterations += iterations;
        newton_max = std::max(newton_max, iterations);
    }
};

// Steps made one after another without asking the loop, until something happens that it has to look at.
template <class S> struct Stretch {
    static constexpr int most_steps = 64;
    // What the loop wants: the step to try first, and then next; its limits; how it is controlled.
    S h = 0, h_max = 0, h_floor = 0;
    S end = 0;                    // of the run: the last step is not part of a stretch,
    S report = 0;                 // nor is one that a point is to be reported in,
    S slow = 0;                   // nor are steps shorter than this part of the longest
    int n_wanted = most_steps;    // steps, at most
    std::int64_t n_allowed = 0;   // attempts
    bool samples = false;         // the first attempt is timed
    bool has_plain_first = false; // lend(): the first step of a run is judged as all others are
    S (*next)(void* loop, S error, const ErrorSquare& square, S h, bool is_accepted) = nullptr;
    void* loop = nullptr;
    // What was done.
    int n = 0;                                   // steps
    std::int64_t n_attempts = 0, n_rejected = 0; // rejected: for their errors
    S longest = 0, error = 0;                    // step; error of the last attempt
    S tau = 0, taken = 0;                        // of steps that were made elsewhere: where they ended, the last one
    struct Step {
        S tau = 0, h = 0, residual = 0;
    };
    std::array<Step, most_steps> steps{};
    linalg::Vector<S> points{}, directions{}; // behind these steps, each of padded size

    void add(const Step& step, std::int64_t size, std::int64_t n_padded, const S* point, const S* direction) {
        steps[static_cast<std::size_t>(n)] = step;
        S *x = points.data() + n * n_padded, *v = directions.data() + n * n_padded;
        for (std::int64_t i = 0; i < size; ++i) x[i] = point[i];
        for (std::int64_t i = 0; i < size; ++i) v[i] = direction[i];
        ++n;
    }
};

template <class S> class Stepper {
public:
    Stepper() = default;
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;
    virtual ~Stepper() = default;

    // Starts at a point. Everything that will be needed is allocated here or before.
    virtual void begin(S tau, const S* x) = 0;
    // Which of several ways it works in (switching.hpp), so that begin_as() at the same point goes on in that one, with
    // the same results in any process.
    virtual int mode() const { return 0; }
    virtual void begin_as(int /*mode*/, S tau, const S* x) { begin(tau, x); }
    // For another run: it counts from zero, and the next begin() is the first one.
    virtual void renew() = 0;
    // V at the current point; evaluated when first asked for. Null where that fails (status() says how).
    virtual const S* direction() = 0;
    virtual PointStatus status() const = 0;

    // A step of h (of any sign) from the current point. The current point stays. Where it is `done`, all numbers of the
    // candidate are finite. A stepper that chooses its steps
    // takes h as a proposal for the first one, and for the one after an attempt that failed; it never passes tau_end.
    virtual StepReport<S> attempt(S h) = 0;
    // Of a stepper that chooses its steps: no further than that now, instead of tau_end.
    virtual void stop_at(S /*tau*/) {}
    // The step to try from the current point, where the method knows before it has made one; h is what else would be.
    virtual S suggest(S h) { return h; }
    // Many of them: the current point is then the end of the last one. Makes none where the method cannot do that.
    virtual void run_on(Stretch<S>& stretch) { stretch.n = 0; }
    // The same made elsewhere (src/lanes): the kernels of its attempts, and in the stretch what else limits it; null
    // where the method cannot do that now. Then where these steps ended, if there were any, with V there.
    virtual method::FusedAttempt* lend(Stretch<S>& /*stretch*/) { return nullptr; }
    virtual void take_back(const Stretch<S>& /*stretch*/, const S* /*x*/, const S* /*v*/) {}
    // The point that the last attempt reached.
    virtual const S* candidate() const = 0;
    // It becomes the current point.
    virtual void accept() = 0;

    virtual S tau() const = 0;
    virtual const S* point() const = 0;

    // The accepted step as a polynomial in theta = 0 .. 1, not projected:
    //   x(theta) = d_0 + sum_k theta^k d_k,   k = 1 .. dense_degree()
    // Writes d_0, d_1, ... one after the other, each of padded size. Valid between a successful attempt() and
    // the next; where it is not, or where V fails at a point it needs, the status is not good.
    virtual int dense_degree() const = 0;
    virtual PointStatus dense(S* coefficients) = 0;
    // Where that polynomial agrees with the curve, theta by theta, twice where the directions do too: it is off by
    // about a multiple of prod (theta - place). None where the error of the points speaks for it.
    virtual std::span<const double> dense_places() const { return {}; }
    // After an attempt whose error is good, and which will be read between its ends: the error of both, that of the
    // polynomial counting as between.hpp says.
    virtual S error_with_curve(S error) { return error; }
    // Makes of differences of points, in a step of h, what is measured in tolerances.
    virtual void scale_error(S /*h*/, S* /*e*/) const {}

    virtual const StepperCounts& counts() const = 0;
    // Operations of a usual step, about; 0 where it is not known. For the choice among methods.
    virtual double operations() const { return 0; }

    // Accepted steps by order, index 1 for order 1, where the order varies.
    virtual std::span<const std::int64_t> steps_by_order() const { return {}; }

    // Where the method is chosen on the way (switching.hpp, radau_orders.hpp): the one that made the last attempt, and
    // h times the fastest rate when it was looked at last.
    virtual const method::MethodInfo* at_work() const { return nullptr; }
    virtual S stiffness() const { return S(0); }
};

// A stepper of a method of the registry. The field and the projection (which may be null) must outlive it.
template <class S>
std::unique_ptr<Stepper<S>> make_stepper(const method::MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                         const StepperOptions<S>& options);

// The order of Stepper::dense: in one step from an exact point the polynomial is off by O(h^(dense_order + 1)).
int dense_order(const method::MethodInfo& info, Estimate estimate = Estimate::by_weights);

} // namespace vessiot
