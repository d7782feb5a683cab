// Turns points of the curve into what a Solution holds: values by name, outputs, residuals.
#pragma once

#include <optional>
#include <vector>

#include "expr/graph/function.hpp"
#include "solution/point_store.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

// Does an expression read a top? Throws InvalidInput where it reads a derivative that is higher still; `what` it is.
bool reads_tops(const Analysis& a, expr::NodeId node, const std::string& what);

// These values as one function; none where there are none.
template <class S>
void compile(Compiled<S>& problem, const std::string& name, const std::vector<expr::NodeId>& values,
             std::optional<expr::Function<S>>& function);

template <class S> class Recorder {
public:
    explicit Recorder(Compiled<S>& problem);

    // Points go to these streams, too, and at most `keep` stay in the solution (0: all).
    void send_to(std::vector<std::shared_ptr<PointStream>> streams, std::int64_t keep);
    // Writes names and output names; begins the streams.
    void begin(Solution& solution, StreamHead head);
    // The same for a run that goes on: the streams have been there before.
    void resume(Solution& solution, StreamHead head, const std::vector<std::vector<std::int64_t>>& positions);
    // Appends a point (t, u); checks its constraints. Tops that have no value are reported as NaN.
    void add(Solution& solution, S t, S s, const S* u);
    // Appends an event of the model, met at (t, u); `after` are the values after it, where it sets some.
    void add_event(Solution& solution, std::size_t event, S t, const S* u, const std::vector<double>& after);
    // Appends an accepted step.
    void add_step(Solution& solution, const StepTrace& step) { store_.add_step(solution, step); }
    // Says what the solution leaves out.
    void end(Solution& solution) const { store_.end(solution); }
    std::vector<std::vector<std::int64_t>> positions() const;
    void sync();
    PointStore& store() { return store_; }
    // Takes away what add() left of a point when there was no memory for all of it.
    void drop_incomplete(Solution& solution) const;
    // A row of values, as Solution::values has them, and one of Solution::sensitivities.
    void values(S t, const S* u, std::vector<double>& row);
    void sensitivities(S t, const S* u, std::vector<double>& row);
    // How the crossing of an event at this point moves with the variables: EventPoint::t_sensitivities.
    void event_sensitivities(std::size_t event, S t, const S* u, std::vector<double>& row);
    // Largest |f_i| at a point, invariants included.
    double residual(S t, const S* u);

private:
    void make_functions();
    void make_event_rates();
    void make_sources();
    double value(std::size_t k, const S* u) const {
        const Source& source = sources_[k];
        return static_cast<double>(source.number ? *source.number : u[source.at]);
    }
    void fill_head(Solution& solution, StreamHead& head) const;
    void compute_tops(S t, const S* u);
    void check_constraints(Solution& solution, S t, const S* u);

    Compiled<S>& problem_;
    bool is_arclength_;
    std::vector<std::string> names_;
    struct Source {
        const S* number = nullptr; // none: it is in u
        std::int32_t at = 0;
    };
    std::vector<Source> sources_; // of the values, then of the derivatives by each variable
    std::size_t n_values_, n_outputs_ = 0;
    bool needs_tops_ = false;
    std::optional<expr::Function<S>> outputs_, rates_;
    std::vector<std::ptrdiff_t> first_rate_; // by event: where dg/dt and the dg/dp begin in rate_values_, -1: nowhere
    linalg::Vector<S> w_, f_, scale_;
    std::vector<S> output_values_, rate_values_;
    std::vector<double> row_, output_row_, rate_row_; // of the point that is added
    PointStore store_;
    std::vector<std::shared_ptr<PointStream>> streams_;
};

extern template class Recorder<double>;
extern template class Recorder<Quad>;

} // namespace vessiot
