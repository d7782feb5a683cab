// A compiled function of the jets (manifold/jets.hpp) on power series of u, w and t.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "completion/prolongation.hpp"
#include "core/error.hpp"
#include "expr/graph/function.hpp"
#include "expr/series/taylor.hpp"
#include "manifold/jets.hpp"

namespace vessiot {

template <class S> class JetSeries {
public:
    // The function and the jets must outlive it. `has_late_tops`: w_k is set after order k was evaluated with 0
    // instead.
    // Throws InvalidInput where native code is asked for and there is none.
    JetSeries(expr::Function<S>& function, Jets<S>& jets, const Prolongation& p, expr::Backend backend, int max_order,
              bool has_late_tops)
        : taylor_(plan(function, has_late_tops), max_order) {
        const expr::Kernel& kernel = function.kernel();
        n_whole_ = kernel.buffers[state].size;
        for (std::int64_t k = n_whole_; k < p.n_state(); ++k)
            moves_.push_back({k, p.state[static_cast<std::size_t>(k)] - n_whole_});
        for (std::size_t k = 0; k < p.top.size(); ++k)
            top_moves_.push_back({static_cast<std::int64_t>(k), p.top[k] - n_whole_});
        const S* const* constants = jets.parameters_only();
        taylor_.bind(parameters, constants[parameters]);
        taylor_.bind(kept, constants[kept]);
        if (function.lowered().prologue) taylor_.bind(hoisted, function.slots()[hoisted]);
        output_ = function.lowered().prologue ? hoisted + 1 : hoisted;
        if (std::is_same_v<S, double>) choose(backend);
    }

    void begin(S t, S scale, bool is_forward) {
        taylor_.set_forward(is_forward);
        taylor_.coefficient(time, 0)[0] = t;
        if (taylor_.max_order() > 0) taylor_.coefficient(time, 1)[0] = scale;
    }
    // Where t is not t_0 + s T: every coefficient of it.
    void set_time(int k, S t) { taylor_.coefficient(time, k)[0] = t; }
    void set_state(int k, const S* u) {
        std::copy_n(u, n_whole_, taylor_.coefficient(state, k));
        S* const to = taylor_.coefficient(rest, k);
        for (const Move& m : moves_) to[m.to] = u[m.from];
    }
    // w = null: zeros
    void set_tops(int k, const S* w) {
        S* const to = taylor_.coefficient(rest, k);
        for (const Move& m : top_moves_) to[m.to] = w ? w[m.from] : S(0);
    }
    void evaluate(int k) { taylor_.evaluate(k); }
    void reevaluate(int k) { taylor_.reevaluate(k); }
    const S* output(int k) { return taylor_.coefficient(output_, k); }

private:
    enum : std::uint32_t { time, parameters, state, rest, kept, hoisted }; // inputs of the kernel, in order
    struct Move {
        std::int64_t from, to;
    };

    void choose(expr::Backend backend) {
        std::string error;
        if (backend == expr::Backend::automatic) taylor_.expect_native();
        if (backend == expr::Backend::jit && !taylor_.make_native(error)) throw InvalidInput(error);
    }

    static expr::TaylorPlan plan(expr::Function<S>& function, bool has_late_tops) {
        return expr::plan_taylor(function.lowered().kernel, {false, true, false, false, true, true},
                                 {false, false, false, has_late_tops, false, false});
    }

    expr::Taylor<S> taylor_;
    std::int64_t n_whole_ = 0;
    std::vector<Move> moves_, top_moves_;
    std::uint32_t output_ = 0;
};

} // namespace vessiot
