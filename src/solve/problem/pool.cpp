#include "solve/problem/pool.hpp"

#include <algorithm>

namespace vessiot {

namespace {

constexpr std::ptrdiff_t most_bound = 8;

} // namespace

// NOTE: whether one fits may take some work, in which nobody else has to wait.
template <class S> std::unique_ptr<Workspace<S>> Pool<S>::take(const Numbers& numbers) {
    std::vector<const Workspace<S>*> tried;
    while (std::unique_ptr<Workspace<S>> next = take_but(tried)) {
        if (next->fits(numbers)) return next;
        tried.push_back(next.get());
        const std::lock_guard lock(mutex_);
        free_.insert(free_.begin(), std::move(next));
    }
    return nullptr;
}

// The one that was given back last has the same numbers more often than not.
template <class S> std::unique_ptr<Workspace<S>> Pool<S>::take_but(const std::vector<const Workspace<S>*>& tried) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.rbegin(), free_.rend(),
                                    [&](const auto& w) { return std::ranges::find(tried, w.get()) == tried.end(); });
    if (found == free_.rend()) return nullptr;
    std::unique_ptr<Workspace<S>> next = std::move(*found);
    free_.erase(std::next(found).base());
    return next;
}

template <class S> std::unique_ptr<Workspace<S>> Pool<S>::take_for_curve(const Numbers& numbers) {
    if (auto found = take(numbers)) {
        found->set_parameters(numbers.parameters);
        return found;
    }
    System system = *system_;
    std::size_t k = 0;
    for (Parameter& p : system.parameters)
        for (Quad& v : p.values) v = numbers.parameters[k++];
    Settings options = options_;
    options.start = numbers.start;
    options.guess = numbers.guess;
    const expr::CodeCache::Scope scope(code_);
    return std::make_unique<Workspace<S>>(system, options, method_, numbers.from, static_cast<S>(numbers.from) + S(1));
}

template <class S> void Pool<S>::give(std::unique_ptr<Workspace<S>> workspace) {
    if (workspace->is_spent()) return;
    std::unique_ptr<Workspace<S>> dropped;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
    const auto is_bound = [](const auto& w) { return w->is_bound(); };
    if (std::ranges::count_if(free_, is_bound) <= most_bound) return;
    const auto oldest = std::ranges::find_if(free_, is_bound);
    dropped = std::move(*oldest);
    free_.erase(oldest);
}

template class Pool<double>;
template class Pool<Quad>;

} // namespace vessiot
