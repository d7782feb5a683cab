#include "solve/events/jump.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/start/given.hpp"
#include "solve/start/start.hpp"
#include "solve/start/violation.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;

namespace {

constexpr double satisfied = 1e-12, acceptable = 1e-10; // residuals over the sizes of rows
constexpr std::size_t most_tried = 50;                  // algebraic coordinates for which other values are tried

// By row: does it contain one of the coordinates?
std::vector<char> rows_with(const linalg::Pattern& pattern, const std::vector<char>& is_wanted) {
    std::vector<char> found(at(pattern.rows), 0);
    for (std::size_t j = 0; j < is_wanted.size(); ++j)
        if (is_wanted[j])
            for (std::int64_t e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e)
                found[at(pattern.row[at(e)])] = 1;
    return found;
}

// Some coordinates, of those that the rows contain.
std::vector<std::int32_t> columns_in(const linalg::Pattern& pattern, const std::vector<std::int32_t>& rows,
                                     const std::vector<char>& is_wanted) {
    std::vector<char> is_row(at(pattern.rows), 0);
    for (const std::int32_t k : rows) is_row[at(k)] = 1;
    std::vector<std::int32_t> found;
    for (std::size_t j = 0; j < is_wanted.size(); ++j) {
        if (!is_wanted[j]) continue;
        const auto first = pattern.row.begin() + pattern.column_start[j];
        const auto last = pattern.row.begin() + pattern.column_start[j + 1];
        if (std::any_of(first, last, [&](std::int32_t row) { return is_row[at(row)]; }))
            found.push_back(static_cast<std::int32_t>(j));
    }
    return found;
}

} // namespace

template <class S>
Jump<S>::Jump(Compiled<S>& problem, EventFunctions<S>& events, Saltation<S>* saltation)
    : all_(problem), problem_(problem.base() ? *problem.base() : problem), events_(events), saltation_(saltation),
      impulses_(Impulses<S>::make(problem_)) {
    usual_ = freedom_at_jumps(problem_.system(), problem_.prolongation());
    if (!problem_.system().contacts.empty() && impulses_) contacts_.emplace(problem_, *impulses_);
}

// ---- messages ----

template <class S> std::string Jump<S>::not_finite(std::size_t event, S value, std::size_t k) const {
    const Analysis& a = problem_.analysis();
    const auto c = static_cast<std::size_t>(events_.coordinates(event)[k]);
    return fmt::format("the event '{}' sets {} to {}, which is no finite number", a.system.events[event].name,
                       a.name_of(a.prolongation.state[c]), static_cast<double>(value));
}

template <class S> std::string Jump<S>::contradiction(std::size_t event, Manifold<S>& manifold, S t, const S* u) const {
    const Analysis& a = problem_.analysis();
    std::vector<std::string> names;
    for (const std::int64_t k : events_.coordinates(event))
        names.push_back(a.name_of(a.prolongation.state[static_cast<std::size_t>(k)]));
    for (const Reset& reset : a.system.events[event].then)
        if (std::ranges::find(a.system.held, reset.jet, &Held::array) != a.system.held.end())
            names.push_back(a.system.graph->array(reset.jet).name);
    return fmt::format("what the event '{}' sets ({}) contradicts the constraints, whatever the other values are: {}. "
                       "Set fewer values, or such that the constraints can be satisfied",
                       a.system.events[event].name, listed(names), to_text(find_violations(manifold, t, u)));
}

// "V = 0.994, theta = -0.1"
template <class S>
std::string Jump<S>::values_of(const linalg::Vector<S>& u, const std::vector<std::int32_t>& columns) const {
    const Analysis& a = problem_.analysis();
    std::vector<std::string> parts;
    for (const std::int32_t k : columns)
        parts.push_back(fmt::format("{} = {:.6g}", a.name_of(a.prolongation.state[at(k)]), static_cast<double>(u[k])));
    return listed(parts);
}

// ---- what is set, and what follows ----

template <class S> std::string Jump<S>::set_values(Move& move) {
    move.guesses = events_.guessed(move.event, move.t, move.from.data());
    const std::vector<S>& values = events_.assigned(move.event, move.t, move.from.data());
    if (const std::string name = events_.set_discrete(move.event); !name.empty())
        return fmt::format("the event '{}' sets {} to a value that is no finite number",
                           problem_.system().events[move.event].name, name);
    const std::vector<std::int64_t>& coordinates = events_.coordinates(move.event);
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(static_cast<double>(values[k]))) return not_finite(move.event, values[k], k);
        move.to[coordinates[k]] = values[k];
        move.freedom[at(coordinates[k])] = Freedom::held;
        move.is_set[at(coordinates[k])] = 1;
    }
    const std::span<const S> held = problem_.jets().held();
    move.held_to.assign(held.begin(), held.end());
    return "";
}

