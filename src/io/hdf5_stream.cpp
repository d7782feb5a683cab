// HDF5 files are written by the plug-in vessiot_hdf5.so, which is loaded when the first one is wanted: its library
// brings thirty others along, which every start of the program would wait for.
#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/plugin_file.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/stream.hpp"
#include "vessiot/version.hpp"
#include "vessiot_config.hpp"

namespace vessiot {

namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;
using Maker = PointStream* (*)(const char*, const Attributes*);
using MembersMaker = MemberStream* (*)(const char*);
using VersionText = const char* (*)();

[[noreturn]] void fail(const std::string& why) {
    throw InvalidInput(fmt::format("there are no .h5 files here: {}. Write a .csv file instead", why));
}

struct Plugin {
    Maker stream = nullptr;
    MembersMaker members = nullptr;
};

Plugin load() {
    const std::string path =
        find_plugin("VESSIOT_HDF5", "vessiot_hdf5.so", config::hdf5_build_path, config::hdf5_install_path);
    if (path.empty()) fail("this vessiot was built without HDF5 (Debian: libhdf5-dev)");
    // NOTE: never closed. The library registers functions to be called at exit.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* what = dlerror();
        fail(what ? what : path + " cannot be loaded");
    }
    const auto plugin_version = reinterpret_cast<VersionText>(dlsym(library, "vessiot_hdf5_version"));
    const Plugin plugin{reinterpret_cast<Maker>(dlsym(library, "vessiot_hdf5_stream")),
                        reinterpret_cast<MembersMaker>(dlsym(library, "vessiot_hdf5_members"))};
    if (!plugin_version || !plugin.stream || !plugin.members) fail(path + " is not a plug-in of vessiot");
    if (std::string(plugin_version()) != version())
        fail(fmt::format("{} is of version {}, and this is {}", path, plugin_version(), version()));
    return plugin;
}

const Plugin& plugin() {
    static const Plugin loaded = load();
    return loaded;
}

} // namespace

std::shared_ptr<PointStream> hdf5_stream(const std::string& path, const Attributes& attributes) {
    return std::shared_ptr<PointStream>(plugin().stream(path.c_str(), &attributes));
}

std::shared_ptr<MemberStream> members_hdf5(const std::string& path) {
    return std::shared_ptr<MemberStream>(plugin().members(path.c_str()));
}

} // namespace vessiot
