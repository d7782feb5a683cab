#include "solve/start/rays.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/dense/determinant.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"
#include "projection/kind.hpp"
#include "solve/start/dependent.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

namespace {

using linalg::at;
using Set = std::vector<std::int32_t>;

constexpr double least_sensitivity = 1e-9; // below, lengths count as no help for the constraints
constexpr int n_trials = 4;                // points near the start

// "q[2]'" belongs to the array "q'".
std::string array_name(const std::string& element) {
    const std::size_t open = element.find('['), close = element.find(']');
    return open == std::string::npos || close == std::string::npos
               ? element
               : element.substr(0, open) + element.substr(close + 1);
}

std::string without_blanks(std::string_view text) {
    std::string result(text);
    std::erase_if(result, [](char c) { return c == ' ' || c == '\t'; });
    return result;
}

// Cut at the commas outside of brackets.
std::vector<std::string> items(const std::string& text) {
    std::vector<std::string> result{""};
    int depth = 0;
    for (const char c : text) {
        depth += (c == '[') - (c == ']');
        if (c == ',' && depth == 0)
            result.emplace_back();
        else
            result.back() += c;
    }
    return result;
}

bool is_list(const std::string& text) {
    if (!text.starts_with('[') || !text.ends_with(']')) return false;
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        depth += (text[k] == '[') - (text[k] == ']');
        if (depth <= 0 && k + 1 < text.size()) return false;
    }
    return depth == 0;
}

std::string inside(const std::string& list) {
    return list.substr(1, list.size() - 2);
}

// The names of coordinates and of arrays of them.
class Names {
public:
    explicit Names(const Analysis& analysis) : analysis_(analysis) {
        const CoordinateName name = coordinate_names_of(analysis);
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(analysis.prolongation.n_state()); ++k) {
            const std::string element = name(k), array = array_name(element);
            known_[element].push_back(k);
            if (array != element) known_[array].push_back(k);
        }
    }

    const Set& operator()(const std::string& name) const {
        const auto found = known_.find(name);
        if (found != known_.end()) return found->second;
        std::vector<std::string_view> all;
        for (const auto& [known, set] : known_) all.push_back(known);
        const auto near = nearest(name, all);
        throw InvalidInput(
            fmt::format("partition: '{}' is none of what the steps of {} move{}", name, analysis_.system.name,
                        near ? fmt::format("; did you mean '{}'?", *near)
                             : fmt::format(": {}", listed(std::vector<std::string>(all.begin(), all.end())))));
    }

private:
    const Analysis& analysis_;
    std::map<std::string, Set> known_;
};

Partition read_partition(const Analysis& analysis, const std::string& given) {
    const std::string all = without_blanks(given);
    const auto refuse = [&](std::string_view what) {
        throw InvalidInput(fmt::format(
            "partition = {}, but {}. It is a list of sets of unknowns, such as [[x, y], [z]]", given, what));
    };
    if (!is_list(all)) refuse("that is no list in brackets");
    const Names names(analysis);
    Partition result;
    std::vector<char> is_taken(at(analysis.prolongation.n_state()), 0);
    for (const std::string& item : items(inside(all))) {
        if (!is_list(item)) refuse(fmt::format("'{}' is no set in brackets", item));
        Set& set = result.sets.emplace_back();
        for (const std::string& name : items(inside(item))) {
            if (name.empty()) refuse("a set is empty, or a name is missing in it");
            for (const std::int32_t k : names(name)) {
                if (is_taken[at(k)]) refuse(fmt::format("{} is in it twice", coordinate_names_of(analysis)(k)));
                is_taken[at(k)] = 1;
                set.push_back(k);
            }
        }
    }
    return result;
}

