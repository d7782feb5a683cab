// Minimum degree by a quotient graph. [ADD96]
//
// Rows that were eliminated become elements: an element e stands for the clique of its variables L_e. For the pivot p:
//   L_p  = A_p + union of L_e over the elements e of p, which p replaces (absorbs)
//   for i in L_p:  A_i loses L_p and p; E_i loses what p absorbed and gains p
//   degree of i <= |A_i| + |L_p \ i| + sum over the other e of |L_e \ L_p|
// Variables of L_p with the same A_i and E_i stay alike from then on and are merged into one with a weight. Rows with
// very many neighbours are ordered last, outside of the graph.
#include <algorithm>

#include "linalg/scalar.hpp"
#include "linalg/sparse/ordering.hpp"

namespace vessiot::linalg {

namespace {

using Index = std::int32_t;
using List = std::vector<Index>;

class MinimumDegree {
public:
    explicit MinimumDegree(const Pattern& p)
        : n_(static_cast<Index>(p.rows)), variables_(at(n_)), elements_(at(n_)), clique_(at(n_)), size_(at(n_), 0),
          weight_(at(n_), 1), degree_(at(n_)), next_(at(n_), -1), previous_(at(n_), -1), head_(at(n_) + 1, -1),
          merged_(at(n_), -1), last_(at(n_)), mark_(at(n_), 0), outside_(at(n_), 0), outside_mark_(at(n_), 0),
          hash_(at(n_), 0) {
        order_.reserve(at(n_));
        build(p);
    }

    List operator()() {
        Index lowest = 0;
        for (Index left = n_ - static_cast<Index>(crowded_.size()); left > 0;) {
            while (head_[at(lowest)] < 0) ++lowest;
            const Index p = head_[at(lowest)];
            left -= weight_[at(p)];
            eliminate(p, left);
            lowest = std::min(lowest, lowest_changed_);
        }
        order_.insert(order_.end(), crowded_.begin(), crowded_.end());
        return std::move(order_);
    }

private:
    void build(const Pattern& p) {
        const auto many = static_cast<std::int64_t>(std::max(16.0, 10 * std::sqrt(double(n_))));
        const auto is_crowded = [&](Index i) { return p.column_start[at(i + 1)] - p.column_start[at(i)] > many; };
        for (Index i = 0; i < n_; ++i) {
            last_[at(i)] = i;
            if (is_crowded(i)) {
                crowded_.push_back(i);
                weight_[at(i)] = 0;
                continue;
            }
            for (std::int64_t k = p.column_start[at(i)]; k < p.column_start[at(i + 1)]; ++k)
                if (const Index j = p.row[at(k)]; j != i && !is_crowded(j)) variables_[at(i)].push_back(j);
            degree_[at(i)] = static_cast<Index>(variables_[at(i)].size());
            enlist(i);
        }
    }

    // Lists of variables by degree, doubly linked.
    void enlist(Index i) {
        const Index first = head_[at(degree_[at(i)])];
        next_[at(i)] = first;
        previous_[at(i)] = -1;
        if (first >= 0) previous_[at(first)] = i;
        head_[at(degree_[at(i)])] = i;
    }

    void delist(Index i) {
        const Index before = previous_[at(i)], after = next_[at(i)];
        if (after >= 0) previous_[at(after)] = before;
        (before >= 0 ? next_[at(before)] : head_[at(degree_[at(i)])]) = after;
    }

    void eliminate(Index p, Index left) {
        delist(p);
        gather(p);
        const List& clique = clique_[at(p)];
        size_[at(p)] = 0;
        for (const Index i : clique) size_[at(p)] += weight_[at(i)];
        count_outside(p);
        for (const Index i : clique) {
            delist(i);
            prune(i, p, left);
        }
        merge_alike(p);
        lowest_changed_ = n_;
        auto& members = clique_[at(p)];
        std::erase_if(members, [this](Index i) { return weight_[at(i)] == 0; });
        for (const Index i : members) {
            enlist(i);
            lowest_changed_ = std::min(lowest_changed_, degree_[at(i)]);
        }
        for (Index i = p; i >= 0; i = merged_[at(i)]) order_.push_back(i);
        weight_[at(p)] = 0;
        variables_[at(p)] = {};
        elements_[at(p)] = {};
    }

