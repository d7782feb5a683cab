// Turns points of the curve into what a Solution holds: values by name, outputs, residuals.
#pragma once

#include <optional>
#include <vector>

#include "expr/function.hpp"
#include "solution/point_store.hpp"
#include "solve/problem.hpp"

namespace vessiot {

template <class S> class Recorder {
public:
    explicit Recorder(Problem<S>& problem);

    // Points go to these streams, too, and at most `keep` stay in the solution (0: all).
    void send_to(std::vector<std::shared_ptr<PointStream>> streams, std::int64_t keep);
    // Writes names and output names; begins the streams.
    void begin(Solution& solution, StreamHead head);
    // The same for a run that goes on: the streams have been there before.
    void resume(Solution& solution, StreamHead head, const std::vector<std::vector<std::int64_t>>& positions);
    // Appends a point (t, u); checks its constraints. Tops that have no value are reported as NaN.
    void add(Solution& solution, S t, S s, const S* u);
    // Appends an event of the model, met at (t, u).
    void add_event(Solution& solution, std::size_t event, S t, const S* u);
    // Appends an accepted step.
    void add_step(Solution& solution, const StepTrace& step) { store_.add_step(solution, step); }
    // Says what the solution leaves out.
    void end(Solution& solution) const { store_.end(solution); }
    std::vector<std::vector<std::int64_t>> positions() const;
    void sync();
    PointStore& store() { return store_; }
    // Takes away what add() left of a point when there was no memory for all of it.
    void drop_incomplete(Solution& solution) const;
    // A row of values, as Solution::values has them.
    void values(S t, const S* u, std::vector<double>& row);
    // The expressions of the model's events at a point.
    const std::vector<S>& events(S t, const S* u);
    // Largest |f_i| at a point, invariants included.
    double residual(S t, const S* u);

private:
    void make_functions();
    void fill_head(Solution& solution, StreamHead& head) const;
    void compute_tops(S t, const S* u);
    void check_constraints(Solution& solution, S t, const S* u);

    Problem<S>& problem_;
    bool is_arclength_;
    std::vector<std::string> names_;
    std::vector<ValuePlace> places_;
    bool needs_tops_ = false;
    std::optional<expr::Function<S>> outputs_, events_;
    linalg::Vector<S> w_, f_, scale_;
    std::vector<S> output_values_, event_values_;
    std::vector<double> row_, output_row_; // of the point that is added
    PointStore store_;
    std::vector<std::shared_ptr<PointStream>> streams_;
};

extern template class Recorder<double>;
extern template class Recorder<expr::Quad>;

} // namespace vessiot
