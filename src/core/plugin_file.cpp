#include "core/plugin_file.hpp"

#include <cstdlib>
#include <filesystem>

namespace vessiot {

std::string find_plugin(const char* variable, const char* file, const char* build_path, const char* install_path) {
    if (const char* setting = std::getenv(variable); setting && *setting) return setting;
    std::error_code error, ignored;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string beside =
        error ? "" : (program.parent_path() / "../lib/vessiot" / file).lexically_normal().string();
    for (const std::string& path : {beside, std::string(build_path), std::string(install_path)})
        if (!path.empty() && std::filesystem::exists(path, ignored)) return path;
    return "";
}

} // namespace vessiot
