// A list as a text for graphics processors, made by the plug-in `vessiot_jit.so`.
#pragma once

#include <string>

#include "expr/kernel/repeated/repeated_list.hpp"

namespace vessiot::expr {

// The function `name` as jit_gpu_abi.h says. Empty, with the reason in `error`, where there is none.
std::string make_gpu_text(const RepeatedList& list, const std::string& name, std::string& error);

} // namespace vessiot::expr