// The shortest way of what has derivatives and is not set, onto some rows without algebraic coordinates.
template <class S> bool Jump<S>::follow_rows(Move& move, const std::vector<std::int32_t>& rows) {
    Manifold<S>& m = problem_.written_manifold();
    std::vector<char> may_move(usual_.size());
    for (std::size_t j = 0; j < usual_.size(); ++j)
        may_move[j] = move.freedom[j] == Freedom::given && !(impulses_ && impulses_->moves()[j]);
    std::vector<std::int32_t> columns = columns_in(m.pattern(), rows, may_move);
    if (m.has_levels()) {
        const int level = m.rows()[at(rows.front())].level;
        std::erase_if(columns, [&](std::int32_t j) { return m.levels()[at(j)] != level; });
    }
    if (relative_residual(m, rows, move.t, move.from, move.to) <= S(satisfied)) return true;
    return !columns.empty() && RowSolver<S>(m, rows, columns, move.from).solve(move.t, move.to);
}

// Where a manifold has no levels: what is in rows that still hold stays, as positions do where velocities are set. Of
// the other rows those come first whose coordinates are some of those of others. False where it takes more; nothing is
// moved then.
template <class S> bool Jump<S>::follow_broken(Move& move, const std::vector<std::int32_t>& rows) {
    Manifold<S>& m = problem_.written_manifold();
    const linalg::Vector<S> before = move.to;
    const auto holds = [&](std::int32_t row) {
        return relative_residual(m, {row}, move.t, move.from, move.to) <= S(satisfied);
    };
    std::vector<std::vector<std::int32_t>> read(at(m.n_constraints())); // by row, in order
    for (std::int32_t j = 0; j < std::ssize(usual_); ++j)
        for (std::int64_t e = m.pattern().column_start[at(j)]; e < m.pattern().column_start[at(j) + 1]; ++e)
            read[at(m.pattern().row[at(e)])].push_back(j);
    std::vector<char> stays(usual_.size());
    const auto keep = [&](std::int32_t row) {
        for (const std::int32_t j : read[at(row)]) stays[at(j)] = 1;
    };
    std::vector<std::int32_t> left;
    for (const std::int32_t row : rows) {
        if (holds(row))
            keep(row);
        else
            left.push_back(row);
    }
    while (!left.empty()) {
        const auto is_inside = [&](std::int32_t row, std::int32_t other) {
            const auto &a = read[at(row)], &b = read[at(other)];
            return a.size() < b.size() && std::ranges::includes(b, a);
        };
        std::vector<std::int32_t> first, rest;
        for (const std::int32_t row : left) {
            const bool has_less = std::ranges::any_of(left, [&](std::int32_t other) { return is_inside(other, row); });
            (has_less ? rest : first).push_back(row);
        }
        std::vector<char> may_move(usual_.size());
        for (std::size_t j = 0; j < usual_.size(); ++j)
            may_move[j] = move.freedom[j] == Freedom::given && stays[j] == 0 && !(impulses_ && impulses_->moves()[j]);
        const std::vector<std::int32_t> columns = columns_in(m.pattern(), first, may_move);
        if (columns.empty() || !RowSolver<S>(m, first, columns, move.from).solve(move.t, move.to)) break;
        std::ranges::for_each(first, keep);
        std::erase_if(rest, [&](std::int32_t row) {
            const bool is_held = holds(row);
            if (is_held) keep(row);
            return is_held;
        });
        left = std::move(rest);
    }
    if (left.empty() && std::ranges::all_of(rows, holds)) return true;
    move.to = before;
    return false;
}

// Rows without algebraic coordinates, level after level.
template <class S> bool Jump<S>::follow_levels(Move& move) {
    Manifold<S>& m = problem_.written_manifold();
    std::vector<char> is_free(usual_.size());
    for (std::size_t j = 0; j < usual_.size(); ++j) is_free[j] = move.freedom[j] == Freedom::free;
    const std::vector<char> has_free = rows_with(m.pattern(), is_free);
    std::map<int, std::vector<std::int32_t>> levels;
    for (std::size_t k = 0; k < has_free.size(); ++k)
        if (!has_free[k] && !(impulses_ && impulses_->rows()[k]))
            levels[m.has_levels() ? m.rows()[k].level : 0].push_back(static_cast<std::int32_t>(k));
    return std::ranges::all_of(levels, [&](const auto& level) {
        return (!m.has_levels() && follow_broken(move, level.second)) || follow_rows(move, level.second);
    });
}

