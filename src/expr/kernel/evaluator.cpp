#include "expr/kernel/evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "core/error.hpp"
#include "expr/kernel/background.hpp"
#include "expr/kernel/code_cache_entries.hpp"
#include "expr/kernel/repeated/repeated_code.hpp"
#include "expr/kernel/same_kernel.hpp"

namespace vessiot::expr {

// --- one job for the compiler ------------------------------------------------------------------------------------

class Evaluator::Compilation final : public BackgroundJob {
public:
    Compilation(std::shared_ptr<const Kernel> kernel, const NativeOptions& options)
        : kernel_(std::move(kernel)), options_(options) {}

    // Does the work, on whatever thread, unless it has been cancelled.
    void run() override {
        if (is_cancelled_.load()) return finish(nullptr, "cancelled");
        std::string problem;
        std::unique_ptr<NativeCode> code = plugin().compile(kernel_, options_, problem);
        finish(std::move(code), std::move(problem));
    }

    void refuse(const std::string& why) override { finish(nullptr, why); }

    // By the evaluator that it was made for, which is about to end; what others may ask for goes on.
    void cancel() {
        if (!is_shared) give_up();
    }
    void give_up() { is_cancelled_.store(true); }

    // That of an equal kernel in the cache of this thread; else a new one, which is in the cache then.
    static std::shared_ptr<Compilation> find(const std::shared_ptr<const Kernel>& kernel, const NativeOptions& options,
                                             bool& is_new);

    void finish(std::unique_ptr<NativeCode> code, std::string problem) {
        {
            const std::lock_guard lock(mutex_);
            code_ = std::move(code);
            problem_ = std::move(problem);
            is_finished_ = true;
            ready_.store(code_.get(), std::memory_order_release);
        }
        finished_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [this] { return is_finished_; });
    }

    std::string problem() {
        const std::lock_guard lock(mutex_);
        return problem_;
    }

    const NativeCode* ready() const { return ready_.load(std::memory_order_acquire); }

    bool is_shared = false; // it is in a cache

private:
    std::shared_ptr<const Kernel> kernel_;
    NativeOptions options_;
    std::atomic<bool> is_cancelled_ = false;
    std::atomic<const NativeCode*> ready_ = nullptr;
    std::mutex mutex_; // for what follows
    std::condition_variable finished_;
    bool is_finished_ = false;
    std::unique_ptr<NativeCode> code_;
    std::string problem_;
};

// --- code that evaluators share -----------------------------------------------------------------------------------

namespace {

std::uint64_t hash_of(const Kernel& kernel) {
    std::uint64_t h = 0;
    const auto mix = [&](std::uint64_t v) { h = (h ^ v) * 0x9E3779B97F4A7C15ULL + (h >> 29U); };
    mix(kernel.constants.size());
    for (const Buffer& b : kernel.buffers) mix(static_cast<std::uint64_t>(b.size));
    for (const Loop& loop : kernel.loops) {
        mix(loop.lengths.size());
        for (const Instruction& i : loop.body)
            mix(static_cast<std::uint64_t>(i.op) + (std::uint64_t{i.a} << 8U) + (std::uint64_t{i.b} << 36U));
    }
    return h;
}

bool are_same(const NativeOptions& a, const NativeOptions& b) {
    return a.lanes == b.lanes && a.contraction == b.contraction && a.optimise == b.optimise;
}

} // namespace

CodeCache::CodeCache() : entries_(std::make_unique<Entries>()) {}
CodeCache::~CodeCache() {
    for (const auto& [h, entry] : entries_->by_hash) entry.give_up();
    for (const auto& code : entries_->repeated) code->give_up();
}

std::size_t CodeCache::size() const {
    const std::lock_guard lock(entries_->mutex);
    return entries_->by_hash.size() + entries_->repeated.size();
}

std::shared_ptr<CodeCache>& CodeCache::current() {
    static thread_local std::shared_ptr<CodeCache> of_this_thread;
    return of_this_thread;
}

