// The workspaces of a problem. Whoever needs one takes it, and gives it back: there are as many as were needed at the
// same time.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "expr/kernel/code_cache.hpp"
#include "solve/problem/workspace.hpp"

namespace vessiot {

template <class S> class Pool {
public:
    // Of a system whose graph nobody changes; the options are complete, but for those of a single solve.
    Pool(std::shared_ptr<const System> system, Settings options, const method::MethodInfo& method)
        : system_(std::move(system)), options_(std::move(options)), method_(method) {}

    // One that is free and fits these numbers; null where there is none.
    std::unique_ptr<Workspace<S>> take(const Numbers& numbers);
    // One for points of a curve that was computed with these numbers: another one is made where none is free.
    std::unique_ptr<Workspace<S>> take_for_curve(const Numbers& numbers);
    // One that serves no more is dropped; of those that are bound to their numbers the oldest, where there are many.
    void give(std::unique_ptr<Workspace<S>> workspace);
    // What was compiled for one of them serves the others.
    const std::shared_ptr<expr::CodeCache>& code() const { return code_; }

private:
    std::shared_ptr<const System> system_;
    Settings options_;
    const method::MethodInfo& method_;
    std::shared_ptr<expr::CodeCache> code_ = std::make_shared<expr::CodeCache>();
    std::unique_ptr<Workspace<S>> take_but(const std::vector<const Workspace<S>*>& tried);

    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace<S>>> free_; // the one that was given back last at the end
};

// A workspace of a pool, until the end of the block.
template <class S> class Loan {
public:
    Loan(std::shared_ptr<Pool<S>> pool, std::unique_ptr<Workspace<S>> workspace)
        : pool_(std::move(pool)), workspace_(std::move(workspace)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Loan(Loan&&) noexcept = default;
    Loan& operator=(Loan&&) noexcept = delete;
    ~Loan() {
        if (workspace_) pool_->give(std::move(workspace_));
    }
    Workspace<S>& operator*() const { return *workspace_; }
    Workspace<S>* operator->() const { return workspace_.get(); }
    explicit operator bool() const { return workspace_ != nullptr; }
    const std::shared_ptr<Pool<S>>& pool() const { return pool_; }
    std::unique_ptr<Workspace<S>> keep() { return std::move(workspace_); } // it is not given back

private:
    std::shared_ptr<Pool<S>> pool_;
    std::unique_ptr<Workspace<S>> workspace_;
};

extern template class Pool<double>;
extern template class Pool<Quad>;

} // namespace vessiot
