#include "expr/kernel/background.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "expr/kernel/native.hpp"

namespace vessiot::expr {

namespace {

// One for the process; the thread starts with the first job and is joined when the program ends.
//
// At that moment the thread may be inside LLVM, whose global objects are destroyed at exit too: before ours, since they
// were made later. What is destroyed before all global objects are the thread-local ones of the main thread, so that is
// where the worker is stopped (AtExit below). If another thread calls exit(), the functions given to std::atexit do it;
// they come late enough only if LLVM has been used before.
class Worker {
public:
    static Worker& get() {
        static const bool is_prepared = [] {
            current_ = new Worker;
            // A forked child has no thread: it begins anew, and what the parent had queued never gets done there.
            pthread_atfork(nullptr, nullptr, [] { current_ = new Worker; });
            std::atexit(stop_current);
            return true;
        }();
        static_cast<void>(is_prepared);
        return *current_;
    }

    static void stop_current() {
        if (Worker* const worker = current_) worker->stop();
    }

    void add(std::shared_ptr<BackgroundJob> job) {
        {
            const std::lock_guard lock(mutex_);
            job->worker = this;
            if (is_stopping_) {
                job->refuse("the program is about to end");
            } else if (const std::string problem = start(); !problem.empty()) {
                job->refuse(problem);
            } else {
                jobs_.push_back(std::move(job));
            }
        }
        changed_.notify_one();
    }

private:
    // Starts the thread unless it runs. Where the system gives no more threads, the interpreter does the work.
    std::string start() {
        if (thread_.joinable()) return "";
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error& e) {
            return fmt::format("no thread can be started to compile: {}", e.what());
        }
        return "";
    }

    void run() {
        plugin();
        std::atexit(stop_current);
        for (bool is_first = true;; is_first = false) {
            std::shared_ptr<BackgroundJob> job;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
                if (is_stopping_) return;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job->run();
            if (is_first) std::atexit(stop_current); // the first job makes more of LLVM's global objects
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
        }
        changed_.notify_one();
        if (thread_.joinable()) thread_.join();
        for (const auto& job : std::exchange(jobs_, {})) job->refuse("the program is about to end");
    }

    static std::atomic<Worker*> current_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<BackgroundJob>> jobs_;
    std::thread thread_;
    bool is_stopping_ = false;
};

std::atomic<Worker*> Worker::current_ = nullptr;

struct AtExit {
    ~AtExit() {
        if (gettid() == getpid()) Worker::stop_current();
    }
    // Makes the one of the calling thread.
    static bool prepare() {
        static thread_local AtExit of_this_thread;
        return of_this_thread.exists_;
    }
    static const bool is_prepared;

private:
    bool exists_ = true;
};

const bool AtExit::is_prepared = prepare(); // when the program is loaded: by the main thread

} // namespace

void do_in_background(std::shared_ptr<BackgroundJob> job) {
    Worker::get().add(std::move(job));
}

bool is_lost(const BackgroundJob& job) {
    return job.worker && job.worker != &Worker::get();
}

} // namespace vessiot::expr