std::shared_ptr<Evaluator::Compilation> Evaluator::Compilation::find(const std::shared_ptr<const Kernel>& kernel,
                                                                     const NativeOptions& options, bool& is_new) {
    is_new = true;
    auto made = std::make_shared<Compilation>(kernel, options);
    const std::shared_ptr<CodeCache> cache = CodeCache::current();
    if (!cache) return made;
    made->is_shared = true;
    const std::uint64_t h = hash_of(*kernel);
    CodeCache::Entries& entries = cache->entries();
    const std::lock_guard lock(entries.mutex);
    const auto [begin, end] = entries.by_hash.equal_range(h);
    for (auto e = begin; e != end; ++e)
        if (are_same(e->second.options, options) && are_same(*e->second.kernel, *kernel)) {
            is_new = false;
            return std::static_pointer_cast<Compilation>(e->second.compilation);
        }
    entries.by_hash.emplace(h, CodeCache::Entries::Entry{kernel, options, made, [c = made.get()] { c->give_up(); }});
    return made;
}

// --- the evaluator ------------------------------------------------------------------------------------------------

namespace {

// Whether compiling pays. The costs of compiling, and what native code saves, were measured on one machine; rough is
// good enough, since the decision is between good and slightly better.
bool is_worth_compiling(const Kernel& kernel, const EvaluatorOptions& options) {
    if (options.expected_evaluations <= 0) return true;
    const bool has_lanes = options.lanes > 1;
    double cost = 2e-3, saved = 0; // seconds: once, and for each evaluation
    for (const Loop& loop : kernel.loops) {
        const auto is_operation = [](const Instruction& i) { return !is_leaf(i.op); };
        const auto n = static_cast<double>(std::count_if(loop.body.begin(), loop.body.end(), is_operation));
        if (loop.is_straight_line()) {
            cost += 7e-6 * n;
            saved += (has_lanes ? 1.1e-9 : 0.6e-9) * n;
        } else {
            cost += 1e-4 * (n + static_cast<double>(loop.addresses.size()));
            saved += 5e-8 + (has_lanes ? 0.6e-9 : 0.1e-9) * n * static_cast<double>(loop.n_instances());
        }
    }
    return options.expected_evaluations * saved > cost;
}

bool wants_full_quality(const EvaluatorOptions& options) {
    if (options.quality != CodeQuality::automatic) return options.quality == CodeQuality::full;
    return options.expected_evaluations >= 1e6;
}

} // namespace

Evaluator::Evaluator(std::shared_ptr<const Kernel> kernel, const EvaluatorOptions& options)
    : kernel_(std::move(kernel)), options_(options) {
    if (options.lanes < 1) throw InvalidInput(fmt::format("lanes = {}, but it must be at least 1.", options.lanes));
    for (const Buffer& buffer : kernel_->buffers) {
        n_inputs_ += buffer.role == BufferRole::input;
        n_outputs_ += buffer.role == BufferRole::output;
        literals_.emplace_back();
        if (buffer.role != BufferRole::literal) continue;
        for (const Quad x : kernel_->literals[buffer.literal])
            literals_.back().insert(literals_.back().end(), options.lanes, static_cast<double>(x));
    }

    const bool is_jit = options.backend == Backend::jit;
    const bool has_native_lanes = options.lanes == 1 || options.lanes == 8;
    if (is_jit && !has_native_lanes)
        throw InvalidInput(fmt::format("native code for {} lanes was asked for, but it has 1 or 8. Set lanes to one of "
                                       "these, or backend to automatic.",
                                       options.lanes));
    const bool is_at_once = is_jit || options.contraction;
    const bool is_automatic = options.backend == Backend::automatic;
    const bool has_calls = !kernel_->externals.empty(); // of the user: the interpreter alone makes them
    if (!has_calls && (is_jit || (is_automatic && has_native_lanes && is_worth_compiling(*kernel_, options)))) {
        const NativeOptions native{options.lanes, options.contraction, wants_full_quality(options)};
        bool is_new = true;
        compilation_ = Compilation::find(kernel_, native, is_new);
        if (is_new && is_at_once)
            compilation_->run();
        else if (is_new)
            do_in_background(compilation_);
        else if (is_at_once)
            compilation_->wait();
    }
    if (is_jit && !is_native() && !has_calls)
        throw InvalidInput(reason() + ". The backend jit needs native code: set backend to automatic or interpreter.");
    if (!is_at_once || !is_native()) interpreter_ = std::make_unique<const Interpreter<double>>(kernel_, options.lanes);
}

