#include "linalg/sparse/ordering.hpp"

#include <algorithm>
#include <cstdlib>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

std::int64_t degree(const Pattern& p, std::int32_t i) {
    return p.column_start[at(i + 1)] - p.column_start[at(i)];
}

// Breadth first search of the component of a row.
class CuthillMcKee {
public:
    explicit CuthillMcKee(const Pattern& p) : p_(p), level_(at(p.rows), -1) { order_.reserve(at(p.rows)); }

    std::vector<std::int32_t> operator()() {
        for (std::int32_t i = 0; i < p_.rows; ++i)
            if (level_[at(i)] < 0) search(far_from(i));
        std::reverse(order_.begin(), order_.end());
        return std::move(order_);
    }

private:
    // Appends the component of `root`; gives the number of its levels.
    std::int32_t search(std::int32_t root) {
        std::size_t next = order_.size();
        order_.push_back(root);
        level_[at(root)] = 0;
        for (; next < order_.size(); ++next) {
            const std::int32_t i = order_[next];
            const auto first = std::ssize(order_);
            for (std::int64_t k = p_.column_start[at(i)]; k < p_.column_start[at(i + 1)]; ++k)
                if (const std::int32_t j = p_.row[at(k)]; level_[at(j)] < 0) {
                    level_[at(j)] = level_[at(i)] + 1;
                    order_.push_back(j);
                }
            std::sort(order_.begin() + first, order_.end(), [this](std::int32_t a, std::int32_t b) {
                return std::pair(degree(p_, a), a) < std::pair(degree(p_, b), b);
            });
        }
        return level_[at(order_.back())];
    }

    void forget(std::size_t first) {
        for (std::size_t k = first; k < order_.size(); ++k) level_[at(order_[k])] = -1;
        order_.resize(first);
    }

    // A row at an end of the component: from the last level to the last level, as long as levels become more. [GPS76]
    std::int32_t far_from(std::int32_t root) {
        const std::size_t first = order_.size();
        std::int32_t levels = -1;
        for (int round = 0; round < 8; ++round) {
            const std::int32_t more = search(root);
            std::int32_t end = order_.back(); // of the last level, the row with the fewest neighbours
            for (std::size_t k = first; k < order_.size(); ++k)
                if (level_[at(order_[k])] == more && degree(p_, order_[k]) < degree(p_, end)) end = order_[k];
            forget(first);
            if (more == levels) break;
            levels = more;
            root = end;
        }
        return root;
    }

    const Pattern& p_;
    std::vector<std::int32_t> order_, level_;
};

} // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const Pattern& symmetric) {
    return CuthillMcKee(symmetric)();
}

std::int64_t bandwidth(const Pattern& pattern, const std::vector<std::int32_t>& order) {
    std::vector<std::int64_t> place(at(std::max(pattern.rows, pattern.columns)));
    for (std::size_t k = 0; k < place.size(); ++k)
        place[order.empty() ? k : at(order[k])] = static_cast<std::int64_t>(k);
    std::int64_t result = 0;
    for (std::int64_t j = 0; j < pattern.columns; ++j)
        for (std::int64_t k = pattern.column_start[at(j)]; k < pattern.column_start[at(j + 1)]; ++k)
            result = std::max(result, std::abs(place[at(pattern.row[at(k)])] - place[at(j)]));
    return result;
}

} // namespace vessiot::linalg
