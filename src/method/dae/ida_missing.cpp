// In the place of ida.cpp where SUNDIALS was not found.
#include <string>

#include "core/error.hpp"
#include "method/dae/ida.hpp"

namespace vessiot::method {

bool has_ida() {
    return false;
}

template <class S>
std::unique_ptr<Stepper<S>> make_ida(const MethodInfo& info, Field<S>&, Projection<S>*, const StepperOptions<S>&) {
    throw InvalidInput("the method \"" + std::string(info.name) +
                       "\" needs SUNDIALS, without which this vessiot was built: install it (Debian: libsundials-dev) "
                       "and build again, or take \"radau5\"");
}

template std::unique_ptr<Stepper<double>> make_ida(const MethodInfo&, Field<double>&, Projection<double>*,
                                                   const StepperOptions<double>&);
template std::unique_ptr<Stepper<Quad>> make_ida(const MethodInfo&, Field<Quad>&, Projection<Quad>*,
                                                 const StepperOptions<Quad>&);

} // namespace vessiot::method
