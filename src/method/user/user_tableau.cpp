#include "method/user/user_tableau.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "method/explicit/explicit_rk.hpp"
#include "method/rooted_trees.hpp"
#include "method/tableau.hpp"
#include "method/user/coefficient.hpp"
#include "method/user/general_rk.hpp"

namespace vessiot::method {

namespace {

constexpr std::size_t most_stages = 64;

using Numbers = std::vector<Quad>;

// A method with all that its entry points to.
struct Owned {
    std::string name;
    Numbers a, b, b_hat, c;
    double uncertainty = 0; // of the coefficients, relative
    MethodInfo info;
};

// The trees whose conditions fail first, and by how much.
struct Found {
    int order = 0;
    std::string tree; // of the first condition that fails
    Quad residual = 0;
};

// The largest p for which all conditions hold.
Found find_order(const Owned& o, const Numbers& b) {
    const std::size_t s = o.b.size();
    Numbers a_size = o.a, b_size = b;
    for (Numbers* list : {&a_size, &b_size})
        for (Quad& x : *list) x = absolute(x);
    Found found;
    for (int p = 1; p <= most_user_order; ++p) {
        const auto trees = rooted_trees(p);
        const auto phi = elementary_weights<Quad>(trees, o.a, s);
        const auto phi_size = elementary_weights<Quad>(trees, a_size, s);
        const auto residuals = order_residuals<Quad>(trees, phi, s, b);
        for (std::size_t t = 0; t < trees.size(); ++t) {
            if (trees[t].order < p) continue;
            Quad size = 0;
            for (std::size_t i = 0; i < s; ++i) size += b_size[i] * phi_size[t * s + i];
            const Quad allowed = coefficient_tolerance * (1 + size) + p * Quad(o.uncertainty) * size;
            if (absolute(residuals[t]) <= allowed) continue;
            found.tree = to_string(trees, t);
            found.residual = residuals[t];
            return found;
        }
        found.order = p;
    }
    return found;
}

class Maker {
public:
    Maker(const ButcherTableau& given, const std::string& source) : given_(given), source_(source) {}

    Owned operator()() {
        check_user_name(given_.name, source_);
        owned_.name = given_.name;
        const std::size_t s = given_.b.size();
        if (s == 0) fail("b is empty: it has a weight for each stage");
        if (s > most_stages) fail(fmt::format("b has {} weights, and there is room for {} stages", s, most_stages));
        check_size("a", given_.a.size(), "row");
        for (std::size_t i = 0; i < s; ++i) check_size(fmt::format("row {} of a", i + 1), given_.a[i].size(), "number");
        if (!given_.b_hat.empty()) check_size("b_hat", given_.b_hat.size(), "weight");
        if (!given_.c.empty()) check_size("c", given_.c.size(), "node");
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t j = 0; j < s; ++j)
                owned_.a.push_back(number(given_.a[i][j], fmt::format("a[{},{}]", i + 1, j + 1)));
        owned_.b = numbers(given_.b, "b");
        owned_.b_hat = numbers(given_.b_hat, "b_hat");
        owned_.c = numbers(given_.c, "c");
        take_nodes();
        check_weights(owned_.b, "b");
        if (!owned_.b_hat.empty()) check_weights(owned_.b_hat, "b_hat");
        if (owned_.b_hat == owned_.b) fail("b_hat equals b, and estimates no error: leave it out");
        make_info();
        return std::move(owned_);
    }

private:
    [[noreturn]] void fail(const std::string& text) const { throw InvalidInput(fmt::format("{}: {}", source_, text)); }

    void check_size(const std::string& what, std::size_t found, std::string_view item) const {
        const std::size_t s = given_.b.size();
        if (found == s) return;
        fail(fmt::format("b has {}, so there must be {}, but {} has {}", plural(s, "weight"), plural(s, "stage"), what,
                         plural(found, item)));
    }

    Quad number(const Coefficient& c, const std::string& what) {
        const auto read = read_coefficient(c.text);
        if (!read)
            fail(fmt::format("{} is a number or a fraction, such as 0.25 or \"1/4\", but found '{}'", what, c.text));
        owned_.uncertainty = std::max(owned_.uncertainty, read->uncertainty);
        return read->value;
    }

    Numbers numbers(const std::vector<Coefficient>& list, std::string_view what) {
        Numbers result;
        for (std::size_t i = 0; i < list.size(); ++i)
            result.push_back(number(list[i], fmt::format("{}[{}]", what, i + 1)));
        return result;
    }

