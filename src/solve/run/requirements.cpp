#include "solve/run/requirements.hpp"

#include <fmt/format.h>

namespace vessiot {

template <class S> bool Requirements<S>::are_met(S t, const S* x) {
    if (is_empty()) return true;
    const S* values = run_.engine.requirements(t, x);
    if (!values) return true;
    for (std::size_t k = 0; k < is_noted_.size(); ++k) {
        if (values[k] != S(0)) continue;
        const Requirement& r = run_.problem().system().requirements[k];
        const std::string place = r.where.line > 0 ? fmt::format(" (line {})", r.where.line) : "";
        if (r.is_error) {
            run_.fail(fmt::format("the run ended at {} = {}: an assertion of the model fails{}: {}",
                                  run_.solution.independent, run_.show(t), place, r.message));
            return false;
        }
        if (!is_noted_[k])
            run_.solution.notes.push_back(fmt::format("warning: from {} = {} on an assertion of the model fails{}: {}",
                                                      run_.solution.independent, run_.show(t), place, r.message));
        is_noted_[k] = 1;
    }
    return true;
}

template class Requirements<double>;
template class Requirements<Quad>;

} // namespace vessiot
