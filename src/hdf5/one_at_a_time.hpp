// A stream whose functions wait for each other, and for those of all other such streams: the library of HDF5 is for one
// thread at a time, and runs of several threads may each write a file.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "vessiot/stream.hpp"

namespace vessiot::hdf5 {

class OneAtATime final : public PointStream {
public:
    explicit OneAtATime(std::unique_ptr<PointStream> inner) : inner_(std::move(inner)) {}
    ~OneAtATime() override {
        const std::lock_guard lock(library());
        inner_.reset();
    }

    // The lock of the library.
    static std::mutex& library() {
        static std::mutex mutex;
        return mutex;
    }

    std::string name() const override { return inner_->name(); }
    bool needs_attributes() const override { return inner_->needs_attributes(); }
    void begin(const StreamHead& head) override {
        const std::lock_guard lock(library());
        inner_->begin(head);
    }
    void add(const StreamPoint& point) override {
        const std::lock_guard lock(library());
        inner_->add(point);
    }
    void add_event(const StreamEvent& event) override {
        const std::lock_guard lock(library());
        inner_->add_event(event);
    }
    void end(const Solution& solution) override {
        const std::lock_guard lock(library());
        inner_->end(solution);
    }
    std::vector<std::int64_t> position() const override {
        const std::lock_guard lock(library());
        return inner_->position();
    }
    void sync() override {
        const std::lock_guard lock(library());
        inner_->sync();
    }
    void resume(const StreamHead& head, std::span<const std::int64_t> position) override {
        const std::lock_guard lock(library());
        inner_->resume(head, position);
    }

private:
    std::unique_ptr<PointStream> inner_;
};

} // namespace vessiot::hdf5
