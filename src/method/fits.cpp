#include "method/fits.hpp"

namespace vessiot::method {

std::string misfit(const MethodInfo& method, const System& /*system*/, const Prolongation& /*prolongation*/) {
    switch (method.needs) {
    case View::any: return "";
    }
    return "";
}

} // namespace vessiot::method
