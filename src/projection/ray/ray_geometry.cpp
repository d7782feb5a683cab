#include "projection/ray/ray_geometry.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/dense/determinant.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr double good_quality = 0.1;         // sets of whole arrays that are as good as this are kept together
constexpr double much_better = 3;            // else they are split where that gains this factor
constexpr std::int64_t most_trials = 200000; // n k^4 of the last round

} // namespace

template <class S>
RayGeometry<S>::RayGeometry(const linalg::Pattern& df, std::vector<std::int32_t> atom)
    : pattern_(df), k_(df.rows), n_(df.columns), atom_(std::move(atom)), is_active_(at(n_), 0), q_(at(k_ * n_)),
      lu_(static_cast<int>(k_)), u_(at(k_ * k_)), column_(at(k_)), square_(at(k_)) {
    for (std::int64_t j = 0; j < n_; ++j)
        is_active_[at(j)] = pattern_.column_start[at(j)] < pattern_.column_start[at(j) + 1];
}

// Gram and Schmidt, each row twice.
template <class S> bool RayGeometry<S>::load(const S* entries) {
    linalg::fill_dense(pattern_, entries, q_.data());
    const auto dot = [&](std::int64_t a, std::int64_t b) {
        S sum = 0;
        for (std::int64_t j = 0; j < n_; ++j) sum += q_[at(j * k_ + a)] * q_[at(j * k_ + b)];
        return sum;
    };
    for (std::int64_t i = 0; i < k_; ++i) {
        const S before = linalg::square_root(dot(i, i));
        for (int round = 0; round < 2; ++round)
            for (std::int64_t m = 0; m < i; ++m) {
                const S part = dot(m, i);
                for (std::int64_t j = 0; j < n_; ++j) q_[at(j * k_ + i)] -= part * q_[at(j * k_ + m)];
            }
        const S length = linalg::square_root(dot(i, i));
        if (!(length > S(1e-10) * before) || !linalg::is_finite(length)) return false;
        for (std::int64_t j = 0; j < n_; ++j) q_[at(j * k_ + i)] /= length;
    }
    return true;
}

template <class S>
S RayGeometry<S>::add_column(const S* x, const std::vector<std::int32_t>& coordinates, S* column) const {
    S square = 0;
    for (const std::int32_t l : coordinates) {
        square += x[l] * x[l];
        for (std::int64_t i = 0; i < k_; ++i) column[i] += q_[at(l * k_ + i)] * x[l];
    }
    return square;
}

template <class S> S RayGeometry<S>::quality(const S* x, const Partition& partition) {
    std::ranges::fill(u_, S(0));
    for (std::size_t j = 0; j < partition.sets.size(); ++j) {
        S* column = u_.data() + static_cast<std::int64_t>(j) * k_;
        const S length = linalg::square_root(add_column(x, partition.sets[j], column));
        if (!(length > S(0))) return S(0);
        for (std::int64_t i = 0; i < k_; ++i) column[i] /= length;
    }
    return linalg::absolute_determinant(k_, u_.data());
}

template <class S> std::vector<typename RayGeometry<S>::Atom> RayGeometry<S>::make_atoms(bool are_single) const {
    std::vector<Atom> atoms;
    std::vector<std::int32_t> number; // of the array that each atom is
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(n_); ++l) {
        if (!is_active_[at(l)]) continue;
        const auto known = std::ranges::find(number, atom_[at(l)]);
        if (are_single || known == number.end()) {
            atoms.push_back({{l}, -1});
            number.push_back(atom_[at(l)]);
        } else {
            atoms[static_cast<std::size_t>(known - number.begin())].coordinates.push_back(l);
        }
    }
    return atoms;
}