template <class S> class PartitionMaker {
public:
    PartitionMaker(Compiled<S>& problem, const Settings& options, const StartPoint<S>& start)
        : problem_(problem), manifold_(problem.manifold()), analysis_(problem.analysis()), options_(options),
          start_(start), k_(manifold_.n_constraints()), m_(manifold_.n_coordinates()), f_(k_),
          df_(manifold_.pattern().entries()), size_(k_) {
        if (RayGeometry<S>::is_possible(k_, m_))
            geometry_.emplace(manifold_.pattern(), arrays_of(problem.prolongation(), manifold_.has_t()));
    }

    Partition make() {
        const bool is_given = options_.partition.has_value();
        Partition partition = is_given ? read_partition(analysis_, *options_.partition) : Partition{};
        const bool projects = options_.projection && options_.projection->can.has_sets && k_ > 0;
        if (!projects) {
            if (!is_given) partition.sets = {all(false)};
            return partition;
        }
        if (analysis_.is_arclength)
            throw InvalidInput("lengths of sets of unknowns are found at a given time, but parametrisation = arclength "
                               "makes time an unknown: leave out one of projection = ray (which some methods stand "
                               "for) and arclength");
        if (is_given)
            check_given(partition);
        else
            choose(partition);
        check_start(partition);
        return partition;
    }

private:
    Set all(bool are_active) const {
        Set set;
        const linalg::Pattern& df = manifold_.pattern();
        for (std::int32_t l = 0; l < static_cast<std::int32_t>(problem_.n_state()); ++l)
            if (!are_active || (df.column_start[at(l)] < df.column_start[at(l) + 1] && !manifold_.is_fixed(l)))
                set.push_back(l);
        return set;
    }

    std::string constraints() const {
        std::string result;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(k_, 3); ++i)
            result += fmt::format("{}{}", i > 0 ? "; " : "", manifold_.text(i));
        return k_ > 3 ? fmt::format("{}; and {} more", result, k_ - 3) : result;
    }

    void check_given(const Partition& partition) const {
        const auto n = std::ssize(partition.sets);
        if (n != k_)
            throw InvalidInput(fmt::format("the partition {} has {}, but there {} {} ({}): each length satisfies one "
                                           "of them, so that as many sets "
                                           "are needed",
                                           shown(partition), plural(at(n), "set"), k_ == 1 ? "is" : "are",
                                           plural(at(k_), "constraint"), constraints()));
        Set covered;
        for (const Set& set : partition.sets) covered.insert(covered.end(), set.begin(), set.end());
        std::ranges::sort(covered);
        std::vector<std::string> missing;
        for (const std::int32_t l : all(true))
            if (!std::ranges::binary_search(covered, l)) missing.push_back(coordinate_names_of(analysis_)(l));
        if (!missing.empty())
            throw InvalidInput(
                fmt::format("the partition {} leaves out {}, which the constraints contain ({}): each of "
                            "these belongs to a set",
                            shown(partition), listed(missing), constraints()));
    }

    // |det J| with J_ij = sum_{l in I_j} df_il x_l over the size of row i: what relative changes of lengths do to the
    // constraints. It changes with no units.
    S sensitivity(const S* x, const Partition& partition) {
        manifold_.sizes(start_.t, x, df_.data(), S(0), size_.data());
        std::vector<S> j(at(k_ * k_), S(0));
        const linalg::Pattern& df = manifold_.pattern();
        for (std::size_t set = 0; set < partition.sets.size(); ++set)
            for (const std::int32_t l : partition.sets[set])
                for (std::int64_t e = df.column_start[at(l)]; e < df.column_start[at(l) + 1]; ++e) {
                    const std::int32_t i = df.row[at(e)];
                    if (size_[i] > S(0)) j[set * at(k_) + at(i)] += df_[e] * x[l] / size_[i];
                }
        return linalg::absolute_determinant(k_, j.data());
    }

    // Can lengths satisfy the constraints, at the start point or at a point of M near it? `prepare` is told where.
    template <class Prepare> bool is_regular(Partition& partition, const Prepare& prepare) {
        linalg::Vector<S> x = start_.u;
        const std::vector<Freedom> all(at(problem_.n_state()), Freedom::free);
        std::uint64_t random = 2005;
        for (int trial = 0; trial <= n_trials; ++trial) {
            manifold_.movable_df(start_.t, x.data(), f_.data(), df_.data());
            if (geometry_->load(df_.data())) {
                is_independent_ = true;
                prepare(x.data());
                if (sensitivity(x.data(), partition) > S(least_sensitivity)) return true;
            }
            for (std::int64_t j = 0; j < problem_.n_state(); ++j) {
                random = random * 6364136223846793005ULL + 1442695040888963407ULL;
                const double r = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
                const S room = start_.u[j] == S(0) ? S(0.1) : linalg::absolute(start_.u[j]) / S(10);
                x[j] = start_.u[j] + S(r) * room;
            }
            make_consistent(manifold_, start_.t, x, all, Freedom::free, false);
        }
        return false;
    }

    void choose(Partition& partition) {
        partition.is_chosen = true;
        if (k_ == 1) {
            partition.sets = {all(true)};
            return;
        }
        if (!geometry_)
            throw InvalidInput(fmt::format("sets of unknowns are chosen for up to 64 constraints, but {} has {}: give "
                                           "them (--partition), or use another projection",
                                           analysis_.system.name, k_));
        if (is_regular(partition, [&](const S* x) { geometry_->choose(x, partition); })) return;
        fail_dependent();
        throw InvalidInput(fmt::format("no partition of the unknowns of {} was found whose {} lengths satisfy the "
                                       "constraints ({}). Use another projection",
                                       analysis_.system.name, k_, constraints()));
    }

    void fail_dependent() const {
        if (is_independent_) return;
        throw InvalidInput(fmt::format("the constraints of {} depend on each other {}: lengths cannot satisfy them one "
                                       "by one. Use another projection",
                                       analysis_.system.name,
                                       dependent_constraints(manifold_, start_.t, start_.u.data())));
    }

    void check_start(Partition& partition) {
        const bool may_change = partition.is_chosen && k_ > 1; // to sets that have a direction
        for (const Set& set : partition.sets)
            if (!may_change && std::ranges::all_of(set, [&](std::int32_t l) { return start_.u[l] == S(0); }))
                throw InvalidInput(fmt::format("the set {} is 0 at the start point, where it has no direction whose "
                                               "length could be found. Start elsewhere, or use another projection{}",
                                               shown(Partition{{set}}).substr(1, shown(Partition{{set}}).size() - 2),
                                               partition.sets.size() > 1 ? " or partition" : ""));
        if (!geometry_) return;
        if (is_regular(partition, [](const S*) {})) return;
        fail_dependent();
        throw InvalidInput(fmt::format("the partition {} makes the constraints ({}) singular at the start point and "
                                       "near it: changes of its lengths do not change all of them. Try another one, "
                                       "or leave it out",
                                       shown(partition), constraints()));
    }

    std::string shown(const Partition& partition) const { return text(partition, coordinate_names_of(analysis_)); }

    Compiled<S>& problem_;
    Manifold<S>& manifold_;
    const Analysis& analysis_;
    const Settings& options_;
    const StartPoint<S>& start_;
    std::int64_t k_, m_;
    std::optional<RayGeometry<S>> geometry_;
    linalg::Vector<S> f_, df_, size_;
    bool is_independent_ = false; // the constraints, somewhere
};

RayStop stop_of(StopRule rule) {
    return rule == StopRule::residual    ? RayStop::residual
           : rule == StopRule::increment ? RayStop::increment
                                         : RayStop::sound;
}

} // namespace

CoordinateName coordinate_names_of(const Analysis& analysis) {
    return [&analysis](std::int32_t k) { return analysis.name_of(analysis.prolongation.state[at(k)]); };
}

template <class S>
std::shared_ptr<Partition> make_partition(Compiled<S>& problem, const Settings& options, const StartPoint<S>& start) {
    return std::make_shared<Partition>(PartitionMaker<S>(problem, options, start).make());
}

RayRules ray_rules(const Settings& o) {
    return {.stop = stop_of(o.newton_stop),
            .tolerance = o.newton_tol,
            .has_fallback = o.fallback != Fallback::none,
            .has_one_map = o.step == 0};
}

template std::shared_ptr<Partition> make_partition(Compiled<double>&, const Settings&, const StartPoint<double>&);
template std::shared_ptr<Partition> make_partition(Compiled<Quad>&, const Settings&, const StartPoint<Quad>&);

} // namespace vessiot
