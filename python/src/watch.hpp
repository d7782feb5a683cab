// Looks after a run: Ctrl-C and exceptions of functions of Python end it, and are raised when it is over.
#pragma once

#include <stop_token>

#include "bind.hpp"

namespace vessiot::python {

class Watch {
public:
    explicit Watch(nb::object callback) : callback_(std::move(callback)) {}

    // Is the run wanted? `call` hands its state to the callback, which ends it with False.
    template <class Call> bool asks(const Call& call) {
        const nb::gil_scoped_acquire held;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (callback_.is_none()) return true;
            const nb::object answer = call(callback_);
            return !answer.is(nb::handle(Py_False));
        } catch (nb::python_error& e) {
            fail(e);
            return false;
        }
    }
    // The first exception counts; the run ends within its step.
    void fail(const nb::python_error& e) {
        if (!error_.is_valid()) error_ = nb::borrow(e.value());
        stop_.request_stop();
    }
    std::stop_token token() const { return stop_.get_token(); }
    nb::object take_error() { return error_.is_valid() ? std::move(error_) : nb::none(); }

private:
    nb::object callback_, error_;
    std::stop_source stop_;
};

// While it lives, functions of Python that this thread calls tell this watch what they raise (external.cpp).
class WatchScope {
public:
    explicit WatchScope(Watch& watch);
    WatchScope(const WatchScope&) = delete;
    WatchScope& operator=(const WatchScope&) = delete;
    ~WatchScope();

private:
    Watch* outer_;
};

} // namespace vessiot::python
