// Where the plug-ins of the library are.
#pragma once

#include <string>

namespace vessiot {

// What the environment variable says; beside the program, as installed (<prefix>/bin and <prefix>/lib/vessiot); in the
// build folder; where it was to be installed. Empty: nowhere.
std::string find_plugin(const char* variable, const char* file, const char* build_path, const char* install_path);

} // namespace vessiot
