#include "method/fits.hpp"

#include "method/mechanical_shape.hpp"

namespace vessiot::method {

std::string misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation) {
    switch (method.needs) {
    case View::any: return "";
    case View::mechanical: return mechanical_shape(system, prolongation).lacking;
    }
    return "";
}

} // namespace vessiot::method