    // clique_[p] = L_p, all of them marked; absorbs the elements of p.
    void gather(Index p) {
        ++stamp_;
        mark_[at(p)] = stamp_;
        List& clique = clique_[at(p)];
        const auto add = [&](Index i) {
            if (weight_[at(i)] == 0 || mark_[at(i)] == stamp_) return;
            mark_[at(i)] = stamp_;
            clique.push_back(i);
        };
        for (const Index i : variables_[at(p)]) add(i);
        for (const Index e : elements_[at(p)]) {
            for (const Index i : clique_[at(e)]) add(i);
            clique_[at(e)] = {};
        }
    }

    // outside_[e] = |L_e \ L_p| for the elements e next to L_p.
    void count_outside(Index p) {
        for (const Index i : clique_[at(p)])
            for (const Index e : elements_[at(i)]) {
                if (clique_[at(e)].empty()) continue;
                if (outside_mark_[at(e)] != stamp_) {
                    outside_mark_[at(e)] = stamp_;
                    outside_[at(e)] = size_[at(e)];
                }
                outside_[at(e)] -= weight_[at(i)];
            }
    }

    // New lists, degree and hash of a variable of L_p. An element within L_p is absorbed too.
    void prune(Index i, Index p, Index left) {
        std::erase_if(variables_[at(i)], [this](Index j) { return weight_[at(j)] == 0 || mark_[at(j)] == stamp_; });
        std::erase_if(elements_[at(i)], [this](Index e) { return clique_[at(e)].empty() || outside_[at(e)] == 0; });
        const Index clique = size_[at(p)] - weight_[at(i)];
        Index degree = clique;
        std::uint32_t hash = static_cast<std::uint32_t>(p);
        for (const Index j : variables_[at(i)]) {
            degree += weight_[at(j)];
            hash += static_cast<std::uint32_t>(j);
        }
        for (const Index e : elements_[at(i)]) {
            degree += outside_[at(e)];
            hash += static_cast<std::uint32_t>(e);
        }
        elements_[at(i)].push_back(p);
        degree_[at(i)] = std::min({degree, left - weight_[at(i)], degree_[at(i)] + clique});
        hash_[at(i)] = hash;
    }

    void merge_alike(Index p) {
        List& clique = clique_[at(p)];
        std::sort(clique.begin(), clique.end(),
                  [this](Index a, Index b) { return std::pair(hash_[at(a)], a) < std::pair(hash_[at(b)], b); });
        for (std::size_t first = 0; first < clique.size();) {
            std::size_t end = first + 1;
            while (end < clique.size() && hash_[at(clique[end])] == hash_[at(clique[first])]) ++end;
            for (std::size_t a = first; a + 1 < end; ++a)
                if (weight_[at(clique[a])] > 0) merge_into(clique[a], clique.data() + a + 1, clique.data() + end);
            first = end;
        }
    }

    void merge_into(Index i, const Index* others, const Index* end) {
        ++stamp_;
        for (const Index j : variables_[at(i)]) mark_[at(j)] = stamp_;
        for (const Index e : elements_[at(i)]) outside_mark_[at(e)] = stamp_;
        for (; others != end; ++others) {
            const Index j = *others;
            if (weight_[at(j)] == 0 || !is_marked(j) || variables_[at(j)].size() != variables_[at(i)].size() ||
                elements_[at(j)].size() != elements_[at(i)].size())
                continue;
            weight_[at(i)] += weight_[at(j)];
            degree_[at(i)] -= weight_[at(j)];
            weight_[at(j)] = 0;
            merged_[at(last_[at(i)])] = j;
            last_[at(i)] = last_[at(j)];
            variables_[at(j)] = {};
            elements_[at(j)] = {};
        }
    }

    bool is_marked(Index j) const {
        return std::ranges::all_of(variables_[at(j)], [this](Index k) { return mark_[at(k)] == stamp_; }) &&
               std::ranges::all_of(elements_[at(j)], [this](Index e) { return outside_mark_[at(e)] == stamp_; });
    }

    Index n_;
    std::vector<List> variables_, elements_; // A_i, E_i
    std::vector<List> clique_;               // L_e; empty for what is no element (any more)
    List size_;                              // |L_e|, which merging does not change
    List weight_;                            // 0: eliminated, or merged into another
    List degree_, next_, previous_, head_;
    List merged_, last_; // those merged into a variable, as a linked list and its end
    std::vector<std::int64_t> mark_;
    List outside_;
    std::vector<std::int64_t> outside_mark_;
    std::vector<std::uint32_t> hash_;
    std::int64_t stamp_ = 0;
    Index lowest_changed_ = 0;
    List crowded_, order_;
};

} // namespace

std::vector<std::int32_t> minimum_degree(const Pattern& symmetric) {
    return MinimumDegree(symmetric)();
}

} // namespace vessiot::linalg
