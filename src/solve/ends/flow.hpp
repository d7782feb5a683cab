// The flow of a system with its derivatives, made ready once and run over one interval after another, from points that
// are chosen.
//
// At a time t the solutions form a manifold M_t of dimension m: f(t, u) = 0 without the invariants whose value nobody
// gave, since that is the business of the start point. In coordinates scaled by d_i, the size of u_i,
//
//     f_u T = 0,   L T = 1        T: n x m, its columns orthonormal in scaled coordinates; L takes a change of u to its
//                                 coordinates on M
//     f_u P + f_p = 0             P: how the point follows the free parameters p, by the shortest change
//
// and a run from (u, T, P) ends at (u_1, dPhi T, dPhi P + dPhi/dp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solve/ends/dense.hpp"
#include "solve/problem/engine.hpp"
#include "solve/problem/prepare.hpp"

namespace vessiot {

// A point at the start of an interval.
struct FlowPoint {
    double t = 0;
    std::vector<double> u{};
    Dense tangent{}, left{}, moved{}; // T, L, P
    std::vector<double> direction{};  // V
    std::vector<double> values{};     // by name
    Dense value_rates{};              // their derivatives by the coordinates on M, then by the parameters
};

// Where a run from there ends.
struct FlowEnd {
    bool is_good = false, is_interrupted = false;
    std::string message{}; // why it is not good
    double t = 0;
    std::vector<double> u{};
    Dense change{}; // n x (m + p): of u by the coordinates on M at the start, then by the parameters
    std::vector<double> direction{}, values{}, value_speeds{}; // value_speeds: dvalues/dt
    Dense value_rates{};
};

class Flow {
public:
    // Of a system without conditions at its ends, from t0; `free` are the parameters that it is differentiated by.
    // Throws InvalidInput where the start point is wrong, or where method and options do not carry derivatives.
    Flow(const System& system, const Settings& options, const method::MethodInfo& method,
         const std::vector<FreeParameter>& free, Quad t0, double t1);

    std::size_t n() const { return n_; }                                                // coordinates
    std::size_t m() const { return m_; }                                                // dim M_t
    const std::vector<std::string>& names() const { return names_; }                    // of values
    const std::vector<double>& start() const { return start_; }                         // the consistent start point
    bool is_start_moved() const { return !completed_.start.report.violations.empty(); } // from what was given
    const Analysis& analysis() const { return *completed_.analysis; }
    const SystemSummary& summary() const { return summary_; }
    std::int64_t n_runs() const { return n_runs_; }
    const Stats& stats() const { return stats_; } // of all runs

    // Other parameters: those of this system.
    void set_parameters(const System& system);
    // The point with what is tangent there; `scale`: the sizes of the coordinates. Throws InvalidInput where something
    // has no value.
    FlowPoint at(double t, const std::vector<double>& u, const std::vector<double>& scale);
    FlowEnd run(const FlowPoint& from, double t1);
    // The nearest point with f = 0 and u_k = value for these; false where there is none.
    bool project(double t, std::vector<double>& u, const std::vector<double>& scale,
                 const std::vector<std::pair<std::size_t, double>>& fixed);
    // How many of the conditions u_k = value are independent on M_t.
    std::size_t rank_of(const FlowPoint& point, const std::vector<double>& scale,
                        const std::vector<std::size_t>& coordinates) const;

private:
    Compiled<double>& base() { return *completed_.problem; }
    // f_u of the rows that count, scaled, and f.
    Dense derivative(double t, const std::vector<double>& u, const std::vector<double>& scale, std::vector<double>& f);
    void take_all_kept_values(double t, const linalg::Vector<double>& x);
    linalg::Vector<double> blocks(const FlowPoint& p) const;
    void look(double t, const double* x, std::vector<double>& direction, std::vector<double>& values, Dense& rates);

    Settings options_;
    Prepared<double> completed_;
    std::shared_ptr<Analysis> analysis_;
    std::shared_ptr<Compiled<double>> problem_;
    std::unique_ptr<Engine<double>> engine_;
    std::size_t n_ = 0, m_ = 0, n_free_ = 0;
    std::vector<std::int64_t> rows_; // of the constraints that count
    std::vector<std::string> names_;
    std::vector<double> start_, held_;
    SystemSummary summary_;
    std::int64_t n_runs_ = 0;
    Stats stats_;
};

// x = A^+ b, and the number of singular values above tolerance times the largest. Rows are divided by their largest
// entry, or by `least` where that is larger.
class LeastSquares {
public:
    LeastSquares(Dense a, double tolerance, double least = 0);
    std::vector<double> operator()(const std::vector<double>& b) const;
    std::size_t rank() const { return rank_; }
    void take_rank(std::size_t rank) { rank_ = rank; } // whatever the tolerance says
    // The singular vectors beyond the rank, which A takes to 0.
    std::vector<std::vector<double>> kernel() const;

private:
    Dense a_;
    std::vector<double> row_scale_;
    std::size_t rank_ = 0;
    std::vector<double> sigma_;
    Dense v_; // its rows are the singular vectors
};

} // namespace vessiot
