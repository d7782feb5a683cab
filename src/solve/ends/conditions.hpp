// What the author asks of the two ends of a curve, as rows of numbers.
//
//     start     u_k(t0) = v(p)                 coordinates that the model, or an option, gives; moved as far as the
//     start
//                                              point was when it was made consistent
//     end       y(t1) = v(p)                   y a value by its name
//     periodic  y(t1) = y(t0)
//
// Values v, and the ends of the interval, are formulas of parameters; their derivatives by the free ones are
// differences in quadruple precision, exact in double.
#pragma once

#include <string>
#include <vector>

#include "solve/ends/dense.hpp"
#include "solve/ends/flow.hpp"
#include "solve/options/settings.hpp"
#include "solve/start/given.hpp"
#include "system/system.hpp"

namespace vessiot {

// The numbers that depend on the parameters alone.
struct EndValues {
    double t0 = 0, t1 = 0;
    std::vector<double> t1_rate{};      // by free parameter
    std::vector<double> start{}, end{}; // the values v
    Dense start_rates{}, end_rates{};   // by free parameter
};

class EndConditions {
public:
    // The flow says where values and coordinates are. Throws InvalidInput where a name has no value at the end.
    EndConditions(const System& system, const Settings& options, const Flow& flow);

    struct Row {
        std::size_t value = 0; // number in Flow::names
        bool is_periodic = false;
        std::size_t given = 0; // of one that is not: number in EndValues::end
    };
    const std::vector<std::size_t>& start() const { return start_; } // coordinates
    const std::vector<Row>& rows() const { return rows_; }           // at the end
    std::size_t n_free() const { return system_.free.size(); }
    bool is_periodic() const; // and nothing else is asked for
    std::string text(std::size_t row) const;
    std::vector<std::string> free_names() const;

    // With these values of the free parameters; what is computed from them follows.
    System with(const std::vector<Quad>& free) const;
    std::vector<Quad> guess() const; // of the free parameters
    EndValues values(const std::vector<double>& free) const;

private:
    std::vector<Quad> numbers(const System& system) const; // t0, t1, start, end

    System system_;
    Settings options_;
    std::vector<std::string> names_;
    std::vector<std::size_t> start_, start_place_; // start_place_: in the list of all start values, -1: from an option
    std::vector<double> start_asked_, start_moved_;
    std::vector<Row> rows_;
    mutable StatementValues<Quad> start_values_, end_values_;
    std::vector<char> follows_; // by parameter: it is computed from others
};

} // namespace vessiot
