// What has to be true at every point of a run (System::requirements), as compiled functions.
#pragma once

#include <optional>
#include <vector>

#include "expr/graph/function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class RequirementValues {
public:
    explicit RequirementValues(Compiled<S>& problem);

    bool is_empty() const { return !function_; }
    // One number each, 0 where it is not met; null where the tops that they read have no value.
    const S* operator()(S t, const S* x);

private:
    Compiled<S>& problem_;
    std::optional<expr::Function<S>> function_;
    bool needs_tops_ = false;
    linalg::Vector<S> w_;
    std::vector<S> values_;
};

extern template class RequirementValues<double>;
extern template class RequirementValues<Quad>;

} // namespace vessiot