    // c_i = sum_j a_ij, given or not. The sums themselves are kept: they are what the stages use.
    void take_nodes() {
        const std::size_t s = owned_.b.size();
        Numbers sums(s);
        for (std::size_t i = 0; i < s; ++i) {
            Quad size = 1;
            for (std::size_t j = 0; j < s; ++j) {
                sums[i] += owned_.a[i * s + j];
                size += absolute(owned_.a[i * s + j]);
            }
            if (owned_.c.empty()) continue;
            const Quad allowed = size * (coefficient_tolerance + Quad(owned_.uncertainty));
            if (absolute(sums[i] - owned_.c[i]) > allowed)
                fail(fmt::format("inconsistent: row {} of a sums to {:.16g}, but c[{}] = {:.16g}", i + 1,
                                 static_cast<double>(sums[i]), i + 1, static_cast<double>(owned_.c[i])));
        }
        if (owned_.c.empty() || owned_.uncertainty > 0) owned_.c = sums;
    }

    void check_weights(const Numbers& b, std::string_view what) const {
        Quad sum = 0, size = 0;
        for (const Quad x : b) {
            sum += x;
            size += absolute(x);
        }
        if (absolute(sum - 1) <= (1 + size) * (coefficient_tolerance + Quad(owned_.uncertainty))) return;
        fail(fmt::format("inconsistent: the weights {} sum to {:.16g}, not to 1: no step would have order 1", what,
                         static_cast<double>(sum)));
    }

    int checked_order(const Numbers& b, int claimed, std::string_view what) const {
        const Found found = find_order(owned_, b);
        if (claimed > most_user_order)
            fail(fmt::format("the {} is said to be {}, but orders are checked up to {}", what, claimed,
                             most_user_order));
        if (claimed > found.order)
            fail(fmt::format("the {} is said to be {}, but it is {}: the condition of the tree {} is off by {:.3g}",
                             what, claimed, found.order, found.tree, static_cast<double>(found.residual)));
        return found.order;
    }

    void make_info() {
        const std::size_t s = owned_.b.size();
        bool is_explicit = true, ends_with_result = true;
        for (std::size_t i = 0; i < s; ++i) {
            ends_with_result &= owned_.a[(s - 1) * s + i] == owned_.b[i];
            for (std::size_t j = i; j < s; ++j) is_explicit &= owned_.a[i * s + j] == 0;
        }
        MethodInfo& m = owned_.info;
        m.family = is_explicit ? &explicit_rk_family : &general_rk_family;
        m.n_stages = s;
        m.is_fsal = is_explicit && s > 1 && ends_with_result && owned_.c[s - 1] == 1;
        m.n_effective_stages = m.is_fsal ? s - 1 : s;
        m.order = checked_order(owned_.b, given_.order, "order");
        if (!owned_.b_hat.empty())
            m.embedded_order = checked_order(owned_.b_hat, given_.embedded_order, "embedded_order");
        m.is_adaptive = m.embedded_order > 0;
    }

    const ButcherTableau& given_;
    const std::string& source_;
    Owned owned_;
};

// All that were added; they never move.
struct Store {
    std::mutex mutex;
    std::deque<Owned> all;
};

Store& store() {
    static Store it;
    return it;
}

bool is_same(const Owned& x, const Owned& y) {
    return x.name == y.name && x.a == y.a && x.b == y.b && x.b_hat == y.b_hat && x.c == y.c;
}

void point_to_own(Owned& o) {
    o.info.name = o.name;
    const std::size_t s = o.b.size();
    o.info.tableau = {.n_stages = s,
                      .n_total = s,
                      .degree = 0,
                      .a = o.a,
                      .b = o.b,
                      .b_hat = o.b_hat,
                      .b_low = {},
                      .c = o.c,
                      .dense = {}};
}

} // namespace

const MethodInfo& add_tableau(const ButcherTableau& tableau, const std::string& source) {
    Owned made = Maker(tableau, source)();
    Store& s = store();
    const std::lock_guard lock(s.mutex);
    for (auto known = s.all.rbegin(); known != s.all.rend(); ++known)
        if (known->name == made.name) {
            if (is_same(*known, made)) return known->info;
            break;
        }
    s.all.push_back(std::move(made));
    point_to_own(s.all.back());
    return s.all.back().info;
}

const MethodInfo& load_tableau(const std::string& path) {
    return add_tableau(read_tableau(path), path);
}

const MethodInfo* find_user_method(std::string_view name) {
    Store& s = store();
    const std::lock_guard lock(s.mutex);
    for (auto known = s.all.rbegin(); known != s.all.rend(); ++known)
        if (known->name == name) return &known->info;
    return nullptr;
}

} // namespace vessiot::method