template <class S> bool Jump<S>::follow_velocities(Move& move) {
    if (!impulses_) return true;
    Manifold<S>& m = problem_.written_manifold();
    bool sets_some = false;
    for (std::size_t j = 0; j < usual_.size(); ++j) sets_some |= impulses_->moves()[j] && move.is_set[j];
    std::vector<std::int32_t> rows;
    for (std::size_t k = 0; k < impulses_->rows().size(); ++k)
        if (impulses_->rows()[k]) rows.push_back(static_cast<std::int32_t>(k));
    const auto are_off = [&] { return !(relative_residual(m, rows, move.t, move.from, move.to) <= S(satisfied)); };
    if (!sets_some && !are_off()) return true;
    const linalg::Vector<S> before = sets_some ? move.from : move.to; // NOTE: contacts have moved them already
    return impulses_->apply(move.t, before, move.is_set, move.to) && !are_off();
}

// Rows with algebraic coordinates, solved for these.
template <class S> bool Jump<S>::continue_algebraic(Move& move) {
    Manifold<S>& m = problem_.written_manifold();
    std::vector<char> is_free(usual_.size());
    for (std::size_t j = 0; j < usual_.size(); ++j) is_free[j] = move.freedom[j] == Freedom::free;
    const std::vector<char> has_free = rows_with(m.pattern(), is_free);
    std::vector<std::int32_t> rows;
    for (std::size_t k = 0; k < has_free.size(); ++k)
        if (has_free[k]) rows.push_back(static_cast<std::int32_t>(k));
    if (rows.empty()) return true;
    const std::vector<std::int32_t> columns = columns_in(m.pattern(), rows, is_free);
    RowSolver<S> solver(m, rows, columns, move.from);
    std::vector<char> is_column(usual_.size(), 0);
    for (const std::int32_t j : columns) is_column[at(j)] = 1;
    const std::span<S> held = problem_.jets().held();
    const auto place = [&](S s, linalg::Vector<S>& u) {
        for (std::size_t j = 0; j < usual_.size(); ++j) {
            const auto c = static_cast<std::int64_t>(j);
            if (!is_column[j]) u[c] = s == S(1) ? move.to[c] : move.from[c] + s * (move.to[c] - move.from[c]);
        }
        for (std::size_t k = 0; k < held.size(); ++k)
            held[k] = s == S(1) ? move.held_to[k] : move.held_from[k] + s * (move.held_to[k] - move.held_from[k]);
    };
    if (!move.guesses.empty()) {
        linalg::Vector<S> guess = move.to;
        const std::vector<std::int64_t>& guessed = events_.guessed_coordinates(move.event);
        for (std::size_t k = 0; k < guessed.size(); ++k)
            if (guessed[k] >= 0 && is_column[at(guessed[k])]) guess[guessed[k]] = move.guesses[k];
        if (solver.solve(move.t, guess)) {
            move.to = std::move(guess);
            return true;
        }
    }
    linalg::Vector<S> u = move.from;
    const bool is_followed = solver.follow(move.t, u, place) == S(1);
    place(S(1), u);
    if (!is_followed && !choose(move, solver, columns, u)) return false;
    move.to = std::move(u);
    return true;
}

// The branch is lost: the solution that is found from where it ends, or from elsewhere, and which others there are.
template <class S>
bool Jump<S>::choose(Move& move, RowSolver<S>& solver, const std::vector<std::int32_t>& columns, linalg::Vector<S>& u) {
    std::vector<linalg::Vector<S>> found;
    const auto try_from = [&](linalg::Vector<S> trial) {
        if (!solver.solve(move.t, trial)) return;
        const auto is_same = [&](const linalg::Vector<S>& other) {
            return std::ranges::all_of(columns, [&](std::int32_t k) {
                return absolute(other[k] - trial[k]) <= S(1e-6) * (absolute(other[k]) + absolute(move.from[k]));
            });
        };
        if (std::ranges::none_of(found, is_same)) found.push_back(std::move(trial));
    };
    try_from(u);
    linalg::Vector<S> trial = u;
    for (const std::int32_t k : columns) trial[k] = move.from[k];
    try_from(trial);
    S size = 1;
    for (std::size_t j = 0; j < usual_.size(); ++j)
        size = std::max(size, absolute(move.to[static_cast<std::int64_t>(j)]));
    for (const double guess : {1.0, -1.0, 0.3, -0.3}) {
        if (columns.size() > most_tried) break;
        for (const std::int32_t k : columns) trial[k] = S(guess) * size;
        try_from(trial);
    }
    if (found.empty()) return false;
    std::string others;
    for (std::size_t k = 1; k < found.size(); ++k) others += (k > 1 ? "; or " : "") + values_of(found[k], columns);
    const System& system = problem_.system();
    note_ =
        fmt::format("after the event '{}' at {} = {:.8g} the values before it have no continuation (their branch of "
                    "solutions ends on the way): {} is taken",
                    system.events[move.event].name, system.independent_name, static_cast<double>(move.t),
                    values_of(found[0], columns));
    if (!others.empty())
        note_ += fmt::format("; there is also {}. A guess chooses: then …, guess {}", others,
                             values_of(found[1], {columns.front()}));
    u = std::move(found[0]);
    return true;
}

