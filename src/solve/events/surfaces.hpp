// The surfaces of a system's conditions (system/conditions.hpp) as functions along a run, and its modes.
//
// Functions are numbered: g of a surface where a sign changes, g - n and g - (n + 1) of a floor, g - b_n and g - b_n+1
// of a piece between two places (1 and -1 where there is no such place). The mode says on which side of zero each is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/graph/function.hpp"
#include "solve/events/switch_times.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot::expr {
class NumberList;
}

namespace vessiot {

// A mode that gets another value.
template <class S> struct Switching {
    std::size_t function = 0;
    S mode = 0;
};

template <class S> class Surfaces {
public:
    // The run goes on in this direction of time, to `end`. In arclength t is a coordinate, and conditions of t alone
    // are functions like others.
    Surfaces(Compiled<S>& problem, S direction, S end, const expr::EvaluatorOptions& evaluator);
    // For another run: nothing that was learned on the way is left.
    void renew(S direction, S end);

    bool is_empty() const { return functions_.empty() && times_.is_empty(); }
    std::size_t size() const { return functions_.size(); }
    SwitchTimes<S>& times() { return times_; } // of the conditions of t alone
    std::span<const S> held() { return problem_.jets().held(); }

    // Their expressions, of one instance each; empty where these are too many to be written out.
    std::vector<expr::NodeId> expressions() const;
    // All functions, and the largest term of each. Not finite where the tops that they read have no value. Do not
    // allocate.
    void values(S t, const S* u, S* v);
    void terms(S t, const S* u, S* v);

    // 1, -1; 0 where the function is zero and stays so.
    int side(std::size_t function) const;
    // What the mode becomes where a function leaves its side; where it has been zero, for `sign`.
    S beyond(std::size_t function, int sign) const;
    // Functions of the same mode.
    bool is_same(std::size_t a, std::size_t b) const {
        return rows_[functions_[a].row].position == rows_[functions_[b].row].position;
    }
    // One of two functions of a mode: that of a floor or of a piece.
    bool is_one_of_two(std::size_t function) const { return rows_[functions_[function].row].kind != SurfaceKind::sign; }
    // Its value is so near to zero that the other one cannot be meant.
    bool is_nearer(std::size_t function, S value) const;
    void set(std::size_t function, S mode);
    // Sets all modes to what the values at this point say, but for those of the group, which were set already. A value
    // near zero says nothing: the mode stays, and is 0 where a run begins (what the formula says at the point). False
    // where no modes fit: they depend on values that depend on the modes.
    bool settle(S t, const S* u, bool is_start, std::span<const Switching<S>> group = {});

    // Do the modes agree with this point? Takes no note of conditions of t alone.
    bool fits(S t, const S* u);
    // Values for the tops, instead of those that follow from the point; NaN: no value. Empty: none.
    void assume_tops(std::vector<S> w) { assumed_ = std::move(w); }
    // One function of each mode that depends on one of these arrays; the mode of a function on its other side.
    std::vector<std::size_t> reading(const std::vector<expr::ArrayId>& arrays) const;
    void switch_over(std::size_t function) { set(function, beyond(function, -1)); }

    // What counts as zero: some round-offs of the largest term that terms() has met so far. Where all terms vanish for
    // a moment, what is left of them is noise.
    S zero(std::size_t function) const { return S(64) * linalg::epsilon<S>() * scale_[function]; }
    // Nearer than that a function may be about to cross zero, or has just done so: its values do not say which.
    S near_zero(std::size_t function) const { return linalg::square_root(linalg::epsilon<S>()) * scale_[function]; }
    // The condition, in the author's words.
    std::string text(std::size_t function) const;
    // Of one that is not settled.
    std::string open() const { return open_ ? text(*open_) : ""; }

    // What it has learned on the way.
    template <class Archive> void exchange(Archive& archive) { archive.fixed("scale", scale_); }

private:
    struct Row {
        SurfaceKind kind;
        std::size_t surface, position; // of System::held
        expr::Env env;
    };
    struct Function {
        std::size_t row;
        bool is_upper = false; // of a floor or of a piece
    };
    const expr::NumberList& places(const Row& row) const; // of SurfaceKind::places
    // What g is compared with, where that is a number.
    std::optional<S> threshold(const Row& row, bool is_upper) const;
    S new_mode(const Row& row, S g) const;
    void check_table(const Row& row, S mode) const;
    void compile(const std::vector<std::size_t>& watched, const expr::EvaluatorOptions& evaluator);
    void evaluate(std::optional<expr::Function<S>>& function, S t, const S* u, S* v);
    S mode(const Row& row) const { return problem_.jets().held()[row.position]; }
    void write(std::size_t position, S value);
    bool update(const S* v, bool is_start, std::span<const Switching<S>> group);

    Compiled<S>& problem_;
    const std::vector<Surface>& surfaces_;
    SwitchTimes<S> times_;
    std::vector<Row> rows_;
    std::vector<Function> functions_;
    bool needs_tops_ = false;
    std::optional<expr::Function<S>> values_, terms_;
    linalg::Vector<S> w_;
    std::vector<S> row_values_, work_, scale_, assumed_;
    std::optional<std::size_t> open_;
};

extern template class Surfaces<double>;
extern template class Surfaces<Quad>;

} // namespace vessiot
