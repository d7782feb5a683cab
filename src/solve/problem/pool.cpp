#include "solve/problem/pool.hpp"

#include <algorithm>

namespace vessiot {

template <class S> std::unique_ptr<Workspace<S>> Pool<S>::take(const Numbers& numbers) {
    std::unique_ptr<Workspace<S>> found;
    const std::lock_guard lock(mutex_);
    // the one that was given back last has these numbers more often than not
    for (auto w = free_.rbegin(); w != free_.rend(); ++w) {
        if (!(*w)->fits(numbers)) continue;
        found = std::move(*w);
        free_.erase(std::next(w).base());
        break;
    }
    return found;
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
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
}

template class Pool<double>;
template class Pool<Quad>;

} // namespace vessiot