Evaluator::Evaluator(Evaluator&&) noexcept = default;

Evaluator& Evaluator::operator=(Evaluator&& other) noexcept {
    if (this == &other) return *this;
    if (compilation_) compilation_->cancel();
    kernel_ = std::move(other.kernel_);
    options_ = other.options_;
    n_inputs_ = other.n_inputs_;
    n_outputs_ = other.n_outputs_;
    interpreter_ = std::move(other.interpreter_);
    literals_ = std::move(other.literals_);
    compilation_ = std::move(other.compilation_);
    own_ = std::move(other.own_);
    code_ = other.code_;
    return *this;
}

Evaluator::~Evaluator() {
    if (compilation_) compilation_->cancel();
}

const NativeCode* Evaluator::native() const {
    return compilation_ ? compilation_->ready() : nullptr;
}

EvaluatorWorkspace Evaluator::make_workspace() const {
    EvaluatorWorkspace workspace;
    const auto lanes = static_cast<std::size_t>(options_.lanes);
    for (std::size_t b = 0; b < kernel_->buffers.size(); ++b) {
        const Buffer& buffer = kernel_->buffers[b];
        double* place = nullptr;
        if (buffer.role == BufferRole::scratch) {
            workspace.memory_.emplace_back(static_cast<std::size_t>(buffer.size) * lanes, 0.0);
            place = workspace.memory_.back().data();
        } else if (buffer.role == BufferRole::literal) {
            place = const_cast<double*>(literals_[b].data()); // never written to
        }
        workspace.buffers_.push_back(place);
    }
    if (interpreter_) workspace.interpreter_.emplace(interpreter_->make_workspace());
    if (compilation_) {
        // As much as code that is not there yet can need: a number for each value of straight-line code. Memory that
        // is never touched costs nothing.
        std::size_t n = 0;
        for (const Loop& loop : kernel_->loops)
            if (loop.is_straight_line()) n = std::max(n, loop.body.size());
        const std::size_t bytes = (n * lanes * sizeof(double) + 63) / 64 * 64;
        workspace.scratch_.reset(static_cast<double*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))));
        if (!workspace.scratch_) throw std::bad_alloc();
    }
    return workspace;
}

void Evaluator::operator()(const double* const* inputs, double* const* outputs, EvaluatorWorkspace& workspace) const {
    double** const buffers = workspace.buffers_.data();
    for (std::size_t k = 0; k < n_inputs_; ++k) buffers[k] = const_cast<double*>(inputs[k]); // only read
    for (std::size_t k = 0; k < n_outputs_; ++k) buffers[n_inputs_ + k] = outputs[k];
    if (const NativeCode* const code = native())
        (*code)(buffers, workspace.scratch_.get());
    else
        (*interpreter_)(buffers, *workspace.interpreter_);
}

void Evaluator::operator()(const double* const* inputs, double* const* outputs) {
    if (!own_) own_.emplace(make_workspace());
    (*this)(inputs, outputs, *own_);
}

double** Evaluator::slots() {
    if (!own_) own_.emplace(make_workspace());
    return own_->buffers_.data();
}

void Evaluator::run_slowly() {
    code_ = native();
    if (code_)
        (*code_)(own_->buffers_.data(), own_->scratch_.get());
    else
        (*interpreter_)(own_->buffers_.data(), *own_->interpreter_);
}

void Evaluator::wait() const {
    if (!compilation_) return;
    if (is_lost(*compilation_)) return;
    compilation_->wait();
}

std::string Evaluator::reason() const {
    if (is_native()) return {};
    if (compilation_) return compilation_->problem();
    if (!kernel_->externals.empty())
        return "native code is off: the function '" + kernel_->externals[0]->name() +
               "' is called, which is given as one of C++";
    if (options_.backend == Backend::interpreter) return "native code is off: the backend is the interpreter";
    if (options_.lanes != 1 && options_.lanes != 8)
        return fmt::format("native code is off: it has 1 or 8 lanes, not {}", options_.lanes);
    return "native code is off: compiling would take longer than it saves";
}

} // namespace vessiot::expr