// ---- the jump ----

template <class S> bool Jump<S>::is_consistent(Move& move) {
    Manifold<S>& m = problem_.written_manifold();
    std::vector<std::int32_t> all(at(m.n_constraints()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
    return relative_residual(m, all, move.t, move.from, move.to) <= S(acceptable);
}

// NOTE: what is mechanical has been found, or there is none: no impact moves positions, no constraint velocities but by
// impulses.
template <class S> bool Jump<S>::move_together(Move& move) {
    for (std::size_t j = 0; impulses_ && j < usual_.size(); ++j)
        if (impulses_->is_position()[j] || impulses_->moves()[j]) move.freedom[j] = Freedom::held;
    return make_consistent<S>(problem_.written_manifold(), move.t, move.to, move.freedom, nullptr);
}

template <class S> std::string Jump<S>::operator()(std::size_t event, S t, linalg::Vector<S>& u) {
    note_.clear();
    if (!saltation_) return jump(event, t, u);
    linalg::Vector<S> base(problem_.n_state() + 1), all = u;
    std::copy_n(u.data(), problem_.n_state(), base.data());
    std::string wrong = saltation_->begin(event, t, u.data());
    if (wrong.empty()) wrong = jump(event, t, base);
    std::copy_n(base.data(), problem_.n_state(), all.data());
    if (wrong.empty()) wrong = saltation_->finish(t, follows_, all);
    if (!wrong.empty()) return wrong;
    take_kept_values(all_, t, all.data());
    u = std::move(all);
    return "";
}

template <class S> std::string Jump<S>::jump(std::size_t event, S t, linalg::Vector<S>& u) {
    const std::span<S> held = problem_.jets().held();
    Move move{event, t, u, u, usual_, std::vector<char>(usual_.size(), 0), {held.begin(), held.end()}, {}, {}};
    std::string wrong = set_values(move);
    if (wrong.empty() && contacts_) {
        contacts_->let_go(t, move.to.data());
        move.held_to.assign(held.begin(), held.end());
    }
    if (wrong.empty()) wrong = follow(move);
    if (!wrong.empty()) {
        std::ranges::copy(move.held_from, held.begin());
        return wrong;
    }
    follows_.assign(usual_.size(), 0);
    for (std::size_t j = 0; j < usual_.size(); ++j) {
        const S from = u[static_cast<std::int64_t>(j)], to = move.to[static_cast<std::int64_t>(j)];
        const bool has_moved = absolute(to - from) > S(1e-12) * (absolute(from) + absolute(to));
        follows_[j] = !move.is_set[j] && (usual_[j] == Freedom::free || has_moved);
    }
    u = std::move(move.to);
    return "";
}

template <class S>
std::string Jump<S>::touch(const typename ContactLaw<S>::Circumstances& now, std::span<const ContactEvent> met,
                           linalg::Vector<S>& u) {
    const std::span<S> held = problem_.jets().held();
    Move move{0, now.t, u, u, usual_, std::vector<char>(usual_.size(), 0), {held.begin(), held.end()}, {}, {}};
    std::string wrong = (*contacts_)(now, met, move.to);
    note_ = contacts_->note();
    move.held_to.assign(held.begin(), held.end());
    if (wrong.empty()) wrong = follow(move);
    if (wrong.empty())
        u = std::move(move.to);
    else
        std::ranges::copy(move.held_from, held.begin());
    return wrong;
}

template <class S> std::string Jump<S>::follow(Move& move) {
    const bool has_velocities = follow_levels(move) && follow_velocities(move);
    if (!(has_velocities && continue_algebraic(move) && is_consistent(move))) {
        if (!contacts_) note_.clear();
        if ((impulses_ && !has_velocities) || !move_together(move))
            return contradiction(move.event, problem_.written_manifold(), move.t, move.to.data());
    }
    take_kept_values(problem_, move.t, move.to.data());
    Manifold<S>& m = problem_.manifold();
    if (m.has_invariants() && !find_violations(m, move.t, move.to.data()).empty() &&
        !make_consistent<S>(m, move.t, move.to, move.freedom, nullptr))
        return contradiction(move.event, m, move.t, move.to.data());
    take_kept_values(problem_, move.t, move.to.data());
    return "";
}

template class Jump<double>;
template class Jump<Quad>;

} // namespace vessiot
