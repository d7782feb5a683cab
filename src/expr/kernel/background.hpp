// The thread that compiles in the background, and work for it.
#pragma once

#include <memory>
#include <string>

namespace vessiot::expr {

class BackgroundJob {
public:
    BackgroundJob() = default;
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;
    virtual ~BackgroundJob() = default;

    virtual void run() = 0;                          // by that thread
    virtual void refuse(const std::string& why) = 0; // instead

    const void* worker = nullptr; // that has it in its queue
};

void do_in_background(std::shared_ptr<BackgroundJob> job);
// In a forked child the thread of the parent does not exist: nothing will come of what it had.
bool is_lost(const BackgroundJob& job);

} // namespace vessiot::expr
