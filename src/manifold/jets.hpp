// The arguments of all functions of a problem: t, the parameters, the coordinates u of the manifold, the tops w, and
// what is constant between events: the kept values of the invariants and the quantities that are held.
//
// Functions are compiled over whole arrays of jets (Prolongation::z). Arrays of coordinates only are read where the
// caller has them; in the others, where the elements of one array have different offsets, coordinates and tops are
// brought together here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "completion/prolongation.hpp"
#include "expr/graph/function.hpp"
#include "linalg/vector.hpp"
#include "system/system.hpp"

namespace vessiot {

// For one thread at a time.
template <class S> class Jets {
public:
    Jets(const System& system, const Prolongation& p);

    const std::vector<expr::BufferSpec>& inputs() const { return inputs_; }
    expr::ArrayId kept_array() const { return kept_array_; } // an element for every instance of an invariant
    std::span<S> kept() { return std::span(constants_).first(n_kept_); }
    std::span<S> held() { return std::span(constants_).subspan(n_kept_); } // System::held, one after the other
    std::span<S> constants() { return constants_; }                        // both
    const S* const* parameters_only() const { return constant_; } // inputs that stay where they are, others null

    // Other values of all parameters, in the order of System::parameters.
    std::span<const S> parameters() const { return parameters_; }
    void set_parameters(std::span<const S> values);
    // As where a run begins: no kept values yet, and these values of what is held.
    void begin(std::span<const S> held);
    // What of a function depends on parameters alone is computed, now and whenever they change. Its inputs are these,
    // and perhaps more after them that hold no parameters.
    void prepare(expr::Function<S>& function);

    // A function of these inputs: an array with elements 0 .. size-1, each contributed to once.
    expr::Function<S> compile(expr::Graph& g, const std::string& name, std::int64_t size,
                              const std::vector<expr::Contribution>& elements, const expr::EvaluatorOptions& evaluator);

    static constexpr int n_inputs = 5;
    // The coordinate that is read at this element of an input; none for tops.
    std::optional<std::int32_t> coordinate_at(std::uint32_t input, std::int64_t element) const;
    // The top likewise, where tops are given; none for coordinates.
    std::optional<std::int32_t> top_at(std::uint32_t input, std::int64_t element) const;
    // The inputs of a function at a point; valid until the next call. Without w the tops are 0.
    const S* const* at(S t, const S* u) {
        t_ = t;
        for (const Move& m : moves_) zero_[m.to] = u[m.from];
        pointers_[2] = u;
        pointers_[3] = zero_.data();
        return pointers_;
    }
    const S* const* at(S t, const S* u, const S* w);
    // Where the tops are as they stand in w (Prolongation::is_contiguous).
    const S* const* at_contiguous(S t, const S* u, const S* w) {
        t_ = t;
        pointers_[2] = u;
        pointers_[3] = w;
        return pointers_;
    }

private:
    struct Move {
        std::int32_t from, to;
    };
    void run(expr::Prologue<S>& prologue);

    std::vector<expr::BufferSpec> inputs_;
    std::vector<std::weak_ptr<expr::Prologue<S>>> prologues_; // of the functions that are there
    expr::ArrayId kept_array_ = expr::none;
    std::vector<S> parameters_, constants_; // constants_: kept values, then what is held
    std::size_t n_kept_ = 0;
    linalg::Vector<S> rest_, zero_;       // the arrays that are not coordinates only; the same with tops 0
    std::vector<Move> moves_, top_moves_; // u -> rest, w -> rest
    S t_ = 0;
    const S* pointers_[5] = {};
    const S* constant_[5] = {};
};

extern template class Jets<double>;
extern template class Jets<Quad>;

// Evaluates a function at inputs that Jets gives; the quick way for functions of a few operations.
template <class S> void call(expr::Function<S>& function, const S* const* inputs, S* output, S* second = nullptr) {
    S** slots = function.slots();
    for (int k = 0; k < Jets<S>::n_inputs; ++k) slots[k] = const_cast<S*>(inputs[k]); // only read
    S** outputs = function.output_slots();
    outputs[0] = output;
    if (second) outputs[1] = second;
    function.run();
}

// The number of instances of all invariants.
std::int64_t count_invariants(const System& system);

} // namespace vessiot
