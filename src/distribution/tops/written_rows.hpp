// The equations r + A w = 0 for the tops as formulas, each element of a family for itself.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "completion/prolongation.hpp"
#include "system/system.hpp"

namespace vessiot {

// r_i + sum_j A_ij w_j = 0, one equation.
struct WrittenRow {
    expr::NodeId r = 0;
    std::map<std::int32_t, expr::NodeId> a; // by top
};

// By equation; nothing where they would take more than `limit` operations.
std::optional<std::vector<WrittenRow>> write_rows(const System& system, const Prolongation& p, std::int64_t limit);

// The expression with some reads replaced by 0.
template <class Gone> expr::NodeId without(expr::Graph& g, expr::NodeId body, const Gone& is_gone) {
    std::unordered_map<expr::NodeId, expr::NodeId> image;
    for (const expr::NodeId n : g.cone({body})) {
        const expr::Node x = g.node(n);
        if (x.op == expr::Op::read && is_gone(x))
            image[n] = g.zero();
        else
            image[n] = arity(x.op) > 0 ? g.rebuild_with(n, image) : n;
    }
    return image.at(body);
}

} // namespace vessiot
