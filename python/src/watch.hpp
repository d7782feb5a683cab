// Looks after a run: Ctrl-C and exceptions of the callback end it, and are raised when it is over.
#pragma once

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
            error_ = nb::borrow(e.value());
            return false;
        }
    }
    nb::object take_error() { return error_.is_valid() ? std::move(error_) : nb::none(); }

private:
    nb::object callback_, error_;
};

} // namespace vessiot::python