template <class S> bool RayGeometry<S>::find_seeds(const S* x, std::vector<Atom>& atoms) {
    std::vector<std::vector<S>> directions;
    for (const Atom& a : atoms) {
        std::vector<S>& d = directions.emplace_back(at(k_), S(0));
        const S length = linalg::square_root(add_column(x, a.coordinates, d.data()));
        for (S& v : d) v = length > S(0) ? v / length : S(0);
    }
    const auto dot = [&](const std::vector<S>& a, const std::vector<S>& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), S(0));
    };
    for (std::int32_t seed = 0; seed < static_cast<std::int32_t>(k_); ++seed) {
        std::size_t best = 0;
        S largest = 0;
        for (std::size_t a = 0; a < atoms.size(); ++a)
            if (atoms[a].set < 0 && dot(directions[a], directions[a]) > largest) {
                best = a;
                largest = dot(directions[a], directions[a]);
            }
        if (!(largest > S(1e-20))) return false;
        atoms[best].set = seed;
        for (std::size_t a = 0; a < atoms.size(); ++a) {
            if (a == best) continue;
            const S part = dot(directions[a], directions[best]) / largest;
            for (std::size_t i = 0; i < at(k_); ++i) directions[a][i] -= part * directions[best][i];
        }
    }
    return true;
}

template <class S> void RayGeometry<S>::add_others(const S* x, std::vector<Atom>& atoms) {
    std::vector<std::size_t> order;
    std::vector<S> length(atoms.size());
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        for (const std::int32_t l : atoms[a].coordinates) length[a] += x[l] * x[l];
        if (atoms[a].set < 0) order.push_back(a);
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
    for (const std::size_t a : order) {
        std::ranges::fill(u_, S(0));
        std::ranges::fill(square_, S(0));
        for (const Atom& b : atoms)
            if (b.set >= 0) square_[at(b.set)] += add_column(x, b.coordinates, u_.data() + b.set * k_);
        std::copy(u_.begin(), u_.end(), lu_.matrix());
        std::ranges::fill(column_, S(0));
        add_column(x, atoms[a].coordinates, column_.data());
        if (lu_.factor()) lu_.solve(column_.data());
        S best = -1;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(k_); ++j) {
            const S square = square_[at(j)];
            const S gain = linalg::absolute(S(1) + column_[at(j)]) * linalg::square_root(square / (square + length[a]));
            // what makes no difference stays with its array
            const bool is_akin = std::ranges::any_of(atoms, [&](const Atom& b) {
                return b.set == j && atom_[at(b.coordinates[0])] == atom_[at(atoms[a].coordinates[0])];
            });
            const S score = gain * (is_akin ? S(1.01) : S(1));
            if (!(score > best)) continue;
            best = score;
            atoms[a].set = j;
        }
    }
}

template <class S> Partition RayGeometry<S>::gathered(const std::vector<Atom>& atoms) const {
    Partition result{std::vector<std::vector<std::int32_t>>(at(k_)), true};
    for (const Atom& a : atoms)
        if (a.set >= 0)
            result.sets[at(a.set)].insert(result.sets[at(a.set)].end(), a.coordinates.begin(), a.coordinates.end());
    for (auto& set : result.sets) std::ranges::sort(set);
    std::ranges::sort(result.sets);
    return result;
}

template <class S> S RayGeometry<S>::quality_of(const S* x, const std::vector<Atom>& atoms, Partition& work) {
    work = gathered(atoms);
    return quality(x, work);
}

template <class S> void RayGeometry<S>::improve(const S* x, std::vector<Atom>& atoms) {
    if (std::ssize(atoms) * k_ * k_ * k_ * k_ > most_trials) return;
    Partition work;
    S best = quality_of(x, atoms, work);
    for (Atom& a : atoms)
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(k_); ++j) {
            const std::int32_t before = a.set;
            a.set = j;
            const S q = quality_of(x, atoms, work);
            if (q > S(1.05) * best)
                best = q;
            else
                a.set = before;
        }
}

template <class S> S RayGeometry<S>::choose(const S* x, Partition& partition) {
    S best = 0;
    for (const bool are_single : {false, true}) {
        std::vector<Atom> atoms = make_atoms(are_single);
        if (std::ssize(atoms) < k_ || !find_seeds(x, atoms)) continue;
        add_others(x, atoms);
        improve(x, atoms);
        Partition found;
        const S q = quality_of(x, atoms, found);
        if (!(q > S(much_better) * best)) continue;
        best = q;
        partition = found;
        if (best >= S(good_quality)) break;
    }
    return best;
}

template class RayGeometry<double>;
template class RayGeometry<Quad>;

} // namespace vessiot
