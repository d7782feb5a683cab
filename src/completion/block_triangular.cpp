#include "completion/block_triangular.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

class Components {
public:
    Components(const Signature& s, const Assignment& transversal, const Offsets& offsets)
        : s_(s), transversal_(transversal), offsets_(offsets), next_(s.start), number_(at(s.n_equations), 0),
          lowest_(at(s.n_equations), 0), is_open_(at(s.n_equations), false) {}

    BlockTriangular operator()() {
        for (std::int32_t i = 0; i < s_.n_equations; ++i)
            if (number_[at(i)] == 0) walk(i);
        return std::move(result_);
    }

private:
    void walk(std::int32_t root) {
        enter(root);
        while (!path_.empty()) {
            const std::int32_t i = path_.back();
            if (next_[at(i)] == s_.start[at(i) + 1]) {
                leave(i);
                continue;
            }
            const auto k = at(next_[at(i)]++);
            const std::int32_t j = s_.unknown[k];
            if (offsets_.d[at(j)] - offsets_.c[at(i)] != s_.order[k]) continue;
            const std::int32_t partner = transversal_.equation_of[at(j)];
            if (number_[at(partner)] == 0)
                enter(partner);
            else if (is_open_[at(partner)])
                lowest_[at(i)] = std::min(lowest_[at(i)], number_[at(partner)]);
        }
    }

    void enter(std::int32_t i) {
        number_[at(i)] = lowest_[at(i)] = ++n_met_;
        is_open_[at(i)] = true;
        path_.push_back(i);
        open_.push_back(i);
    }

    // All that row i leads to is done. If nothing in it leads further back, what is open since i is a block.
    void leave(std::int32_t i) {
        path_.pop_back();
        if (!path_.empty()) lowest_[at(path_.back())] = std::min(lowest_[at(path_.back())], lowest_[at(i)]);
        if (lowest_[at(i)] != number_[at(i)]) return;
        const auto first = std::find(open_.rbegin(), open_.rend(), i).base() - 1;
        std::sort(first, open_.end());
        for (auto e = first; e != open_.end(); ++e) {
            is_open_[at(*e)] = false;
            result_.equations.push_back(*e);
            result_.unknowns.push_back(transversal_.unknown_of[at(*e)]);
        }
        open_.erase(first, open_.end());
        result_.start.push_back(std::ssize(result_.equations));
    }

    const Signature& s_;
    const Assignment& transversal_;
    const Offsets& offsets_;
    std::vector<std::int64_t> next_;            // by equation: the entry to look at next
    std::vector<std::int32_t> number_, lowest_; // in the order in which they were met, from 1; the lowest reached
    std::vector<bool> is_open_;                 // met, and not in a block yet
    std::vector<std::int32_t> path_, open_;
    std::int32_t n_met_ = 0;
    BlockTriangular result_;
};

} // namespace

std::int64_t BlockTriangular::largest() const {
    std::int64_t size = 0;
    for (std::size_t b = 1; b < start.size(); ++b) size = std::max(size, start[b] - start[b - 1]);
    return size;
}

std::span<const std::int32_t> BlockTriangular::equations_of(std::int64_t block) const {
    return std::span(equations).subspan(at(start[at(block)]), at(start[at(block) + 1] - start[at(block)]));
}

std::span<const std::int32_t> BlockTriangular::unknowns_of(std::int64_t block) const {
    return std::span(unknowns).subspan(at(start[at(block)]), at(start[at(block) + 1] - start[at(block)]));
}

BlockTriangular block_triangular_form(const Signature& s, const Assignment& transversal, const Offsets& offsets) {
    return Components(s, transversal, offsets)();
}

} // namespace vessiot
