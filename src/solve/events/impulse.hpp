// What an impact does to the velocities of a lagrangian, or the momenta of a hamiltonian.
//
// Some velocities are set (S); the others follow from the balance of momenta P = L_q', in which constraints act by
// impulses, as they act by forces, and what sets velocities acts on these alone:
//
//   P(t, q, v+) - P(t, q, v-) = G^T Lambda + S^T mu,     F(t, q, v+) = 0,     G = dF/dv
//
// F are the constraints at velocity level: the derivatives of those of positions, and those of velocities. For
// L quadratic in v this is M dv = G^T Lambda + S^T mu; where nothing is set, it is the shortest dv in the metric M, so
// that kinetic energy is lost, never won. A hamiltonian has P = p, and q' = H_p among F, without impulses.
//
// Newton's method; the matrix K = [M_uu, -G_u^T; G_u, 0] (u: not set) gets small positive numbers on its diagonal, so
// that redundant constraints, and masses that are singular where nothing moves, do no harm: iterated with the residuals
// of K itself this converges, to the smallest of several solutions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "manifold/row_function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class Impulses {
public:
    // Null where the system is neither a lagrangian nor a hamiltonian with velocities or momenta among its coordinates.
    static std::unique_ptr<Impulses> make(Compiled<S>& problem);

    // By coordinate: is it one that impulses change, and is it the position of one?
    const std::vector<char>& moves() const { return moves_; }
    const std::vector<char>& is_position() const { return is_position_; }
    // By row of the manifold without invariants: are its velocities found here?
    const std::vector<char>& rows() const { return is_row_; }

    // Changes those velocities of `u` that are not set, from what they are in `before`; all else stays. False where no
    // such velocities are found. Takes memory.
    bool apply(S t, const linalg::Vector<S>& before, const std::vector<char>& is_set, linalg::Vector<S>& u);

    // ---- what unit impulses do at a point, for contacts ----
    // False where the matrix K is singular there. Takes memory.
    bool linearise(S t, const S* u);
    // dv of M dv = G^T Lambda + r, with r by coordinate of the velocities that it acts on; by coordinate.
    linalg::Vector<S> response(const linalg::Vector<S>& r);

private:
    explicit Impulses(Compiled<S>& problem) : problem_(problem), manifold_(problem.written_manifold()) {}
    bool find_lagrangian();
    bool find_hamiltonian();
    void find_rows();
    void evaluate(S t, const S* u);

    // The equations of one impact: those of the momenta that are not set, then rows of the manifold; the columns are
    // coordinates that move, then impulses.
    struct Part {
        enum class Kind : std::uint8_t { momentum, row, impulse, diagonal } kind;
        std::int64_t source = 0; // entry of M or of df
        linalg::Place place{};
        std::int64_t entry = 0; // of K
    };
    struct Balance {
        std::vector<std::int64_t> coordinates{}; // by column
        std::vector<std::int32_t> momenta{};     // by equation: number of the momentum
        std::vector<std::int32_t> rows{};        // of the manifold, behind them
        std::vector<Part> parts{};
        linalg::Pattern pattern{};
        std::int64_t size() const { return pattern.rows; }
    };
    Balance make_balance(const std::vector<char>& is_set) const;
    void fill(const Balance& b, S* K, bool has_diagonal = true) const;
    void residual(const Balance& b, const S* before, const S* x, S* r) const;

    Compiled<S>& problem_;
    Manifold<S>& manifold_;                 // without invariants
    std::vector<std::int64_t> momentum_at_; // by momentum: the coordinate v, or p
    std::vector<std::int32_t> momentum_of_; // by coordinate: the momentum that belongs to a velocity, -1 for none
    std::vector<char> moves_, is_position_, is_row_, has_impulse_;
    std::unique_ptr<RowFunction<S>> momenta_; // P and M of a lagrangian
    linalg::Vector<S> P_, M_, f_, df_;
    struct Linear {
        Balance balance;
        linalg::Vector<S> K; // without the small diagonal
        linalg::SquareSolver<S> solver;
    };
    std::optional<Linear> linear_; // at the last point
};

extern template class Impulses<double>;
extern template class Impulses<Quad>;

} // namespace vessiot
