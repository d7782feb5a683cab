// An expression of t, of parameters and of what is held, for one instance of its family, as a list of operations: it is
// evaluated for numbers and for intervals of t. Slow against compiled code, but nothing has to be compiled.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "expr/range/interval.hpp"
#include "system/system.hpp"

namespace vessiot {

class TimeFunction {
public:
    // Of a body that reads nothing else. Parameters have the values that the system has when it is evaluated.
    TimeFunction(const System& system, expr::NodeId body, const expr::Env& env);

    bool reads_held() const { return reads_held_; }
    // `held`: the values of System::held, one after the other. S is double or Quad.
    template <class S> S operator()(S t, std::span<const S> held);
    template <class S> expr::Interval operator()(expr::Interval t, std::span<const S> held);

private:
    enum class Leaf : std::uint8_t { number, time, parameter, held };
    struct Step {
        expr::Op op = expr::Op::constant;
        Leaf leaf = Leaf::number;          // of a constant
        std::uint32_t a = 0, b = 0, c = 0; // steps; held: the position; parameter: its number, the position
        Quad value = 0;
    };
    class Maker;
    Quad parameter(const Step& step) const { return system_->parameters[step.a].values[step.b]; }

    const System* system_;
    std::vector<Step> steps_;
    std::size_t result_ = 0;
    std::vector<Quad> numbers_;
    std::vector<expr::Interval> intervals_;
    bool reads_held_ = false;
};

} // namespace vessiot
