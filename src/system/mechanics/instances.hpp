// Instances of a family, numbered.
#pragma once

#include "expr/graph/graph.hpp"

namespace vessiot {

// first, first + 1, ... over the instances of a domain, as a form.
expr::FormId instance_number(expr::Graph& g, expr::DomainId domain, std::int64_t first);

} // namespace vessiot
