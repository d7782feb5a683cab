#include "completion/assignment.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cancellation.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max();

class Search {
public:
    explicit Search(const Signature& s) : s_(s), v_(at(s.n_unknowns), 0) {
        std::int32_t highest = 0;
        for (const std::int32_t sigma : s.order) highest = std::max(highest, sigma);
        u_.assign(at(s.n_equations), highest);
        tight_.n_equations = s.n_equations;
        tight_.n_unknowns = s.n_unknowns;
        matching_.equation_of.assign(at(s.n_unknowns), -1);
        unknown_of_.assign(at(s.n_equations), -1);
    }

    Assignment operator()() {
        Assignment result;
        while (matching_.size < s_.n_equations && shorten()) {
            check_cancelled();
            pair_tight();
            ++result.n_rounds;
        }
        result.n_pairs = matching_.size;
        for (std::int32_t i = 0; i < s_.n_equations; ++i) {
            const Signature::Row row = s_.row(i);
            for (std::size_t k = 0; k < row.size(); ++k)
                if (row.unknown[k] == unknown_of_[at(i)]) result.value += row.order[k];
        }
        result.potential.assign(u_.begin(), u_.end());
        result.unknown_of = std::move(unknown_of_);
        result.equation_of = std::move(matching_.equation_of);
        return result;
    }

private:
    // Steps 1 and 2; false if no free unknown can be reached at all.
    bool shorten() {
        to_equation_.assign(u_.size(), far);
        to_unknown_.assign(v_.size(), far);
        nearest_ = far;
        buckets_.clear();
        for (std::int32_t i = 0; i < s_.n_equations; ++i)
            if (unknown_of_[at(i)] < 0) leave(i, 0);
        for (std::int32_t distance = 0; distance < std::ssize(buckets_) && distance < nearest_; ++distance) {
            // NOTE: `leave` adds to this bucket and may move the list of buckets
            for (std::size_t k = 0; k < buckets_[at(distance)].size(); ++k) {
                const std::int32_t j = buckets_[at(distance)][k];
                const std::int32_t partner = matching_.equation_of[at(j)];
                if (to_unknown_[at(j)] == distance && to_equation_[at(partner)] == far) leave(partner, distance);
            }
            buckets_[at(distance)] = {};
        }
        if (nearest_ == far) return false;
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (to_equation_[i] < nearest_) u_[i] -= nearest_ - to_equation_[i];
        for (std::size_t j = 0; j < v_.size(); ++j)
            if (to_unknown_[j] < nearest_) v_[j] += nearest_ - to_unknown_[j];
        return true;
    }

    // An equation at its final distance: on to the unknowns in it.
    void leave(std::int32_t i, std::int32_t distance) {
        to_equation_[at(i)] = distance;
        const Signature::Row row = s_.row(i);
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::int32_t j = row.unknown[k];
            const std::int32_t d = distance + u_[at(i)] + v_[at(j)] - row.order[k];
            if (d >= to_unknown_[at(j)] || d >= nearest_) continue;
            to_unknown_[at(j)] = d;
            if (matching_.equation_of[at(j)] < 0) {
                nearest_ = d;
            } else {
                if (std::ssize(buckets_) <= d) buckets_.resize(at(d) + 1);
                buckets_[at(d)].push_back(j);
            }
        }
    }

    void pair_tight() {
        tight_.start.assign(1, 0);
        tight_.unknown.clear();
        for (std::int32_t i = 0; i < s_.n_equations; ++i) {
            const Signature::Row row = s_.row(i);
            for (std::size_t k = 0; k < row.size(); ++k)
                if (u_[at(i)] + v_[at(row.unknown[k])] == row.order[k]) tight_.unknown.push_back(row.unknown[k]);
            tight_.start.push_back(std::ssize(tight_.unknown));
        }
        matching_ = maximum_matching(tight_, std::move(matching_));
        for (std::size_t j = 0; j < matching_.equation_of.size(); ++j)
            if (const std::int32_t i = matching_.equation_of[j]; i >= 0)
                unknown_of_[at(i)] = static_cast<std::int32_t>(j);
    }

    const Signature& s_;
    std::vector<std::int32_t> u_, v_; // potentials of equations and unknowns
    Matching matching_;
    std::vector<std::int32_t> unknown_of_;
    Incidence tight_; // entries with u_i + v_j = sigma_ij
    std::vector<std::int32_t> to_equation_, to_unknown_;
    std::int32_t nearest_ = far;                     // distance of the nearest free unknown so far
    std::vector<std::vector<std::int32_t>> buckets_; // paired unknowns by distance
};

// What alternating paths reach from the rows without a partner: row - any entry - the row paired with it - ...
SubSystem reached(const Signature& s, const std::vector<std::int32_t>& column_of,
                  const std::vector<std::int32_t>& row_of) {
    SubSystem part;
    std::vector<bool> is_row(column_of.size(), false), is_column(row_of.size(), false);
    for (std::int32_t i = 0; i < s.n_equations; ++i)
        if (column_of[at(i)] < 0) {
            is_row[at(i)] = true;
            part.equations.push_back(i);
        }
    for (std::size_t head = 0; head < part.equations.size(); ++head)
        for (const std::int32_t j : s.row(part.equations[head]).unknown) {
            if (is_column[at(j)]) continue;
            is_column[at(j)] = true;
            part.unknowns.push_back(j);
            const std::int32_t partner = row_of[at(j)];
            if (partner < 0 || is_row[at(partner)]) continue;
            is_row[at(partner)] = true;
            part.equations.push_back(partner);
        }
    std::ranges::sort(part.equations);
    std::ranges::sort(part.unknowns);
    return part;
}

} // namespace

Assignment highest_transversal(const Signature& s) {
    return Search(s)();
}

SingularParts singular_parts(const Signature& s, const Assignment& largest) {
    SingularParts parts;
    parts.overdetermined = reached(s, largest.unknown_of, largest.equation_of);
    parts.underdetermined = reached(transposed(s), largest.equation_of, largest.unknown_of);
    std::swap(parts.underdetermined.equations, parts.underdetermined.unknowns);
    return parts;
}

} // namespace vessiot
